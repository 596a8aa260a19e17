"""Finder for the derivative of a function that JAX cannot look into: a callback or a kernel."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.fixes.names import dotted
from jax_nbhelp.fixes.patterns import match_node
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.fixes.holes import Found
    from jax_nbhelp.fixes.names import Names

say = sayer("reason")

# By the function's name in numpy; `x` is the argument.
_DERIVATIVES = {
    "arctan": "1 / (1 + {x} ** 2)",
    "cos": "-jax.numpy.sin({x})",
    "cosh": "jax.numpy.sinh({x})",
    "exp": "jax.numpy.exp({x})",
    "log": "1 / {x}",
    "log1p": "1 / (1 + {x})",
    "sin": "jax.numpy.cos({x})",
    "sinh": "jax.numpy.cosh({x})",
    "sqrt": "0.5 / jax.numpy.sqrt({x})",
    "square": "2 * {x}",
    "tanh": "1 - jax.numpy.tanh({x}) ** 2",
}
_MODULES = ("numpy", "jax.numpy", "jax.lax")
_CALLS = ("jax.pure_callback($F, $$$REST)", "jax.experimental.pallas.pallas_call($F, $$$REST)")
_FORMS = (
    "lambda $X: {0}.$FN($X)",
    "def $NAME($X):\n    return {0}.$FN($X)",
    "def $NAME($X):\n    return numpy.asarray({0}.$FN($X))",
    "def $NAME($X, $O):\n    $O[...] = {0}.$FN($X[...])",
    "def $NAME($X, $O):\n    $O[:] = {0}.$FN($X[:])",
)


def derivative(found: Found) -> list[Candidate]:
    """The derivative of the matched function, where what it hands out is one elementary function.

    Options: `of` is the variable that caught the parameter's name.
    """
    x = found.bindings.variables.get(found.option("of"))
    if not isinstance(x, str):
        return []
    names = {name for node in _handed_out(found) if (name := _elementary(node, found.spot.names))}
    if len(names) != 1:
        return []
    name = names.pop()
    text = re.sub(r"jax\.numpy\.\w+", lambda one: found.spell(one[0]), _DERIVATIVES[name].format(x=x))
    return [Candidate(text, say("derivative", name=name))]


def _handed_out(found: Found) -> Iterator[ast.AST]:
    """Functions that the matched code gives to the `pure_callback` or `pallas_call` that it returns."""
    for node in _returned(found.spot.node):
        for call in _CALLS:
            caught = match_node(call, node, found.spot.names)
            function = caught.variables.get("F") if caught else None
            if isinstance(function, ast.AST):
                yield function
                if isinstance(function, ast.Name):
                    yield from (spot.node for spot in found.spots.at("definition", function, found.spot))


def _returned(function: ast.AST) -> list[ast.AST]:
    """The call that a function ends with, also by a name, and what it calls: `pallas_call(f)(x)`."""
    body: list[ast.stmt] = getattr(function, "body", [])
    value: ast.AST | None = getattr(body[-1], "value", None) if body else None
    if isinstance(value, ast.Name):
        name = value.id
        known = [one.value for one in body if isinstance(one, ast.Assign) and dotted(one.targets[0]) == name]
        value = known[-1] if known else None
    return [value, value.func] if isinstance(value, ast.Call) else []


def _elementary(node: ast.AST, names: Names) -> str:
    for name in _DERIVATIVES:
        if any(names.refers(node, f"{module}.{name}") for module in _MODULES):
            return name
    for module in _MODULES:
        for form in _FORMS:
            caught = match_node(form.format(module), node, names)
            name = caught.variables.get("FN") if caught else None
            if isinstance(name, str) and name in _DERIVATIVES:
                return name
    return ""

"""The place in the installed JAX that raised.

It gives the check that fired, with its values, and the public function that the user called: this is what can
be said of an error that no record knows yet.
"""

from __future__ import annotations

import ast
import functools
import linecache
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jax_nbhelp.fixes.names import MISSING, Names, dotted, is_of_jax
from jax_nbhelp.operands import describe
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from types import FrameType

    from jax_nbhelp.failure import Link, Live
    from jax_nbhelp.fixes.spots import Spots

say = sayer("explanation")

_LONG = 160  # characters of a check that are shown


@dataclass(frozen=True, slots=True)
class Guard:
    """The check around a `raise`.

    Attributes:
      test: its source, e.g. `if len(axes) != x.ndim`.
      values: the names in it whose value is of a known type.
    """

    test: str
    values: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.values)
        return say("guard", test=self.test, values=values) if values else self.test


def guard(link: Link, live: Live, number: int) -> Guard | None:
    """Returns the check that fired in the innermost JAX frame of a link, or None where there is none.

    Args:
      link: the link.
      live: the frames.
      number: the index of the link.
    """
    for index in reversed(range(len(link.frames))):
        frame = link.frames[index]
        if frame.kind == "machinery":
            continue
        if frame.kind != "jax" or index >= len(live.frames[number]):
            return None
        return _guard(live.frames[number][index], frame.line, values=live.tells_values)
    return None


def _guard(frame: FrameType, line: int, *, values: bool) -> Guard | None:
    tree = _tree(frame.f_code.co_filename)
    raising, tests = _raise_at(tree, line) if tree else (None, [])
    if raising is None or not tests:
        return None
    test, negated = tests[-1]
    text = " ".join(ast.unparse(test).split())
    text = f"if not ({text})" if negated else f"if {text}"
    names = Names([frame.f_locals, frame.f_globals])
    told: dict[str, str] = {}
    for node in ast.walk(test) if values else ():
        name = dotted(node)
        value: Any = names.value(node) if name else MISSING
        shown = describe(value) if value is not MISSING else None
        if name and shown is not None and name not in told:
            told[name] = shown
    return Guard(text if len(text) <= _LONG else text[: _LONG - 1] + "…", tuple(told.items()))


@functools.lru_cache(maxsize=16)
def _tree(filename: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return None


def _raise_at(tree: ast.Module, line: int) -> tuple[ast.Raise | None, list[tuple[ast.expr, bool]]]:
    """The `raise` on a line and the tests around it, outermost first; True: its `else` branch was taken."""
    path: list[tuple[ast.expr, bool]] = []
    node: ast.AST = tree
    while True:
        if isinstance(node, ast.Raise):
            return node, path
        inner = next((one for one in ast.iter_child_nodes(node) if _covers(one, line)), None)
        if inner is None:
            return None, []
        if isinstance(node, ast.If) and inner is not node.test:
            path.append((node.test, inner in node.orelse))
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            path = []
        node = inner


def _covers(node: ast.AST, line: int) -> bool:
    first = getattr(node, "lineno", None)
    if first is None:
        return False
    decorators = [one.lineno for one in getattr(node, "decorator_list", ())]
    return min([first, *decorators]) <= line <= (getattr(node, "end_lineno", first) or first)


def public_call(spots: Spots) -> str:
    """Returns the JAX function that the user called, by the user's spelling, or an empty text."""
    for spot in spots.at("any-frame"):
        node = spot.node
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            if name and _home(spot.names.value(node.func)).split(".")[0] == "jax":
                return name
    return ""


def _home(value: object) -> str:
    """The module that a function says it is from; empty for an object of the user's, which is not asked."""
    cls = type(value)
    if any(cls is one for one in (types.FunctionType, types.BuiltinFunctionType, type)) or is_of_jax(cls):
        return str(getattr(value, "__module__", ""))
    return ""

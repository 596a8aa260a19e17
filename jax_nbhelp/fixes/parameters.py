"""Finders for functions and what they are given: parameters, static arguments, keys, hashable values."""

from __future__ import annotations

import ast
import difflib
import re
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.fix import Candidate, tuple_of
from jax_nbhelp.fixes.names import canonical, dotted
from jax_nbhelp.operands import is_integer, shape_of
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")


def parameter(found: Found) -> list[Candidate]:
    """A parameter of the function `of`; those that `group` of the message names come first.

    It is to be made static, so one that was given an array with axes is left out.
    With `used_in = "condition"`, those that an `if`, a `while`, a `range` or a slice looks at come first;
    with `only`, no others are offered; with `bare`, only one that itself is what failed, or `not` of it; with
    `whole`, only one that the group names alone, not a part of it such as `cfg['lr']`; with `integers`, only
    one that is a whole number. A hole of type `int` takes the parameter's position.
    """
    function = found.function()
    text = found.captures.get(found.option("group"), "")
    if function is None:
        if not text.isidentifier() or found.rule.type == "int":
            return []
        return [Candidate(repr(text) if found.rule.type == "str" else text, say("named"))]
    node, parameters = function
    fit = [name for name in parameters if not shape_of(found.spots.value_in(node, name))]
    named = set(re.findall(r"[A-Za-z_]\w*", text)) - {"and"}  # "x, y, and n"
    if found.option("whole") and text not in parameters:
        named = set[str]()
    if found.option("integers"):
        named = {name for name in named if is_integer(found.spots.value_of(name))}
    first = sorted((name for name in fit if name in named), key=lambda name: name not in _steering(node))
    first += [name for name in fit if found.option("used_in") and name in _steering(node)]
    rest = [name for name in fit if name not in ("self", "cls")]
    if found.option("only"):
        rest = []
    if found.option("bare"):
        failing = found.spots.failing.node if found.spots.failing else None
        failing = failing.operand if isinstance(failing, ast.UnaryOp) else failing
        first = [name for name in first if isinstance(failing, ast.Name) and name == failing.id]
    out: list[Candidate] = []
    for name in dict.fromkeys([*first, *rest]):
        reason = say("named") if name in named else say("decides") if name in first else ""
        if found.rule.type == "int":
            out.append(Candidate(str(parameters.index(name)), say("position_of", name=name)))
        else:
            out.append(Candidate(repr(name) if found.rule.type == "str" else name, reason))
    return out


def positional(found: Found) -> list[Candidate]:
    """The matched call with every argument given by position, in the order of the function's parameters.

    `of` names the variable that caught the function; with `count`, only as many arguments as this group says.
    """
    function, call = found.function(), found.spot.node
    if function is None or not isinstance(call, ast.Call):
        return []
    node, parameters = function
    source = found.spot.source
    given = {
        parameters[number]: source.segment(one) for number, one in enumerate(call.args[: len(parameters)])
    }
    given |= {one.arg: source.segment(one.value) for one in call.keywords if one.arg}
    if len(given) != len(call.args) + len(call.keywords) or node.args.kwonlyargs:
        return []
    ordered = [given[name] for name in parameters if name in given]
    if list(given) and set(parameters[: len(ordered)]) != set(given):
        return []  # one in the middle is left out
    if found.option("count") and found.captures.get(found.option("count")) != str(len(ordered)):
        return []
    return [Candidate(f"{source.segment(call.func)}({', '.join(ordered)})")]


def _steering(function: ast.AST) -> set[str]:
    """Names that a branch, a loop's length or a shape depends on."""
    names: set[str] = set()
    for node in ast.walk(function):
        parts: list[ast.AST] = []
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            parts = [node.test]
        elif isinstance(node, ast.Call) and dotted(node.func) == "range":
            parts = list(node.args)
        elif isinstance(node, ast.Call) and dotted(node.func).endswith("fori_loop"):
            parts = list(node.args[:2])
        elif isinstance(node, ast.Slice):
            parts = [one for one in (node.lower, node.upper, node.step) if one is not None]
        for part in parts:
            names |= {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
    return names


def static_arguments(found: Found) -> list[Candidate]:
    """What `now` caught, with positions or names that the function `of` has not exchanged for some it has.

    The likeliest first: the position before (counted from 1), the name most alike, what decides a branch.
    """
    node, function = found.caught("now"), found.function()
    if function is None or not isinstance(node, ast.expr):
        return []
    try:
        value: Any = ast.literal_eval(node)
    except ValueError:
        return []
    definition, parameters = function
    entries = list(cast("list[Any]", value)) if isinstance(value, list | tuple) else [value]
    wrong = [number for number, one in enumerate(entries) if _parameter_of(one, parameters) is None]
    steering = [name for name in parameters if name in _steering(definition)]
    out: list[Candidate] = []
    for number in wrong[:1]:
        taken = {_parameter_of(one, parameters) for one in entries}
        for name in dict.fromkeys([*_alike(entries[number], parameters), *steering, *reversed(parameters)]):
            if name not in taken:
                new: object = parameters.index(name) if type(entries[number]) is int else name
                kept: list[object] = [one for at, one in enumerate(entries) if at not in wrong]
                changed = [*kept[:number], new, *kept[number:]]
                whole = changed if isinstance(value, list) else tuple(changed) if len(entries) > 1 else new
                owner = getattr(definition, "name", say("lambda"))
                out.append(Candidate(repr(whole), say("parameter_of", name=name, owner=owner)))
    return out


def _parameter_of(entry: object, parameters: list[str]) -> str | None:
    """The parameter that a position or a name stands for."""
    if type(entry) is int and -len(parameters) <= entry < len(parameters):
        return parameters[entry]
    return entry if isinstance(entry, str) and entry in parameters else None


def _alike(entry: object, parameters: list[str]) -> list[str]:
    if type(entry) is int:
        return parameters[entry - 1 : entry] if entry > 0 else []
    return difflib.get_close_matches(str(entry), parameters, n=2, cutoff=0.5)


def alike(found: Found) -> list[Candidate]:
    """The texts of `among` that are most like what `group` of the message caught."""
    text = found.captures.get(found.option("group"), "")
    known = cast("list[str]", found.option("among", []))
    hits = difflib.get_close_matches(text, known, n=3, cutoff=0.5)
    return [Candidate(repr(hit), say("most_like", name=repr(text))) for hit in hits]


def config_option(found: Found) -> list[Candidate]:
    """JAX's options whose names are most like what `group` of the message caught; most begin with `jax_`."""
    text = found.captures.get(found.option("group"), "")
    known: list[str] = list(getattr(canonical("jax.config"), "values", ()))
    whole = text if text.startswith("jax") else f"jax_{text}"
    hits = difflib.get_close_matches(whole, known, n=3, cutoff=0.8)
    return [Candidate(repr(hit), say("most_like", name=repr(text))) for hit in hits]


def common_keys(found: Found) -> list[Candidate]:
    """The live dict `of` with only the keys of the dict `other`, where it has them all and more."""
    node, other = found.caught("of"), found.caught("other")
    values = [found.spot.names.value(one) for one in (node, other) if one is not None]
    if len(values) != 2 or any(type(one) is not dict for one in values):
        return []
    keys = [[key for key in cast("dict[object, object]", one) if type(key) is str] for one in values]
    if not set(keys[0]) > set(keys[1]) or not all(map(len, keys)):
        return []
    text, names = (found.spot.source.segment(one) for one in (node, other) if one is not None)
    return [Candidate(f"{{key: {text}[key] for key in {names}}}", say("without_others"))]


def text_keys(found: Found) -> list[Candidate]:
    """The matched dict with texts for keys, where some of its keys are texts and others are numbers."""
    node = found.spot.node
    keys = [one.value for one in getattr(node, "keys", ()) if isinstance(one, ast.Constant)]
    if not isinstance(node, ast.Dict) or len(keys) != len(node.keys) or len(set(map(type, keys))) < 2:
        return []
    parts = [
        f"{str(key)!r}: {found.spot.source.segment(one)}" for key, one in zip(keys, node.values, strict=True)
    ]
    return [Candidate(f"{{{', '.join(parts)}}}", say("text_keys"))]


def hashable(found: Found) -> list[Candidate]:
    """The matched list as a tuple, lists in it too; only one that the group `value` of the message shows."""
    node = found.spot.node
    try:
        value: object = ast.literal_eval(cast("ast.expr", node))
    except (ValueError, TypeError):
        value = None
    shown = found.captures.get(found.option("value", "value"), "")
    if value is not None and repr(value) != shown:  # another list of the same statement
        return []
    return [Candidate(_as_tuple(found, node))]


def _as_tuple(found: Found, node: ast.AST) -> str:
    if isinstance(node, ast.List | ast.Tuple):
        parts = [_as_tuple(found, one) for one in node.elts]
        return tuple_of(parts)
    return found.text(node)

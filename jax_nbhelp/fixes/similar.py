"""Finders for habits of other libraries: the method, keyword, name or value that JAX has instead."""

from __future__ import annotations

import ast
import difflib
import inspect
import types
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.fixes.names import MISSING, canonical, class_name, dotted, is_of_jax, members
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")

# How the functions of jax.numpy call an array that they take first.
_FIRST = frozenset("a x ary arr array m x1 v y z f p A ar ar1 element".split())
# Other libraries' keywords, and what JAX's functions call the same thing.
_KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "dim": ("axis", "axes"),
    "dims": ("axis", "axes"),
    "keepdim": ("keepdims",),
    "size": ("shape",),
    "low": ("minval",),
    "high": ("maxval",),
    "requires_grad": (),
}
_ALIKE = 0.7  # how much a name must be like another to be offered for it


# ---------------------------------------------------------------- methods of arrays


def method(found: Found) -> list[Candidate]:
    """The function for the method `$M` that the message names: from `table`, or of that name in `module`.

    With `traced`, only for tracers or only for arrays. A last `_`, by which PyTorch marks what works in
    place, is no part of the name.
    """
    name = _missing(found)
    if not name:
        return []
    table = cast("dict[str, str]", found.option("table", {}))
    module = members(canonical(found.option("module")))
    plain = name
    if found.option("in_place"):
        plain = name[:-1] if name.endswith("_") else ""
    new = table.get(name, plain if _takes_array(module.get(plain)) else "")
    return [Candidate(new)] if new else []


def receiver(found: Found) -> list[Candidate]:
    """The array alone, where the method `$M` that the message names is one of `methods`: it does nothing."""
    name, node = _missing(found), found.bindings.variables.get("X")
    if name not in found.option("methods", []) or not isinstance(node, ast.expr):
        return []
    return [Candidate(found.tight(node))]


def alike_attribute(found: Found) -> list[Candidate]:
    """`$X` with the attribute of arrays that is most like the missing one."""
    name, node = _missing(found), found.bindings.variables.get("X")
    if not name or not isinstance(node, ast.expr):
        return []
    array = canonical("jax.Array")
    known = [one for one in members(array) if not one.startswith("_")]
    hits = difflib.get_close_matches(name, known, n=2, cutoff=_ALIKE)
    return [Candidate(f"{found.tight(node)}.{hit}", say("most_like", name=f"`{name}`")) for hit in hits]


def _missing(found: Found) -> str:
    """The method `$M`, where it is the one that the message names."""
    caught = found.bindings.variables.get("M")
    traced = found.option("traced", None)
    if caught != found.captures.get(found.option("group", "method")):
        return ""
    if traced is not None and traced != ("tracer" in found.captures):
        return ""
    return str(caught)


def _takes_array(value: object) -> bool:
    """Whether a function takes an array first, so that it can stand for a method."""
    if class_name(type(value)).endswith(".ufunc"):
        return True
    try:
        parameters = list(inspect.signature(cast("Any", value)).parameters) if callable(value) else []
    except (TypeError, ValueError):
        return False
    return bool(parameters) and parameters[0] in _FIRST


# ---------------------------------------------------------------- keywords


def known_keywords(found: Found) -> list[Candidate]:
    """The matched call of a function of JAX's, its unknown keywords exchanged for those that it has.

    Nothing where one of them is like none.
    """
    call = found.spot.node
    if not isinstance(call, ast.Call):
        return []
    parameters = _parameters(found, call)
    given = {one.arg for one in call.keywords}
    changes: list[tuple[int, int, str]] = []
    for one in call.keywords:
        if one.arg is None or one.arg in parameters:
            continue
        new = _keyword(one.arg, [name for name in parameters if name not in given])
        if not new:
            return []
        given.add(new)
        start = found.spot.source.span(one)[0]
        changes.append((start, start + len(one.arg), new))
    if not changes:
        return []
    begin, end = found.spot.source.span(call)
    text = found.spot.source.text[:end]
    for start, stop, new in reversed(changes):
        text = text[:start] + new + text[stop:]
    named = ", ".join(f"`{new}`" for *_, new in changes)
    return [Candidate(text[begin:], say("jax_says", names=named))]


def _keyword(name: str, free: list[str]) -> str:
    known = [one for one in _KEYWORDS.get(name, ()) if one in free]
    if known or name in _KEYWORDS:
        return known[0] if known else ""
    hits = difflib.get_close_matches(name, free, n=1, cutoff=_ALIKE)
    return hits[0] if hits else ""


def _parameters(found: Found, call: ast.Call) -> list[str]:
    """The names of the parameters of a function of JAX's, or of the function behind an array's method."""
    names, target = found.spot.names, call.func
    if names.value(target) is canonical("functools.partial") and call.args:
        target = call.args[0]
    value: object = names.value(target)
    if value is MISSING and isinstance(target, ast.Attribute):
        value = members(canonical("jax.numpy")).get(target.attr, MISSING)
    kind = type(value)
    if not (is_of_jax(kind) or kind is types.FunctionType):
        return []
    if str(getattr(cast("Any", value), "__module__", "")).split(".", 1)[0] != "jax":
        return []
    try:
        parameters = inspect.signature(cast("Any", value)).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]


# ---------------------------------------------------------------- names in modules


def elsewhere(found: Found) -> list[Candidate]:
    """The missing name, where `module` has it: the same, or the same but for capitals and `_`."""
    name = _name(found)
    hit = _same(name, members(canonical(found.option("module")))) if name else ""
    return [Candidate(hit, say("where_kept"))] if hit else []


def alike_name(found: Found) -> list[Candidate]:
    """The matched `module.name` with the names of the module that are most like the missing one."""
    node, name = found.spot.node, _name(found)
    if not name or not isinstance(node, ast.Attribute):
        return []
    held = members(found.spot.names.value(node.value))
    public = [one for one in held if not one.startswith("_")]
    same = _same(name, held)
    hits = difflib.get_close_matches(name, public, n=3, cutoff=_ALIKE)
    base = found.spot.source.segment(node.value)
    reason = say("most_like", name=f"`{name}`")
    return [Candidate(f"{base}.{hit}", reason) for hit in _once([same, *hits]) if hit]


def _name(found: Found) -> str:
    """The matched attribute's name, where it is the one that the message names."""
    node = found.spot.node
    name = node.attr if isinstance(node, ast.Attribute) else ""
    told = found.captures.get(found.option("group", "name"), "")
    return name if name == told and dotted(node) else ""


def _same(name: str, held: Mapping[str, Any]) -> str:
    if name in held:
        return name
    wanted = name.replace("_", "").lower()
    return next(
        (one for one in held if one.replace("_", "").lower() == wanted and not one.startswith("_")), ""
    )


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


# ---------------------------------------------------------------- values that are no arrays


def as_arrays(found: Found) -> list[Candidate]:
    """The matched operation on `$A` and `$B` with an array made of the side that is a list or a tuple."""
    source, names = found.spot.source, found.spot.names
    one, other = (found.bindings.variables.get(name) for name in "AB")
    sides = [side for side in (one, other) if isinstance(side, ast.expr)]
    wrong = [side for side in sides if _is_sequence(side, names.value(side))]
    if len(sides) != 2 or len(wrong) != 1:
        return []
    begin, end = source.span(found.spot.node)
    start, stop = source.span(wrong[0])
    text = f"{found.spell('jax.numpy.asarray')}({source.segment(wrong[0])})"
    return [Candidate(source.text[begin:start] + text + source.text[stop:end])]


def _is_sequence(node: ast.expr, value: object) -> bool:
    return (
        isinstance(node, ast.List | ast.ListComp | ast.Tuple) or type(value) is list or type(value) is tuple
    )


def as_table(found: Found) -> list[Candidate]:
    """The live dict `$D` as an array, where its keys count from 0 and its values are numbers."""
    node = found.bindings.variables.get("D")
    if not isinstance(node, ast.expr):
        return []
    held: object = found.spot.names.value(node)
    if isinstance(node, ast.Dict):
        try:
            held = ast.literal_eval(node)
        except ValueError:
            return []
    if type(held) is not dict:
        return []
    table = cast("dict[object, object]", held)
    counted = [key for key in table if type(key) is int] == list(range(len(table)))
    if not table or not counted or any(type(one) not in (int, float) for one in table.values()):
        return []
    text = found.spot.source.segment(node)
    return [Candidate(f"{found.spell('jax.numpy.array')}(list({text}.values()))", say("keys_are_positions"))]


def where_told(found: Found) -> list[Candidate]:
    """The code that `of` caught, where the message has the group `group`: words of one case of several."""
    node = found.caught("of")
    if found.option("group") not in found.captures or not isinstance(node, ast.expr):
        return []
    return [Candidate(found.spot.source.segment(node))]

"""Finders for loops, branches and products: values of the type that JAX asks for."""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.broadcast import Shape, together
from jax_nbhelp.fixes.fix import Candidate, tuple_of
from jax_nbhelp.fixes.names import MISSING, canonical
from jax_nbhelp.operands import shape_of
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")

# float32[2,3], in shard_map float32[2,3]{V:data} or, before JAX 0.8, float32[2,3]{data}
_TYPE = re.compile(r"~?(?P<dtype>[a-z]+\d*)\[(?P<shape>[\d,]*)\](?:\{(?:V:)?(?P<varying>[^{}]*)\})?")
_CARRIED = re.compile(
    r"input carry (?:component |at path )?(?P<path>\S+) has type (?P<have>\S+) "
    r"but the corresponding output carry component has type (?P<want>~?\w+(?:\[[\d,]*\])?(?:\{[^{}]*\})?)"
)
_KINDS = ("bool", "uint", "int", "bfloat", "float", "complex")  # each holds the values of those before it


def carry_start(found: Found) -> list[Candidate]:
    """The start value `of` of a loop's carry, with the types that its body returns.

    Only where no value is lost by it: a wider type, or a shape that the start is repeated to.
    """
    node = found.caught("of")
    words = found.captures.get("detail") or (
        "input carry {carry} has type {have} but the corresponding output carry component has type {want}"
    ).format_map({name: found.captures.get(name, "") for name in ("carry", "have", "want")})
    if not isinstance(node, ast.expr):
        return []
    changes: dict[int, str] = {}
    for one in _CARRIED.finditer(words):
        part = _part(node, one["path"])
        text = typed(found, part, one["have"], one["want"]) if part is not None else ""
        if part is None or not text:
            return []
        changes[id(part)] = text
    return [Candidate(_exchanged(found, node, changes), say("type_of_body"))] if changes else []


def branch_value(found: Found) -> list[Candidate]:
    """The value `of` that one branch returns, with the type of the other's; `mine` and `other` are groups."""
    node = found.caught("of")
    have, want = (found.captures.get(found.option(key), "") for key in ("mine", "other"))
    text = typed(found, node, have, want) if isinstance(node, ast.expr) else ""
    return [Candidate(text, say("of_type", type=want))] if text else []


def decimal(found: Found) -> list[Candidate]:
    """The whole number that `of` caught, as a float: `2` as `2.0`."""
    node = found.caught("of")
    text = found.spot.source.segment(node) if node is not None else ""
    return [Candidate(f"{text}.0")] if re.fullmatch(r"-?\d+", text) else []


def array_size(found: Found) -> list[Candidate]:
    """`x.size` of the arrays that are named in `of`, the largest first: as many entries as there can be."""
    node = found.caught("of")
    sizes: dict[str, int] = {}
    for one in ast.walk(node) if node is not None else ():
        shape = shape_of(found.spot.names.value(one)) if isinstance(one, ast.Name) else None
        if isinstance(one, ast.Name) and shape:
            sizes[one.id] = math.prod(shape)
    ranked = sorted(sizes, key=lambda name: -sizes[name])
    return [Candidate(f"{name}.size", say("all_entries", count=sizes[name], name=name)) for name in ranked]


def product(found: Found) -> list[Candidate]:
    """The matched product with an operand turned, or both exchanged, so that the inner lengths agree."""
    one, other = found.caught("left"), found.caught("right")
    if not isinstance(one, ast.expr) or not isinstance(other, ast.expr):
        return []
    left, right = _known_shape(found, one), _known_shape(found, other)
    if left is None or right is None or max(len(left), len(right)) > 2:
        return []
    a, b = found.tight(one), found.tight(other)
    ways = [
        (left, right[::-1], f"{a}", _turned(b), say("second_turned")),
        (left[::-1], right, _turned(a), f"{b}", say("first_turned")),
        (right, left, f"{b}", f"{a}", say("exchanged")),
    ]
    out: list[Candidate] = []
    for m, n, first, second, how in ways:
        moved = (m, n) != (left, right)
        if moved and m and n and m[-1] == n[-2 if len(n) > 1 else -1]:
            result = (*m[:-1], *(n[:-2] + n[-1:] if len(n) > 1 else ()))
            out.append(Candidate(_call(found, first, second), say("result", how=how, shape=result)))
    return out


def typed(found: Found, node: ast.expr, have: str, want: str) -> str:
    """An expression of one type as it is written for another; empty where values would be lost."""
    old, new = _TYPE.fullmatch(have), _TYPE.fullmatch(want)
    if not old or not new:
        return ""
    text = found.text(node)
    shape, goal = _sizes(old["shape"]), _sizes(new["shape"])
    if old["dtype"] != new["dtype"]:
        if _width(old["dtype"]) > _width(new["dtype"]):
            return ""
        text = f"{found.spell('jax.numpy.asarray')}({text}, dtype={found.spell('jax.numpy.' + new['dtype'])})"
    if shape != goal:
        if (
            len(shape) > len(goal)
            or not together(shape, goal)
            or any(n == 1 != m for n, m in zip(goal[::-1], shape[::-1], strict=False))
        ):
            return ""
        text = f"{found.spell('jax.numpy.broadcast_to')}({text}, {tuple_of(goal)})"
    return _varying(found, text, _axes(old["varying"]), _axes(new["varying"]))


def _varying(found: Found, text: str, have: list[str], want: list[str]) -> str:
    """An expression that is the same along some mesh axes, made to vary along them as another does."""
    more = [repr(axis) for axis in want if axis not in have]
    if set(have) - set(want):
        return ""
    if not more:
        return text
    axes = tuple_of(more)
    if canonical("jax.lax.pcast") is MISSING:  # before JAX 0.8
        return f"{found.spell('jax.lax.pvary')}({text}, {axes})"
    return f"{found.spell('jax.lax.pcast')}({text}, {axes}, to='varying')"


def _axes(text: str | None) -> list[str]:
    return [axis.strip() for axis in (text or "").split(",") if axis.strip()]


def _sizes(text: str) -> Shape:
    return tuple(int(size) for size in text.split(",") if size)


def _width(dtype: str) -> tuple[int, int]:
    """A rank of dtypes: the later holds the values of the earlier."""
    kind = dtype.rstrip("0123456789")
    return (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), int(dtype[len(kind) :] or 0))


def _part(node: ast.expr, path: str) -> ast.expr | None:
    """The part of a start value that `c[1]['w']` names; None where it is not written out."""
    keys = re.findall(r"\[([^\]]+)\]", path)
    if path.startswith("loop_carry"):  # fori_loop: its counter comes first
        keys = keys[1:]
    for key in keys:
        if isinstance(node, ast.Tuple | ast.List) and key.isdigit() and int(key) < len(node.elts):
            node = node.elts[int(key)]
        elif isinstance(node, ast.Dict):
            named = [v for k, v in zip(node.keys, node.values, strict=True) if k and ast.unparse(k) == key]
            if not named:
                return None
            node = named[0]
        else:
            return None
    return node


def _exchanged(found: Found, node: ast.expr, changes: dict[int, str]) -> str:
    source = found.spot.source
    start, end = source.span(node)
    text = source.text[start:end]
    parts = [(source.span(one), changes[id(one)]) for one in ast.walk(node) if id(one) in changes]
    for (first, last), new in sorted(parts, reverse=True):
        text = text[: first - start] + new + text[last - start :]
    return text


def _known_shape(found: Found, node: ast.expr) -> Shape | None:
    """The shape of a name, or of its transpose."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        inner = _known_shape(found, node.value)
        return None if inner is None else inner[::-1]
    value = found.spot.names.value(node)
    return None if value is MISSING else shape_of(value)


def _turned(text: str) -> str:
    return text.removesuffix(".T") if text.endswith(".T") else f"{text}.T"


def _call(found: Found, first: str, second: str) -> str:
    """The product in the user's own way of writing it."""
    node = found.spot.node
    if isinstance(node, ast.Call):
        return f"{found.spot.source.segment(node.func)}({first}, {second})"
    return f"{first} @ {second}"

"""Finders for shapes: those that fit together, masks, reshapes, and axes along which arrays join."""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.broadcast import forms, shapes_in
from jax_nbhelp.fixes.fix import Candidate, tuple_of
from jax_nbhelp.fixes.names import MISSING
from jax_nbhelp.operands import shape_of
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")


def _shape(found: Found, node: ast.AST | None) -> tuple[int, ...] | None:
    """The shape of what an expression names, where it can be read without running anything."""
    if node is None:
        return None
    value = found.spot.names.value(node)
    return shape_of(value) if value is not MISSING else None


def fitting(found: Found) -> list[Candidate]:
    """Forms of the operand `of` that broadcast with the operand `other`.

    The group `shapes` of the message names the shapes of all operands; `at` is the place of `of` among them.
    """
    node, other = found.caught("of"), found.caught("other")
    shapes = shapes_in(found.captures.get(found.option("shapes", "shapes"), "")) or [
        *shapes_in(found.captures.get("have", "")),
        *shapes_in(found.captures.get("want", "")),
    ]
    at = int(found.option("at", 0))
    if len(shapes) != 2 or not isinstance(node, ast.expr):
        return []
    own = _shape(found, node)
    if own is not None and own != shapes[at]:  # the words are about other values than these
        return []
    text = found.text(node)
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    partner = found.text(other) if isinstance(other, ast.expr) else ""
    return forms(
        text if plain else f"({text})", shapes[at], shapes[1 - at], partner if len(partner) < 24 else ""
    )


def mask(found: Found) -> list[Candidate]:
    """The mask `mask` as it stands beside the array `of`: with a last axis of length one for rows.

    The group `type` of the message names the mask's type.
    """
    node, array = found.caught("mask"), found.caught("of")
    shapes, shape = shapes_in(found.captures.get(found.option("type", "type"), "")), _shape(found, array)
    if not isinstance(node, ast.expr) or len(shapes) != 1:
        return []
    text = found.text(node)
    extra = len(shape) - len(shapes[0]) if shape is not None else 0
    if extra <= 0:
        return [Candidate(text)]
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    column = (text if plain else f"({text})") + "[:" + ", None" * extra + "]"
    return [Candidate(column, say("value_for_each_row"))]


def mask_place(found: Found) -> list[Candidate]:
    """The matched `array[mask]` with the mask on the axes of `of` that have its shape, or turned.

    The group `shape` of the message names the mask's shape.
    """
    node, array = found.caught("mask"), found.caught("of")
    masks, shape = shapes_in(found.captures.get(found.option("shape", "shape"), "")), _shape(found, array)
    if not isinstance(found.spot.node, ast.Subscript) or node is None or array is None:
        return []
    if len(masks) != 1 or shape is None:
        return []
    (own,), text, holder = masks, found.text(node), found.text(found.spot.node.value)
    out: list[Candidate] = []
    for axis in range(1, len(shape) - len(own) + 1):
        if shape[axis : axis + len(own)] == own:
            index = ", ".join([*":" * axis, text])
            reason = say("goes_along", axes=say("axis", axis=axis), name=found.text(array))
            out.append(Candidate(f"{holder}[{index}]", reason))
    if len(own) == 2 and shape[:2] == own[::-1]:
        out.append(Candidate(f"{holder}[{found.tight(node)}.T]", say("rows_and_columns")))
    return out


def reshape(found: Found) -> list[Candidate]:
    """Shapes of the right size: `size`, `shape` and, for the present one, `old` are groups of the message."""
    try:
        size = int(found.captures[found.option("size", "size")])
        wanted = [int(n) for n in re.findall(r"-?\d+", found.captures[found.option("shape", "shape")])]
    except (KeyError, ValueError):
        return []
    out: list[Candidate] = []
    whole = math.prod(wanted)
    if whole > 0 and size % whole == 0:  # what was meant for one element of a batch
        out.append(_shape_of([-1, *wanted], say("new_first_axis", length=size // whole)))
    for free in range(len(wanted)):
        others = math.prod(n for number, n in enumerate(wanted) if number != free)
        if others > 0 and size % others == 0:
            new = [-1 if number == free else n for number, n in enumerate(wanted)]
            out.append(_shape_of(new, say("gets_length", axis=free, length=size // others)))
    old = [int(n) for n in re.findall(r"\d+", found.captures.get(found.option("old", "old"), ""))]
    if len(old) > 1 and wanted[-1:] == [-1]:
        out.append(_shape_of([old[0], -1], say("keeps_first", length=old[0])))
    return [*out, Candidate("(-1,)", say("one_axis"))]


def joining_axes(found: Found) -> list[Candidate]:
    """The axes along which arrays of the `shapes` of the message can be joined."""
    shapes = shapes_in(found.captures.get(found.option("shapes", "shapes"), ""))
    return [
        Candidate(str(axis), say("agree_in_others"))
        for axis in range(len(shapes[0]) if shapes else 0)
        if len({(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}) == 1
    ]


def _shape_of(sizes: list[int], reason: str) -> Candidate:
    return Candidate(tuple_of(sizes), reason)

"""Broadcasting: which shapes go together, where two do not, and the forms of an operand that would fit."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Iterator

say = sayer("reason")
say_fact = sayer("fact")

Shape = tuple[int, ...]

_SHAPE = re.compile(r"\(([\d, ]*)\)|\w\[([\d, ]*)\]")  # (3, 4), or float32[3,4]


def shapes_in(text: str) -> list[Shape]:
    """Returns the shapes that a text names, e.g. `(3,), (4,)` or `float32[3,4]`."""
    found = [one[1] if one[1] is not None else one[2] for one in _SHAPE.finditer(text)]
    return [tuple(int(size) for size in re.findall(r"\d+", one)) for one in found]


def together(one: Shape, other: Shape) -> bool:
    """Whether two shapes broadcast."""
    return all(m == n or 1 in (m, n) for m, n in zip(one[::-1], other[::-1], strict=False))


def mismatch(shapes: list[Shape]) -> str:
    """Says where shapes part, counted from the last axis; empty where they go together."""
    for one, other in itertools.combinations(shapes, 2):
        for back, (m, n) in enumerate(zip(one[::-1], other[::-1], strict=False)):
            if m != n and 1 not in (m, n):
                where = "last_axes" if back == 0 else "axes_from_the_end"
                where = where if len(one) > 1 or len(other) > 1 else "arrays"
                return say_fact(where, number=back + 1, one=m, other=n)
    return ""


def forms(text: str, shape: Shape, other: Shape, partner: str = "") -> list[Candidate]:
    """Returns forms of an operand that broadcast with another shape, the likeliest first.

    Args:
      text: the operand's source; parenthesised where it needs to be.
      shape: its shape.
      other: the shape it has to go with.
      partner: the other operand's source where it is short, for the reasons.
    """
    name = f"`{partner}`" if partner else say("the_other")
    return [
        *_with_axes(text, shape, other, name),
        *_turned(text, shape, other),
        *_cut(text, shape, other, name),
    ]


def _with_axes(text: str, shape: Shape, other: Shape, name: str) -> Iterator[Candidate]:
    """New axes of length one, so that the operand's axes stand at axes of the same length."""
    if not 0 < len(shape) < len(other):
        return
    for places in itertools.combinations(range(len(other)), len(shape)):
        if all(n == other[at] for n, at in zip(shape, places, strict=True)):
            index = ", ".join(":" if at in places else "None" for at in range(places[0], len(other)))
            axes = say("and").join(say("axis", axis=at) for at in places)
            yield Candidate(f"{text}[{index}]", say("goes_along", axes=axes, name=name))


def _turned(text: str, shape: Shape, other: Shape) -> Iterator[Candidate]:
    if len(shape) == 2 and shape[0] != shape[1] and together(shape[::-1], other):
        yield Candidate(f"{text}.T", say("rows_and_columns"))


def _cut(text: str, shape: Shape, other: Shape, name: str) -> Iterator[Candidate]:
    """Parts of the operand's axis that is too long."""
    if len(shape) != len(other) or not shape:
        return
    long = [at for at, (m, n) in enumerate(zip(shape, other, strict=True)) if m != n and 1 not in (m, n)]
    at = long[0] if len(long) == 1 else -1
    extra = shape[at] - other[at]
    if len(long) != 1 or not 0 < extra < other[at]:
        return
    before = ":, " * at
    first, last = drops(extra)
    yield Candidate(f"{text}[{before}{extra}:]", say("paired_at_the_end", drops=first, name=name))
    yield Candidate(f"{text}[{before}:-{extra}]", say("paired_at_the_start", drops=last, name=name))


def drops(count: int) -> tuple[str, str]:
    """Returns what is said of an array that loses its first, or its last, `count` values."""
    if count == 1:
        return say("drops_first_value"), say("drops_last_value")
    return say("drops_first_values", count=count), say("drops_last_values", count=count)

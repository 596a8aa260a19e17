"""Line diffs of a cell, with the changed characters inside a line marked.

Every view shows these hunks, and the widget makes its edit by applying them: what is on screen is what
happens to the cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from jax_nbhelp.source import common_ends

Mark = Literal[" ", "-", "+"]

CONTEXT = 1
"""Unchanged lines shown around a change."""

ALIKE = 0.4
"""Two lines less alike than this are shown as one gone and one new, with no characters marked."""

_TOKEN = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line, and whether it is what differs from the line's counterpart."""

    text: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a diff.

    Attributes:
      mark: `-` for a line of the old text, `+` for one of the new, a blank for one of both.
      line: its number, in the new text for `+` and in the old one otherwise, counted from 1.
      parts: the line's text in pieces.
    """

    mark: Mark
    line: int
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that change together.

    Attributes:
      start: the first row's place in the old text, counted from 1.
      rows: the lines, in reading order.
    """

    start: int
    rows: tuple[Row, ...]


def hunks(old: str, new: str, context: int = CONTEXT) -> tuple[Hunk, ...]:
    r"""Returns the changes from one text to another; none where they are equal.

    >>> for row in hunks("a = 1\nb = f(a, 0)", "a = 1\nb = f(a, 1)")[0].rows:
    ...     print(row.line, row.mark, row.text, [part.text for part in row.parts if part.changed])
    1   a = 1 []
    2 - b = f(a, 0) ['0']
    2 + b = f(a, 1) ['1']
    """
    before, after = old.split("\n"), new.split("\n")
    head, tail = common_ends(before, after)
    skip, stop = max(0, head - context), max(0, tail - context)
    matcher = SequenceMatcher(
        None, before[skip : len(before) - stop], after[skip : len(after) - stop], autojunk=False
    )
    return tuple(
        Hunk(
            skip + group[0][1] + 1,
            tuple(row for tag, *ends in group for row in _rows(tag, [skip + n for n in ends], before, after)),
        )
        for group in matcher.get_grouped_opcodes(context)
    )


def _rows(tag: str, ends: list[int], before: list[str], after: list[str]) -> list[Row]:
    i1, i2, j1, j2 = ends
    if tag == "equal":
        return [Row(" ", i + 1, (Part(before[i]),)) for i in range(i1, i2)]
    gone: list[tuple[Part, ...]] = [(Part(line),) for line in before[i1:i2]]
    come: list[tuple[Part, ...]] = [(Part(line),) for line in after[j1:j2]]
    for i, j in _pairs(before[i1:i2], after[j1:j2]):
        gone[i], come[j] = _parts(before[i1 + i], after[j1 + j])
    return [Row("-", i1 + i + 1, parts) for i, parts in enumerate(gone)] + [
        Row("+", j1 + j + 1, parts) for j, parts in enumerate(come)
    ]


def _pairs(gone: list[str], come: list[str]) -> list[tuple[int, int]]:
    """Pairs each line that goes with the most similar of the lines that come, without crossing."""
    pairs: list[tuple[int, int]] = []
    first = 0
    for i, line in enumerate(gone):
        ratios = [_ratio(line, other) for other in come[first:]]
        best = max(ratios, default=0.0)
        if best >= ALIKE:
            j = first + ratios.index(best)
            pairs.append((i, j))
            first = j + 1
    return pairs


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio()


def _parts(old: str, new: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Splits two similar lines where their words differ."""
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    gone: list[Part] = []
    come: list[Part] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        changed = tag != "equal"
        if i1 < i2:
            gone.append(Part("".join(one[i1:i2]), changed))
        if j1 < j2:
            come.append(Part("".join(other[j1:j2]), changed))
    return tuple(gone), tuple(come)

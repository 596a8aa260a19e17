"""A page of text: prose and code as lines that fit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jax_nbhelp.phrases import sayer
from jax_nbhelp.views.lines import Segment, fitted, width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.views.lines import Line, Style

say = sayer("view")

WIDTH: Final = 80
"""Columns of a text, and the most that the help takes in a terminal."""

INDENT: Final = Segment("  ")
_MIN_CODE = 10  # columns that code gets in the narrowest of terminals


def line_of(text: str, style: Style = "plain") -> Line:
    """Returns a line in one style."""
    return (Segment(text, style),)


def spaced(blocks: Iterable[list[Line]]) -> list[Line]:
    """Joins blocks with an empty line between them."""
    lines: list[Line] = []
    for block in blocks:
        lines += [(), *block] if lines and block else block
    return lines


@dataclass(frozen=True, slots=True)
class Page:
    """What the lines have to fit.

    Attributes:
      columns: the most that a line takes.
      code: whether code has to fit as well.
    """

    columns: int
    code: bool

    @classmethod
    def of(cls, columns: int | None) -> Page:
        """Returns the page of a terminal so wide; with None that of a text for no terminal."""
        return cls(columns or WIDTH, code=columns is not None)

    def prose(self, text: str, first: str = "", rest: str | None = None, label: str = "") -> list[Line]:
        """Returns prose as lines, with a label before it."""
        head = say("label", text=label) if label else ""
        told = f"{head} {text}" if label else text
        lines = wrapped(told, self.columns, first, first if rest is None else rest)
        first = lines[0]
        if not label or not first.startswith(head):
            return [line_of(line) for line in lines]
        begin = (*line_of(head, "label"), Segment(first[len(head) :]))
        return [begin, *map(line_of, lines[1:])]

    def heading(self, text: str) -> list[Line]:
        """Returns what stands above a block, or before a link."""
        return [line_of(line, "label") for line in wrapped(say("label", text=text), self.columns)]

    def source(self, line: Line, kept: tuple[int, int], gutter: Line, below: Segment) -> list[Line]:
        """Returns a line of code, cut so that the kept segments are seen.

        Args:
          line: the code.
          kept: the segments that must be seen; see `fitted`.
          gutter: what stands before it.
          below: what stands there where the code takes more lines than one.
        """
        if not self.code:
            return [(*gutter, *line)]
        first, *others = fitted(line, kept, max(_MIN_CODE, self.columns - width(below.text)))
        return [(*gutter, *first), *((below, *row) for row in others)]

    def listing(self, code: str, indent: Segment = INDENT) -> list[Line]:
        """Returns code of which every character is shown."""
        lines = map(line_of, code.split("\n"))
        return [row for line in lines for row in self.source(line, (0, 1), (indent,), indent)]

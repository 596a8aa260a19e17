"""An explanation: the cause, the place in the user's cell, and what JAX saw there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jax_nbhelp.cell import Cell


@dataclass(frozen=True, slots=True)
class Where:
    """The place of the error in a cell.

    Attributes:
      cell: the cell.
      line: the line in it, counted from 1.
      source: that line's text.
      start: first marked character in `source`; `end` is one past the last. Equal: nothing is marked.
    """

    cell: Cell
    line: int
    source: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Operand:
    """A value at the failing place: the user's name for it and its type, e.g. `float32[10, 4]`."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to read on."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Example:
    """A record's example: the cells that fail and the same cells cured."""

    broken: tuple[str, ...]
    fixed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the error happened.

    Text may hold `code` in backticks; it is otherwise plain and never markup.

    Attributes:
      title: a short name of what happened.
      cause: at most three sentences.
      where: the place in the user's cell.
      operands: the values there.
      guard: JAX's own check that fired, and its values; for errors without a record.
      way_on: what to do, where no fix can be applied.
      avoid: the tempting cure that is wrong.
      no_fix: why no fix of the user's code is offered; empty where one is.
      details: longer text for who asks.
      example: from the record.
      links: documentation.
      raised_in: file and function in JAX, e.g. `jax/_src/api.py _mapped_axis_size`.
      unverified: the text comes from a draft that nobody has checked.
      language: the code of the language that the record's own text is in.
    """

    title: str
    cause: str
    where: Where | None = None
    operands: tuple[Operand, ...] = ()
    guard: str = ""
    way_on: tuple[str, ...] = ()
    avoid: str = ""
    no_fix: str = ""
    details: str = ""
    example: Example | None = None
    links: tuple[Link, ...] = ()
    raised_in: str = ""
    unverified: bool = False
    language: str = "en"

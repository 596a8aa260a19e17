"""Cells: what the user typed, and the way from a file name of Python's back to it.

Everything after this module speaks of cells and of characters in their text, never of the files that
IPython pretends to compile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from jax_nbhelp.phrases import sayer

say = sayer("cell")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it ran.

    Attributes:
      text: the source as typed, magics and all.
      id: the front end's id of the cell, where it has one.
      count: the number in the cell's prompt, `In [count]`.
    """

    text: str
    id: str | None = None
    count: int | None = None

    @property
    def label(self) -> str:
        """How the cell is named on screen."""
        return say("numbered", count=self.count) if self.count is not None else say("unnumbered")


@dataclass(frozen=True, slots=True)
class Compiled:
    """The Python source that was compiled for a cell; its lines are those of tracebacks."""

    cell: Cell
    text: str


class CellBook(Protocol):
    """The cells that ran so far."""

    @property
    def current(self) -> Cell | None:
        """The cell that is running, or ran last."""
        ...

    def find(self, filename: str) -> Compiled | None:
        """Returns the cell whose code was compiled under a file name; None for any other file."""
        ...

    def latest(self) -> list[Cell]:
        """Returns the cells that ran, the last first, each source once."""
        ...

    def seconds(self, cell: Cell) -> float:
        """Returns how long a cell took when it ran last, or has taken so far; 0 where that is not known."""
        ...


@dataclass(frozen=True, slots=True)
class NoCells:
    """The book outside a notebook."""

    current: None = None

    def find(self, filename: str) -> None:
        """Returns None: there is no cell."""

    def latest(self) -> list[Cell]:
        """Returns no cell."""
        return []

    def seconds(self, cell: Cell) -> float:  # noqa: ARG002
        """Returns 0."""
        return 0.0

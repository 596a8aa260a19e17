"""A fix: a rule applied to one failure, as edits of named cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from jax_nbhelp.cell import Cell

refuse = sayer("refusal")

Applicability = Literal["machine-applicable", "maybe-incorrect", "has-placeholders", "display-only"]
Needs = Literal["none", "rerun-cells", "restart-kernel"]


class HoleError(ValueError):
    """What was typed into a hole cannot stand there; the message says why."""


def tuple_of(entries: Iterable[object]) -> str:
    """Returns the source of a tuple with these entries.

    >>> tuple_of([8]), tuple_of(["x", None])
    ('(8,)', '(x, None)')
    """
    parts = [str(entry) for entry in entries]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value a hole may take, as Python source, and why it is likely."""

    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a fix that needs a value only the user can be sure of.

    Attributes:
      name: the hole's name in the rule.
      label: what the value is, for the label beside the choice.
      value: the Python source that stands there now; empty where nothing is known.
      candidates: likely values, the best first.
    """

    name: str
    label: str
    value: str
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class CellEdit:
    """The new text of one cell."""

    cell: Cell
    new: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A cure for one failure.

    Attributes:
      id: the rule's name in its record.
      title: what it does, as an imperative.
      applicability: how sure it is, in rustc's words; `display-only` is never applied.
      why: what the change means for the program; empty where it keeps its meaning.
      needs: what an edit alone cannot do.
      edits: the cells' new texts; they are applied together or not at all.
      run: the cells to run after the edit, in order; the last is the one that failed.
      stale: the cells that used the old code and are not among them.
      seconds: how long the cells in `run` took when they ran last, together.
      holes: the values to choose.
      reason: why a `display-only` fix cannot be applied; empty otherwise.
      refill: makes the fix again with other values of its holes; used by `with_values`.
    """

    id: str
    title: str
    applicability: Applicability
    why: str = ""
    needs: Needs = "none"
    edits: tuple[CellEdit, ...] = ()
    run: tuple[Cell, ...] = ()
    stale: tuple[Cell, ...] = ()
    seconds: float = 0.0
    holes: tuple[Hole, ...] = ()
    reason: str = ""
    refill: Callable[[Mapping[str, str]], Fix] | None = field(default=None, repr=False, compare=False)

    @property
    def can_apply(self) -> bool:
        """Whether it changes cells, and may."""
        return bool(self.edits) and self.applicability != "display-only"

    @property
    def can_run(self) -> bool:
        """Whether it takes effect by running its cells."""
        return self.can_apply and self.needs != "restart-kernel" and bool(self.run)

    def with_values(self, values: Mapping[str, str]) -> Fix:
        """Returns the fix with other values in its holes.

        Args:
          values: Python source by the hole's name; holes not named keep their value.

        Raises:
          HoleError: a value is not what the hole takes, or there is no such hole.
        """
        unknown = set(values) - {hole.name for hole in self.holes}
        if unknown:
            raise HoleError(refuse("no_such_hole", fix=self.id, holes=", ".join(sorted(unknown))))
        if not values or self.refill is None:
            return self
        return self.refill({hole.name: hole.value for hole in self.holes} | dict(values))

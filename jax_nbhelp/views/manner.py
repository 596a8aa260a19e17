"""How a help is shown: at once, or step by step; open, or folded because it was shown before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from jax_nbhelp.help import Help

Step = Literal["message", "cause", "where", "hint", "fix"]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a help is shown.

    Attributes:
      steps: it opens step by step, as a class wants it.
      folded: it was shown before for the same error, and is one line until it is opened.
      id: by it the widget finds the static output that it belongs to.
    """

    steps: bool = False
    folded: bool = False
    id: str = ""

    @property
    def gated(self) -> bool:
        """Whether the fixes are out of sight at first."""
        return self.steps or self.folded


AT_ONCE: Final = Manner()


def steps_of(help: Help) -> tuple[Step, ...]:  # noqa: A002
    """Returns the steps of a help, in the order in which they open; the first is open."""
    said = help.explanation
    there: dict[Step, object] = {
        "message": True,
        "cause": True,
        "where": said.where or said.operands or said.guard,
        "hint": said.way_on or said.avoid or said.no_fix,
        "fix": help.fixes,
    }
    return tuple(step for step, has in there.items() if has)

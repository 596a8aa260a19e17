"""The whole help for one error: what is known, why it happened, and how to cure it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from jax_nbhelp.cell import CellBook
    from jax_nbhelp.explain import Explanation, Where
    from jax_nbhelp.fixes.fix import Fix

Confidence = Literal["exact", "similar", "none"]


@dataclass(frozen=True, slots=True)
class Help:
    """What is said about one error.

    Attributes:
      error_class: the class of the error, qualified where it is not a builtin.
      message: its whole message.
      record: the slug of the record that knows it, or None.
      confidence: how sure the match is.
      explanation: cause and context, in plain words.
      fixes: the cures, the best first.
    """

    error_class: str
    message: str
    record: str | None
    confidence: Confidence
    explanation: Explanation
    fixes: tuple[Fix, ...] = ()

    @property
    def where(self) -> Where | None:
        """The place in the user's cell, where it is known."""
        return self.explanation.where

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        from jax_nbhelp.views.static import bundle

        return bundle(self)

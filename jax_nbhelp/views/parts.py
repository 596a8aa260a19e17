"""Pieces that the text and the HTML view share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jax_nbhelp.phrases import sayer
from jax_nbhelp.views.lines import blank, width, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.explanation import Explanation, Where
    from jax_nbhelp.fixes.fix import CellEdit, Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.manner import Manner

say = sayer("view")

_CODE = re.compile(r"`([^`\n]+)`")
_SLOW = 60  # seconds after which a run is worth a warning
_LONG = 1_000  # characters of an error's message that are shown again


def code_spans(text: str) -> Iterator[tuple[str, bool]]:
    """Yields a text in pieces, with True for those that stood in backticks.

    >>> list(code_spans("axis 0 of `x`"))
    [('axis 0 of ', False), ('x', True)]
    """
    for number, piece in enumerate(_CODE.split(text)):
        if piece:
            yield piece, number % 2 == 1


def paragraphs(text: str) -> list[str]:
    """Returns a text's paragraphs, each on one line."""
    return [" ".join(words(piece)) for piece in re.split(r"\n\s*\n", text) if piece.strip()]


def carets(where: Where) -> str:
    """Returns the line of `^` that stands below a failing line; empty where nothing is marked."""
    marks = "^" * width(where.source[where.start : where.end])
    return blank(where.source[: where.start]) + marks if marks else ""


def label_of(edit: CellEdit, fix: Fix, help: Help) -> str:  # noqa: A002
    """Returns the name of the cell that an edit changes; empty where it is plainly the cell in view."""
    in_view = help.where is not None and help.where.cell == edit.cell
    return "" if in_view and len(fix.edits) == 1 else edit.cell.label


def notes_of(fix: Fix) -> list[str]:
    """Returns what to know before a fix is applied, a sentence each."""
    blocked = say("not_applied", reason=fix.reason.rstrip(".")) if fix.reason else ""
    stale = say("stale", cells=say("and").join(cell.label for cell in fix.stale)) if fix.stale else ""
    return [note for note in (fix.why, say(fix.needs), blocked, stale) if note]


def warning_of(fix: Fix) -> str:
    """Returns how long a fix's cells took, if that was minutes; empty otherwise."""
    return say("slow", minutes=round(fix.seconds / 60)) if fix.seconds >= _SLOW else ""


def raised_in(said: Explanation) -> str:
    """Returns where JAX raised the error, unless one of the links leads there."""
    file = said.raised_in.partition(" ")[0]
    return "" if any(file in link.url for link in said.links) else said.raised_in


def can_act(help: Help) -> bool:  # noqa: A002
    """Whether a fix of the help can be applied."""
    return bool(applicable(help))


def applicable(help: Help) -> list[Fix]:  # noqa: A002
    """Returns the fixes that can be applied."""
    return [fix for fix in help.fixes if fix.can_apply]


def shortened(message: str) -> str:
    """Returns a message, or the beginning of one that would fill the screen."""
    return message if len(message) <= _LONG else f"{message[:_LONG].rstrip()} …"


def folded_line(help: Help, manner: Manner) -> str:  # noqa: A002
    """Returns the line that stands for a help that was shown before; in class mode it gives nothing away."""
    return (
        say("again_locked") if manner.steps else say("again", title=help.explanation.title.replace("`", ""))
    )


def count_of_others(number: int) -> str:
    """Returns how many more fixes there are."""
    return say("other_fix") if number == 1 else say("other_fixes", count=number)

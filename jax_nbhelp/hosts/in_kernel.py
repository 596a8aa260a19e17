"""The kernel's side of the notebook-file host: explains the error that just ended a cell, as plain data.

`executor` runs `start` in a fresh kernel before the first cell and asks `report` after a failure. Nothing is
shown in the kernel.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from jax_nbhelp.failure import message_of, qualified_name
from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.help import help_for, jax_release
from jax_nbhelp.shell.cells import Book
from jax_nbhelp.views.text import render_explanation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.shell.protocol import Shell

_STATE: dict[str, Any] = {}


def start(shell: Shell) -> None:
    """Begins to keep the book of cells."""
    book = Book(shell)
    shell.events.register("pre_run_cell", book.begin)
    shell.events.register("post_run_cell", book.end)
    _STATE.update(shell=shell, book=book)


def report(choices: Mapping[str, str]) -> str:
    """Returns the help for the last error as JSON.

    Args:
      choices: values for holes by `FIX.HOLE`.
    """
    error: BaseException | None = getattr(sys, "last_value", None)
    if error is None:
        return json.dumps(None)
    found = help_for(error, _STATE["book"], _STATE["shell"].user_ns)
    out: dict[str, Any] = {
        "class": qualified_name(type(error)),
        "message": message_of(error),
        "jax": jax_release(),
        "record": found.record if found else None,
        "confidence": found.confidence if found else "none",
        "explanation": render_explanation(found) if found else None,
        "where": _where(found) if found else None,
        "fixes": [_fix(fix, choices) for fix in found.fixes] if found else [],
        "helped": found is not None,
    }
    return json.dumps(out)


def _where(found: Help) -> dict[str, Any] | None:
    place = found.where
    return {"count": place.cell.count, "line": place.line, "source": place.source} if place else None


def _fix(fix: Fix, choices: Mapping[str, str]) -> dict[str, Any]:
    values = {
        hole: value
        for name, value in choices.items()
        for owner, _, hole in [name.partition(".")]
        if owner == fix.id
    }
    complaint = ""
    try:
        fix = fix.with_values(values)
    except HoleError as error:
        complaint = str(error)
    return {
        "id": fix.id,
        "title": fix.title,
        "applicability": fix.applicability,
        "why": fix.why,
        "needs": fix.needs,
        "reason": fix.reason,
        "complaint": complaint,
        "edits": [{"count": edit.cell.count, "old": edit.cell.text, "new": edit.new} for edit in fix.edits],
        "filled": all(hole.value for hole in fix.holes),
    }

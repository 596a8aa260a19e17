"""What the widget's script is told: cells, fixes with their choices, and every word it shows."""

from __future__ import annotations

import platform
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict

from jax_nbhelp.phrases import language, phrases, sayer
from jax_nbhelp.versions import installed
from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.manner import AT_ONCE
from jax_nbhelp.views.parts import notes_of, warning_of

if TYPE_CHECKING:
    from jax_nbhelp.cell import Cell
    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.manner import Manner

say = sayer("view")

_version = cache(installed)  # asked at every error


class CellData(TypedDict):
    """A cell as it was when it failed; edits and runs name it by its place in the list."""

    id: str | None
    count: int | None
    label: str
    text: str


class EditData(TypedDict):
    """The diff of one cell, which is also the edit."""

    cell: int
    hunks: list[dict[str, Any]]


class VariantData(TypedDict):
    """A fix with certain values in its holes."""

    values: list[str]
    title: str
    notes: list[str]
    level: str
    warning: str
    edits: list[EditData]
    run: list[int]


class FixData(TypedDict):
    """A fix: its holes, and its variants so far; the script asks the kernel for those with other values.

    They are not worked out ahead: that would take as long as everything else that is done for an error.
    """

    id: str
    can_apply: bool
    can_run: bool
    holes: list[dict[str, Any]]
    variants: list[VariantData]


class Payload(TypedDict):
    """Everything the script needs to act without a kernel."""

    help: str
    language: str
    gated: bool
    record: str | None
    cells: list[CellData]
    fixes: list[FixData]
    report: str
    phrases: dict[str, str]


class Cells:
    """Numbers the cells that fixes name, each once."""

    def __init__(self, help: Help) -> None:  # noqa: A002
        self._cells: list[Cell] = []
        for fix in help.fixes:
            for cell in (*(edit.cell for edit in fix.edits), *fix.run):
                self.index(cell)

    def index(self, cell: Cell) -> int:
        """Returns a cell's number; a cell that was not named yet gets the next one."""
        if cell not in self._cells:
            self._cells.append(cell)
        return self._cells.index(cell)

    def data(self) -> list[CellData]:
        """Returns the cells in the order of their numbers."""
        return [
            {"id": cell.id, "count": cell.count, "label": cell.label, "text": cell.text}
            for cell in self._cells
        ]


def payload(help: Help, cells: Cells, manner: Manner = AT_ONCE) -> Payload:  # noqa: A002
    """Returns what the widget's script is told about a help, with its cells numbered as in `cells`."""
    fixes = [_fix(fix, cells) for fix in help.fixes]
    return {
        "help": manner.id,
        "language": language(),
        "gated": manner.gated,
        "record": help.record,
        "cells": cells.data(),
        "fixes": fixes,
        "report": report(help),
        "phrases": {**phrases("widget"), "cell": phrases("cell")["numbered"]},
    }


def variant(fix: Fix, cells: Cells) -> VariantData:
    """Returns a fix as it is, with the values that stand in its holes."""
    return {
        "values": [hole.value for hole in fix.holes],
        "title": fix.title,
        "notes": notes_of(fix),
        "level": say(fix.applicability),
        "warning": warning_of(fix),
        "edits": [
            {
                "cell": cells.index(edit.cell),
                "hunks": [asdict(hunk) for hunk in hunks(edit.cell.text, edit.new)],
            }
            for edit in fix.edits
        ],
        "run": [cells.index(cell) for cell in fix.run],
    }


def report(help: Help) -> str:  # noqa: A002
    """Returns a report to send: versions, the message and the record, and nothing of the user's values."""
    versions = (
        f"{name} {_version(name) or 'missing'}" for name in ("jax-nbhelp", "jax", "jaxlib", "ipython")
    )
    lines = [
        f"record: {help.record or 'none'} ({help.confidence})",
        f"fixes: {', '.join(fix.id for fix in help.fixes) or 'none'}",
        f"versions: python {platform.python_version()}, {', '.join(versions)}",
        f"error: {help.error_class}: {help.message}",
    ]
    return "\n".join(lines)


def _fix(fix: Fix, cells: Cells) -> FixData:
    return {
        "id": fix.id,
        "can_apply": fix.can_apply,
        "can_run": fix.can_run,
        "holes": [asdict(hole) for hole in fix.holes],
        "variants": [variant(fix, cells)],
    }

"""The errors of a session that got help, and what cured them: a student's notes, a teacher's answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jax_nbhelp.cell import Cell, CellBook
    from jax_nbhelp.fixes.fix import CellEdit
    from jax_nbhelp.help import Help

MAX_ENTRIES = 100
# A cell without an id is the same one, edited, if so much of its text is; long ones are compared by lines.
_ALIKE = 0.6
_LONG = 2_000


@dataclass(slots=True)
class Entry:
    """An error that got help.

    Attributes:
      help: the help, without what makes its fixes anew: only text is kept.
      failing: the cell that failed.
      times: how often it was met.
      again: whether it was met the last time with the very same message as the time before.
      opened: how many of its steps were opened, in class mode.
      cure: what the cells that it concerns became before the failing one ran well; None while it never did.
    """

    help: Help
    failing: Cell | None
    times: int = 1
    again: bool = False
    opened: int = 1
    cure: tuple[CellEdit, ...] | None = None


class Log:
    """The entries of one session, oldest first; the oldest go when there are too many."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._waiting = False  # for a cure: the only thing that is asked after every cell

    def note(self, help: Help, failing: Cell | None) -> Entry:  # noqa: A002
        """Notes an error; the same one again is counted."""
        self._waiting = True
        kept = replace(help, fixes=tuple(replace(fix, refill=None) for fix in help.fixes))
        for entry in self.entries:
            if _same(entry.help, kept):
                entry.times += 1
                entry.again = entry.help.message == kept.message
                entry.help, entry.failing, entry.cure = kept, failing, None
                return entry
        entry = Entry(kept, failing)
        self.entries.append(entry)
        del self.entries[:-MAX_ENTRIES]
        return entry

    def ran_well(self, book: CellBook) -> None:
        """Notes that the current cell ended well: it may be one that failed before."""
        if not self._waiting or (cell := book.current) is None:
            return
        for entry in self.entries:
            if entry.cure is None and entry.failing is not None and _is_same_cell(entry, cell):
                entry.cure = _changes(entry, cell, book)
        self._waiting = any(entry.cure is None for entry in self.entries)


def _same(one: Help, other: Help) -> bool:
    """Whether two helps are about one error of one code."""
    return _about(one) == _about(other)


def _about(help: Help) -> tuple[object, ...]:  # noqa: A002
    place = help.where
    return help.record, help.explanation.title, place and (place.cell.text, place.line)


def _is_same_cell(entry: Entry, cell: Cell) -> bool:
    failing = entry.failing
    assert failing is not None
    if failing.id is not None or cell.id is not None:
        return failing.id == cell.id
    if any(edit.new == cell.text for fix in entry.help.fixes for edit in fix.edits):
        return True
    from difflib import SequenceMatcher

    if max(len(failing.text), len(cell.text)) <= _LONG:
        return SequenceMatcher(None, failing.text, cell.text).ratio() >= _ALIKE
    return SequenceMatcher(None, failing.text.split("\n"), cell.text.split("\n")).ratio() >= _ALIKE


def _changes(entry: Entry, cell: Cell, book: CellBook) -> tuple[CellEdit, ...]:
    """What the failing cell, and those that its help speaks of, are now."""
    from jax_nbhelp.fixes.fix import CellEdit

    assert entry.failing is not None
    now = {one.id: one.text for one in reversed(book.latest()) if one.id is not None}
    place = entry.help.where
    concerned = [edit.cell for fix in entry.help.fixes for edit in fix.edits]
    concerned = [*concerned, *([place.cell] if place else []), entry.failing]
    texts = {one: now.get(one.id, one.text) if one.id is not None else one.text for one in concerned}
    texts[entry.failing] = cell.text
    return tuple(CellEdit(one, text) for one, text in texts.items() if text != one.text)

"""Stale cells: those that used what an edited cell defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jax_nbhelp.source import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax_nbhelp.cell import Cell, CellBook
    from jax_nbhelp.fixes.fix import CellEdit


def cells_to_run(edits: Sequence[CellEdit], failing: Cell | None, book: CellBook) -> tuple[Cell, ...]:
    """Returns the cells to run after an edit, in the order in which they ran.

    An edited definition alone is not enough where a cell in between bound it to another name
    (`g = jax.jit(f)`); such a cell runs too, if the failing cell needs what it binds.
    """
    edited = {edit.cell for edit in edits}
    if failing is None:
        return tuple(sorted(edited, key=_order))
    if edited <= {failing}:
        return (failing,)
    since, until = min(map(_order, edited)), _order(failing)
    cells = {cell for cell in (*book.latest(), *edited, failing) if since <= _order(cell) <= until}
    ran = sorted(cells, key=_order)
    # backward: what the failing cell needs, through the cells that bind it
    needed = names_of(failing.text).loads
    useful: set[Cell] = set()
    for cell in reversed(ran):
        if cell != failing and names_of(cell.text).binds & needed:
            useful.add(cell)
            needed |= names_of(cell.text).loads
    # forward: what the edited cells make stale
    stale: set[str] = set()
    run: list[Cell] = []
    for cell in ran:
        if cell in edited or (cell in useful and names_of(cell.text).loads & stale):
            run.append(cell)
            stale |= names_of(cell.text).binds
    return (*(cell for cell in run if cell != failing), failing)


def cells_left_stale(run: Sequence[Cell], book: CellBook) -> tuple[Cell, ...]:
    """Returns the cells that used what `run` binds anew and do not run again, in their order."""
    changed = set[str]().union(*(names_of(cell.text).binds for cell in run))
    if not changed:
        return ()
    since, again = min(map(_order, run)), set(run)
    later = [cell for cell in book.latest() if _order(cell) > since and cell not in again]
    stale: list[Cell] = []
    for cell in sorted(later, key=_order):
        if _may_hold(cell, changed) and names_of(cell.text).loads & changed:
            stale.append(cell)
            changed |= names_of(cell.text).binds
    return tuple(stale)


def _order(cell: Cell) -> int:
    return cell.count or 0


def _may_hold(cell: Cell, names: set[str]) -> bool:
    """Whether a cell may use names: a cheap test, before it is parsed."""
    # Python takes `ﬁt` for `fit`
    return not cell.text.isascii() or any(name in cell.text for name in names)

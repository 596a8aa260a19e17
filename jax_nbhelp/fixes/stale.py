"""Stale cells: those that used what an edited cell defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jax_nbhelp.source import names_in

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
    ran = sorted({*book.latest(), *edited, failing}, key=_order)
    ran = [cell for cell in ran if _order(cell) <= _order(failing)]
    # backward: what the failing cell needs, through the cells that bind it
    needed = set(_loads(failing))
    useful: set[Cell] = set()
    for cell in reversed(ran):
        if cell != failing and _binds(cell) & needed:
            useful.add(cell)
            needed |= _loads(cell)
    # forward: what the edited cells make stale
    stale: set[str] = set()
    run: list[Cell] = []
    for cell in ran:
        if cell in edited or (cell in useful and _loads(cell) & stale):
            run.append(cell)
            stale |= _binds(cell)
    return (*(cell for cell in run if cell != failing), failing)


def cells_left_stale(run: Sequence[Cell], book: CellBook) -> tuple[Cell, ...]:
    """Returns the cells that used what `run` binds anew and do not run again, in their order."""
    if not run:
        return ()
    changed = set[str]().union(*(_binds(cell) for cell in run))
    since = min(map(_order, run))
    stale: list[Cell] = []
    for cell in sorted((cell for cell in book.latest() if _order(cell) > since), key=_order):
        if not changed.isdisjoint(_loads(cell)) and cell not in run:
            stale.append(cell)
            changed |= _binds(cell)
    return tuple(stale)


def _order(cell: Cell) -> int:
    return cell.count or 0


def _loads(cell: Cell) -> frozenset[str]:
    return names_in(cell.text).loaded


def _binds(cell: Cell) -> frozenset[str]:
    return names_in(cell.text).bound

"""Stale cells: those that used what an edited cell defines."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from jax_nbhelp.source import DEFINITIONS, parse_once

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
    ran = sorted({*book.latest(), *edited, failing}, key=_order)
    since = min(map(_order, edited))
    ran = [cell for cell in ran if since <= _order(cell) <= _order(failing)]
    # backward: what the failing cell needs, through the cells that bind it
    needed = _loads(failing)
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
    for cell in sorted(book.latest(), key=_order):
        later = cell not in run and _order(cell) > since
        if later and _may_hold(cell, changed) and _loads(cell) & changed:
            stale.append(cell)
            changed |= _binds(cell)
    return tuple(stale)


def _order(cell: Cell) -> int:
    return cell.count or 0


def _may_hold(cell: Cell, names: set[str]) -> bool:
    """Whether a cell may use names: a cheap test, before it is parsed."""
    # Python takes `ﬁt` for `fit`
    return not cell.text.isascii() or any(name in cell.text for name in names)


def _loads(cell: Cell) -> frozenset[str]:
    return _names(cell.text).loads


def _binds(cell: Cell) -> frozenset[str]:
    return _names(cell.text).binds


class _Names(NamedTuple):
    """The names that a cell reads, and those that it binds at its top; imports never go stale."""

    loads: frozenset[str]
    binds: frozenset[str]


@functools.lru_cache(maxsize=1024)  # a fix asks of every cell again for each of its choices
def _names(text: str) -> _Names:
    source = parse_once(text)
    if source is None:
        return _Names(frozenset(), frozenset())
    at_top = {node.name for node in source.body if isinstance(node, DEFINITIONS)}
    return _Names(source.loads, source.stores | at_top)

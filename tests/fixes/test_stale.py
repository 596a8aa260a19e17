"""Which cells run after an edit, and in which order."""

from __future__ import annotations

import pytest
from scene import Book

from jax_nbhelp import source
from jax_nbhelp.cell import Cell
from jax_nbhelp.fixes.fix import CellEdit
from jax_nbhelp.fixes.stale import cells_to_run


def run(edited, *texts):
    """The numbers of the cells that run; the last cell failed."""
    cells = [Cell(text, f"id-{n}", n) for n, text in enumerate(texts, 1)]
    edits = [CellEdit(cells[n - 1], "new") for n in edited]
    return [cell.count for cell in cells_to_run(edits, cells[-1], Book(cells))]


@pytest.mark.parametrize(
    ("edited", "texts", "wanted"),
    [
        ([1], ["f(x)"], [1]),
        ([1], ["def f(x): pass", "f(x)"], [1, 2]),
        ([1], ["def f(x): pass", "y = 1", "f(x)"], [1, 3]),
        ([1], ["def f(x): pass", "g = jax.jit(f)", "g(x)"], [1, 2, 3]),
        ([1], ["def f(x): pass", "g = jax.jit(f)", "h = g", "h(x)"], [1, 2, 3, 4]),
        ([1], ["def f(x): pass", "z = f(1)", "f(x)"], [1, 3]),
        ([1], ["class A: pass", "a = A()", "a.go()"], [1, 2, 3]),
        ([2], ["import jax", "def f(x): pass", "f(x)"], [2, 3]),
        ([1, 3], ["def f(x): pass", "y = 1", "f(x)"], [1, 3]),
        ([3], ["def f(x): pass", "g = f", "g(x)"], [3]),
        ([1], ["a, b = 1, 2", "for a in b: c = a", "f(c)"], [1, 2, 3]),
        ([1], ["%%bash\nx", "f(x)"], [1, 2]),
        ([1], ["def f(x): pass", "%%time\ng = f", "g(x)"], [1, 2, 3]),
        ([1], ["def f(x): pass", "not python (", "f(x)"], [1, 3]),
    ],
)
def test_the_cells_that_run(edited, texts, wanted):
    assert run(edited, *texts) == wanted


def test_cells_that_ran_after_the_failing_one_do_not_run():
    cells = [Cell("def f(x): pass", "a", 1), Cell("f(x)", "b", 2), Cell("g = f", "c", 3)]
    ran = cells_to_run([CellEdit(cells[0], "new")], cells[1], Book(cells))
    assert [cell.count for cell in ran] == [1, 2]


def test_without_a_failing_cell_the_edited_ones_run():
    cells = [Cell("a", "a", 1), Cell("b", "b", 2)]
    assert [
        c.count for c in cells_to_run([CellEdit(cells[1], "x"), CellEdit(cells[0], "y")], None, Book(cells))
    ] == [1, 2]


def test_a_cell_without_a_number_is_no_fault():
    cell = Cell("f(x)")
    assert cells_to_run([CellEdit(cell, "g(x)")], cell, Book([cell])) == (cell,)


def test_a_cell_is_parsed_once_however_often_it_is_asked(monkeypatch):
    cells = [Cell(f"once_{n} = {n}", f"id-{n}", n) for n in range(1, 501)]
    parsed = []
    monkeypatch.setattr(
        "jax_nbhelp.source.parse", lambda text, parse=source.parse: parsed.append(text) or parse(text)
    )
    for _ in range(3):
        cells_to_run([CellEdit(cells[0], "new")], cells[-1], Book(cells))
    assert sorted(parsed) == sorted(cell.text for cell in cells)

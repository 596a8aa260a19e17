"""Which cells run after an edit, and in which order."""

from __future__ import annotations

import pytest
from scene import Book

from jax_nbhelp.cell import Cell
from jax_nbhelp.fixes import stale
from jax_nbhelp.fixes.fix import CellEdit
from jax_nbhelp.fixes.stale import cells_left_stale, cells_to_run
from jax_nbhelp.source import names_of


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


def left(run, *texts):
    """The numbers of the cells that stay stale when others run again."""
    cells = [Cell(text, f"id-{n}", n) for n, text in enumerate(texts, 1)]
    return [cell.count for cell in cells_left_stale([cells[n - 1] for n in run], Book(cells))]


@pytest.mark.parametrize(
    ("again", "texts", "stale"),
    [
        ([], ["def f(x): pass", "f(1)"], []),
        ([1, 3], ["def f(x): pass", "z = f(1)", "f(2)"], [2]),
        ([1, 4], ["def f(x): pass", "z = f(1)", "w = z + 1", "f(2)"], [2, 3]),
        ([1, 3], ["def f(x): pass", "z = g(1)", "f(2)"], []),
        ([2, 3], ["z = f(0)", "def f(x): pass", "f(2)"], []),
        ([1], ["x = 1", "print(x)", "x = 2", "print(x)"], [2, 4]),
        ([3], ["import jax", "jax.jit", "y = jax.jit(f)"], []),
        ([1, 3], ["def f(x): pass", "not python (", "f(2)"], []),
    ],
)
def test_the_cells_that_are_left_stale(again, texts, stale):
    assert left(again, *texts) == stale


def test_of_many_cells_only_those_that_may_use_what_changes_are_read(monkeypatch):
    read: list[str] = []
    monkeypatch.setattr(stale, "names_of", lambda text: read.append(text) or names_of(text))
    texts = ["f = 1", *(f"other_{n} = {n}" for n in range(300)), "g = f"]
    book = Book([Cell(text, str(n), n) for n, text in enumerate(texts, 1)])
    assert [cell.text for cell in cells_left_stale([book.cells[0]], book)] == ["g = f"]
    assert set(read) == {"f = 1", "g = f"}
    read.clear()
    failing = book.cells[-1]
    assert cells_to_run([CellEdit(failing, "g = 2")], failing, book) == (failing,)
    assert read == []

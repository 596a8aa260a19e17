"""Cells in a shell without a kernel, whose file names hold the number of the prompt."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING

import pytest

from jax_nbhelp.shell.cells import MAX_CELLS, Book
from jax_nbhelp.source import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def book(ipython: InteractiveShell) -> Iterator[Book]:
    book = Book(ipython)
    ipython.events.register("pre_run_cell", book.begin)
    ipython.events.register("post_run_cell", book.end)
    yield book
    ipython.events.unregister("pre_run_cell", book.begin)
    ipython.events.unregister("post_run_cell", book.end)


def run(ipython: InteractiveShell, code: str, *, history: bool = True) -> None:
    assert ipython.run_cell(code, store_history=history).success


def file_of(ipython: InteractiveShell, name: str) -> str:
    function: Callable[..., object] = ipython.user_ns[name]
    return function.__code__.co_filename


@pytest.mark.parametrize("history", [True, False])
@pytest.mark.parametrize(
    "code", ["def f(): pass", "def f(): pass\n", "!true\ndef f(): pass", "\n\ndef f(): pass"]
)
def test_a_cell_is_found(code: str, history: bool, book: Book, ipython: InteractiveShell) -> None:
    run(ipython, "1", history=history)
    run(ipython, code, history=history)
    found = book.find(file_of(ipython, "f"))
    assert found is not None
    assert found.cell is book.current
    assert found.cell.text == code
    assert found.text.splitlines()[-1] == "def f(): pass"
    assert (found.cell.count is not None) == history


def test_a_cell_is_found_when_the_cache_of_sources_was_cleared(book: Book, ipython: InteractiveShell) -> None:
    run(ipython, "!true\ndef f(): pass")
    linecache.clearcache()
    found = book.find(file_of(ipython, "f"))
    assert found is not None
    assert found.text == "get_ipython().system('true')\ndef f(): pass\n"


def test_nested_cells_that_share_the_number_are_told_apart(book: Book, ipython: InteractiveShell) -> None:
    inner = "!true\ndef inner(): pass"
    run(ipython, f"get_ipython().run_cell({inner!r})\n!true\ndef outer(): pass")
    for name in ("inner", "outer"):
        found = book.find(file_of(ipython, name))
        assert found is not None
        assert found.cell.text.endswith(f"def {name}(): pass")
        assert (found.cell.count is None) == (name == "inner")


def test_the_running_cell_is_current_again_after_one_that_it_ran(
    book: Book, ipython: InteractiveShell
) -> None:
    ipython.user_ns["look"] = lambda: seen.append((book.current.text, book.outermost.text))
    seen: list[tuple[str, str]] = []
    nested = "".join(f"get_ipython().run_cell({code!r})\n" for code in ("look()", "", "1/0"))
    code = f"look()\n{nested}look()"
    run(ipython, code)
    assert seen == [(code, code), ("look()", code), (code, code)]
    assert book.current is not None
    assert book.current.text == code


def test_the_cells_before_it_are_taken_from_history(ipython: InteractiveShell) -> None:
    run(ipython, "def early(): pass")
    run(ipython, "def late(): pass")
    book = Book(ipython)
    found = book.find(file_of(ipython, "early"))
    assert found is not None
    assert found.cell.text == "def early(): pass"
    assert [cell.text for cell in book.latest()[:2]] == ["def late(): pass", "def early(): pass"]


def test_only_so_many_runs_are_kept(book: Book, ipython: InteractiveShell) -> None:
    class Info:
        store_history, cell_id = False, None

        def __init__(self, raw: str) -> None:
            self.raw_cell = raw

    for number in range(MAX_CELLS + 500):
        book.begin(Info(str(number)))
        book.end(None)
    kept = book.latest()
    assert 0.8 * MAX_CELLS <= len(kept) <= MAX_CELLS
    assert kept[0].text == str(MAX_CELLS + 499)


def test_the_names_of_all_cells_that_are_kept_are_worked_out_once():
    texts = [f"number = {count}" for count in range(MAX_CELLS)]
    for text in texts:
        names_of(text)
    known = names_of.cache_info().misses
    for text in texts:
        names_of(text)
    assert names_of.cache_info().misses == known


def test_other_files_are_not_looked_up(book: Book, ipython: InteractiveShell) -> None:
    for name in (linecache.__file__, "<stdin>", "<string>", "<timed exec>", "<ipython-input-9999-abc>", ""):
        assert book.find(name) is None


def test_how_long_a_cell_took_is_known(
    book: Book, ipython: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([10.0, 75.0, 100.0, 101.0, 200.0, 230.0])
    run(ipython, "before = 1")
    earlier = book.current
    monkeypatch.setattr("jax_nbhelp.shell.cells.perf_counter", lambda: next(clock))
    run(ipython, "slow = 1")
    slow = book.current
    assert slow is not None
    assert book.seconds(slow) == 65.0
    run(ipython, "fast = 1")
    assert book.seconds(slow) == 65.0
    run(ipython, "slow = 1")  # another run, and another cell
    assert book.current is not None
    assert book.seconds(book.current) == 30.0
    assert earlier is not None
    assert book.seconds(earlier) < 10


def test_a_cell_that_still_runs_has_taken_as_long_as_it_runs(book: Book, ipython: InteractiveShell) -> None:
    ipython.user_ns["seconds"] = lambda: book.seconds(book.current)
    run(ipython, "import time\ntime.sleep(0.05)\ntook = seconds()")
    assert 0.05 <= ipython.user_ns["took"] < 5

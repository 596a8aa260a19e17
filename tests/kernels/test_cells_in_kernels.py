"""Which cell the code in a kernel came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kernel_client import Kernel

pytestmark = pytest.mark.kernel

BOOK = "jax_nbhelp.shell.session.CURRENT.book"


@pytest.fixture(scope="module", autouse=True)
def helpers(kernel: Kernel) -> None:
    kernel.run(
        "import sys, jax_nbhelp.shell.session\n"
        "def cell_of(code):\n"
        f"    found = {BOOK}.find(code.co_filename)\n"
        "    return found and (found.cell.id, found.cell.text, found.cell.count, found.text)\n"
        "def cells_of_error():\n"
        "    tb, found = sys.last_value.__traceback__, []\n"
        "    while tb:\n"
        "        cell = cell_of(tb.tb_frame.f_code)\n"
        "        if cell: found.append((cell[0], cell[3].splitlines()[tb.tb_lineno - 1]))\n"
        "        tb = tb.tb_next\n"
        "    return found\n"
        "def watched(error): seen.append(cells_of_error())\n"
        "jax_nbhelp.shell.session.CURRENT.hook._on_error = watched\n"
        "seen = []"
    )


@pytest.fixture(scope="module", autouse=True)
def restored(kernel: Kernel, helpers: None) -> Any:
    yield
    kernel.run("jax_nbhelp.shell.session.CURRENT.hook._on_error = jax_nbhelp.shell.session.CURRENT.on_error")


def places(kernel: Kernel, code: str, cell_id: str | None = "failing") -> list[tuple[str | None, str]]:
    """Runs a cell that fails; returns cell and line of each frame, as they are found while it fails."""
    kernel.run("seen.clear()")
    kernel.run(code, cell_id=cell_id)
    return kernel.value("seen[-1]")


def test_a_cell_is_found_by_the_code_it_compiled(kernel: Kernel) -> None:
    code = "# first\ndef found():\n    pass"
    ran = kernel.run(code, cell_id="c1")
    assert kernel.value("cell_of(found.__code__)") == ("c1", code, ran.reply["execution_count"], f"{code}\n")


def test_the_frames_of_an_error_lead_to_the_cells_that_were_typed(kernel: Kernel) -> None:
    kernel.run("def fails(x):\n    y = 1\n    raise ValueError(x)", cell_id="defines")
    assert places(kernel, "z = 1\nfails(z)") == [
        ("failing", "fails(z)"),
        ("defines", "    raise ValueError(x)"),
    ]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("%%time\nx = 1\nfails(2)", "fails(2)"),
        ("%%time\nx = 1\ny = fails(2)\nx", "y = fails(2)"),
        ("%%time\nfails(2)", "fails(2)"),
        ("x = 1\n%time y = fails(2)", "y = fails(2)"),
        ("%time fails(1)", "fails(1)"),
        ("%time other = len([1])\n%time y = fails(2)\n", "y = fails(2)"),
        ("for i in range(3):\n    %time fails(i)", "fails(i)"),
        ("%%timeit -n 1 -r 1\nx = 1\nfails(2)", "fails(2)"),
        ("%timeit -n1 -r1 fails(2)", "fails(2)"),
        ("%%prun -q\nx = 1\nfails(2)", "fails(2)"),
        ("%%capture\n%%time\nx = 1\nfails(2)", "fails(2)"),
        ("%%capture\nx = 1\nfails(2)", "fails(2)"),
        ("import asyncio\nawait asyncio.sleep(0)\nfails(2)", "fails(2)"),
        ("\n\nfails(2)", "fails(2)"),
        ("!true\nfails(2)", "fails(2)"),
        (">>> fails(2)", "fails(2)"),
    ],
)
def test_the_body_of_a_magic_belongs_to_the_cell_that_runs(code: str, line: str, kernel: Kernel) -> None:
    kernel.run("def fails(x):\n    raise ValueError(x)", cell_id="defines")
    assert places(kernel, code)[-2:] == [("failing", line), ("defines", "    raise ValueError(x)")]


def test_of_cells_with_equal_source_the_running_one_is_meant(kernel: Kernel) -> None:
    for cell_id in ("one", "two", "one"):
        assert places(kernel, "raise ValueError('equal')", cell_id) == [
            (cell_id, "raise ValueError('equal')")
        ]


def test_of_cells_with_equal_source_that_do_not_run_the_last_is_meant(kernel: Kernel) -> None:
    for cell_id in ("one", "two"):
        kernel.run("def twin(): pass", cell_id=cell_id)
    assert kernel.value("cell_of(twin.__code__)[0]") == "two"


def test_a_nested_cell_has_no_place_in_the_notebook(kernel: Kernel) -> None:
    found = places(kernel, "get_ipython().run_cell('raise ValueError(1)')", "outer")
    assert found == [(None, "raise ValueError(1)")]
    assert kernel.value(f"[cell.id for cell in {BOOK}.latest()[:2]]") == [None, "outer"]
    assert kernel.value(f"({BOOK}.current.id, {BOOK}.outermost.id)") == ("outer", "outer")
    assert places(kernel, "get_ipython().run_cell('pass')\nraise ValueError(1)", "outer") == [
        ("outer", "raise ValueError(1)")
    ]


def test_a_cell_without_history_has_no_count(kernel: Kernel) -> None:
    kernel.run("def quiet(): pass", cell_id="q", store_history=False)
    assert kernel.value("cell_of(quiet.__code__)[:3]") == ("q", "def quiet(): pass", None)


def test_cells_that_ran_before_loading_are_known(kernel: Kernel) -> None:
    kernel.run("def before(): pass", cell_id="lost")
    kernel.run("%unload_ext jax_nbhelp\n%load_ext jax_nbhelp", cell_id="loads")
    assert kernel.value("cell_of(before.__code__)[:2]") == (None, "def before(): pass")
    kernel.run("%unload_ext jax_nbhelp\n%load_ext jax_nbhelp\ndef same(): pass", cell_id="loads")
    assert kernel.value("cell_of(same.__code__)[0]") == "loads"
    assert kernel.run("jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))").kinds == ["error", "help"]


def test_latest_gives_each_source_once_the_last_first(kernel: Kernel) -> None:
    for code in ("'a'", "'b'", "'a'"):
        kernel.run(code)
    assert kernel.value(f"[cell.text for cell in {BOOK}.latest()[:2]]") == ["'a'", "'b'"]


def test_other_files_are_no_cells(kernel: Kernel) -> None:
    kernel.run("import json")
    assert kernel.value("cell_of(json.loads.__code__)") is None
    assert (
        kernel.value(f"[{BOOK}.find(name) for name in ('<string>', '<timed exec>', '<stdin>')]") == [None] * 3
    )

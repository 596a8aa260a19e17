"""The hook beside other handlers, loading and unloading, and faults in the help itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbclient
import nbformat
import pytest
from kernel_client import KEY, PACKAGE, TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kernel_client import Kernel
    from nbformat import NotebookNode

pytestmark = pytest.mark.kernel

FAILS = "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
SLOT = "[repr(ip.custom_exceptions), id(getattr(ip.CustomTB, '__func__', 0)), id(ip.CustomTB)]"
STATE = (
    "[repr(ip.custom_exceptions), id(ip.CustomTB), sorted(map(id, ip.events.callbacks['pre_run_cell'])), "
    "sorted(map(id, ip.events.callbacks['post_run_cell'])), sorted(ip.magics_manager.magics['line'])]"
)
HANDLERS = """
def show_short(self, etype, value, tb, tb_offset=None):
    print('foreign:', value)

def crash(self, etype, value, tb, tb_offset=None):
    1 / 0

def show_value(self, etype, value, tb, tb_offset=None):
    self.showtraceback((etype, value, tb), tb_offset=tb_offset, running_compiled_code=True)
    print('foreign: after')
"""


@pytest.fixture
def bare(kernel: Kernel) -> Iterator[Kernel]:
    """The kernel with the help taken away, and a slot that is put back afterwards."""
    kernel.run(
        "%unload_ext jax_nbhelp\nip = get_ipython()\nslot = ip.custom_exceptions, ip.CustomTB\n" + HANDLERS
    )
    yield kernel
    kernel.run("%unload_ext jax_nbhelp")
    kernel.run("ip.custom_exceptions, ip.CustomTB = slot\n%load_ext jax_nbhelp")


def test_unloading_restores_exactly_what_was_there(bare: Kernel) -> None:
    before = bare.value(STATE)
    bare.run("%load_ext jax_nbhelp")
    assert bare.value(STATE) != before
    bare.run("%unload_ext jax_nbhelp")
    assert bare.value(STATE) == before
    assert bare.run(FAILS).kinds == ["error"]


def test_loading_twice_is_harmless(bare: Kernel) -> None:
    before = bare.value(STATE)
    bare.run(
        "import jax_nbhelp\njax_nbhelp.load_ipython_extension(ip)\njax_nbhelp.load_ipython_extension(ip)"
    )
    assert bare.run(FAILS).kinds == ["error", "help"]
    bare.run("jax_nbhelp.unload_ipython_extension(ip)\njax_nbhelp.unload_ipython_extension(ip)")
    assert bare.value(STATE) == before


def test_reloading_keeps_it_working(bare: Kernel) -> None:
    bare.run("%load_ext jax_nbhelp")
    bare.run("%reload_ext jax_nbhelp")
    assert bare.run(FAILS).kinds == ["error", "help"]


def test_an_earlier_handler_keeps_its_errors(bare: Kernel) -> None:
    bare.run("ip.set_custom_exc((ImportError, ValueError), show_short)\n%load_ext jax_nbhelp")
    ran = bare.run("import no_such_module")
    assert ran.kinds == ["stream"]
    assert ran.text == "foreign: No module named 'no_such_module'\n"
    assert bare.run(FAILS).kinds == ["stream", "help"]
    assert bare.run("jnp.ones(2) + jnp.ones(3)").kinds == ["error", "help"]
    bare.run("%unload_ext jax_nbhelp")
    assert bare.value("[t.__name__ for t in ip.custom_exceptions]") == ["ImportError", "ValueError"]
    assert bare.run("import no_such_module").text == ran.text


def test_an_earlier_handler_gets_the_compile_errors_it_asked_for(bare: Kernel) -> None:
    bare.run("ip.set_custom_exc((SyntaxError,), show_short)\n%load_ext jax_nbhelp")
    assert bare.run("x = = 1").text.startswith("foreign:")


def test_an_earlier_handler_that_crashes_takes_itself_away_and_not_us(bare: Kernel) -> None:
    bare.run("ip.set_custom_exc((ValueError,), crash)\n%load_ext jax_nbhelp")
    crashed = bare.run(FAILS)
    assert crashed.text.count("Custom TB Handler failed") == 1
    assert crashed.kinds.count("help") == 1
    assert bare.run(FAILS).kinds == ["error", "help"]
    assert bare.run("raise ValueError('mine')").kinds == ["error"]


def test_a_handler_installed_later_takes_over_and_the_help_still_comes(bare: Kernel) -> None:
    bare.run("%load_ext jax_nbhelp\nip.set_custom_exc((ValueError,), show_value)")
    assert bare.run(FAILS).kinds == ["error", "stream", "help"]
    assert "another handler" in bare.run("%jaxhelp doctor").text
    covered = bare.value(SLOT)
    bare.run("%unload_ext jax_nbhelp")
    assert bare.value(SLOT) == covered, "the later handler stays"
    assert bare.run(FAILS).kinds == ["error", "stream"]


def test_a_later_handler_that_passes_on_finds_us_harmless_after_unloading(bare: Kernel) -> None:
    bare.run("%load_ext jax_nbhelp")
    bare.run(
        "under = ip.CustomTB\n"
        "def on_top(self, *error, tb_offset=None):\n"
        "    under(*error, tb_offset=tb_offset)\n"
        "    print('on top')\n"
        "ip.set_custom_exc((Exception,), on_top)"
    )
    assert bare.run(FAILS).kinds == ["error", "help", "stream"]
    bare.run("%unload_ext jax_nbhelp")
    assert bare.run(FAILS).kinds == ["error", "stream"]


FAULTS = {
    "first test": ("jax_nbhelp.shell.session", "looks_like_jax", ["error", "stream"]),
    "explanation": ("jax_nbhelp.help", "help_for", ["error", "stream"]),
    "capture": ("jax_nbhelp.help", "capture", ["error", "stream"]),
    "match": ("jax_nbhelp.help", "match", ["error", "stream"]),
    "fixes": ("jax_nbhelp.help", "propose", ["error", "stream"]),
    "cells": ("jax_nbhelp.shell.cells.Book", "find", ["error", "stream"]),
    "static output": ("jax_nbhelp.views.static", "bundle", ["error", "stream"]),
    "publishing": ("get_ipython().display_pub", "publish", ["error", "stream"]),
    "widget": ("jax_nbhelp.views.widget.Widgets", "open", ["error", "help", "stream"]),
    "before the cell": ("jax_nbhelp.shell.cells.Book", "begin", ["stream", "error", "help", "widget"]),
}


@pytest.mark.parametrize(("owner", "name", "kinds"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("error", ["RuntimeError('injected')", "SystemExit(3)"])
def test_a_fault_of_ours_is_one_line_and_a_log_entry(
    owner: str, name: str, kinds: list[str], error: str, kernel: Kernel
) -> None:
    kernel.run(FAILS, answers=())  # so that everything is imported
    kernel.run(
        "import jax_nbhelp, jax_nbhelp.views.static, jax_nbhelp.views.widget\n"
        f"def boom(*args, **options):\n    raise {error}\n"
        f"sound = {owner}.{name}\n"
        f"{owner}.{name} = boom"
    )
    ran = kernel.run(FAILS, answers=())
    kernel.run(f"{owner}.{name} = sound")
    assert ran.kinds == kinds
    assert ran.text.count("\n") == 1
    assert "%jaxhelp doctor" in ran.text
    assert ran.status == "error"
    assert "injected" in (told := kernel.run("%jaxhelp doctor").text) or "SystemExit" in told
    assert kernel.run(FAILS, answers=()).kinds == ["error", "help", "widget"]


def test_a_fault_that_comes_with_every_cell_is_told_once(kernel: Kernel) -> None:
    kernel.run(
        "from jax_nbhelp.shell.cells import Book\nsound = Book.begin\n"
        "def boom(self, info):\n    raise LookupError\n"
        "Book.begin = boom"
    )
    assert "LookupError" in kernel.run("1").text
    assert kernel.run("1").kinds == ["execute_result"]
    kernel.run("Book.begin = sound")


def test_ctrl_c_during_the_help_comes_through_after_the_traceback_and_the_hook_stays(kernel: Kernel) -> None:
    kernel.run(
        "import jax_nbhelp.help\n"
        "def interrupted(*args, **options):\n    raise KeyboardInterrupt\n"
        "sound, jax_nbhelp.help.help_for = jax_nbhelp.help.help_for, interrupted"
    )
    ran = kernel.run(FAILS)
    kernel.run("jax_nbhelp.help.help_for = sound")
    assert [error["ename"] for error in ran.errors] == ["ValueError", "KeyboardInterrupt"]
    assert ran.status == "error"
    assert kernel.run(FAILS).kinds == ["error", "help"]


HEAVY = ("jax", "jaxlib", "numpy", "ipywidgets", "anywidget", "nbformat", "tomllib")
OURS = ("catalog", "explain", "failure", "fixes", "help", "hosts", "views")


def test_loading_imports_nothing_heavy(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel(jax=False)
    kernel.run("import sys; before = set(sys.modules)\n%load_ext jax_nbhelp\nnew = set(sys.modules) - before")
    new = kernel.value("sorted(new)")
    assert "jax_nbhelp.shell.hook" in new
    assert {name.partition(".")[0] for name in new} <= {"jax_nbhelp", "IPython"}  # IPython's own %load_ext
    assert not [name for name in new if name.startswith(tuple(f"jax_nbhelp.{part}" for part in OURS))]
    kernel.run("raise ValueError('mine')")
    assert not set(kernel.value("sorted(set(sys.modules) - before)")) & {*HEAVY, "jax_nbhelp.help"}


class Listening(nbclient.NotebookClient):
    """Runs a notebook as papermill and nbconvert do, and notes the kinds of the messages on iopub."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)
        self.heard: list[str] = []

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        self.heard.append(msg["msg_type"])
        return super().process_message(msg, cell, cell_index)


def test_a_kernel_opens_comms_for_a_person_only(kernel: Kernel) -> None:
    seen = kernel.run(FAILS, answers=())
    assert seen.kinds == ["error", "help", "widget"]
    assert len(seen.of("comm_open")) == 2, "the widget and its layout"
    headless = kernel.run(FAILS)
    assert headless.kinds == ["error", "help"]
    assert headless.of("comm_open", "comm_msg") == []


def test_nbclient_stops_and_keeps_the_static_help_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE))
    cells = ["%load_ext jax_nbhelp\nimport jax, jax.numpy as jnp", FAILS, "1 + 1"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = Listening(
        notebook,
        kernel_name="python3",
        startup_timeout=TIMEOUT,
        timeout=TIMEOUT,
        resources={"metadata": {"path": tmp_path}},
    )
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="inconsistent sizes"):
        client.execute()
    outputs = notebook.cells[1]["outputs"]
    assert [output["output_type"] for output in outputs] == ["error", "display_data"]
    assert KEY in outputs[1]["metadata"]
    assert notebook.cells[2]["execution_count"] is None
    assert client.heard.count("error") == client.heard.count("display_data") == 1
    assert not [kind for kind in client.heard if kind.startswith("comm")]

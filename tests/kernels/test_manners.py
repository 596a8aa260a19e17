"""Manners: one help for one error, nothing that grows, settings that hold, and warnings before a long run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernel_client import Kernel, Ran

pytestmark = pytest.mark.kernel

SIZES = "a, b = jnp.ones((2, 3)), jnp.ones((2, 4))"
FAILS = "c = jnp.concatenate([a, b])"
VSCODE = "vscode-notebook-cell:/home/me/my%20work/a.ipynb#W2sZmlsZQ%3D%3D"
LIVING = (
    "(lambda widgets: len(getattr(widgets.widget, '_instances', None) or widgets.Widget.widgets))"
    "(__import__('ipywidgets').widgets)"
)
MEMORY = "(__import__('gc').collect(), __import__('psutil').Process().memory_info().rss)[1]"


@pytest.fixture
def own(start_kernel: Callable[..., Kernel]) -> Kernel:
    """A kernel of the test's own, with the help on."""
    kernel = start_kernel()
    kernel.run("%load_ext jax_nbhelp")
    kernel.run(SIZES)
    return kernel


def static(ran: Ran) -> str:
    (help_,) = ran.helps
    return help_["data"]["text/html"]


def test_a_cell_that_runs_again_closes_its_widget_and_its_comms(own: Kernel) -> None:
    first = own.run(FAILS, answers=(), cell_id="one")
    opened = {content["comm_id"] for content in first.of("comm_open")}
    assert len(opened) == 2
    second = own.run(f"{FAILS}  # again", answers=(), cell_id="one")
    assert {content["comm_id"] for content in second.of("comm_close")} == opened
    assert second.kinds == ["error", "help", "widget"]


def test_a_hundred_errors_leave_comms_widgets_and_memory_flat(own: Kernel) -> None:
    def fail(numbers: range) -> tuple[int, int]:
        """Fails in a cell of its own for each number; returns how many comms were opened and closed."""
        opened = closed = 0
        for number in numbers:
            ran = own.run(f"{FAILS}  # {number}", answers=(), cell_id=f"cell {number}")
            opened += len(ran.of("comm_open"))
            closed += len(ran.of("comm_close"))
        return opened, closed

    fail(range(40))
    living, memory = own.value(LIVING), [own.value(MEMORY)]
    for begins in (40, 90):
        assert fail(range(begins, begins + 50)) == (100, 100)
        memory.append(own.value(MEMORY))
    assert own.value(LIVING) == living
    # A leak shows in both halves; now and then Python makes a large table of its own larger, by megabytes,
    # also without the help. `tests/bench/soak.py` looks longer, and beside a kernel without it.
    assert min(memory[1] - memory[0], memory[2] - memory[1]) < 1.5 * 2**20
    assert memory[2] - memory[0] < 12 * 2**20


def test_a_loop_that_shows_a_hundred_errors_gives_one_help(own: Kernel) -> None:
    loop = (
        "ip = get_ipython()\nfor number in range(100):\n    try:\n        jnp.concatenate([a, b])\n"
        "    except TypeError:\n        ip.showtraceback()"
    )
    ran = own.run(loop, answers=())
    assert len(ran.errors) == 100
    assert len(ran.helps) <= 1


def test_off_is_immediate_also_within_the_cell(own: Kernel) -> None:
    assert own.run(f"%jaxhelp off\n{FAILS}", answers=()).kinds == ["stream", "error"]
    assert own.run(f"{FAILS}  # 2", answers=()).kinds == ["error"]
    assert own.run(f"%jaxhelp on\n{FAILS}  # 3", answers=()).kinds == ["stream", "error", "help", "widget"]


def test_the_same_error_again_is_folded_and_says_so(own: Kernel) -> None:
    assert '<details class="nbh-again' not in static(own.run(FAILS, cell_id="one"))
    again = static(own.run(FAILS, cell_id="one"))
    assert '<details class="nbh-again nbh-gate"><summary>The same error as before:' in again
    assert "axis=1" in again
    assert '<details class="nbh-again' not in static(own.run("%jaxhelp"))


def test_a_long_run_is_warned_of_before_it_is_repeated(own: Kernel) -> None:
    # The clock is the kernel's own; two minutes pass between the cell's begin and its end.
    slow = "import jax_nbhelp.shell.cells as cells\nnow = cells.perf_counter\ncells.perf_counter = lambda: now() + late\nlate = 0"
    own.run(slow)
    own.run("late = 0\ndef joined(a, b):\n    return jnp.concatenate([a, b])")
    ran = own.run("late += 130\njoined(a, b)", answers=())
    (payload,) = [
        content["data"]["state"]["payload"]
        for content in ran.of("comm_open")
        if "payload" in content["data"]["state"]
    ]
    assert payload["fixes"][0]["variants"][0]["warning"] == "That took 2 min the last time."
    own.run("cells.perf_counter = now")


def test_cells_that_an_edit_makes_stale_are_named(own: Kernel) -> None:
    own.run("def joined(a, b):\n    return jnp.concatenate([a, b])", cell_id="definition")
    own.run("ok = joined(a, a)", cell_id="uses it")
    count = own.value("len(get_ipython().history_manager.input_hist_raw)") - 1
    page = static(own.run("joined(a, b)", cell_id="fails"))
    assert f"Not run again, though they used the old values: cell [{count}]." in page


def test_vs_codes_cell_ids_are_known(own: Kernel) -> None:
    ran = own.run(FAILS, answers=(), cell_id=VSCODE)
    assert ran.kinds == ["error", "help", "widget"]
    host = "Colab" if own.value("'google.colab' in __import__('sys').modules") else "VS Code"
    assert f"front end: {host}" in own.run("%jaxhelp doctor", answers=(), cell_id=f"{VSCODE}2").text
    again = own.run(f"{FAILS}  # 2", answers=(), cell_id=VSCODE)
    assert len(again.of("comm_close")) == 2
    inserted = own.run("%jaxhelp fix", answers=(), cell_id=VSCODE)
    assert inserted.reply["payload"][0]["text"] == "c = jnp.concatenate([a, b], axis=1)  # 2"


@pytest.fixture
def configured(start_kernel: Callable[..., Kernel], tmp_path) -> Iterator[Kernel]:
    """A kernel whose IPython is configured in a file, as a hub configures it for all users."""
    (tmp_path / "profile_default").mkdir()
    (tmp_path / "profile_default" / "ipython_config.py").write_text(
        'c = get_config()\nc.InteractiveShellApp.extensions = ["jax_nbhelp"]\nc.JaxHelp.mode = "class"\n'
        'c.JaxHelp.language = "fr"\n'
    )
    return start_kernel(variables={"IPYTHONDIR": str(tmp_path)})


def test_class_mode_and_language_from_a_configuration_for_all_users(configured: Kernel) -> None:
    configured.run(SIZES)
    page = static(configured.run(FAILS, cell_id="one"))
    assert page.startswith('<div class="jax-nbhelp" lang="fr"')
    assert "<summary>Cause</summary>" in page
    assert "<summary>Indice</summary>" in page
    assert "Les aides s&#x27;" not in page
    configured.run("%reload_ext jax_nbhelp")
    assert "<summary>Indice</summary>" in static(configured.run(f"{FAILS}  # 2", cell_id="two"))
    assert "Les aides s'affichent d'un coup" in configured.run("%jaxhelp mode normal").text
    assert "<summary>Indice</summary>" not in static(configured.run(f"{FAILS}  # 3", cell_id="three"))


def test_class_mode_and_language_from_the_environment(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel(variables={"JAX_NBHELP_MODE": "class", "JAX_NBHELP_LANGUAGE": "fr"})
    kernel.run(f"%load_ext jax_nbhelp\n{SIZES}")
    assert "<summary>Indice</summary>" in static(kernel.run(FAILS))
    plain = kernel.run(f"{FAILS}  # 2").helps[0]["data"]["text/plain"]
    assert plain.startswith("TypeError: Cannot concatenate")
    assert "axis=1" not in plain

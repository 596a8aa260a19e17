"""What the help's buttons and `%jaxhelp fix` ask of a real kernel, over its real channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from kernel_client import KEY, VIEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel_client import Kernel

pytestmark = pytest.mark.kernel

FAILS = "jax.vmap(jnp.add, in_axes=(0, 0))(jnp.ones((2, 3)), jnp.ones((3, 2)))"
CURED = FAILS.replace("(0, 0)", "(1, 0)", 1)
RECORD = "vmap-inconsistent-sizes"
LIBRARY = "def solve(n):\n    raise ValueError(f'no grid of {n} points')\n"
OF_THE_COURSE = """
id = "0123456789abcdef"
slug = "odd-grid"
area = "course"
title = "The grid is odd"
reviewed = true
proof = "run"
cause = "Grids of this course have an even number of points."
[[occurrences]]
template = "no grid of {n} points"
file = "applib.py"
qualname = "solve"
[[fixes]]
id = "even"
title = "Use 4 points"
applicability = "machine-applicable"
alternatives = [{ edits = [{ at = "failing", match = "applib.solve($X)", rewrite = "applib.solve(4)" }] }]
"""


@pytest.fixture
def comm(kernel: Kernel) -> Iterator[str]:
    """The channel of a widget that is open below a cell."""
    (shown,) = kernel.run(FAILS, cell_id="widget", answers=()).widgets
    yield shown["data"][VIEW]["model_id"]
    kernel.run("1", cell_id="widget")


def answer(kernel: Kernel, comm: str, **message: Any) -> Any:
    """What the kernel answers to a message of the widget's page."""
    heard = kernel.hear(
        kernel.click(comm, **message), lambda kind, content: content.get("execution_state") == "idle"
    )
    data = [content["data"] for kind, content in heard if kind == "comm_msg"]
    (told,) = [one["content"] for one in data if one["method"] == "custom"]
    return told


def test_the_static_help_alone_names_record_confidence_and_fixes(kernel: Kernel) -> None:
    ran = kernel.run(FAILS, cell_id="widget", answers=())
    (help_,), (widget,) = ran.helps, ran.widgets
    assert help_["metadata"] == {
        KEY: {"record": RECORD, "confidence": "exact", "fixes": ["map-the-same-axis"]}
    }
    assert set(help_["data"]) == {"text/plain", "text/html"}
    assert KEY not in widget["metadata"]


def test_the_widget_opens_with_the_fixes_of_its_cell(kernel: Kernel) -> None:
    ran = kernel.run(FAILS, cell_id="widget", answers=())
    states = [opened["data"]["state"] for opened in ran.of("comm_open")]
    (payload,) = [state["payload"] for state in states if "payload" in state]
    assert [(cell["id"], cell["text"]) for cell in payload["cells"]] == [("widget", FAILS)]
    assert payload["fixes"][0]["can_run"]


def test_a_value_that_is_typed_is_worked_out_by_the_kernel(comm: str, kernel: Kernel) -> None:
    told = answer(kernel, comm, kind="choose", fix=0, values={"axes": "(None, 1)"})
    assert told["kind"] == "variant"
    assert "in_axes=(None, 1)" in str(told["variant"])
    assert answer(kernel, comm, kind="choose", fix=0, values={"axes": "(None, "})["kind"] == "invalid"


def test_muting_by_click_silences_the_record_until_it_is_unmuted(comm: str, kernel: Kernel) -> None:
    assert answer(kernel, comm, kind="mute") == {"kind": "muted"}
    assert kernel.run(FAILS).kinds == ["error"]
    kernel.run(f"%jaxhelp unmute {RECORD}")
    assert kernel.run(FAILS).kinds == ["error", "help"]


def test_fix_hands_over_a_cell_that_runs(kernel: Kernel) -> None:
    kernel.run(FAILS, cell_id="failed")
    ran = kernel.run("%jaxhelp fix", cell_id="asks")
    assert ran.reply["payload"] == [{"source": "set_next_input", "text": CURED, "replace": False}]
    (shown,) = kernel.run(ran.reply["payload"][0]["text"], cell_id="below").of("execute_result")
    assert "[[2., 2.]" in shown["data"]["text/plain"]


def test_records_of_a_folder_explain_and_cure_from_then_on(kernel: Kernel) -> None:
    kernel.run(
        "import pathlib\npathlib.Path('mine').mkdir()\n"
        f"_ = pathlib.Path('applib.py').write_text({LIBRARY!r})\n"
        f"_ = pathlib.Path('mine/odd-grid.toml').write_text({OF_THE_COURSE!r})\n"
        "import applib"
    )
    assert kernel.run("applib.solve(3)").kinds == ["error"]
    added = kernel.run("%jaxhelp records mine").text
    (help_,) = kernel.run("applib.solve(3)").helps
    (fix,) = kernel.run("%jaxhelp fix").reply["payload"]
    kernel.run("from jax_nbhelp.catalog import shelf; shelf.forget()")
    assert added.startswith("records of mine (added here): 1\n")
    assert help_["metadata"][KEY]["record"] == "odd-grid"
    assert "Grids of this course have an even number of points." in help_["data"]["text/plain"]
    assert fix["text"] == "applib.solve(4)"

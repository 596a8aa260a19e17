"""`demo.ipynb` as a newcomer goes through it: each failing cell is run, its help read, and cured at a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from notebook_server import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from notebook_driver import Notebook

pytestmark = pytest.mark.browser
RECORDS = [
    "incompatible-shapes-for-broadcasting",
    "tracer-bool-conversion",
    "vmap-inconsistent-sizes",
    "gradient-of-vector-output",
    "indivisible-sharding",
    "cannot-wait-send-on-a-local-copy",
]


def kinds(notebook: Notebook, index: int) -> list[str]:
    return [output["output_type"] for output in notebook.outputs(index)]


@pytest.mark.parametrize("host", ["lab"])
def test_every_failing_cell_of_the_demo_is_cured_at_a_click(open_notebook: Callable[[Path], Notebook]):
    notebook = open_notebook(REPOSITORY / "demo.ipynb")
    code = notebook.ask("cells.map((cell, i) => cell.model.type === 'code' ? i : -1).filter(i => i >= 0)")
    cured = []
    for index in code:
        notebook.run(index)
        helps = [o for o in notebook.outputs(index) if "jax_nbhelp" in o.get("metadata", {})]
        if not helps:
            continue
        record = helps[0]["metadata"]["jax_nbhelp"]["record"]
        notebook.help.wait_for()
        notebook.help.scroll_into_view_if_needed()
        notebook.screenshot(f"demo-{record}")
        notebook.click("Apply and run")
        notebook.toast.get_by_text("changed and run").wait_for()
        notebook.wait_idle()
        notebook.toast.get_by_role("button", name="Close").click()
        assert "error" not in kinds(notebook, index), record
        cured.append(record)
    assert cured == RECORDS
    assert kinds(notebook, code[-1]) == ["error"]
    # 8 * 128 ones, and no NaN: the copy was waited for
    assert notebook.output_text(code[-2]) == "Array(1024., dtype=float32)"

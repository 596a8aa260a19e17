"""The whole way, for one error: hook, record, explanation, fix, click, run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from notebook_driver import Notebook

pytestmark = pytest.mark.browser

DATA = "import jax\nimport jax.numpy as jnp\n\nstates, controls = jnp.ones((10, 4)), jnp.ones((10, 2))"
COSTS = (
    "costs = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)\nfloat(costs.sum())"
)


def test_a_vmap_error_is_explained_and_cured_at_a_click(open_notebook: Callable[[list[str]], Notebook]):
    notebook = open_notebook(["%load_ext jax_nbhelp", DATA, COSTS])
    for index in range(3):
        notebook.run(index)
    notebook.help.wait_for()

    kinds = [output["output_type"] for output in notebook.outputs(2)]
    assert kinds == ["error", "display_data", "display_data"]
    metadata = notebook.outputs(2)[1]["metadata"]["jax_nbhelp"]
    assert (metadata["record"], metadata["confidence"]) == ("vmap-inconsistent-sizes", "exact")
    explanation = notebook.static.inner_text()
    assert "states has length 10 and axis 1 of controls has length 2" in explanation
    notebook.screenshot("vmap-help")

    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()
    notebook.wait_idle()
    assert notebook.sources()[2] == COSTS.replace("(0, 1)", "(0, 0)")
    assert notebook.output_text(2) == "60.0"
    assert notebook.counts() == [1, 2, 4]
    notebook.screenshot("vmap-cured")
    notebook.undo_in_editor(2)
    assert notebook.sources()[2] == COSTS

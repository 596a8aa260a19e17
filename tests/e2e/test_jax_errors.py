"""The whole way in a real JupyterLab, Notebook 7 and classic notebook: a JAX error, its help, a click, and a cell that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scenarios import cure

if TYPE_CHECKING:
    from collections.abc import Callable

    from notebook_driver import Notebook

    Open = Callable[[list[str]], Notebook]

pytestmark = pytest.mark.browser

LOAD = "%load_ext jax_nbhelp\nimport jax, jax.numpy as jnp"
DATA = "states, controls = jnp.ones((10, 4)), jnp.ones((10, 2))"
BROKEN = (
    "# the cost of each step\n"
    "costs = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)\n"
    "costs.shape"
)
FIXED = BROKEN.replace("(0, 1)", "(0, 0)")
DEFINITION = "cost = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))"


@pytest.fixture(params=["lab", "notebook"])
def host(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def failed(open_notebook: Open) -> Notebook:
    """A notebook whose cell 2 died in JAX."""
    notebook = open_notebook([LOAD, DATA, BROKEN, "1 + 1"])
    for index in range(3):
        notebook.run(index)
    notebook.help.wait_for()
    return notebook


def test_the_help_below_the_traceback_names_the_users_arrays(failed: Notebook):
    kinds = [output["output_type"] for output in failed.outputs(2)]
    assert kinds == ["error", "display_data", "display_data"]
    said = failed.static.inner_text()
    assert "axis 0 of states has length 10 and axis 1 of controls has length 2" in said
    assert "float32[10, 4]" in said
    (metadata,) = [
        o["metadata"]["jax_nbhelp"] for o in failed.outputs(2) if "jax_nbhelp" in o.get("metadata", {})
    ]
    assert metadata["record"] == "vmap-inconsistent-sizes"
    assert metadata["confidence"] == "exact"
    failed.help.scroll_into_view_if_needed()
    failed.screenshot("jax-light")


@pytest.mark.parametrize("host", ["lab", "notebook", "classic"])
def test_apply_and_run_cures_the_cell(failed: Notebook):
    failed.help.scroll_into_view_if_needed()
    failed.screenshot("jax-help")
    cure(failed, 2, FIXED, "(10,)")
    failed.undo_in_editor(2)
    assert failed.sources()[2] == BROKEN


def test_undo_of_the_help_brings_the_text_back(failed: Notebook):
    failed.click("Apply")
    assert failed.sources()[2] == FIXED
    failed.click("Undo")
    assert failed.sources()[2] == BROKEN


def test_the_choice_decides_what_is_written(failed: Notebook):
    failed.help.locator("select").select_option("(0, None)")
    failed.click("Apply and run")
    failed.toast.get_by_text("changed and run").wait_for()
    assert failed.sources()[2] == BROKEN.replace("(0, 1)", "(0, None)")
    assert failed.output_text(2) == "(10,)"


def test_a_definition_in_another_cell_is_changed_and_run_first(open_notebook: Open):
    notebook = open_notebook([LOAD, DATA, DEFINITION, "cost(states, controls).shape"])
    for index in range(4):
        notebook.run(index)
    notebook.help.wait_for()
    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()
    notebook.wait_idle()
    assert notebook.sources()[2:] == [DEFINITION.replace("(0, 1)", "(0, 0)"), "cost(states, controls).shape"]
    assert notebook.counts() == [1, 2, 5, 6]
    assert notebook.output_text(3) == "(10,)"
    notebook.toast.get_by_role("button", name="Undo").click()
    notebook.toast.get_by_text("as before").wait_for()
    assert notebook.sources()[2] == DEFINITION


def test_a_cell_that_was_edited_meanwhile_is_left_alone(failed: Notebook):
    failed.edit(2, f"{BROKEN}  # mine")
    failed.click("Apply and run")
    failed.wait_status("was edited after this error, so nothing was changed")
    assert failed.sources()[2] == f"{BROKEN}  # mine"


def test_the_explanation_is_read_after_a_restart_and_a_reload(failed: Notebook):
    failed.restart_kernel()
    failed.reload()
    failed.static.wait_for()
    assert "axis 0 of states has length 10" in failed.static.inner_text()


def test_run_all_stops_at_the_error_and_the_help_is_there(open_notebook: Open):
    notebook = open_notebook([LOAD, DATA, BROKEN, "ran = 1"])
    notebook.ask("(void window.jupyterapp.commands.execute('notebook:run-all-cells'), 0)")
    notebook.help.wait_for()
    notebook.wait("cells[2].model.executionCount === 3")
    notebook.wait_idle()
    assert notebook.counts() == [1, 2, 3, None]


def test_another_error_has_no_help(open_notebook: Open):
    notebook = open_notebook([LOAD, "raise ValueError('mine')"])
    notebook.run(0)
    notebook.run(1)
    assert [output["output_type"] for output in notebook.outputs(1)] == ["error"]


@pytest.mark.parametrize("host", ["lab"])
def test_the_dark_theme_is_looked_at(failed: Notebook):
    failed.theme("JupyterLab Dark")
    failed.help.scroll_into_view_if_needed()
    failed.screenshot("jax-dark")
    color = failed.help.evaluate("node => getComputedStyle(node).color")
    assert color != "rgb(0, 0, 0)"

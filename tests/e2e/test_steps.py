"""Class mode, and helps that were shown before: the fix comes into sight when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from notebook_driver import Notebook

    Open = Callable[[list[str]], Notebook]

pytestmark = pytest.mark.browser
lab_only = pytest.mark.parametrize("host", ["lab"])

SETUP = "%load_ext jax_nbhelp\nimport jax, jax.numpy as jnp\na, b = jnp.ones((2, 3)), jnp.ones((2, 4))"
FAILS = "joined = jnp.concatenate([a, b])\njoined.shape"
STEPS = ["Cause", "Where", "Hint", "Fix"]


def open_step(notebook: Notebook, name: str) -> None:
    notebook.static.locator("details.nbh-step > summary", has_text=name).last.click()


def test_class_mode_opens_step_by_step(open_notebook: Open):
    notebook = open_notebook([f"{SETUP}\n%jaxhelp mode class", FAILS])
    notebook.run(0)
    notebook.run(1)
    notebook.static.wait_for()
    notebook.help.wait_for(state="attached")
    assert "concatenate" in notebook.static.locator("pre.nbh-message").inner_text()
    for step in STEPS:
        visible = [
            one.inner_text() for one in notebook.static.locator("details.nbh-step > summary:visible").all()
        ]
        assert visible == STEPS[: STEPS.index(step) + 1]
        assert not notebook.help.is_visible()
        open_step(notebook, step)
    notebook.help.wait_for()
    notebook.screenshot("class-mode")
    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()
    assert notebook.output_text(1) == "(2, 7)"


@lab_only
def test_the_fix_by_command_waits_for_its_step(open_notebook: Open):
    notebook = open_notebook([f"{SETUP}\n%jaxhelp mode class", FAILS, "%jaxhelp fix"])
    notebook.run(0)
    notebook.run(1)
    notebook.help.wait_for(state="attached")
    notebook.run(2)
    assert "The fix is the last step" in notebook.output_text(2)
    for step in STEPS:
        open_step(notebook, step)
    notebook.help.wait_for()
    notebook.run(2)
    assert "The corrected cell [2] follows" in notebook.output_text(2)


def test_an_error_shown_before_is_one_line_until_it_is_opened(open_notebook: Open):
    notebook = open_notebook([SETUP, FAILS])
    notebook.run(0)
    notebook.run(1)
    notebook.help.wait_for()
    notebook.run(1)
    again = notebook.static.locator("details.nbh-again > summary")
    again.wait_for()
    assert again.inner_text().startswith("The same error as before:")
    assert not notebook.help.is_visible()
    notebook.screenshot("again")
    again.click()
    notebook.help.wait_for()
    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()

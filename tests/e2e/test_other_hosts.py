"""Front ends that let nobody edit or run their cells: VS Code, Colab, and those that are not known.

JupyterLab stands for them, with the notebook taken out of the widgets' reach: their manager says nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from notebook_driver import Notebook

    Open = Callable[[list[str]], Notebook]

pytestmark = pytest.mark.browser
lab_only = pytest.mark.parametrize("host", ["lab"])

SETUP = "import handmade\nhandmade.install(get_ipython())"
BROKEN = "x = 10\ny = x / 0\nprint('y is', y)\ny"
HIDE = """
async () => {
  const mime = 'application/vnd.jupyter.widget-view+json';
  const panel = window.jupyterapp.shell.currentWidget;
  const renderer = panel.content.rendermime.getFactory(mime).createRenderer({ mimeType: mime });
  const manager = await renderer._manager.promise;
  const known = manager.context;  // the manager and its outputs need it themselves
  const hidden = { get: (target, name) => (name === 'model' ? undefined : Reflect.get(target, name, target)) };
  Object.defineProperty(manager, 'context', { value: new Proxy(known, hidden) });
}
"""
COLAB = """
() => {
  window.added = [];
  window.google = { colab: { notebook: { addCell: async (...cell) => { window.added.push(cell); } } } };
}
"""


@pytest.fixture
def failed(open_notebook: Open) -> Callable[..., Notebook]:
    """Opens a notebook whose last cell fails, in a page that hides it from its widgets."""

    def fail(*cells: str, before: str = "") -> Notebook:
        notebook = open_notebook([SETUP, *cells])
        notebook.page.evaluate(HIDE)
        if before:
            notebook.page.evaluate(before)
        for index in range(len(cells) + 1):
            notebook.run(index)
        notebook.help.wait_for()
        return notebook

    return fail


def buttons(notebook: Notebook) -> list[str]:
    return [one.inner_text() for one in notebook.help.locator(".nbh-actions button:visible").all()]


@lab_only
def test_run_here_shows_the_result_and_leaves_the_cell_as_it_is(failed: Callable[..., Notebook]):
    notebook = failed(BROKEN)
    assert buttons(notebook) == ["Run here", "Copy"]
    assert "the cells on screen stay as they are" in notebook.help.locator(".nbh-hint").first.inner_text()
    notebook.click("Run here")
    notebook.wait_status("ran with the fix. The cell on screen is unchanged")
    output = notebook.help.locator(".nbh-output")
    assert "y is 10.0" in output.inner_text()
    assert "10.0" in output.inner_text().replace("y is 10.0", "")
    assert notebook.sources()[1] == BROKEN
    notebook.screenshot("run-here")


@lab_only
def test_run_here_runs_the_definition_first_and_shows_an_error(failed: Callable[..., Notebook]):
    notebook = failed("def share(x):\n    return x / 0", "share(20) + nowhere")
    notebook.click("Run here")
    notebook.wait_status("Cell [3] ended with an error")
    assert "NameError" in notebook.help.locator(".nbh-output").inner_text()
    assert buttons(notebook) == ["Run here", "Copy"]


@lab_only
def test_a_waiting_cell_can_be_stopped(failed: Callable[..., Notebook]):
    notebook = failed("import asyncio\ny = 10 / 0\nawait asyncio.sleep(600)")
    notebook.click("Run here")
    notebook.wait_status("running")
    notebook.click("Stop")
    notebook.wait_status("was stopped")
    notebook.help.get_by_role("button", name="Stop").wait_for(state="hidden")


@lab_only
def test_a_page_that_adds_cells_as_colab_does_gets_the_fixed_cell(failed: Callable[..., Notebook]):
    notebook = failed(BROKEN, before=COLAB)
    assert buttons(notebook) == ["Run here", "Insert the fixed cell", "Copy"]
    notebook.click("Insert the fixed cell")
    notebook.wait_status("in a new cell below")
    assert notebook.page.evaluate("window.added") == [[BROKEN.replace("/ 0", "/ 1"), "code"]]
    notebook.screenshot("colab-stand-in")


@lab_only
def test_a_cell_that_cannot_be_added_is_told(failed: Callable[..., Notebook]):
    notebook = failed(BROKEN, before=COLAB)
    notebook.page.evaluate(
        "() => { google.colab.notebook.addCell = () => Promise.reject(new Error('not allowed')); }"
    )
    notebook.click("Insert the fixed cell")
    notebook.wait_status("This did not work")


@lab_only
def test_cells_with_a_magic_are_added_each_by_itself(failed: Callable[..., Notebook]):
    definition = "%%time\ndef share(x):\n    return x / 0"
    notebook = failed(definition, "share(20)", before=COLAB)
    notebook.help.get_by_label("Divide by five and say so").check()
    notebook.click("Insert the fixed cell")
    notebook.wait_status("in a new cell below")
    added = [text for text, _ in notebook.page.evaluate("window.added")]
    assert added == [definition.replace("/ 0", "/ 5"), "# divides by five\nshare(20)"]

"""A JupyterLab whose pages share their documents: the help acts on what all of them see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from notebook_server import ANYWIDGET, OURS, Server, serve_apart
from scenarios import BROKEN, FIXED, cure, fail_in_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lab_driver import LabNotebook

    Open = Callable[[list[str] | LabNotebook], LabNotebook]

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("host", ["lab"])]


@pytest.fixture(scope="module")
def shared_server(server_python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("shared")
    with serve_apart(folder, server_python, [OURS, *ANYWIDGET], collaboration=True) as running:
        yield running


@pytest.fixture
def server(shared_server: Server) -> Server:
    return shared_server


@pytest.fixture
def failed(open_notebook: Open) -> LabNotebook:
    notebook = fail_in_one(open_notebook)
    assert notebook.ask("panel.context.model.collaborative")
    return notebook


@pytest.mark.parametrize("extension", [True, False], ids=["extension", "no-extension"])
def test_a_shared_cell_is_changed_run_and_brought_back(failed: LabNotebook, extension: bool):
    assert failed.has_runner()
    if not extension:
        failed.drop_runner()
    cure(failed)
    failed.undo_in_editor(1)
    assert failed.sources()[1] == BROKEN
    failed.toast.wait_for(state="detached")


def test_two_pages_see_one_edit_and_make_it_once(failed: LabNotebook, open_notebook: Open):
    other = open_notebook(failed)
    other.help.wait_for()
    failed.click("Apply")
    other.help.get_by_role("button", name="Undo").wait_for()
    assert other.sources()[1] == FIXED
    # What is applied already is only run by the other page.
    assert other.help.get_by_role("button", name="Apply", exact=True).is_hidden()
    other.click("Run")
    other.toast.get_by_text("changed and run").wait_for()
    failed.toast.wait_for(state="detached")
    failed.help.wait_for(state="detached")
    for page in (failed, other):
        page.wait("cells[1].model.outputs.length === 1")
        assert page.sources()[1] == FIXED
        assert page.output_text(1) == "10.0"
        assert page.counts()[1] == 3

    other.toast.get_by_role("button", name="Undo").click()
    failed.wait("cells[1].model.sharedModel.getSource() === arg", BROKEN)
    assert other.sources()[1] == BROKEN


def test_two_clicks_at_one_moment_make_one_edit(failed: LabNotebook, open_notebook: Open):
    other = open_notebook(failed)
    other.help.wait_for()
    moment = failed.page.evaluate("Date.now() + 2000")
    for page in (failed, other):
        page.help.get_by_role("button", name="Apply", exact=True).evaluate(
            "(button, moment) => void setTimeout(() => button.click(), moment - Date.now())", moment
        )
    for page in (failed, other):
        page.wait_status("changed, not run yet")
        page.wait("cells[1].model.sharedModel.getSource() === arg", FIXED)
    failed.click("Undo")
    other.wait("cells[1].model.sharedModel.getSource() === arg", BROKEN)
    assert failed.sources()[1] == BROKEN


def test_an_edit_in_another_page_is_not_overwritten(failed: LabNotebook, open_notebook: Open):
    other = open_notebook(failed)
    other.edit(1, f"{BROKEN}  # theirs")
    failed.wait("cells[1].model.sharedModel.getSource() === arg", f"{BROKEN}  # theirs")
    failed.click("Apply and run")
    failed.wait_status("was edited after this error, so nothing was changed")
    assert failed.sources()[1] == other.sources()[1] == f"{BROKEN}  # theirs"

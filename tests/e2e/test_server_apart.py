"""A server whose environment has no jax_nbhelp, as with kernels in environments of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from notebook_server import ANYWIDGET, Server, serve_apart
from scenarios import BROKEN, DEFINITION, SETUP, cure, fail_in_one, fail_in_two

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scenarios import Open

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def apart_server(
    request: pytest.FixtureRequest, server_python: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with serve_apart(tmp_path_factory.mktemp("apart"), server_python, request.param) as running:
        yield running


@pytest.fixture
def server(apart_server: Server) -> Server:
    return apart_server


with_anywidget = pytest.mark.parametrize("apart_server", [ANYWIDGET], ids=["anywidget"], indirect=True)
without_anywidget = pytest.mark.parametrize("apart_server", [()], ids=["nothing"], indirect=True)


@with_anywidget
@pytest.mark.parametrize("host", ["lab", "notebook", "nbclassic"])
def test_the_cell_is_changed_and_run_without_our_extension(open_notebook: Open):
    failed = fail_in_one(open_notebook)
    assert not failed.has_runner()
    cure(failed)
    failed.undo_in_editor(1)
    assert failed.sources()[1] == BROKEN


@with_anywidget
@pytest.mark.parametrize("host", ["lab", "notebook"])
def test_the_definition_is_changed_and_run_first(open_notebook: Open):
    failed = fail_in_two(open_notebook)
    failed.click("Apply and run")
    failed.toast.get_by_text("changed and run").wait_for()
    failed.wait_idle()
    assert failed.sources()[1] == DEFINITION.replace("/ 0", "/ 1")
    assert failed.counts() == [1, 4, 5]
    assert failed.output_text(2) == "20.0"
    failed.toast.get_by_role("button", name="Undo").click()
    assert failed.sources()[1] == DEFINITION


@without_anywidget
@pytest.mark.parametrize("host", ["lab", "notebook"])
def test_the_explanation_and_its_diff_are_read_without_any_widget(open_notebook: Open):
    failed = open_notebook([SETUP, BROKEN])
    failed.run(0)
    failed.run(1)
    failed.static.locator(".nbh-diff").wait_for()
    said = failed.static.inner_text()
    for part in (
        "Division: the divisor is zero",
        "Fix: Divide by 1",
        "3 - y = x / 0",
        "3 + y = x / 1",
        "Why",
    ):
        assert part in said
    assert failed.help.count() == 0
    failed.static.scroll_into_view_if_needed()
    failed.screenshot("no-widget")
    # The front end says that it lacks anywidget, not that something of ours broke.
    failed.errors = [error for error in failed.errors if "anywidget" not in error]

"""The widget in a real JupyterLab, Notebook 7 and classic notebook, with helps made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scenarios import BROKEN, CALL, DEFINITION, FIXED, SETUP, cure, fail_in_one, fail_in_two

if TYPE_CHECKING:
    from notebook_driver import Notebook
    from scenarios import Open

pytestmark = pytest.mark.browser
lab_only = pytest.mark.parametrize("host", ["lab"])


@pytest.fixture
def failed(open_notebook: Open) -> Notebook:
    """A notebook whose cell 1 has failed and shows its help."""
    return fail_in_one(open_notebook)


@pytest.fixture
def failed_in_two(open_notebook: Open) -> Notebook:
    """A notebook whose cell 2 has failed in a function that cell 1 defines."""
    return fail_in_two(open_notebook)


def test_apply_and_run_changes_the_cell_and_runs_it(failed: Notebook, host: str):
    assert failed.has_runner() == (host != "classic")
    cure(failed)
    assert failed.help.count() == 0
    failed.screenshot("ran")

    failed.undo_in_editor(1)
    assert failed.sources()[1] == BROKEN
    failed.toast.wait_for(state="detached")


def test_the_note_after_a_run_undoes_the_edit(failed: Notebook):
    failed.click("Apply and run")
    failed.toast.get_by_role("button", name="Undo").click()
    failed.toast.get_by_text("What ran stays in the kernel").wait_for()
    assert failed.sources()[1] == BROKEN
    failed.toast.get_by_role("button", name="Close").click()
    assert failed.toast.count() == 0


def test_apply_alone_changes_the_cell_and_undo_brings_it_back(failed: Notebook):
    failed.click("Apply")
    failed.wait_status("not run yet")
    assert failed.sources()[1] == FIXED
    assert failed.counts()[1] == 2
    failed.click("Undo")
    failed.wait_status("as before")
    assert failed.sources()[1] == BROKEN
    failed.click("Apply")
    assert failed.sources()[1] == FIXED
    failed.undo_in_editor(1)
    assert failed.sources()[1] == BROKEN
    failed.help.get_by_role("button", name="Apply and run").wait_for()


def test_a_fix_in_another_cell_runs_the_definition_first(failed_in_two: Notebook):
    failed_in_two.click("Apply and run")
    failed_in_two.toast.get_by_text("changed and run").wait_for()
    failed_in_two.wait_idle()
    assert failed_in_two.sources()[1:] == [DEFINITION.replace("/ 0", "/ 1"), CALL]
    assert failed_in_two.counts() == [1, 4, 5]
    assert failed_in_two.output_text(2) == "20.0"


@lab_only
def test_undo_brings_both_cells_back(failed_in_two: Notebook):
    failed_in_two.help.get_by_label("Divide by five and say so").check()
    failed_in_two.click("Apply and run")
    failed_in_two.toast.get_by_text("changed and run").wait_for()
    assert failed_in_two.sources()[1:] == [DEFINITION.replace("/ 0", "/ 5"), f"# divides by five\n{CALL}"]
    failed_in_two.toast.get_by_role("button", name="Undo").click()
    failed_in_two.toast.get_by_text("as before").wait_for()
    assert failed_in_two.sources()[1:] == [DEFINITION, CALL]


@lab_only
def test_the_failing_cell_is_not_run_when_the_definition_fails(open_notebook: Open):
    once = "runs = globals().get('runs', 0) + 1\nassert runs < 2\n"
    notebook = fail_in_two(open_notebook, once + DEFINITION)
    notebook.click("Apply and run")
    notebook.wait_status("Cell [4] ended with an error")
    assert notebook.counts() == [1, 4, 3]
    notebook.click("Undo")
    assert notebook.sources()[1:] == [once + DEFINITION, CALL]


def test_a_cell_edited_meanwhile_is_left_alone(failed: Notebook):
    failed.edit(1, f"{BROKEN}  # mine")
    for button in ("Apply and run", "Apply"):
        failed.click(button)
        failed.wait_status("was edited after this error, so nothing was changed")
        assert failed.sources()[1] == f"{BROKEN}  # mine"
    assert failed.counts()[1] == 2


@lab_only
def test_undo_after_an_edit_says_so_and_changes_nothing(failed: Notebook):
    failed.click("Apply")
    failed.edit(1, f"{FIXED}  # mine")
    failed.click("Undo")
    failed.wait_status("nothing was undone")
    assert failed.sources()[1] == f"{FIXED}  # mine"


@lab_only
def test_a_deleted_cell_is_named_and_nothing_else_changes(failed_in_two: Notebook):
    failed_in_two.help.get_by_label("Divide by five and say so").check()
    failed_in_two.delete(1)
    failed_in_two.click("Apply and run")
    failed_in_two.wait_status("is gone from the notebook, so nothing was changed")
    assert failed_in_two.sources()[1] == CALL


@lab_only
def test_a_locked_cell_is_left_alone(failed: Notebook):
    failed.ask("cells[1].model.setMetadata('editable', false)")
    failed.click("Apply")
    failed.wait_status("locked")
    assert failed.sources()[1] == BROKEN


@lab_only
def test_a_busy_kernel_is_not_interrupted(failed: Notebook):
    failed.edit(2, "import time\ntime.sleep(600)")
    failed.start(2)
    failed.wait("kernel.status === 'busy'")
    failed.click("Apply and run")
    failed.wait_status("busy with something else, so nothing was changed")
    assert failed.sources()[1] == BROKEN
    failed.click("Apply")
    failed.wait_status("not run yet")
    assert failed.sources()[1] == FIXED
    failed.interrupt()


def test_a_dead_kernel_leaves_apply(failed: Notebook):
    failed.shut_kernel_down()
    failed.click("Apply and run")
    failed.wait_status("No kernel is running, so nothing was changed")
    assert failed.sources()[1] == BROKEN
    failed.click("Apply")
    assert failed.sources()[1] == FIXED


def test_after_a_restart_the_cells_above_come_first(failed: Notebook):
    failed.restart_kernel()
    failed.click("Apply and run")
    failed.wait_status("restarted after this error")
    assert failed.sources()[1] == BROKEN
    assert failed.counts()[1] == 2


@lab_only
def test_a_second_click_runs_nothing_twice(open_notebook: Open):
    wait = "import time\nwhile globals().get('hold'):\n    time.sleep(0.01)\n"
    notebook = fail_in_two(open_notebook, wait + DEFINITION)
    notebook.tell_kernel("hold = True")
    notebook.click("Apply and run")
    notebook.wait_status("running")
    notebook.help.get_by_role("button", name="Run", exact=True).click(force=True)
    notebook.wait_status("one click is enough")
    notebook.interrupt()
    notebook.wait_status("ended with an error")
    assert notebook.counts() == [1, 4, 3]


def test_a_choice_changes_the_diff_and_keeps_the_keyboard(failed: Notebook):
    choice = failed.help.get_by_label("the divisor", exact=True)
    choice.focus()
    failed.page.keyboard.press("ArrowDown")
    failed.help.locator(".nbh-come", has_text="y = x / 2").wait_for()
    assert choice.input_value() == "2"
    assert choice.evaluate("node => node === document.activeElement")
    failed.click("Apply")
    assert failed.sources()[1] == BROKEN.replace("/ 0", "/ 2")


@lab_only
def test_a_value_of_ones_own_needs_the_kernel_that_made_the_help(failed: Notebook):
    failed.restart_kernel()
    failed.help.get_by_label("the divisor", exact=True).select_option(label="Other…")
    own = failed.help.get_by_label("Python for: the divisor")
    own.fill("7")
    own.press("Enter")
    failed.wait_status("kernel that made this help is gone")


def test_a_value_of_ones_own_is_checked_by_the_kernel(failed: Notebook):
    failed.help.get_by_label("the divisor", exact=True).select_option(label="Other…")
    own = failed.help.get_by_label("Python for: the divisor")
    own.fill("zero")
    own.press("Enter")
    failed.wait_status("is not a number")
    own.fill("7")
    own.press("Enter")
    failed.help.locator(".nbh-come", has_text="y = x / 7").wait_for()
    failed.click("Apply and run")
    failed.toast.get_by_text("changed and run").wait_for()
    assert failed.sources()[1] == BROKEN.replace("/ 0", "/ 7")


@lab_only
def test_a_fix_that_needs_a_value_waits_for_it(failed: Notebook):
    failed.help.get_by_label("Divide by a number of yours").check()
    button = failed.help.get_by_role("button", name="Apply", exact=True)
    assert button.get_attribute("aria-disabled") == "true"
    button.click(force=True)
    own = failed.help.get_by_label("Python for: the divisor")
    assert own.evaluate("node => node === document.activeElement")
    assert failed.sources()[1] == BROKEN
    own.fill("4")
    failed.click("Use")
    failed.help.locator(".nbh-come", has_text="y = x / 4").wait_for()
    failed.click("Apply")
    assert failed.sources()[1] == BROKEN.replace("/ 0", "/ 4")


@lab_only
def test_a_fix_to_read_offers_no_button(failed: Notebook):
    failed.help.get_by_label("Look at the data").check()
    assert "Cannot be applied here: the divisor is read from a file." in failed.help.inner_text()
    assert failed.help.get_by_role("button", name="Apply", exact=True).is_hidden()
    assert failed.help.get_by_role("button", name="Apply and run").is_hidden()


@lab_only
def test_a_help_without_fixes_offers_a_report(open_notebook: Open):
    notebook = open_notebook([SETUP, "1 / 0  # no cure"])
    notebook.run(0)
    notebook.run(1)
    notebook.help.locator("summary", has_text="Not helpful?").click()
    notebook.click("Copy a report")
    notebook.wait_status("report is on the clipboard")
    assert notebook.help.get_by_role("button").count() == 2


@lab_only
def test_another_fix_takes_the_place_of_the_applied_one(failed: Notebook):
    failed.click("Apply")
    failed.help.get_by_label("Multiply by 3 instead").check()
    failed.click("Apply")
    assert failed.sources()[1] == BROKEN.replace("/ 0", "* 3")
    failed.click("Undo")
    assert failed.sources()[1] == BROKEN


@lab_only
def test_what_is_applied_is_known_after_a_reload(failed: Notebook):
    failed.click("Apply")
    failed.reload()
    failed.help.wait_for()
    failed.click("Undo")
    failed.wait_status("as before")
    assert failed.sources()[1] == BROKEN


def test_everything_is_reached_by_the_keyboard(failed: Notebook):
    first = failed.help.get_by_role("radio").first
    first.focus()
    failed.page.keyboard.press("ArrowDown")
    assert failed.help.get_by_label("Multiply by 3 instead").is_checked()
    names = []
    for _ in range(12):
        failed.page.keyboard.press("Tab")
        names.append(failed.page.evaluate("document.activeElement.textContent.trim()"))
        assert failed.page.evaluate(
            "!document.activeElement.closest('.jax-nbhelp') || getComputedStyle(document.activeElement).outlineStyle === 'solid'"
        )
    assert [name for name in names if name in {"Apply and run", "Apply", "Copy", "Why", "Not helpful?"}] == [
        "Apply and run",
        "Apply",
        "Copy",
        "Why",
        "Not helpful?",
    ]
    why = failed.help.locator("details", has_text="Why").first
    why.locator("summary").focus()
    failed.page.keyboard.press("Enter")
    assert why.get_attribute("open") is not None
    failed.page.keyboard.press("Escape")
    assert why.get_attribute("open") is None
    failed.help.get_by_role("button", name="Apply and run").focus()
    failed.page.keyboard.press("Enter")
    failed.toast.get_by_text("changed and run").wait_for()
    assert failed.sources()[1] == BROKEN.replace("/ 0", "* 3")
    assert failed.page.evaluate("document.activeElement !== document.body")


@pytest.mark.parametrize("host", ["lab", "classic"])
def test_keys_typed_into_the_help_are_no_commands_of_the_notebook(failed: Notebook):
    failed.help.get_by_label("the divisor", exact=True).select_option(label="Other…")
    failed.page.keyboard.type("ddab")
    assert failed.help.get_by_label("Python for: the divisor").input_value() == "ddab"
    assert failed.sources() == [SETUP, BROKEN, "1 + 1"]
    failed.help.get_by_label("the divisor", exact=True).select_option("1")
    failed.click("Apply and run")
    failed.toast.get_by_role("button", name="Close").focus()
    failed.page.keyboard.type("ddab")
    assert failed.sources() == [SETUP, FIXED, "1 + 1"]
    failed.page.keyboard.press("Enter")
    failed.toast.wait_for(state="detached")
    # The keyboard is the notebook's again.
    failed.page.keyboard.press("b")
    assert len(failed.sources()) == 4


@pytest.mark.parametrize("host", ["lab", "classic"])
def test_of_two_cells_with_one_text_the_right_one_is_changed(open_notebook: Open):
    notebook = open_notebook([SETUP, DEFINITION, DEFINITION, CALL, CALL])
    for index in (0, 1, 2, 4):
        notebook.run(index)
    notebook.help.wait_for()
    notebook.help.get_by_label("Divide by five and say so").check()
    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()
    fixed = DEFINITION.replace("/ 0", "/ 5")
    assert notebook.sources()[1:] == [DEFINITION, fixed, CALL, f"# divides by five\n{CALL}"]
    assert notebook.counts() == [1, 2, 5, None, 6]


@pytest.mark.parametrize("host", ["lab", "classic"])
def test_code_and_report_are_copied(failed: Notebook):
    failed.click("Copy")
    failed.wait_status("on the clipboard")
    assert failed.page.evaluate("navigator.clipboard.readText()") == FIXED
    failed.help.locator("summary", has_text="Not helpful?").click()
    failed.click("Copy a report")
    failed.wait_status("report is on the clipboard")
    report = failed.page.evaluate("navigator.clipboard.readText()")
    assert "record: divide-by-zero (exact)" in report
    assert "error: ZeroDivisionError: division by zero" in report


@lab_only
def test_a_record_is_muted(failed: Notebook):
    failed.help.locator("summary", has_text="Not helpful?").click()
    failed.click("Mute this help")
    failed.wait_status("%jaxhelp unmute divide-by-zero")
    failed.edit(2, "handmade.owner.muted")
    failed.run(2)
    assert failed.output_text(2) == "['divide-by-zero']"


def test_nothing_is_on_screen_twice_and_markup_is_only_text(failed: Notebook):
    panel = failed.page.locator(failed.CELLS)
    assert panel.locator(".nbh-diff:visible").count() == 1
    assert panel.get_by_text("Why", exact=True).locator("visible=true").count() == 1
    assert "<b>this</b>" in failed.static.inner_text()


def test_the_explanation_stays_after_a_restart_and_a_reload(failed: Notebook):
    failed.restart_kernel()
    failed.reload()
    failed.static.wait_for()
    text = failed.static.inner_text()
    assert "Division: the divisor is zero" in text
    assert "+ y = x / 1" in text


@lab_only
def test_it_is_looked_at_in_light_dark_and_narrow(failed: Notebook):
    failed.help.scroll_into_view_if_needed()
    failed.screenshot("help-light")
    failed.theme("JupyterLab Dark")
    failed.screenshot("help-dark")
    failed.theme("JupyterLab Light")
    failed.page.set_viewport_size({"width": 700, "height": 900})
    failed.help.scroll_into_view_if_needed()
    failed.screenshot("help-narrow")
    assert failed.help.evaluate("node => node.scrollWidth <= node.clientWidth")

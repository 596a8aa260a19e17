"""What axe-core and a narrow, enlarged or recoloured page say of our elements, with everything opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe import FINDINGS
from scenarios import fail_in_one

if TYPE_CHECKING:
    from notebook_driver import Notebook
    from scenarios import Open

pytestmark = pytest.mark.browser

TOO_WIDE = """() => [...document.querySelectorAll('.jax-nbhelp')].flatMap(panel =>
    [panel, ...panel.querySelectorAll(':not(pre *)')].filter(node => {
        const { width, right } = node.getBoundingClientRect();
        return width && right > panel.parentElement.getBoundingClientRect().right + 1;
    }).map(node => node.outerHTML.slice(0, 200))
)"""
THEMES = ("JupyterLab Dark", "JupyterLab Dark High Contrast", "JupyterLab Light")
LONG_CELL = "\n".join(
    [
        *(f"before_{number} = {number}" for number in range(150)),
        "x = 10",
        f"y = [x / 0 for {'_'.join(['the', 'number'] * 12)} in range(12)]  # long",
        *(f"after_{number} = {number}" for number in range(150)),
    ]
)


def open_details(notebook: Notebook) -> None:
    notebook.page.evaluate(
        "document.querySelectorAll('.jax-nbhelp details').forEach(node => (node.open = true))"
    )


def findings(notebook: Notebook) -> list[str]:
    notebook.select(0)  # the classic notebook paints over the selected cell, and axe cannot see through
    if notebook.host != "lab":
        return notebook.page.evaluate(FINDINGS)
    found: list[str] = []
    for theme in THEMES:
        notebook.theme(theme)
        found += [f"{theme}: {one}" for one in notebook.page.evaluate(FINDINGS)]
    return found


def test_axe_finds_no_violation(open_notebook: Open, axe: str):
    notebook = fail_in_one(open_notebook, LONG_CELL)
    notebook.page.evaluate(axe)
    notebook.help.get_by_label("the divisor", exact=True).select_option(label="Other…")
    open_details(notebook)
    notebook.click("Copy a report")
    notebook.wait_status("report is on the clipboard")
    assert findings(notebook) == []
    notebook.screenshot("opened")

    notebook.help.get_by_label("Look at the data").check()
    # What a reader of the saved notebook sees, where there is no widget.
    notebook.page.evaluate("document.querySelector('.nbh-live').classList.remove('nbh-live')")
    open_details(notebook)
    assert findings(notebook) == []

    notebook.help.get_by_label("Divide by 1").check()
    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()
    assert findings(notebook) == []


@pytest.mark.parametrize("host", ["notebook", "classic"])
def test_nothing_is_cut_off_in_a_narrow_or_enlarged_page(open_notebook: Open):
    notebook = fail_in_one(open_notebook, LONG_CELL)
    open_details(notebook)
    for width, height in ((320, 700), (600, 450)):  # 600 is what 200 % leaves of 1200
        notebook.page.set_viewport_size({"width": width, "height": height})
        assert notebook.page.evaluate(TOO_WIDE) == []
        notebook.help.scroll_into_view_if_needed()
        notebook.screenshot(f"width-{width}")
    notebook.click("Apply and run")
    notebook.toast.get_by_text("changed and run").wait_for()
    assert notebook.page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("host", ["notebook"])
def test_forced_colors_keep_the_change_visible(open_notebook: Open):
    notebook = fail_in_one(open_notebook)
    notebook.page.emulate_media(forced_colors="active")
    decoration = "node => getComputedStyle(node).textDecorationLine"
    assert notebook.help.locator("del").first.evaluate(decoration) == "line-through"
    assert notebook.help.locator("ins").first.evaluate(decoration) == "underline"
    button = notebook.help.get_by_role("button", name="Apply and run")
    assert button.evaluate("node => getComputedStyle(node).borderStyle") == "solid"
    notebook.help.scroll_into_view_if_needed()
    notebook.screenshot("forced-colors")

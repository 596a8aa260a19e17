"""The help in pages that are no notebook of ours: VS Code's and Colab's colours, and a model that reaches nothing.

Only the page stands in here: its variables are those that these front ends set, the script and the styles are ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe import FINDINGS

from jax_nbhelp.cell import Cell
from jax_nbhelp.views.html import render
from jax_nbhelp.views.manner import Manner
from jax_nbhelp.views.payload import Cells, payload
from jax_nbhelp.views.widget import SCRIPT, STYLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

VSCODE = {
    "dark": {
        "editor-background": "#1f1f1f",
        "foreground": "#cccccc",
        "descriptionForeground": "#9d9d9d",
        "textLink-foreground": "#4daafc",
        "errorForeground": "#f85149",
        "widget-border": "#313131",
        "editor-font-family": "monospace",
        "font-family": "system-ui",
        "button-border": "#ffffff12",
        "button-secondaryBackground": "#313131",
        "button-secondaryHoverBackground": "#3c3c3c",
        "input-background": "#313131",
        "input-border": "#3c3c3c",
        "editorWidget-background": "#202020",
    },
    "light": {
        "editor-background": "#ffffff",
        "foreground": "#3b3b3b",
        "descriptionForeground": "#3b3b3b",
        "textLink-foreground": "#005fb8",
        "errorForeground": "#f85149",
        "widget-border": "#e5e5e5",
        "editor-font-family": "monospace",
        "font-family": "system-ui",
        "button-border": "#0000001a",
        "button-secondaryBackground": "#e5e5e5",
        "button-secondaryHoverBackground": "#cccccc",
        "input-background": "#ffffff",
        "input-border": "#cecece",
        "editorWidget-background": "#f8f8f8",
    },
    "high-contrast": {
        "editor-background": "#000000",
        "foreground": "#ffffff",
        "descriptionForeground": "#ffffffb3",
        "textLink-foreground": "#21a6ff",
        "errorForeground": "#f48771",
        "widget-border": "#6fc3df",
        "editor-font-family": "monospace",
        "font-family": "system-ui",
        "button-border": "#6fc3df",
        "button-secondaryBackground": "#000000",
        "button-secondaryHoverBackground": "#000000",
        "input-background": "#000000",
        "input-border": "#6fc3df",
        "editorWidget-background": "#0c141f",
    },
}
COLAB = {"dark": ("#1e1e1e", "#d5d5d5", "dark"), "light": ("#ffffff", "#1f1f1f", "light")}
PLAIN = Manner(id="h")
MODEL = """
window.sent = [];
const model = {{
  get: name => ({{ payload: {payload}, output: null }})[name],
  on: () => {{}}, off: () => {{}}, send: message => window.sent.push(message)
}};
"""


@pytest.fixture
def show(browser: Browser) -> Callable[..., Page]:
    """Shows a help in a page with a style and a width."""
    import handmade

    pages = []

    def shown(
        style: str, *, theme: str = "", width: int = 900, manner: Manner = PLAIN, explained: bool = True
    ) -> Page:
        help_ = handmade.make_help(*[Cell("x = 10\ny = x / 0\ny", "one", 2)] * 2)
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        pages.append(page)
        page.set_content(
            f'<html theme="{theme}" lang="en"><head><title>A page</title><style>{style}{STYLE}</style></head>'
            f"<body><main>{render(help_, manner) if explained else ''}<div id=w></div></main></body></html>"
        )
        model = MODEL.format(payload=json.dumps(payload(help_, Cells(help_), manner)))
        script = SCRIPT.replace(
            "export default { render };", "render({ model, el: document.getElementById('w') });"
        )
        page.add_script_tag(content=model + script, type="module")
        page.locator(".nbh-widget, .nbh-button").first.wait_for(state="attached")
        return page

    yield shown
    for page in pages:
        page.context.close()


def vscode(theme: str) -> str:
    variables = "".join(f"--vscode-{name}: {value};" for name, value in VSCODE[theme].items())
    return f":root {{ {variables} }} body {{ background: var(--vscode-editor-background); color: var(--vscode-foreground); }}"


def findings(page: Page, axe: str) -> list[str]:
    page.evaluate(axe)
    return page.evaluate(FINDINGS)


def keep(page: Page, name: str) -> None:
    import os

    from notebook_driver import ARTIFACTS
    from notebook_server import REPOSITORY

    folder = Path(os.environ.get("JAX_NBHELP_ARTIFACTS", REPOSITORY / ARTIFACTS))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"page-{name}.png", full_page=True)


@pytest.mark.parametrize("theme", VSCODE)
def test_vs_codes_themes(show: Callable[..., Page], axe: str, theme: str):
    page = show(vscode(theme))
    keep(page, f"vscode-{theme}")
    assert findings(page, axe) == []
    assert [one.inner_text() for one in page.locator(".nbh-actions button:visible").all()] == [
        "Run here",
        "Copy",
    ]


@pytest.mark.parametrize("theme", COLAB)
def test_colabs_themes(show: Callable[..., Page], axe: str, theme: str):
    background, colour, scheme = COLAB[theme]
    page = show(
        f"html {{ color-scheme: {scheme}; background: {background}; color: {colour}; font-family: Roboto; }}",
        theme=theme,
    )
    keep(page, f"colab-{theme}")
    assert findings(page, axe) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(
    "manner", [Manner(steps=True, id="h"), Manner(folded=True, id="h")], ids=["class", "again"]
)
def test_a_help_that_is_opened_step_by_step(show: Callable[..., Page], axe: str, theme: str, manner: Manner):
    page = show(vscode(theme), manner=manner)
    widget = page.locator(".nbh-widget")
    assert not widget.is_visible()
    assert findings(page, axe) == []
    gates = page.locator(".jax-nbhelp:not(.nbh-widget) > details, details.nbh-step details.nbh-step")
    for number in range(gates.count()):
        assert not widget.is_visible()
        assert page.evaluate("window.sent") == []
        gates.nth(number).locator("> summary").click()
    widget.wait_for()
    assert page.evaluate("window.sent") == [{"kind": "opened"}]
    keep(page, f"{theme}-{'class' if manner.steps else 'again'}")
    assert findings(page, axe) == []
    gates.first.locator("> summary").click()
    widget.wait_for(state="hidden")


def test_without_its_explanation_a_locked_widget_waits_behind_a_button(show: Callable[..., Page]):
    page = show(vscode("light"), manner=Manner(steps=True, id="h"), explained=False)
    assert not page.locator(".nbh-widget").is_visible()
    page.get_by_role("button", name="Show the fix").click()
    page.locator(".nbh-widget").wait_for()
    assert page.evaluate("window.sent") == [{"kind": "opened"}]


def test_a_narrow_page(show: Callable[..., Page]):
    page = show(vscode("light"), width=320)
    keep(page, "narrow")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320

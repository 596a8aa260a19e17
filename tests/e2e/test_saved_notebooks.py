"""What becomes of the help in a saved notebook: exported, cleaned by a site, opened again without trust or kernel."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import bleach
import mistune
import nbclient
import nbformat
import pytest
from nbconvert import HTMLExporter, LatexExporter, MarkdownExporter
from notebook_driver import ARTIFACTS
from notebook_server import REPOSITORY

import jax_nbhelp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from notebook_driver import Notebook
    from playwright.sync_api import Browser, Page

PACKAGE = Path(jax_nbhelp.__file__).parents[1]
pytestmark = pytest.mark.browser

# What LaTeX, Markdown and HTML take for their own stands in the failing line, and so in the help.
SPECIAL = r"# <b>100%</b> of $x_1^2$ & y ~ \alpha{} `*z*`"
SETUP = """%load_ext jax_nbhelp
import jax, jax.numpy as jnp
states, controls = jnp.ones((10, 4)), jnp.ones((10, 2))
step_cost = lambda state, control: jnp.sum(state) + jnp.sum(control)"""
FAILS = f"\ncosts = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  {SPECIAL}\n\ncosts"
GONE = f"2 - costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  {SPECIAL}"
COME = f"2 + costs = jax.vmap(step_cost, in_axes=(0, 0))(states, controls)  {SPECIAL}"
# What a reader has to find, in this order.
ORDER = (
    "vmap: the mapped axes differ in length",
    "ValueError",
    "vmap walks over one axis",
    "cell [2], line 2",
    f"costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  {SPECIAL}\n",
    "^" * len("jax.vmap(step_cost, in_axes=(0, 1))(states, controls)"),
    "states",
    "float32[10, 4]",
    "Fix: Map axes of one length: in_axes=(0, 0)",
    "check that it is the one you mean",
    GONE,
    COME,
)

# GitHub's list of what HTML in Markdown may hold: no class, no style, no script.
ELEMENTS = """h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p picture ol ul table thead tbody
tfoot blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure figcaption
abbr bdo cite dfn mark small source span time wbr""".split()
ATTRIBUTES = {
    "a": ["href"],
    "img": ["src", "alt"],
    "*": ["open", "start", "lang", "dir", "title", "width", "height"],
}
GITHUB = """<!doctype html><meta charset="utf-8"><style>
body { max-width: 52rem; margin: 2rem; font: 16px/1.5 sans-serif; }
pre { padding: 16px; overflow: auto; background: #f6f8fa; } code, pre { background: #f6f8fa; font-size: 85%; }
</style>"""


def execute(cells: list[str], folder: Path) -> nbformat.NotebookNode:
    """Runs a notebook as a program does, past its errors."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    client = nbclient.NotebookClient(
        notebook, allow_errors=True, timeout=120, resources={"metadata": {"path": folder}}
    )
    client.execute(env=os.environ | {"PYTHONPATH": str(PACKAGE), "IPYTHONDIR": str(folder)})
    return notebook


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    """A notebook with a JAX error and its help."""
    return execute([SETUP, FAILS], tmp_path_factory.mktemp("saved"))


@pytest.fixture(scope="module")
def data(saved: nbformat.NotebookNode) -> dict[str, str]:
    """The MIME bundle of the help."""
    (found,) = (output for output in saved.cells[1].outputs if "jax_nbhelp" in output.get("metadata", {}))
    return found["data"]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Callable[[str, str], Page]]:
    """Opens a page without scripts, and keeps a picture of it among the artefacts."""
    artifacts = Path(os.environ.get("JAX_NBHELP_ARTIFACTS", REPOSITORY / ARTIFACTS))
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1000, "height": 800})

    def show_one(name: str, text: str) -> Page:
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        page = context.new_page()
        page.goto(file.as_uri())
        artifacts.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=artifacts / f"static-{name}.png", full_page=True)
        return page

    yield show_one
    context.close()


def assert_reads_well(text: str) -> None:
    """Fails unless everything that a reader needs is there, in its order."""
    text = text.replace("\xa0", " ")
    start = text.rindex(ORDER[0])
    for part in ORDER:
        found = text.find(part, start)
        assert found >= 0, f"{part!r} is not where it belongs in {text!r}"
        start = found


def test_the_bundle_holds_what_every_exporter_can_use(data: dict[str, str]):
    # LaTeX would take Markdown before plain text, and needs pandoc for it; no front end would gain by it.
    assert set(data) == {"text/html", "text/plain"}


def test_html_that_nbconvert_makes_reads_well_without_scripts(
    saved: nbformat.NotebookNode, show: Callable[[str, str], Page]
):
    page = show("nbconvert", HTMLExporter().from_notebook_node(saved)[0])
    help_ = page.locator(".jax-nbhelp")
    assert help_.count() == 1
    assert_reads_well(help_.inner_text())
    border = "element => getComputedStyle(element).borderLeftStyle"
    assert help_.evaluate(border) == "solid", "the style is in force although it is a comment"
    help_.locator("summary", has_text="An example").click()
    help_.locator("pre", has_text="jax.vmap(lambda").first.wait_for()


def test_html_that_a_site_has_cleaned_reads_well(data: dict[str, str], show: Callable[[str, str], Page]):
    cleaned = bleach.clean(data["text/html"], ELEMENTS, ATTRIBUTES, strip=True)
    assert not re.search(r"class=|<style|--nbh|script", cleaned)
    page = show("github", GITHUB + cleaned)
    assert_reads_well(page.locator("body").inner_text())
    assert page.locator("del").inner_text() == "1"
    assert page.locator("ins").inner_text() == "0"
    assert page.locator("mark").inner_text() == "jax.vmap(step_cost, in_axes=(0, 1))(states, controls)"


def test_markdown_that_nbconvert_makes_reads_well(
    saved: nbformat.NotebookNode, show: Callable[[str, str], Page]
):
    text = MarkdownExporter().from_notebook_node(saved)[0]
    (start,) = (found.start() for found in re.finditer('<div class="jax-nbhelp"', text))
    block = text[start:].partition("\n\n")[0]
    assert block.endswith("</div>"), "an empty line would end the HTML before its end"
    rendered = mistune.create_markdown(escape=False)(text)
    shown = re.sub(r"<(?=/?style)", "&lt;", rendered)  # as GitHub's flavour of Markdown does
    page = show("markdown", GITHUB + shown)
    body = page.locator("body").inner_text()
    assert_reads_well(body)
    assert "--nbh" not in body


# What nbconvert writes for a character that LaTeX takes for its own.
ESCAPED = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\^{}": "^",
    r"{\ldots}": "…",
    **{f"\\{character}": character for character in "&%$#_{}"},
}
_ESCAPED = re.compile("|".join(map(re.escape, ESCAPED)))


def test_latex_that_nbconvert_makes_is_the_text_and_nothing_else(
    saved: nbformat.NotebookNode, data: dict[str, str]
):
    source = LatexExporter().from_notebook_node(saved)[0]
    blocks = re.findall(r"\\begin\{Verbatim\}\[.*?\]\n(.*?)\n *\\end\{Verbatim\}", source, flags=re.DOTALL)
    (block,) = (block for block in blocks if ORDER[0] in block)
    assert not set(_ESCAPED.sub("", block)) & set("\\{}$%#&^~_"), "nothing is left that LaTeX would act on"
    text = _ESCAPED.sub(lambda found: ESCAPED[found[0]], block)
    assert text == data["text/plain"].rstrip()
    assert_reads_well(text)


@pytest.mark.parametrize(
    "host", ["lab", "notebook"]
)  # the classic one takes our classes away, as other sites do
def test_an_untrusted_notebook_shows_the_help(
    saved: nbformat.NotebookNode, open_notebook: Callable[[Path], Notebook], tmp_path: Path
):
    nbformat.write(saved, tmp_path / "saved.ipynb")
    notebook = open_notebook(tmp_path / "saved.ipynb")
    assert notebook.ask("cells.map(cell => cell.model.trusted)") == [False, False]
    notebook.static.wait_for()
    notebook.static.scroll_into_view_if_needed()
    notebook.screenshot("untrusted")
    assert_reads_well(notebook.static.inner_text())


@pytest.mark.parametrize("host", ["lab"])
def test_a_trusted_notebook_whose_kernel_is_gone_shows_the_help(
    open_notebook: Callable[[list[str]], Notebook],
):
    notebook = open_notebook([SETUP, FAILS])
    notebook.run(0)
    notebook.run(1)
    notebook.help.wait_for()
    notebook.ask("(await panel.context.save(), 0)")
    notebook.restart_kernel()
    notebook.reload()
    assert notebook.ask("cells[1].model.trusted")
    notebook.static.wait_for()
    notebook.static.scroll_into_view_if_needed()
    notebook.screenshot("kernel-gone")
    assert_reads_well(notebook.static.inner_text())

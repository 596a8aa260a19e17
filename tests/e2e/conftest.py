from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe import AXE
from classic_driver import ClassicNotebook
from lab_driver import LabNotebook
from notebook_driver import ARTIFACTS, Notebook, write_notebook
from notebook_server import REPOSITORY, Server, serve_classic, serve_lab

sync_api = pytest.importorskip("playwright.sync_api")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

CHROMIUM = ["/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


DRIVERS = {
    "lab": LabNotebook,
    "notebook": LabNotebook,
    "classic": ClassicNotebook,
    "nbclassic": ClassicNotebook,
}


def other_python(variable: str, environment: str) -> str:
    """Returns the interpreter of another environment, which `tests/run` names in a variable."""
    python = os.environ.get(variable)
    if python is None:
        pytest.fail(
            f"this test needs the environment of tests/env/{environment}.txt: set {variable} to its"
            " interpreter, as tests/run does"
        )
    return python


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def classic_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    python = other_python("NBHELP_CLASSIC_PYTHON", "oldest")
    with serve_classic(tmp_path_factory.mktemp("classic"), python) as running:
        yield running


@pytest.fixture(scope="session")
def server_python() -> str:
    """The interpreter of a server that is apart from its kernels."""
    return other_python("NBHELP_SERVER_PYTHON", "server")


@pytest.fixture
def server(host: str, request: pytest.FixtureRequest) -> Server:
    """The server of a front end; a module of tests may have one of its own."""
    return request.getfixturevalue("classic_server" if host == "classic" else "lab_server")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        pytest.fail("the browser tests need chromium")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS, headless=True)
        yield running
        running.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("axe-core comes from npm, which the build of the JupyterLab extension needs too")
    folder = tmp_path_factory.mktemp("npm")
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run([npm, "install", "--prefix", folder, *options, AXE], check=True, capture_output=True)
    return (folder / "node_modules/axe-core/axe.min.js").read_text()


@pytest.fixture(params=["lab", "notebook", "classic"])
def host(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def open_notebook(
    server: Server, browser: Browser, host: str, request: pytest.FixtureRequest
) -> Iterator[Callable[[list[str] | Path | Notebook], Notebook]]:
    """Opens notebooks: made of cells, copied from a file, or open already, in one more page.

    Afterwards checks the console, and keeps a picture where the test failed.
    """
    artifacts = Path(os.environ.get("JAX_NBHELP_ARTIFACTS", REPOSITORY / ARTIFACTS))
    context = browser.new_context(
        viewport={"width": 1200, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(90_000)  # a busy machine of two cores is slow, not wrong
    opened: list[Notebook] = []
    name = request.node.name.translate(str.maketrans("[]", "--")).strip("-")

    def open_one(content: list[str] | Path | Notebook) -> Notebook:
        server.forget_settings()
        notebook = DRIVERS[host](context.new_page(), host, artifacts)
        opened.append(notebook)
        file = f"{name}-{len(opened)}.ipynb"
        if isinstance(content, Notebook):
            file = content.file
        elif isinstance(content, Path):
            shutil.copy(content, server.root / file)
        else:
            shutil.copy(Path(__file__).with_name("handmade.py"), server.root)
            write_notebook(server, file, content)
        notebook.open(server, file)
        return notebook

    yield open_one
    if getattr(request.node, "failed", True):
        for notebook in opened:
            notebook.screenshot(f"failed-{name}")
    errors = [error for notebook in opened for error in notebook.errors]
    for notebook in {one.file: one for one in opened}.values():
        notebook.shut_kernel_down()
    context.close()
    assert errors == []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.failed = report.failed

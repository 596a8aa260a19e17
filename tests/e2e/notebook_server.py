"""Jupyter servers for the browser tests: each writes into a folder of its own and ends with its test session."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

REPOSITORY = Path(__file__).parents[2]
QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
START = 90.0
PAGES = {
    "lab": "lab/tree/{name}?reset",
    "notebook": "notebooks/{name}",
    "classic": "notebooks/{name}",
    "nbclassic": "nbclassic/notebooks/{name}",
}
LAB = (
    *("-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port-retries=0"),
    *("--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True"),
    *("--ServerApp.terminals_enabled=False", "--expose-app-in-browser"),
    *("--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url="),
    "--JupyterNotebookApp.expose_app_in_browser=True",
)
CLASSIC = (
    *("-m", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port-retries=0"),
    *("--NotebookApp.token=", "--NotebookApp.password=", "--NotebookApp.disable_check_xsrf=True"),
    "--NotebookApp.terminals_enabled=False",
)


@dataclass(frozen=True)
class Lent:
    """A built front-end extension or its configuration, and its place in the folder of a server."""

    built: Path
    place: str


SETTINGS = "settings"
OURS = Lent(REPOSITORY / "jax_nbhelp/views/frontend/prebuilt", "share/labextensions/jax-nbhelp")
ANYWIDGET = (
    Lent(Path(sys.prefix) / "share/jupyter/labextensions/anywidget", "share/labextensions/anywidget"),
    Lent(Path(sys.prefix) / "share/jupyter/nbextensions/anywidget", "share/nbextensions/anywidget"),
    Lent(Path(sys.prefix) / "etc/jupyter/nbconfig", "config/nbconfig"),
)


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
      url: its address.
      root: the folder of its notebooks.
      kernel: the kernelspec that its notebooks are run with.
    """

    url: str
    root: Path
    kernel: str = "python3"

    def address(self, host: str, name: str) -> str:
        """Returns the page of a notebook in a front end, one of `PAGES`."""
        return f"{self.url}/{PAGES[host].format(name=name)}"

    def forget_settings(self) -> None:
        """Forgets what a page has set for those that are opened later, such as the theme."""
        shutil.rmtree(self.root.with_name(SETTINGS), ignore_errors=True)


@contextmanager
def serve_lab(folder: Path) -> Iterator[Server]:
    """Starts JupyterLab and Notebook 7 from the environment of the tests, with our extension."""
    with _serve(folder, [sys.executable, *LAB], [OURS]) as server:
        yield server


@contextmanager
def serve_classic(folder: Path, python: str) -> Iterator[Server]:
    """Starts the classic notebook 6.5 from another environment; its kernels are of that environment too."""
    with _serve(folder, [python, *CLASSIC]) as server:
        yield server


@contextmanager
def serve_apart(
    folder: Path, python: str, lent: Sequence[Lent] = (), *, collaboration: bool = False
) -> Iterator[Server]:
    """Starts JupyterLab and Notebook 7 from an environment without jax_nbhelp; the kernels are of the tests' one.

    Args:
      folder: where the server writes.
      python: the interpreter of the server's environment.
      lent: front-end extensions that the server's environment lacks.
      collaboration: whether the pages share their documents.
    """
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Elsewhere",
        "language": "python",
    }
    kernel = folder / "share" / "kernels" / "elsewhere"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(spec))
    alone = "--YDocExtension.disable_rtc=True"
    with _serve(folder, [python, *LAB, *([] if collaboration else [alone])], lent) as server:
        yield Server(server.url, server.root, kernel=kernel.name)


@contextmanager
def _serve(folder: Path, command: list[str], lent: Sequence[Lent] = ()) -> Iterator[Server]:
    root = folder / "notebooks"
    root.mkdir(parents=True)
    for extension in lent:
        shutil.copytree(extension.built, folder / extension.place)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, f"--port={port}"], env=_environment(folder), stdout=output, stderr=output, cwd=root
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(process, f"{url}/api/status", log)
            yield Server(url, root)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:  # jupyter-collaboration may hang while it closes its documents
                process.kill()
                process.wait()


def _environment(folder: Path) -> dict[str, str]:
    """Keeps the developer's own Jupyter out of the tests; where no wheel was installed, lends the checkout."""
    config = folder / "config" / "labconfig"
    config.mkdir(parents=True)
    (config / "page_config.json").write_text(json.dumps(QUIET))
    env = os.environ | {
        "JUPYTER_CONFIG_DIR": str(config.parent),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_PATH": str(folder / "share"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / SETTINGS),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JAX_PLATFORMS": "cpu",
    }
    if "NBHELP_WHEEL" not in env:
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(REPOSITORY), env.get("PYTHONPATH")]))
    return env


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the Jupyter server did not start:\n{log.read_text()[-4000:]}")

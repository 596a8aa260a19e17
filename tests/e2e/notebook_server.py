"""One Jupyter server, with JupyterLab and Notebook 7, for all browser tests of a session."""

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
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).parents[2]
PREBUILT = REPOSITORY / "jax_nbhelp" / "views" / "frontend" / "prebuilt"
QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
START = 90.0


@dataclass(frozen=True)
class Server:
    """A running server: its address and the folder of its notebooks."""

    url: str
    root: Path

    def address(self, host: str, name: str) -> str:
        """Returns the page of a notebook in JupyterLab (`lab`) or Notebook 7 (`notebook`)."""
        return f"{self.url}/lab/tree/{name}?reset" if host == "lab" else f"{self.url}/notebooks/{name}"


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Starts a server that keeps everything it writes in a folder, and ends it."""
    root = folder / "notebooks"
    root.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        *("-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
        *(f"--port={port}", "--port-retries=0", f"--ServerApp.root_dir={root}"),
        *("--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True"),
        *("--ServerApp.terminals_enabled=False", "--expose-app-in-browser"),
        *("--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url="),
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, env=_environment(folder), stdout=log, stderr=log, cwd=root)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(process, f"{url}/api/status", folder / "server.log")
            yield Server(url, root)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _environment(folder: Path) -> dict[str, str]:
    """Keeps the developer's own Jupyter out of the tests, and lends a checkout what a wheel would install."""
    config = folder / "config" / "labconfig"
    config.mkdir(parents=True)
    (config / "page_config.json").write_text(json.dumps(QUIET))
    env = os.environ | {
        "JUPYTER_CONFIG_DIR": str(config.parent),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JAX_PLATFORMS": "cpu",
    }
    try:
        metadata.distribution("jax-nbhelp")
    except metadata.PackageNotFoundError:
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(REPOSITORY), env.get("PYTHONPATH")]))
    if not (Path(sys.prefix) / "share/jupyter/labextensions/jax-nbhelp").exists():
        shutil.copytree(PREBUILT, folder / "share" / "labextensions" / "jax-nbhelp")
        env["JUPYTER_PATH"] = str(folder / "share")
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

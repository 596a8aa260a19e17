"""Builds the JupyterLab extension, or checks that the committed build is what its source gives.

    python -m jax_nbhelp.views.frontend.build [--check | --into FOLDER]

Needs node 20 and npm. The packages are installed into a temporary copy, with the versions that
`package.json` pins.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "labextension"
PREBUILT = SOURCE.with_name("prebuilt")
INSTALL = {
    "packageManager": "python",
    "packageName": "jax-nbhelp",
    "uninstallInstructions": "Use your Python package manager (pip, uv, conda) to uninstall jax-nbhelp",
}


def build(into: Path) -> None:
    """Builds the extension.

    Args:
      into: the folder of the result; what is in it is replaced.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "labextension"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("node_modules", "prebuilt"))
        _call(copy, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
        builder = "node_modules/@jupyter/builder/lib/build-labextension.js"
        core = "node_modules/@jupyterlab/core-meta/core.package.json"
        _call(copy, "node", builder, "--core-package-file", core, ".")
        shutil.rmtree(into, ignore_errors=True)
        shutil.copytree(copy / "prebuilt", into)
    (into / "install.json").write_text(json.dumps(INSTALL, indent=2) + "\n", encoding="utf-8")


def differences(one: Path, other: Path) -> list[str]:
    """Returns the names of the files that differ between two folders or are in one only."""
    contents = [
        {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}
        for root in (one, other)
    ]
    return sorted(
        name
        for name in contents[0].keys() | contents[1].keys()
        if contents[0].get(name) != contents[1].get(name)
    )


def main(arguments: list[str] | None = None) -> int:
    """Builds or checks, as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description="Build the JupyterLab extension of jax_nbhelp.")
    parser.add_argument("--into", type=Path, default=PREBUILT, help="the folder of the result")
    parser.add_argument(
        "--check", action="store_true", help="only compare the committed build with a fresh one"
    )
    chosen = parser.parse_args(arguments)
    if not chosen.check:
        build(chosen.into)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "prebuilt"
        build(fresh)
        stale = differences(PREBUILT, fresh)
    for name in stale:
        print(f"{name}: the committed build differs from a fresh one; build it again and commit")
    return 1 if stale else 0


def _call(folder: Path, *command: str) -> None:
    program = shutil.which(command[0])
    if program is None:
        sys.exit(f"{command[0]} is missing: the JupyterLab extension is built with node 20 and npm")
    subprocess.run(  # noqa: S603
        [program, *command[1:]], cwd=folder, check=True, stdout=sys.stderr
    )


if __name__ == "__main__":
    sys.exit(main())

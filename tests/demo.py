"""Runs `demo.ipynb` again and saves it with its outputs, so that it reads well where no kernel is.

    python tests/demo.py [--check]

`--check` writes nothing and fails where a cell's help differs from the saved one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

DEMO = Path(__file__).parents[1] / "demo.ipynb"


def executed() -> nbformat.NotebookNode:
    """Returns the demo with fresh outputs, and nothing in them of the machine they were made on."""
    notebook = nbformat.read(DEMO, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output.evalue = _without_paths(output.evalue)
                output.traceback = [_without_paths(line) for line in output.traceback]
    return notebook


def _without_paths(text: str) -> str:
    text = re.sub(r"(?:~|/)[^\s:]*?/site-packages/", "…/site-packages/", text)
    return re.sub(r"/[^\s:]*?/ipykernel_\d+/\d+\.py", "<cell>", text)


def helps(notebook: nbformat.NotebookNode) -> list[tuple[int, str, list[str]]]:
    """Returns the cell, record and fixes of every help in a notebook."""
    return [
        (index, output.metadata.jax_nbhelp.record, list(output.metadata.jax_nbhelp.fixes))
        for index, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", [])
        if "jax_nbhelp" in output.get("metadata", {})
    ]


def main() -> int:
    """Runs the demo."""
    saved, fresh = nbformat.read(DEMO, as_version=4), executed()
    if "--check" in sys.argv:
        if helps(saved) != helps(fresh):
            print(f"the helps differ:\nsaved {helps(saved)}\nfresh {helps(fresh)}", file=sys.stderr)
            return 1
        return 0
    nbformat.write(fresh, DEMO)
    print(f"{DEMO.name}: {len(helps(fresh))} helps")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`jax-nbhelp records new`: a record begun from code that fails."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

_TEXT = (
    "Runs a Python file (in which `# %%` begins a cell) or a notebook in a process of its own, and writes a "
    "draft of a record from the error that ends it: its wording as JAX's source has it, where it was raised, "
    "the cells as an example, and TODO where a person must say why. No file that is there is changed. "
    "Exit codes: 0 it is written, 1 there is no error to begin from, or the record is there, "
    "2 the input cannot be used."
)


def add(actions: Any, folder: Path) -> None:
    """Adds the command to the actions of `jax-nbhelp records`.

    Args:
      actions: the subparsers.
      folder: where records are by default.
    """
    one: argparse.ArgumentParser = actions.add_parser(
        "new", help="begin a record from code that fails", description=_TEXT
    )
    one.add_argument(
        "--from", dest="source", type=Path, required=True, metavar="FILE", help="a .py or .ipynb file"
    )
    one.add_argument("--cell", type=int, metavar="N", help="the cell that fails; those before may fail too")
    one.add_argument("--area", required=True, help="the record's area, e.g. vmap")
    one.add_argument("--slug", required=True, help="its name, e.g. vmap-inconsistent-sizes")
    one.add_argument("--folder", type=Path, default=folder, help="the records (default: %(default)s)")
    one.add_argument("--timeout", type=float, default=180, help="seconds it may run (default: %(default)s)")
    one.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from jax_nbhelp.catalog.draft import DraftError, named
    from jax_nbhelp.hosts.failing import begin, read_code

    try:
        area, slug = named(f"{options.area}/{options.slug}")
        code = read_code(options.source, options.cell)
    except DraftError as error:
        print(f"jax-nbhelp: {error}", file=sys.stderr)
        return 2
    try:
        draft = begin(code, area, slug, options.timeout)
        path = draft.write(options.folder)
    except DraftError as error:
        print(f"jax-nbhelp: {options.source}: {error}", file=sys.stderr)
        return 1
    one = draft.record.occurrences[0]
    print(
        f"{path}\n{one.error_class}, raised in {one.file or 'no file of JAX'} {one.qualname}\n{one.template}"
    )
    print(
        "Now write what is marked TODO, set reviewed = true, and run `jax-nbhelp records lint` and `check`."
    )
    return 0

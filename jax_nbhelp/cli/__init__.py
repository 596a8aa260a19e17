"""The command `jax-nbhelp`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jax_nbhelp import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Returns:
      0: all is well; 1: something was found; 2: the input cannot be used.
    """
    from jax_nbhelp.cli import explain, notebooks, records

    parser = argparse.ArgumentParser(prog="jax-nbhelp", description="Explains JAX errors.")
    parser.add_argument("--version", action="version", version=f"jax-nbhelp {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    explain.add(commands)
    notebooks.add(commands)
    records.add(commands)
    options = parser.parse_args(arguments)
    _make_absolute("JAX_NBHELP_RECORDS")
    try:
        return options.run(options)
    except BrokenPipeError:  # `| head` has seen enough
        return 0
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _make_absolute(variable: str) -> None:
    """Makes a variable's folders absolute: a notebook's kernel runs in the notebook's folder."""
    folders = os.environ.get(variable, "").split(os.pathsep)
    if any(folders):
        os.environ[variable] = os.pathsep.join(
            str(Path(one).expanduser().absolute()) for one in folders if one
        )

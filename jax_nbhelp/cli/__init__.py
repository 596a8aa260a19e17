"""The command `jax-nbhelp`."""

from __future__ import annotations

import argparse
import sys
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
    try:
        return options.run(options)
    except BrokenPipeError:  # `| head` has seen enough
        return 0
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130

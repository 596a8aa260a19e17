"""`jax-nbhelp explain`: a message or a record, explained in the shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def add(commands: Any) -> None:
    """Adds the command to a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="explain an error message, or a record by its slug",
        description="Explains an error message as JAX printed it, or a record by its slug. "
        "With `-`, the message is read from standard input. Exit code 1: it is not known.",
    )
    parser.add_argument("text", nargs="+", help="the message, the slug, or -")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from jax_nbhelp.help import explain
    from jax_nbhelp.views.terminal import panel

    text = " ".join(options.text)
    found = explain(sys.stdin.read().strip() if text == "-" else text)
    print(panel(found, sys.stdout, full=True))
    return 0 if found.record else 1

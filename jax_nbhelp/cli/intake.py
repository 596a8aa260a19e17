"""`jax-nbhelp records import`: entries of the public dataset become drafts in a folder."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

_TEXT = (
    "Takes entries of the public dataset (schema 2: one record, an array, or one a line) into a folder as "
    "drafts, one TOML file each. No file that is there is changed. Each entry that cannot be taken is named "
    "with its place, its field and the remedy, and the rest goes on. Exit codes: 0 all were taken or are "
    "there, 1 some were not, 2 none could be read, or the folder cannot be used."
)


def add(actions: Any) -> None:
    """Adds the command to the actions of `jax-nbhelp records`."""
    one: argparse.ArgumentParser = actions.add_parser(
        "import", help="take entries of the public dataset as drafts", description=_TEXT
    )
    one.add_argument("file", nargs="+", type=Path, help="a file of the dataset: .json, .jsonl or .ndjson")
    one.add_argument(
        "--into", type=Path, required=True, metavar="FOLDER", help="the folder that takes the drafts"
    )
    one.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from jax_nbhelp.catalog.intake import Intake, drafts_of

    try:
        intake = Intake(options.into)
    except OSError as error:
        print(f"{options.into}: cannot be used: {error}; name another folder with --into", file=sys.stderr)
        return 2
    for complaint in intake.complaints:
        print(complaint, file=sys.stderr)
    drafts = list(chain.from_iterable(map(drafts_of, options.file)))
    counts = Counter[str]()
    with tqdm(intake.take(drafts), total=len(drafts), disable=None, leave=False, unit="entry") as progress:
        for taken in progress:
            counts[taken.outcome] += 1
            if taken.outcome == "refused":
                progress.write(taken.detail, file=sys.stderr)
    print(
        f"{len(drafts)} entries: {counts['written']} written to {options.into}, "
        f"{counts['there']} there already, {counts['refused']} not taken"
    )
    if counts["refused"] == len(drafts):
        return 2 if drafts else 0
    return 1 if counts["refused"] else 0

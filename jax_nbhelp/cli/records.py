"""`jax-nbhelp records`: lint and prove the records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jax_nbhelp.cli import begin, coverage, intake, proof

if TYPE_CHECKING:
    import argparse

    from jax_nbhelp.catalog.record import Record


def add(commands: Any) -> None:
    """Adds the command to a parser."""
    parser: argparse.ArgumentParser = commands.add_parser("records", help="lint and prove the records")
    actions: Any = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, run, text in (
        ("lint", _lint, "check the records' form: every complaint names file, field and remedy"),
        (
            "check",
            _check,
            "run every example: it fails as recorded, is recognised, cured, and the value holds",
        ),
        ("verified", _verified, "check that VERIFIED.md has every record as it is now, and no failure"),
    ):
        one: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
        if name != "verified":
            one.add_argument("slug", nargs="*", help="only these records")
        one.add_argument(
            "--folder", type=Path, default=_default_folder(), help="the records (default: %(default)s)"
        )
        one.set_defaults(run=run, slug=[])
        if name == "check":
            proof.add_options(one)
    coverage.add(actions, _default_folder())
    intake.add(actions)
    begin.add(actions, _default_folder())


def _default_folder() -> Path:
    return Path(__file__).parents[2] / "records"


def _read(options: argparse.Namespace) -> tuple[list[Record], list[str]]:
    """Returns all records of the folder, and what is wrong with it."""
    from jax_nbhelp.catalog.load import read_folder

    if not options.folder.is_dir():
        return [], [f"{options.folder}: is not a folder; give the records' folder with --folder"]
    records, errors = read_folder(options.folder)
    unknown = set(options.slug) - {record.slug for record in records}
    complaints = [str(error) for error in errors]
    complaints += [f"{slug}: there is no such record in {options.folder}" for slug in sorted(unknown)]
    return records, complaints


def _chosen(records: list[Record], options: argparse.Namespace) -> list[Record]:
    return [record for record in records if not options.slug or record.slug in options.slug]


def _lint(options: argparse.Namespace) -> int:
    from jax_nbhelp.catalog.lint import lint_all

    records, complaints = _read(options)
    records = _chosen(records, options)
    complaints += lint_all(records)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{len(records)} records, {len(complaints)} complaints")
    return 1 if complaints else 0


def _check(options: argparse.Namespace) -> int:
    records, complaints = _read(options)
    reviewed = [record for record in _chosen(records, options) if record.reviewed]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if options.unlike:
        reviewed = list(proof.unlike(reviewed, proof.installed_release(), options.unlike))
    if options.jax:
        failed = proof.check_releases(reviewed, records, options)
    else:
        failed = proof.check_here(reviewed, records, options.jobs, as_json=options.json)
    return 1 if failed + len(complaints) else 0


def _verified(options: argparse.Namespace) -> int:
    records, complaints = _read(options)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if proof.verified(records, options.folder) + len(complaints) else 0

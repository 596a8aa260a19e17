"""`jax-nbhelp records check` and `verified`: the examples run, on one release of JAX or on several."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jax_nbhelp.catalog.match import in_release
from jax_nbhelp.catalog.verified import Table, complaints, digest, path_of, together

if TYPE_CHECKING:
    import argparse
    import subprocess
    from collections.abc import Iterable, Iterator, Sequence

    from jax_nbhelp.catalog.prove import Outcome
    from jax_nbhelp.catalog.record import Record
    from jax_nbhelp.cli.releases import Environment


def installed_release() -> str:
    """Returns the version of the JAX that is installed."""
    return importlib.metadata.version("jax")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `records check`."""
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="examples run at a time")
    parser.add_argument("--json", action="store_true", help="print each verdict as one line of JSON")
    parser.add_argument(
        "--unlike",
        metavar="VERSION",
        help="only the records that say something else of the installed JAX than of this release, and the "
        "first of each area: what is left to prove where all are proven on that release",
    )
    parser.add_argument(
        "--jax",
        nargs="+",
        metavar="VERSION",
        default=[],
        help="run on these releases of JAX, in virtual environments that are made where they are missing, "
        "and write the table VERIFIED.md; what it says already of a record as it is now is not run again",
    )
    parser.add_argument("--again", action="store_true", help="with --jax: run also what the table knows")
    parser.add_argument(
        "--envs",
        type=Path,
        default=Path(os.environ.get("NBHELP_ENVS", "build/envs")),
        help="with --jax: the folder of the environments (default: %(default)s)",
    )
    parser.add_argument(
        "--pins",
        type=Path,
        help="with --jax: a folder of requirements files, one a release (default: ../tests/env)",
    )


def unlike(records: Iterable[Record], release: str, other: str) -> Iterator[Record]:
    """Yields the records that say something else of one release of JAX than of another.

    Those are the records with a wording, a fix or an example for one of the two alone. The first record of
    each area is yielded as well, so that each area is proven.
    """
    areas: set[str] = set()
    for record in records:
        ranges = [one.jax for one in (*record.occurrences, *record.fixes, *record.examples)]
        if record.area not in areas or any(in_release(r, release) != in_release(r, other) for r in ranges):
            yield record
        areas.add(record.area)


def check_here(chosen: Sequence[Record], records: Sequence[Record], jobs: int, *, as_json: bool) -> int:
    """Proves records on the JAX that is installed and prints each verdict; returns how many failed."""
    from jax_nbhelp.catalog.prove import prove_all

    release = installed_release()
    began, failed = time.monotonic(), 0
    total = sum(max(1, len(record.examples)) for record in chosen)
    for done, verdict in enumerate(prove_all(chosen, records, release, jobs), 1):
        failed += verdict.outcome == "FAILS"
        if as_json:
            line = {"slug": verdict.slug, "outcome": verdict.outcome, "detail": verdict.detail}
            print(json.dumps(line | {"example": verdict.number}), flush=True)
        else:
            detail = f": {verdict.detail}" if verdict.detail else ""
            print(f"[{done}/{total}] {verdict.slug}#{verdict.number} {verdict.outcome}{detail}", flush=True)
    if not as_json:
        print(f"JAX {release}: {total} examples, {failed} failed, {time.monotonic() - began:.0f} s")
    return failed


def check_releases(chosen: Sequence[Record], records: Sequence[Record], options: argparse.Namespace) -> int:
    """Proves records on several releases side by side, and writes the table; returns how many failed."""
    from tqdm import tqdm

    from jax_nbhelp.cli.releases import UnusableEnvironmentError, prepare

    folder: Path = options.folder
    table = Table(folder)
    table.keep(record for record in records if record.reviewed)
    print(f"preparing the environments of JAX {', '.join(options.jax)} in {options.envs}", file=sys.stderr)
    try:
        environments = prepare(options.jax, options.envs, options.pins or folder.parent / "tests" / "env")
    except UnusableEnvironmentError as fault:
        print(f"jax-nbhelp: {fault}", file=sys.stderr)
        return 1
    texts = {record.slug: digest(path_of(record, folder)) for record in chosen}
    work = {
        one: [
            record
            for record in chosen
            if options.again or table.known(record, texts[record.slug], one.release) in (None, "FAILS")
        ]
        for one in environments
    }
    total = sum(max(1, len(record.examples)) for records in work.values() for record in records)
    with tqdm(total=total, unit="example", disable=None, file=sys.stderr) as bar:
        failed = _Run(table, folder, work, texts, max(1, options.jobs // len(environments)), bar).all()
    print(f"{table.path}: {len(table.rows)} records on JAX {', '.join(table.releases)}; {failed} failed")
    return failed


class _Run:
    """Proves records in several environments at a time and keeps the table up to date."""

    def __init__(
        self,
        table: Table,
        folder: Path,
        work: dict[Environment, list[Record]],
        texts: dict[str, str],
        jobs: int,
        bar: Any,
    ) -> None:
        self.table, self.folder, self.work, self.texts = table, folder, work, texts
        self.jobs, self.bar = jobs, bar
        self.lock = threading.Lock()
        self.processes: list[subprocess.Popen[str]] = []
        self.failed = 0

    def all(self) -> int:
        """Runs everything; returns how many records failed."""
        busy = [environment for environment, records in self.work.items() if records]
        try:
            with ThreadPoolExecutor(len(busy) or 1) as pool:
                list(pool.map(self._one, busy))
        except KeyboardInterrupt:
            for process in self.processes:
                process.terminate()
            raise
        finally:
            self.table.write()  # what was found is kept, and not run again
        return self.failed

    def _one(self, environment: Environment) -> None:
        from jax_nbhelp.cli.releases import check

        waiting = {record.slug: (record, list["Outcome"]()) for record in self.work[environment]}
        records = self.work[environment]
        for verdict in check(environment, records, self.folder, self.jobs, self.processes.append):
            record, outcomes = waiting[verdict["slug"]]
            outcomes.append(verdict["outcome"])  # pyright: ignore[reportArgumentType]
            with self.lock:
                self.bar.update()
                if verdict["outcome"] == "FAILS":
                    where = f"{verdict['slug']}#{verdict['example']} on JAX {environment.release}"
                    self.bar.write(f"{where}: FAILS: {verdict['detail']}", file=sys.stderr)
                if len(outcomes) == max(1, len(record.examples)):
                    outcome = together(outcomes)
                    self.failed += outcome == "FAILS"
                    self.table.put(record, self.texts[record.slug], environment.release, outcome)
                    self.table.write()


def verified(records: Sequence[Record], folder: Path) -> int:
    """Prints what is wrong with the table; returns how much that is."""
    found = list(complaints(Table(folder), [record for record in records if record.reviewed], folder))
    for complaint in found:
        print(complaint, file=sys.stderr)
    print(f"{len(found)} complaints about {folder / 'VERIFIED.md'}")
    return len(found)

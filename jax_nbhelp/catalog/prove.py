"""Proof: runs a record's examples.

The broken cells must fail as recorded and be recognised as this record, the engine must cure them, and the
expected value must hold. Each example runs in a process of its own, forked from one that
has imported JAX already but not started it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import multiprocessing
import os
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from jax_nbhelp.hosts.child import ChildEndedError, answer_of, reply
from jax_nbhelp.source import silencers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from jax_nbhelp.catalog.index import Catalog
    from jax_nbhelp.catalog.record import Record, RecordExample
    from jax_nbhelp.hosts.plain import PlainShell

Outcome = Literal[
    "raises and is cured", "raises, no cure", "does not raise there", "not reachable here", "FAILS"
]

_SECONDS = 180  # an example that runs longer is broken


@dataclass(frozen=True, slots=True)
class Verdict:
    """What running one example showed.

    Attributes:
      slug: the record; `number` is the example's, from 0.
      outcome: what happened, in the words of `records/VERIFIED.md`.
      detail: why, for a failure.
    """

    slug: str
    number: int
    outcome: Outcome
    detail: str = ""


def prove_all(
    records: Iterable[Record], among: Iterable[Record], release: str, jobs: int
) -> Iterator[Verdict]:
    """Runs every example of the records and yields the verdicts in order.

    Args:
      records: the records to prove.
      among: all records that an example may be recognised as.
      release: JAX's version.
      jobs: how many examples run at a time.
    """
    from jax_nbhelp.catalog.index import write

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["jax", "jax.numpy", "IPython.core.interactiveshell", "jax_nbhelp.help"])
    work = [(record, number) for record in records for number in range(max(1, len(record.examples)))]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        write(among, Path(folder))  # compiled once: each example's process reads it in no time
        yield from pool.map(functools.partial(_prove, context, folder, release), work)


def _prove(context: Any, folder: str, release: str, work: tuple[Record, int]) -> Verdict:
    from jax_nbhelp.catalog.match import in_release

    record, number = work
    if not record.examples:
        detail = record.reason or "no example"
        return Verdict(record.slug, 0, "not reachable here" if record.proof == "source" else "FAILS", detail)
    example = record.examples[number]
    missing = _missing(example.needs)
    if missing:
        return Verdict(record.slug, number, "not reachable here", missing)
    if not in_release(example.jax, release):
        return Verdict(record.slug, number, "does not raise there", f"the example is for JAX {example.jax}")
    try:
        outcome, detail = answer_of(context, _run, folder, record, example, seconds=_SECONDS)
    except TimeoutError:
        return Verdict(record.slug, number, "FAILS", f"ran longer than {_SECONDS} s")
    except ChildEndedError as ended:
        return Verdict(record.slug, number, "FAILS", str(ended))
    return Verdict(record.slug, number, outcome, detail)


def _missing(needs: Sequence[str]) -> str:
    """What this machine lacks for an example; empty where it has all."""
    for need in needs:
        kind, _, value = need.partition(":")
        if kind == "package" and importlib.util.find_spec(value) is None:
            return f"needs the package {value}"
        if kind not in ("package", "devices", "x64", "lowers"):
            return f"needs {need}"
    return ""


def _run(answer: Connection, folder: str, record: Record, example: RecordExample) -> None:
    """The forked process: proves one example and sends (outcome, detail)."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            from jax_nbhelp.catalog.index import from_build

            _prepare(example)
            verdict = _examine(from_build(Path(folder)), record, example)
        except Exception:  # noqa: BLE001  the fault itself is the verdict
            verdict = "FAILS", traceback.format_exc(limit=-4)
    reply(answer, verdict)


def _prepare(example: RecordExample) -> None:
    """Sets the environment before JAX starts its backend."""
    import jax

    config: Any = jax.config
    for need in example.needs:
        kind, _, value = need.partition(":")
        if kind == "devices":
            os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={value}"
        elif kind == "x64":
            config.update("jax_enable_x64", True)
    os.environ.update(example.env)
    for name, value in example.env.items():  # JAX has read its own variables at import
        if name.startswith("JAX_"):
            config.update(name.lower(), value)


def _examine(catalog: Catalog, record: Record, example: RecordExample) -> tuple[Outcome, str]:
    from jax_nbhelp.help import help_for
    from jax_nbhelp.hosts.plain import PlainShell

    cured = next((rule for rule in record.fixes if example.fix and rule.id == example.fix.id), None)
    restarted = _forked() if cured is not None and cured.needs == "restart-kernel" else None
    host = PlainShell()
    error = host.run(example.broken)
    if error is None:
        return "does not raise there", ""
    if host.ran != len(example.broken):
        return "FAILS", f"cell {host.ran} of the broken example raises already: {error!r}"[:600]
    found = help_for(error, host.book, host.namespace, catalog)
    if found is None or found.record != record.slug or found.confidence != "exact":
        got = f"{found.record} ({found.confidence})" if found else "nothing"
        return "FAILS", f"recognised as {got}; {type(error).__name__}: {str(error)[:600]}"
    if "…" in found.explanation.cause or "…" in found.explanation.title:
        return "FAILS", f"a fact of the cause or the title was not found: {found.explanation.cause}"
    if example.fix is None and not example.fixed:
        return "raises, no cure", ""
    cells = list(example.fixed)
    if example.fix is not None:
        fix = next((one for one in found.fixes if one.id == example.fix.id), None)
        if fix is None or not fix.with_values(example.fix.holes).edits:
            offered = [(one.id, one.applicability, one.reason) for one in found.fixes]
            return "FAILS", f"the fix {example.fix.id} is not offered: {offered}"
        new = {edit.cell: edit.new for edit in fix.with_values(example.fix.holes).edits}
        cells = [new.get(cell, cell.text) for cell in host.book.cells]
    if sum(map(silencers, cells)) > sum(map(silencers, example.broken)):
        return "FAILS", "the cure silences the error"
    cells += [example.expect] if example.expect else []
    ran, problem = restarted(cells) if restarted else _rerun(host, cells)
    if problem:
        where = "expect" if example.expect and ran == len(cells) else f"cured cell {ran}"
        shown = "\n--\n".join(cells)
        return "FAILS", f"{where} raises {problem}\n{shown}"
    return "raises and is cured", ""


def _rerun(host: PlainShell, cells: list[str]) -> tuple[int, str]:
    """Runs cells from the start; returns how many ran, and the error of the last, if any."""
    host.reset()
    error = host.run(cells)
    return host.ran, "" if error is None else f"{type(error).__name__}: {str(error)[:600]}"


def _forked() -> Callable[[list[str]], tuple[int, str]]:
    """A process in which JAX has not started its backend, as after a restart; it waits for its cells."""
    ours, theirs = multiprocessing.Pipe()
    if os.fork() == 0:
        from jax_nbhelp.hosts.plain import PlainShell

        ours.close()
        theirs.send(_rerun(PlainShell(), theirs.recv()))
        os._exit(0)
    theirs.close()

    def run(cells: list[str]) -> tuple[int, str]:
        ours.send(cells)
        return cast("tuple[int, str]", ours.recv())

    return run

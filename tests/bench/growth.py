"""How the time of a help grows with everything that can be large, as a table and a plot.

    python tests/bench/growth.py [--plot docs/growth.svg] [SWEEP…]

Run it where JAX and ipykernel are installed, and for the plot matplotlib. Each sweep makes one thing larger and times
what the extension does, stage by stage; what Python, JAX and IPython do for the same error is not in it. A time is
the processor's, the least of several rounds, each with a cell that was not seen before. The exponent is the slope of
the line through the upper half of the sizes, in logarithms: 1 is linear. It ends with 1 where a time that matters
grows faster.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from ipykernel.compiler import XCachingCompiler
from IPython.core.interactiveshell import InteractiveShell
from synthetic import failure, messages, records
from traitlets.config import Config

from jax_nbhelp.catalog.index import from_build, write
from jax_nbhelp.catalog.match import match
from jax_nbhelp.help import help_for
from jax_nbhelp.shell.cells import Book
from jax_nbhelp.shell.log import Log
from jax_nbhelp.shell.sniff import looks_like_jax, packages_of
from jax_nbhelp.views.payload import Cells, payload
from jax_nbhelp.views.static import bundle

if TYPE_CHECKING:
    from collections.abc import Callable

LINEAR = 1.1  # an exponent up to which a growth counts as linear
MATTERS = 10e-3  # seconds below which nobody feels how a time grows
ROUNDS = 2
STAGES = ("look", "help", "page", "buttons", "log")
FAILS = "costs = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)"
RECORD = "vmap-inconsistent-sizes"

Times = dict[str, float]


class Notebook:
    """A shell that names and compiles cells as a kernel does, and shows no tracebacks."""

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False  # no thread, no file
        self.shell: Any = InteractiveShell(
            config=config, ipython_dir=tempfile.mkdtemp(), compiler_class=XCachingCompiler
        )
        self.shell.showtraceback = lambda *_, **__: None
        self.begin()
        self.run("import jax, jax.numpy as jnp\nstates, controls = jnp.ones((10, 4)), jnp.ones((10, 2))")

    def begin(self) -> None:
        """Forgets the cells that ran."""
        self.shell.history_manager.input_hist_raw[:] = [""]
        self.book, self.log = Book(self.shell), Log()
        self.shell.events.callbacks["pre_run_cell"] = [self.book.begin]
        self.shell.events.callbacks["post_run_cell"] = [self.book.end]

    def run(self, code: str) -> BaseException | None:
        """Runs a cell and returns its error."""
        return self.shell.run_cell(code, store_history=True).error_in_exec

    def explain(self, code: str, record: str | None = RECORD) -> Times:
        """Runs a cell that fails, and times the stages of its help."""
        error = self.run(code)
        assert error is not None
        took: Times = {}
        with timed(took, "look"):
            assert looks_like_jax(error)
            packages_of(error)
        with timed(took, "help"):
            found = help_for(error, self.book, self.shell.user_ns)
        assert found is not None
        assert found.record == record, found.record
        with timed(took, "page"):
            bundle(found)
        with timed(took, "buttons"):
            payload(found, Cells(found))
        with timed(took, "log"):
            self.log.note(found, self.book.current)
        self.run(code.replace("in_axes=(0, 1)", "in_axes=0"))
        with timed(took, "log"):
            self.log.ran_well(self.book)
        self.begin()
        return took


class timed:  # noqa: N801 - a context manager reads as a word
    """Adds the processor's time of a block to a name."""

    def __init__(self, into: Times, name: str) -> None:
        self._into, self._name = into, name

    def __enter__(self) -> None:
        self._began = time.process_time()

    def __exit__(self, *_: object) -> None:
        took = time.process_time() - self._began
        self._into[self._name] = self._into.get(self._name, 0.0) + took


@cache
def notebook() -> Notebook:
    """The notebook of all sweeps, warm: a first help has been made in it."""
    one = Notebook()
    for number in range(3):
        one.explain(f"{FAILS}  # warm {number}")
    gc.collect()
    gc.freeze()  # a pass of the collector over JAX's own half million objects would hit one size and not another
    return one


def unique(code: str, number: int) -> str:
    """Returns code as a cell that no cache has seen."""
    return f"# {time.perf_counter_ns()} {number}\n{code}"


@cache
def compiled(count: int) -> Path:
    folder = Path(tempfile.mkdtemp())
    write(records(count), folder)
    return folder


def loading(count: int, _: int) -> Times:
    folder, took = compiled(count), Times()
    with timed(took, "load"):
        assert len(from_build(folder)) == count
    return took


@cache
def known(count: int) -> tuple[Any, dict[str, list[Any]]]:
    catalog = from_build(compiled(count))
    texts = messages(records(count))
    return catalog, {name: [failure(one) for one in ones] for name, ones in texts.items()}


def matching(count: int, _: int) -> Times:
    catalog, failures = known(count)
    took: Times = {}
    for name, ones in failures.items():
        with timed(took, name):
            for _repeat in range(10):
                for one in ones:
                    match(one, catalog)
        took[name] /= 10 * len(ones)
    return took


def message(size: int, number: int) -> Times:
    """A message that a record knows, one of its holes large."""
    code = (
        f"try:\n    {FAILS}\nexcept ValueError as error:\n"
        f"    error.args = (str(error).replace('argument s', 'argument ' + 's' * {size}),)\n    raise"
    )
    return notebook().explain(unique(code, number))


def strange_message(size: int, number: int) -> Times:
    """A message that no record knows, made of words and signs that records have."""
    text = "the shape {of} `the` axis, got: (2, 3) See https://docs.jax.dev/x "
    code = (
        f"try:\n    {FAILS}\nexcept ValueError as error:\n"
        f"    error.args = (({text!r} * ({size} // {len(text)} + 1))[:{size}],)\n    raise"
    )
    return notebook().explain(unique(code, number), None)


def frames(count: int, number: int) -> Times:
    code = (
        "import sys; sys.setrecursionlimit(50_000)\n"
        f"def down(n):\n    if n:\n        return down(n - 1)\n    {FAILS}\ndown({count})"
    )
    return notebook().explain(unique(code, number))


def lines(count: int, number: int) -> Times:
    above = "\n".join(f"value_{n} = {n} * 2 + len('{n}')" for n in range(count - 1))
    return notebook().explain(unique(f"{above}\n{FAILS}", number))


def lines_of_a_magic(count: int, number: int) -> Times:
    """A cell with notebook syntax, whose lines must be found again in what was compiled."""
    above = "\n".join(f"value_{n} = {n} * 2 + len('{n}')" for n in range(count - 1))
    return notebook().explain(unique(f"%time value = 1\n{above}\n{FAILS}", number))


def like_lines(count: int, number: int) -> Times:
    """A cell whose lines are all the same."""
    return notebook().explain(unique("\n".join(["value = 1"] * (count - 1) + [FAILS]), number))


def cells(count: int, number: int) -> Times:
    """Many cells, each of which uses what the one before defines, and the first of which the fix may change."""
    one = notebook()
    one.run(unique("first = lambda s, u: s.sum() + u.sum()\nstep_0 = first", number))
    for n in range(1, count - 1):
        one.run(unique(f"step_{n} = lambda s, u: step_{n - 1}(s, u)\nnumber_{n} = {n}", number))
    return one.explain(unique(FAILS.replace("lambda s, u: s.sum() + u.sum()", f"step_{count - 2}"), number))


CHAIN = """
try:
    FAILS
except ValueError as error:
    failed = error
one = failed
for number in range(COUNT):
    one.__cause__ = RuntimeError(f"cause {number}")
    one = one.__cause__
CYCLE
raise failed"""


def causes(count: int, number: int) -> Times:
    code = CHAIN.replace("FAILS", FAILS).replace("COUNT", str(count)).replace("CYCLE", "")
    return notebook().explain(unique(code, number))


def cycle(count: int, number: int) -> Times:
    code = CHAIN.replace("FAILS", FAILS).replace("COUNT", str(count))
    return notebook().explain(unique(code.replace("CYCLE", "one.__cause__ = failed"), number))


GROUP = """
errors = []
for number in range(COUNT):
    try:
        FAILS
    except ValueError as error:
        errors.append(error)
raise ExceptionGroup("several", errors)"""


def group(count: int, number: int) -> Times:
    code = GROUP.replace("FAILS", FAILS).replace("COUNT", str(count))
    return notebook().explain(unique(code, number))


@dataclass(frozen=True)
class Sweep:
    """One thing that grows.

    Attributes:
      title: what it is, with its unit.
      measure: times the stages at a size, in a round.
      sizes: the sizes, ascending.
      rounds: how often each is timed.
    """

    title: str
    measure: Callable[[int, int], Times]
    sizes: tuple[int, ...]
    rounds: int = ROUNDS


RECORDS = (200, 1_000, 3_000, 10_000, 30_000, 100_000)
BYTES = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
LINES = (1, 10, 100, 500, 1_000, 2_000, 5_000)
SWEEPS = {
    "loading": Sweep("records, loading", loading, RECORDS),
    "matching": Sweep("records, matching", matching, RECORDS),
    "message": Sweep("bytes of a known message", message, BYTES),
    "strange": Sweep("bytes of an unknown message", strange_message, BYTES),
    "frames": Sweep("frames", frames, (1, 10, 100, 500, 1_000, 2_000, 5_000)),
    "lines": Sweep("lines of a cell", lines, LINES),
    "magic": Sweep("lines of a cell with a magic", lines_of_a_magic, LINES),
    "like": Sweep("equal lines of a cell", like_lines, LINES),
    "cells": Sweep("cells", cells, (2, 10, 50, 100, 200, 350, 500)),
    "causes": Sweep("causes in a chain", causes, (1, 3, 10, 30, 100)),
    "cycle": Sweep("causes in a cycle", cycle, (1, 3, 10, 30, 100)),
    "group": Sweep("errors in a group", group, (1, 10, 100, 300, 1_000)),
}


@dataclass(frozen=True)
class Curve:
    """The times of one stage, or of all together, in a sweep.

    Attributes:
      name: the stage.
      sizes: the sizes.
      seconds: the least time at each.
    """

    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The slope of the upper half in logarithms."""
        half = len(self.sizes) // 2
        xs = [math.log(size) for size in self.sizes[half:]]
        ys = [math.log(max(seconds, 1e-7)) for seconds in self.seconds[half:]]
        return statistics.linear_regression(xs, ys).slope

    @property
    def bad(self) -> bool:
        """Whether it is worse than linear where it matters."""
        return self.exponent > LINEAR and self.seconds[-1] > MATTERS


def curves(sweep: Sweep) -> list[Curve]:
    """Measures a sweep; the rounds go through all sizes, so that a busy moment does not hit one alone."""
    found: dict[str, dict[int, float]] = {}
    for number in range(sweep.rounds):
        for size in sweep.sizes:
            took = sweep.measure(size, number)
            if set(took) == set(STAGES):
                took["all"] = sum(took.values())
            for name, seconds in took.items():
                least = found.setdefault(name, {})
                least[size] = min(seconds, least.get(size, math.inf))
    return [Curve(name, sweep.sizes, tuple(least[s] for s in sweep.sizes)) for name, least in found.items()]


def table(results: dict[str, list[Curve]], *, stages: bool) -> str:
    """Returns the results as Markdown: what is largest, the time there, and the exponent."""
    rows = [
        "| what grows | from | to | time at first, ms | time at last, ms | exponent |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for key, measured in results.items():
        for one in measured:
            if stages or one.name not in STAGES:
                name = SWEEPS[key].title + ("" if one.name in ("all", "load") else f": {one.name}")
                mark = " worse than linear" if one.bad else ""
                rows.append(
                    f"| {name} | {one.sizes[0]:,} | {one.sizes[-1]:,} | {one.seconds[0] * 1e3:.2f} "
                    f"| {one.seconds[-1] * 1e3:.2f} | {one.exponent:.2f}{mark} |"
                )
    return "\n".join(rows)


def main() -> int:
    """Measures, prints, plots."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sweeps", nargs="*", default=list(SWEEPS), help=f"of {', '.join(SWEEPS)}")
    parser.add_argument("--plot", type=Path, help="writes an SVG; needs matplotlib")
    parser.add_argument("--stages", action="store_true", help="a row for each stage of the help too")
    asked = parser.parse_args()
    results: dict[str, list[Curve]] = {}
    for key in asked.sweeps:
        began = time.monotonic()
        results[key] = curves(SWEEPS[key])
        print(f"{key}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        for one in results[key]:
            print(f"  {one.name}:", *(f"{1e3 * seconds:.2f}" for seconds in one.seconds), file=sys.stderr)
    print(table(results, stages=asked.stages))
    if asked.plot:
        from growth_plot import plot

        plot({SWEEPS[key].title: measured for key, measured in results.items()}, asked.plot)
    return int(any(one.bad for measured in results.values() for one in measured))


if __name__ == "__main__":
    sys.exit(main())

"""Every budget of the extension, as one table: what it is, what was measured, whether it holds.

    python tests/bench/run.py [--rounds 3] [--readme]

Run it in an environment of `tests/env/bench.txt`. What concerns a whole error is measured in fresh kernels, beside
kernels without the extension, by turns; the rest in this process and in its children, by the scripts beside this one.
Nothing is gated: the times of a busy machine are no proof against the code.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import core
import shell
from kernels import DEEP, FLAT, kernel, memory, put_into_readme, timed

if TYPE_CHECKING:
    from kernel_client import Kernel

LOAD = "%load_ext jax_nbhelp"
ERRORS = 200


@dataclass(frozen=True)
class Row:
    """A budget and what was measured.

    Attributes:
      what: what is measured.
      budget: the most it may be; None where there is none.
      unit: of both.
      measured: the value.
    """

    what: str
    budget: float | None
    unit: str
    measured: float

    @property
    def text(self) -> str:
        budget, met = "none", ""
        if self.budget is not None:
            budget = f"≤ {self.budget:g} {self.unit}"
            met = "met" if self.measured <= self.budget else "**missed**"
        return f"| {self.what} | {budget} | {self.measured:.3g} {self.unit} | {met} |"


def of_the_shell() -> list[Row]:
    load, heavy = shell.loading()
    return [
        Row("`%load_ext jax_nbhelp` in a warm process", 10, "ms", load),
        Row("heavy modules that loading imports", 0, "", len(heavy)),
        Row("callbacks around a cell that succeeds, together", 20, "µs", shell.around_a_cell() * 1e6),
        *(
            Row(f"an error that is not JAX's: {name}", 0.2, "ms", seconds * 1e3)
            for name, seconds in shell.not_of_jax().items()
        ),
    ]


def of_recognition() -> list[Row]:
    took = core.matching()
    few, many = core.COUNTS
    typical = took["typical"][few]
    worst = max((name for name in took if name != "typical"), key=lambda name: took[name][few])
    steepest = max(took, key=lambda name: took[name][many] / took[name][few])
    ratio = took[steepest][many] / took[steepest][few]
    (*_, cures), _ = core.fresh_processes(core.compiled())
    return [
        Row(f"match at {few:,} records, typical", 0.3, "ms", typical),
        Row(f"match at {few:,} records, the worst: {worst}", 5, "ms", took[worst][few]),
        Row(f"match at {many:,} records / at {few:,}, the worst: {steepest}", 3, "x", ratio),
        Row("the fixes of the matched record", 5, "ms", cures),
    ]


def until(one: Kernel, code: str, sees: str) -> float:
    """Runs a cell and returns the seconds until a kind of output has come: `error`, `help` or `widget`."""
    began = time.perf_counter()
    sent = one.send(code, stdin=True)
    while True:
        message: dict[str, Any] = one.client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != sent:
            continue
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "display_data":
            kind = "help" if "jax_nbhelp" in content["metadata"] else "widget"
        if kind == sees:
            took = time.perf_counter() - began
            one.collect(sent)
            return took


def of_kernels(rounds: int) -> list[Row]:
    first: dict[str, list[float]] = {"error": [], "help": [], "widget": []}
    deep: dict[str, list[float]] = {"error": [], "help": [], "plain cell": [], "cell": []}
    grown: list[float] = []  # MiB beyond plain IPython
    for _round in range(rounds):
        for sees, taken in first.items():  # each in a kernel of its own, since there is but one first error
            with kernel() as one:
                if sees != "error":
                    one.run(LOAD)
                taken.append(until(one, FLAT, sees))
        with kernel() as plain, kernel() as helped:
            both = plain, helped
            before = [memory(one) for one in both]
            helped.run(LOAD)
            for one in both:
                one.run(DEEP)
            for _ in range(12):
                deep["error"].append(until(plain, DEEP, "error"))
                deep["help"].append(until(helped, DEEP, "help"))
                deep["plain cell"].append(timed(plain, DEEP)[0])
                deep["cell"].append(timed(helped, DEEP)[0])
            for one in both:
                for _ in range(ERRORS - 25):
                    timed(one, FLAT)
            of_plain, of_helped = (memory(one) - was for one, was in zip(both, before, strict=True))
            grown.append(of_helped - of_plain)
    plain_first = min(first["error"])
    return [
        Row(
            "a JAX error thirty calls deep, after the first: until its help is sent / until plain IPython's error is",
            1.1,
            "x",
            min(deep["help"]) / min(deep["error"]),
        ),
        Row(
            "the same cell as a whole, with its widget / in plain IPython",
            None,
            "x",
            min(deep["cell"]) / min(deep["plain cell"]),
        ),
        Row(
            "the first JAX error of a kernel: static help after the traceback",
            60,
            "ms",
            1e3 * (min(first["help"]) - plain_first),
        ),
        Row(
            "the first JAX error of a kernel: widget after the traceback",
            250,
            "ms",
            1e3 * (min(first["widget"]) - plain_first),
        ),
        Row(
            f"memory of a kernel after {ERRORS} errors, beyond plain IPython",
            6,
            "MiB",
            statistics.median(grown),
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3, help="fresh kernels of each kind")
    parser.add_argument("--readme", action="store_true", help="puts the table into README.md")
    asked = parser.parse_args()
    rows = [*of_the_shell(), *of_recognition(), *of_kernels(asked.rounds)]
    made = "\n".join(["| what | budget | measured | |", "|---|---:|---:|---|", *(row.text for row in rows)])
    print(made)
    if asked.readme:
        put_into_readme(made, "budgets")


if __name__ == "__main__":
    main()

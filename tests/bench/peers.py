"""The extension beside other tools that change how errors look, in fresh kernels.

    python tests/bench/peers.py [--rounds 3] [--errors 200] [--readme]

Run it in an environment of `tests/env/bench.txt`. Each round starts a kernel for each tool and goes through the
rows, the tools by turns for each repetition. A time is from the request to the kernel's last message, as a
front end sees it; the table shows the least, its ratio to plain IPython's, and the median and spread of all.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import textwrap
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from kernels import DEEP, FLAT, NOT_JAX, SUCCEEDS, kernel, memory, put_into_readme, timed

REPEATS = {SUCCEEDS: 30, NOT_JAX: 6, FLAT: 6, DEEP: 4}


@dataclass(frozen=True)
class Tool:
    """A tool as its own documentation loads it in a notebook.

    Attributes:
      name: its name.
      load: the cell that loads it.
      around: a line that is put above each cell, which is indented under it.
    """

    name: str
    load: str = "pass"
    around: str = ""

    def cell(self, code: str) -> str:
        return f"{self.around}\n{textwrap.indent(code, '    ')}" if self.around else code


TOOLS = (
    Tool("plain IPython"),
    Tool("jax_nbhelp", "%load_ext jax_nbhelp"),
    Tool("`%xmode Minimal`", "%xmode Minimal"),
    Tool("friendly", "from friendly.jupyter import *"),
    Tool("rich.traceback", "from rich.traceback import install\ninstall()"),
    Tool("rich, with locals", "from rich.traceback import install\ninstall(show_locals=True)"),
    Tool("tensor-sensor", "import tsensor", "with tsensor.clarify():"),
    Tool("stackprinter", "import stackprinter\nstackprinter.set_excepthook(style='lightbg')"),
)
ROWS = {
    "load": "load",
    "success": "a cell that succeeds",
    "not_jax": "an error that is not JAX's",
    "first": "the first JAX error of a kernel",
    "flat": "a JAX error in the cell itself",
    "deep": "a JAX error under jit, 30 calls deep",
}


@dataclass
class Seen:
    """What was measured of a tool.

    Attributes:
      seconds: the times of each row.
      memory: MiB more than before it was loaded: after loading, and after all errors.
      comms: comms that are open after them.
      notes: what is not as in plain IPython.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    memory: list[float] = field(default_factory=list)
    comms: int = 0
    notes: dict[str, None] = field(default_factory=dict)


def failed(seen: Seen, row: str, ran: Any) -> None:
    """Takes note of how an error looked to a front end."""
    if not ran.errors:
        seen.notes["sends no `error` message: the traceback is plain output"] = None
    elif text := ran.text.strip():
        seen.notes[f"prints above the traceback: `{text.splitlines()[0]}`"] = None
    if ran.status != "error":
        seen.notes[f"{ROWS[row]}: the cell is said to have succeeded"] = None


def one_round(found: dict[str, Seen], number: int, errors: int) -> None:
    with contextlib.ExitStack() as stack:
        kernels = {tool: stack.enter_context(kernel()) for tool in TOOLS}
        before = {tool: memory(one) for tool, one in kernels.items()}
        opened = dict.fromkeys(TOOLS, 0)

        def time_row(tool: Tool, row: str, code: str) -> None:
            seconds, ran = timed(kernels[tool], code)
            found[tool.name].seconds[row].append(seconds)
            opened[tool] += len(ran.of("comm_open")) - len(ran.of("comm_close"))
            if row == "load" and ran.status != "ok":
                found[tool.name].notes[f"does not load: {ran.reply['ename']}: {ran.reply['evalue']}"] = None
            if row not in ("load", "success"):
                failed(found[tool.name], row, ran)

        order = TOOLS[number % len(TOOLS) :] + TOOLS[: number % len(TOOLS)]
        for tool in order:
            time_row(tool, "load", tool.load)
        loaded = {tool: memory(one) for tool, one in kernels.items()}
        for tool in order:
            time_row(tool, "first", tool.cell(FLAT))
        for row, code in (("success", SUCCEEDS), ("not_jax", NOT_JAX), ("flat", FLAT), ("deep", DEEP)):
            for tool in order:
                kernels[tool].run(tool.cell(code))  # its own first one is no row
            for _ in range(REPEATS[code]):
                for tool in order:
                    time_row(tool, row, tool.cell(code))
        if number == 0:
            for tool in order:
                one, done = kernels[tool], len(found[tool.name].seconds["flat"]) + len(REPEATS) + 1
                for _ in range(errors - done):
                    ran = one.run(tool.cell(FLAT), answers=())
                    opened[tool] += len(ran.of("comm_open")) - len(ran.of("comm_close"))
                found[tool.name].memory = [loaded[tool] - before[tool], memory(one) - before[tool]]
                found[tool.name].comms = opened[tool]


def table(found: dict[str, Seen], errors: int) -> str:
    """Returns the results as Markdown, with footnotes of what was not as in plain IPython."""
    plain = found[TOOLS[0].name]
    names = [tool.name for tool in TOOLS]
    notes = {note: None for seen in found.values() for note in seen.notes}
    marks = {note: f"<sup>{number}</sup>" for number, note in enumerate(notes, 1)}
    head = [name + "".join(marks[note] for note in found[name].notes) for name in names]
    rows = [f"| milliseconds | {' | '.join(head)} |", "|---|" + "---:|" * len(names)]
    for row, title in ROWS.items():
        least = min(plain.seconds[row])
        cells = []
        for name in names:
            ones = [1e3 * one for one in found[name].seconds[row]]
            ratio = "" if row == "load" else f" ({min(ones) / least / 1e3:.2f}x)"
            spread = f"<br>{statistics.median(ones):.1f} ± {statistics.pstdev(ones):.1f}"
            cells.append(f"**{min(ones):.1f}**{ratio}{spread}")
        rows.append(f"| {title} | {' | '.join(cells)} |")
    for index, title in ((0, "memory after loading, MiB"), (1, f"memory after {errors} errors, MiB")):
        rows.append(f"| {title} | {' | '.join(f'{found[name].memory[index]:+.1f}' for name in names)} |")
    rows.append(f"| comms open after {errors} errors | {' | '.join(str(found[n].comms) for n in names)} |")
    below = [f"{mark} {note}." for note, mark in marks.items()]
    return "\n".join([*rows, "", *("<br>\n".join(below).split("\n"))])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--errors", type=int, default=200, help="after which memory and comms are looked at")
    parser.add_argument("--readme", action="store_true", help="puts the table into README.md")
    asked = parser.parse_args()
    found = {tool.name: Seen() for tool in TOOLS}
    for number in range(asked.rounds):
        one_round(found, number, asked.errors)
    made = table(found, asked.errors)
    print(made)
    if asked.readme:
        put_into_readme(made, "bench")


if __name__ == "__main__":
    main()

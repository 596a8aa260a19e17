"""Times recognition, cures and the first help in a process, beside the budgets.

    python tests/bench/core.py

Run it where JAX and IPython are installed. Times are of the processor, so that a busy machine does not show in
them; each is a median.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from synthetic import failure, messages, records

from jax_nbhelp.catalog.index import build, from_records
from jax_nbhelp.catalog.match import match

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax_nbhelp.catalog.index import Catalog
    from jax_nbhelp.failure import Failure

ROOT = Path(__file__).parents[2]
COUNTS = (3_000, 100_000)

# A fresh process: everything that the first help imports and reads, and what each later one costs.
FIRST = """
import json, os, sys, time
import IPython.core.interactiveshell, jax, jax.numpy as jnp
from jax_nbhelp.hosts.plain import PlainShell
shell = PlainShell()
cells = ['import jax, jax.numpy as jnp', 'states, controls = jnp.ones((10, 4)), jnp.ones((10, 2))',
         'costs = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)']
error = shell.run(cells)
before = set(sys.modules)
def clock(action):
    began = time.process_time()
    value = action()
    return (time.process_time() - began) * 1e3, value
def load():
    import jax_nbhelp.help
    return jax_nbhelp.help
imported, help = clock(load)
from pathlib import Path
from jax_nbhelp.catalog import index
data = sys.argv[1]
read, catalog = clock(lambda: index.from_build(Path(data)) if data else index.installed())
first, found = clock(lambda: help.help_for(error, shell.book, shell.namespace, catalog))
assert found.record == 'vmap-inconsistent-sizes' and found.fixes[0].edits
later = sorted(clock(lambda: help.help_for(error, shell.book, shell.namespace, catalog))[0] for _ in range(40))[20]
from jax_nbhelp.facts import facts
from jax_nbhelp.failure import capture
from jax_nbhelp.fixes.propose import propose
from jax_nbhelp.fixes.spots import Spots
failure, live = capture(error, shell.book, shell.namespace)
record = catalog.record(found.record)
def spots(): return Spots(failure, live, 0, shell.book)
known = facts(failure, live, 0, spots(), {})
cures = sorted(clock(lambda: propose(record, failure, spots(), shell.book, known, jax.__version__))[0] for _ in range(40))[20]
new = sorted(name for name in set(sys.modules) - before if not name.startswith('jax_nbhelp'))
print(json.dumps([imported, read, first, later, cures, new]))
"""


def median(action: Callable[[], object], repeat: int) -> float:
    """The median in milliseconds."""
    times: list[float] = []
    for _ in range(repeat):
        began = time.process_time()
        action()
        times.append((time.process_time() - began) * 1e3)
    return statistics.median(times)


def line(what: str, value: float, unit: str, budget: str) -> None:
    print(f"{what:<72} {value:9.2f} {unit:<3} budget {budget}")


def recognise_all(failures: list[Failure], catalog: Catalog) -> None:
    for one in failures:
        match(one, catalog, "0.10.2")


def matching() -> dict[str, dict[int, float]]:
    """Returns the milliseconds of a match, by the kind of message and the number of records."""
    took: dict[str, dict[int, float]] = {}
    for count in COUNTS:
        known = records(count)
        catalog = from_records(known)
        for name, ones in messages(known).items():
            failures = [failure(one) for one in ones]
            taken = median(partial(recognise_all, failures, catalog), 15) / len(ones)
            took.setdefault(name, {})[count] = taken
    return took


def recognition() -> None:
    for name, by_count in matching().items():
        budget = "0.3" if name == "typical" else "5"
        for count, took in by_count.items():
            line(f"match, {name}, {count:,} records", took, "ms", budget if count == COUNTS[0] else "-")
        line("  the last / the first", by_count[COUNTS[-1]] / by_count[COUNTS[0]], "x", "3")


def fresh_processes(data: str) -> tuple[list[float], list[str]]:
    """Makes a first help in fresh processes.

    Args:
      data: the folder of the compiled records; the checkout's are read where it is empty.

    Returns:
      Milliseconds: to import the engine, to read the catalog, to make the help, to make it again, and to propose
      the fixes alone; and the modules that only the help imports.
    """
    env = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": tempfile.mkdtemp(),
    }
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    runs: list[list[float]] = []
    new: list[str] = []
    for number in range(4):
        ran = subprocess.run(
            [sys.executable, "-c", FIRST, data], capture_output=True, text=True, check=True, env=env
        )
        *times, new = json.loads(ran.stdout)
        if number:  # the first run writes the bytecode
            runs.append(times)
    return [statistics.median(column) for column in zip(*runs, strict=True)], new


def compiled() -> str:
    """Compiles the records as a wheel has them, and returns the folder."""
    folder = tempfile.mkdtemp()
    build(ROOT / "records", Path(folder))
    return folder


def first_help() -> None:
    for name, data in (("wheel", compiled()), ("checkout", "")):
        (imported, read, first, later, cures), new = fresh_processes(data)
        line(f"first help, {name}: all", imported + read + first, "ms", "60")
        line("  importing the engine", imported, "ms", "-")
        line("  reading the catalog", read, "ms", "-")
        line("  the help", first, "ms", "-")
        line("a later help", later, "ms", "-")
        line("fixes of the matched record", cures, "ms", "5")
    print("modules that only the help imports:", " ".join(new) or "none")


if __name__ == "__main__":
    recognition()
    first_help()

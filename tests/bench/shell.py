"""Times what the shell's part adds: loading, the callbacks around a cell, and the look at an error.

    python tests/bench/shell.py

Run it where `jax_nbhelp`, IPython and JAX are installed. It prints medians beside the budgets. Times are of the
processor, so that a busy machine does not show in them; the ratio of a JAX error is against the same cell in the same shell with the help unloaded.
"""

from __future__ import annotations

import functools
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import TYPE_CHECKING

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from jax_nbhelp import shell as help_in_shell
from jax_nbhelp.shell import session as sessions

if TYPE_CHECKING:
    from collections.abc import Callable

LOAD = """
import sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
began = time.process_time()
import jax_nbhelp
jax_nbhelp.load_ipython_extension(shell)
print((time.process_time() - began) * 1e3, *sorted(set(sys.modules) - before))
"""
HEAVY = "jax jaxlib ipywidgets anywidget nbformat jax_nbhelp.help jax_nbhelp.fixes jax_nbhelp.catalog".split()
FAILS = "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
NOT_JAX = {
    "raise in a cell": "raise ValueError('mine')",
    "raise in jit": "@jax.jit\ndef f(x):\n    raise ValueError('mine')\nf(1.0)",
    "numpy": "np.zeros(3) + np.zeros(4)",
    "recursion, all frames": "def down(): down()\ndown()",
}


def median(action: Callable[[], float], repeat: int) -> float:
    return statistics.median(action() for _ in range(repeat))


def seconds(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def line(what: str, value: float, unit: str, budget: str) -> None:
    print(f"{what:<44} {value:9.2f} {unit:<3} budget {budget}")


def _load(cache: str) -> tuple[float, list[str]]:
    """Loads in a fresh process, from bytecode, as an installed package does."""
    env = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    ran = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True, env=env)
    took, *modules = ran.stdout.split()
    return float(took), modules


def loading() -> tuple[float, list[str]]:
    """Returns the milliseconds that loading takes, and which modules it imports that it must not."""
    cache = tempfile.mkdtemp()
    _load(cache)
    runs = [_load(cache) for _ in range(9)]
    heavy = [name for name in runs[0][1] if name in HEAVY]
    return statistics.median(took for took, _ in runs), heavy


@functools.cache
def running() -> tuple[InteractiveShell, sessions.Session]:
    """Returns a shell in which JAX is imported and the help is loaded, and its session."""
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell(config=config, ipython_dir=tempfile.mkdtemp())
    shell.run_cell("import jax, jax.numpy as jnp, numpy as np")
    help_in_shell.load(shell)
    assert sessions.CURRENT is not None
    return shell, sessions.CURRENT


def around_a_cell() -> float:
    """Returns the seconds that the callbacks before and after a cell take together."""
    _, session = running()
    info = SimpleNamespace(raw_cell="x = 1\n" * 50, store_history=True, cell_id="a", success=True)
    result = SimpleNamespace(info=info, success=True)

    def callbacks() -> None:
        session._before_cell(info)
        session._after_cell(result)

    took = median(lambda: seconds(callbacks), 5_000)
    assert not session.faults, session.faults[-1]
    return took


def not_of_jax() -> dict[str, float]:
    """Returns the seconds that the look at each error takes that is not JAX's."""
    shell, session = running()
    found: dict[str, float] = {}
    for name, code in NOT_JAX.items():
        with redirect_stdout(io.StringIO()):
            error = shell.run_cell(code).error_in_exec
        found[name] = median(lambda error=error: seconds(lambda: session.on_error(error)), 500)
    return found


def main() -> None:
    load, heavy = loading()
    line("%load_ext jax_nbhelp, IPython running", load, "ms", "10")
    print("heavy modules that loading imports:", " ".join(heavy) or "none")
    line("callbacks around a cell", around_a_cell() * 1e6, "µs", "20")
    for name, took in not_of_jax().items():
        line(f"not JAX's: {name}", took * 1e6, "µs", "200")
    shell, _ = running()

    def failing_cell() -> float:
        with redirect_stdout(io.StringIO()):
            return seconds(lambda: shell.run_cell(FAILS, store_history=True))

    help_in_shell.unload(shell)
    failing_cell()  # the first traceback through JAX is slow by itself
    help_in_shell.load(shell)
    first = failing_cell()
    helped, plain = [], []
    for _ in range(40):  # by turns, so that a busy machine slows both
        helped.append(failing_cell())
        help_in_shell.unload(shell)
        plain.append(failing_cell())
        help_in_shell.load(shell)
    without = statistics.median(plain)
    line("first JAX error, beyond its traceback", (first - without) * 1e3, "ms", "60")
    line("JAX error, help / traceback alone", statistics.median(helped) / without, "x", "1.10")
    line("  the help alone", (statistics.median(helped) - without) * 1e3, "ms", "-")


if __name__ == "__main__":
    main()

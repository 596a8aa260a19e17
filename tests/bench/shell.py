"""Times what the shell's part adds: loading, the callbacks around a cell, and the look at an error.

    python tests/bench/shell.py

Run it where `jax_nbhelp`, IPython and JAX are installed. It prints medians beside the budgets; the ratio of a
JAX error is against the same cell in the same shell with the help unloaded.
"""

from __future__ import annotations

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
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
began = time.perf_counter()
import jax_nbhelp
jax_nbhelp.load_ipython_extension(shell)
print((time.perf_counter() - began) * 1e3)
"""
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
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def line(what: str, value: float, unit: str, budget: str) -> None:
    print(f"{what:<44} {value:9.2f} {unit:<3} budget {budget}")


def load_ms(cache: str) -> float:
    """Loads in a fresh process, from bytecode, as an installed package does."""
    env = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    ran = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True, env=env)
    return float(ran.stdout)


def main() -> None:
    cache = tempfile.mkdtemp()
    load_ms(cache)
    line("%load_ext jax_nbhelp, IPython running", median(lambda: load_ms(cache), 9), "ms", "10")

    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell(config=config, ipython_dir=tempfile.mkdtemp())
    shell.run_cell("import jax, jax.numpy as jnp, numpy as np")
    help_in_shell.load(shell)
    session = sessions.CURRENT
    assert session is not None

    info = SimpleNamespace(raw_cell="x = 1\n" * 50, store_history=True, cell_id="a")
    result = SimpleNamespace(info=info)

    def callbacks() -> None:
        session._before_cell(info)
        session._after_cell(result)

    line("callbacks around a cell", median(lambda: seconds(callbacks), 5_000) * 1e6, "µs", "20")

    for name, code in NOT_JAX.items():
        with redirect_stdout(io.StringIO()):
            error = shell.run_cell(code).error_in_exec
        took = median(lambda error=error: seconds(lambda: session.on_error(error)), 500)
        line(f"not JAX's: {name}", took * 1e6, "µs", "200")

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

"""Fresh kernels for the benchmarks, with the package as a wheel has it: compiled, its records indexed."""

from __future__ import annotations

import compileall
import contextlib
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "kernels")]

from kernel_client import Kernel  # noqa: E402

from jax_nbhelp.catalog.index import build  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

FLAT = "jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)"
"""A ValueError of JAX's, raised right in the cell."""
DEEP = "run(states, controls)"
"""The same under jit, thirty calls of the user's deep."""
NOT_JAX = "np.zeros(3) + np.zeros(4)"
"""A ValueError that is numpy's."""
SUCCEEDS = "number = 1"
_CALLS = "\n".join(
    f"def call_{depth}(states, controls):\n    return call_{depth - 1}(states, controls)"
    for depth in range(1, 30)
)
SETUP = f"""import jax, jax.numpy as jnp, numpy as np
states, controls = jnp.ones((10, 4)), jnp.ones((10, 2))
def call_0(states, controls):
    return {FLAT}
{_CALLS}
run = jax.jit(call_29)"""


@cache
def package() -> Path:
    """Returns a folder to import the package from."""
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(ROOT / "jax_nbhelp", folder / "jax_nbhelp", ignore=shutil.ignore_patterns("__pycache__"))
    build(ROOT / "records", folder / "jax_nbhelp" / "_data")
    compileall.compile_dir(str(folder), quiet=1)
    return folder


@contextlib.contextmanager
def kernel() -> Iterator[Kernel]:
    """A kernel with a home of its own, in which JAX is imported and nothing has failed yet."""
    with tempfile.TemporaryDirectory() as folder:
        one = Kernel(
            Path(folder),
            "python3",
            jax=False,
            variables={"PYTHONPATH": str(package()), "HOME": folder, "COLUMNS": "100"},
        )
        try:
            ran = one.run(SETUP)
            assert ran.status == "ok", ran
            yield one
        finally:
            one.close()


def timed(one: Kernel, code: str) -> tuple[float, Any]:
    """Runs a cell as a notebook does, with somebody there to answer; returns the seconds until all is sent."""
    began = time.perf_counter()
    ran = one.run(code, answers=())
    return time.perf_counter() - began, ran


def memory(one: Kernel) -> float:
    """Returns the resident memory of a kernel in MiB, after a collection of its garbage."""
    one.run("import gc; gc.collect()", store_history=False, silent=True)
    return psutil.Process(one.manager.provisioner.pid).memory_info().rss / 2**20


def put_into_readme(table: str, name: str) -> None:
    """Puts a table between the README's markers of a name.

    Raises:
      ValueError: the README has no such markers.
    """
    readme = ROOT / "README.md"
    head, begin, rest = readme.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, tail = rest.partition(f"<!-- /{name} -->")
    if not begin or not end:
        raise ValueError(f"README.md has no <!-- {name} --> … <!-- /{name} -->")
    readme.write_text(f"{head}{begin}{table}\n{end}{tail}", encoding="utf-8")

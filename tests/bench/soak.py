"""Runs errors by the thousand in one kernel, as a person does who sees widgets: nothing may grow, nothing slow down.

    python tests/bench/soak.py [--errors 2000]

Run it where `jax_nbhelp`, ipykernel and JAX are installed. The same cells fail by turns in a kernel without the help, and
what IPython and JAX keep of their own is told apart, and a machine that grows slower slows both. It prints memory, comms
and the work that an error takes on the way, and exits with 1 where one of them is not flat.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "kernels"))

from kernel_client import Kernel

SETUP = """
import jax, jax.numpy as jnp, numpy as np, psutil, gc
a, b, m = jnp.ones(3), jnp.ones(4), jnp.ones((2, 3))
pairs = jnp.ones((2, 3)), jnp.ones((2, 4))
@jax.jit
def branch(x):
    return x if x > 0 else -x
@jax.jit
def count(n):
    return jnp.ones(n)
"""
# Records of several areas, an error without a record, and one that is not JAX's.
FAILING = (
    "jax.vmap(jnp.add)(a, b)",
    "jnp.concatenate(pairs)",
    "a + b",
    "branch(1.0)",
    "count(3)",
    "m.reshape(4, 5)",
    "jnp.dot(m, m)",
    "a[0] = 1.0",
    "jax.grad(lambda x: x * 2)(a)",
    "jax.lax.scan(lambda c, x: (c, x, 1), 0.0, a)",
    "jnp.linalg.det(a)",
    "jax.random.normal(3)",
    "jax.jit(lambda x: np.asarray(x))(a)",
    "raise ValueError('mine')",
)
MARKS = (100, 500, 1000, 2000)
NOTEBOOK = (
    120  # cells of the notebook: the errors come in them by turns, so that most widgets are closed again
)
MEMORY = "(gc.collect(), psutil.Process().memory_info().rss)[1]"
WORK = "__import__('time').process_time()"  # of all threads, whatever else the machine does
COMMS = (
    "len(getattr(__import__('sys').modules.get('comm'), 'get_comm_manager', lambda: "
    "get_ipython().kernel.comm_manager)().comms)"
)
MOST_MEMORY = 6 * 2**20  # bytes beyond what the kernel without the help takes
MOST_SLOWING = (
    1.3  # the help's part of the last errors' work against that of the early ones, each of plain work
)


class Mark:
    """What a kernel is like after a number of errors; `seconds` of work each took since the mark before."""

    def __init__(self, kernel: Kernel, errors: int, before: Mark | None) -> None:
        self.errors = errors
        self.work: float = kernel.value(WORK)
        self.seconds = (self.work - before.work) / max(1, errors - before.errors) if before else 0.0
        self.memory: int = kernel.value(MEMORY)
        self.comms: int = kernel.value(COMMS)


class Soaked:
    """A kernel whose cells fail."""

    def __init__(self, *, helped: bool) -> None:
        self.kernel = Kernel(Path(tempfile.mkdtemp()), "python3")
        self.what = "with the help" if helped else "without it"
        self.marks: list[Mark] = []
        self.helps = 0
        self.kernel.run(SETUP)
        if helped:
            self.kernel.run("%load_ext jax_nbhelp")

    def fail(self, number: int) -> None:
        """Runs a cell that fails; its comment makes each another text, as an edited cell is."""
        code = f"{FAILING[number % len(FAILING)]}  # {number}"
        ran = self.kernel.run(code, answers=(), cell_id=f"cell {number % NOTEBOOK}")
        assert ran.status == "error", code
        assert "the help itself failed" not in ran.text, self.kernel.run("%jaxhelp doctor").text
        self.helps += len(ran.helps)

    def mark(self, errors: int) -> None:
        """Notes what the kernel is like now, and prints it."""
        mark = Mark(self.kernel, errors, self.marks[-1] if self.marks else None)
        self.marks.append(mark)
        print(
            f"{self.what:<14} {errors:5} errors: {mark.memory / 2**20:7.1f} MiB, {mark.comms:4} comms, "
            f"{mark.seconds * 1e3:6.1f} ms an error",
            flush=True,
        )


def soak(errors: int) -> tuple[Soaked, Soaked]:
    """Returns the kernel without the help and the one with it."""
    both = Soaked(helped=False), Soaked(helped=True)
    try:
        for number in range(1, errors + 1):
            for one in both:
                one.fail(number)
            if number in MARKS or number == errors:
                for one in both:
                    one.mark(number)
    finally:
        for one in both:
            one.kernel.close()
    return both


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--errors", type=int, default=MARKS[-1])
    plain, helped = soak(parser.parse_args().errors)
    # The first errors import and compile; from the second mark on nothing new comes.
    early = min(1, len(plain.marks) - 1)
    first, last = helped.marks[early], helped.marks[-1]
    grown = (last.memory - first.memory) - (plain.marks[-1].memory - plain.marks[early].memory)
    parts = [
        (one.seconds - own.seconds) / own.seconds
        for one, own in zip(helped.marks, plain.marks, strict=True)
        if own.seconds
    ]
    print(
        f"{helped.helps} helps; memory beyond that of IPython and JAX: {grown / 2**20:+.1f} MiB after {first.errors} errors; "
        f"the help's part of plain work: {', '.join(f'{part:.2f}' for part in parts)}"
    )
    faults = []
    if grown > MOST_MEMORY:
        faults.append("memory grows")
    if last.comms > first.comms:
        faults.append("comms grow")
    if parts and parts[-1] > MOST_SLOWING * parts[0]:
        faults.append("errors slow down")
    print("; ".join(faults) if faults else "flat")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

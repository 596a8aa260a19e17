"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # before JAX starts: what these tests show needs no accelerator

# NBHELP_EXAMPLES=10000 looks longer for an example that fails; no deadline, since tests have no clock.
hypothesis.settings.register_profile("ci", max_examples=30, deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile(
    "long", max_examples=int(os.environ.get("NBHELP_EXAMPLES", "1")), deadline=None, database=None
)
hypothesis.settings.load_profile("long" if "NBHELP_EXAMPLES" in os.environ else "ci")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def catalog():
    """The project's own records."""
    from jax_nbhelp.catalog.index import from_folder

    return from_folder(ROOT / "records")


@pytest.fixture
def notebook():
    """A function that runs cells in a fresh shell and returns (error, help, shell)."""
    from jax_nbhelp.help import help_for
    from jax_nbhelp.hosts.plain import PlainShell

    shell = PlainShell()
    shell.reset()

    def run(*cells: str):
        error = shell.run(cells)
        found = help_for(error, shell.book, shell.namespace) if error is not None else None
        return error, found, shell

    yield run
    shell.reset()


@pytest.fixture
def hostile():
    """An object of the user's of which nothing may be asked."""
    from hostile import hostile_class

    return hostile_class()()

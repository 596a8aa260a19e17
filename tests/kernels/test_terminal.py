"""The help in IPython's own terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest
from kernel_client import PACKAGE, TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.kernel


class Terminal:
    """IPython in a pseudo-terminal, with the plain prompt: what is typed and shown is only text."""

    def __init__(self, folder: Path) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]),
            "IPYTHONDIR": str(folder),
            "JAX_PLATFORMS": "cpu",
            "IPY_TEST_SIMPLE_PROMPT": "1",
            "TERM": "dumb",
        }
        arguments = ["-m", "IPython", "--no-banner", "--no-confirm-exit"]
        self.child = pexpect.spawn(sys.executable, arguments, env=env, encoding="utf-8", timeout=TIMEOUT)
        self.child.setecho(False)
        self.child.expect(r"In \[\d+\]: ")

    def run(self, line: str) -> str:
        self.child.sendline(line)
        self.child.expect(r"\r?\nIn \[\d+\]: ")
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.child.before)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.child.close(force=True)


def test_the_text_comes_below_the_traceback_and_fix_fills_the_next_prompt(terminal: Terminal) -> None:
    terminal.run("%load_ext jax_nbhelp")
    terminal.run("import jax, jax.numpy as jnp; a, b = jnp.ones((2, 3)), jnp.ones((3, 2))")
    out = terminal.run("jax.vmap(jnp.add, in_axes=(0, 0))(a, b)")
    assert out.index("Traceback") < out.index("vmap: the mapped axes differ in length")
    assert out.count("vmap: the mapped axes differ in length") == 1
    terminal.child.sendline("%jaxhelp fix")
    terminal.child.expect(r"In \[\d+\]: ")
    assert "the corrected cell [3] follows" in terminal.child.before
    assert "mine" in terminal.run("raise ValueError('mine')")
    assert "front end: terminal" in terminal.run("%jaxhelp doctor")

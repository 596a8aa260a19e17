"""The help in IPython's own terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from kernel_client import PACKAGE, TIMEOUT
from pexpect.fdpexpect import fdspawn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.kernel

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """IPython in a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]),
            "IPYTHONDIR": str(folder),
            "JAX_PLATFORMS": "cpu",
            "PROMPT_TOOLKIT_NO_CPR": "1",  # nobody answers where the cursor is
            "TERM": "xterm",
        }
        arguments = ["--no-banner", "--no-confirm-exit", "--colors=NoColor"]
        master, slave = pty.openpty()
        # Not pexpect.spawn: it forks, and a process in which JAX runs has threads.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "IPython", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            start_new_session=True,
        )
        os.close(slave)
        self.child = fdspawn(master, encoding="utf-8", timeout=TIMEOUT)
        self.count = 1
        self.child.expect(r"In \[1\]:")

    def run(self, line: str) -> str:
        """Types a line, waits for the next prompt, and returns what was shown before it."""
        self.count += 1
        self.child.send(f"{line}\r")
        self.child.expect(rf"In \[{self.count}\]:")
        return CONTROL.sub("", self.child.before)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.child.close()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.close()


def test_the_text_comes_below_the_traceback_and_fix_fills_the_next_prompt(terminal: Terminal) -> None:
    terminal.run("%load_ext jax_nbhelp")
    terminal.run("import jax, jax.numpy as jnp; a, b = jnp.ones((2, 3)), jnp.ones((3, 2))")
    out = terminal.run("jax.vmap(jnp.add, in_axes=(0, 0))(a, b)")
    title = "vmap: the mapped axes differ in length"
    assert out.count(title) == 1
    assert out.index("Traceback") < out.index(title)
    assert "The corrected cell [3] follows." in terminal.run("%jaxhelp fix")
    terminal.child.expect(r"in_axes=\(1, 0\)")
    terminal.run("")
    assert "Array([[2., 2.]" in CONTROL.sub("", terminal.child.before)
    assert title not in terminal.run("raise ValueError('mine')")
    assert "front end: terminal" in terminal.run("%jaxhelp doctor")

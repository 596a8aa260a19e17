"""The help in IPython's own terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest
from kernel_client import PACKAGE, TIMEOUT
from pexpect.fdpexpect import fdspawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.kernel

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TITLE = "vmap: the mapped axes differ in length"
LAST = "Where JAX raises:"
ARRAYS = "import jax, jax.numpy as jnp; states, controls = jnp.ones((2, 3)), 2 * jnp.ones((3, 2))"
FAILS = "total = jnp.sum(jax.vmap(lambda state, control: state @ control + 0 * jnp.sum(state), in_axes=(0, 0))(states, controls))"


class Terminal:
    """IPython in a pseudo-terminal of 80 columns, or as many as are asked for.

    Args:
      folder: where IPython keeps what it writes.
      colors: IPython's own setting of its colours.
      columns: how wide the terminal is.
      env: environment variables.
    """

    def __init__(self, folder: Path, colors: str = "NoColor", columns: int = 80, **env: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        env = {
            **inherited,
            "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]),
            "IPYTHONDIR": str(folder),
            "JAX_PLATFORMS": "cpu",
            "PROMPT_TOOLKIT_NO_CPR": "1",  # nobody answers where the cursor is
            "TERM": "xterm",
            **env,
        }
        arguments = ["--no-banner", "--no-confirm-exit", f"--colors={colors}"]
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
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
        self._wait()

    def _wait(self) -> None:
        self.child.expect(
            rf"In (?:{COLOUR.pattern})*\[(?:{COLOUR.pattern})*{self.count}(?:{COLOUR.pattern})*\]"
        )

    def enter(self, keys: str) -> str:
        """Types keys, waits for the next prompt, and returns what was shown before it, as it was sent."""
        self.count += 1
        self.child.send(keys)
        self._wait()
        return self.child.before

    def run(self, line: str) -> str:
        """Runs a line and returns what was shown, without colours."""
        return CONTROL.sub("", self.enter(f"{line}\r"))

    def fail(self, line: str = FAILS) -> str:
        """Runs a line that fails and returns the help below the traceback, as it was sent."""
        self.run("%load_ext jax_nbhelp")
        self.run(ARRAYS)
        shown = self.enter(f"{line}\r").replace("\r\n", "\n")
        start = shown.rindex("\n", 0, shown.index(TITLE)) + 1
        return shown[start : shown.index("\n\n", shown.index(LAST))]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.child.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts terminals; they end with the test."""
    started: list[Terminal] = []

    def start_one(*args: object, **options: object) -> Terminal:
        started.append(Terminal(tmp_path, *args, **options))
        return started[-1]

    yield start_one
    for terminal in started:
        terminal.close()


@pytest.fixture
def terminal(start: Callable[..., Terminal]) -> Terminal:
    return start()


def test_the_text_comes_below_the_traceback_and_fix_fills_the_next_prompt(terminal: Terminal) -> None:
    terminal.run("%load_ext jax_nbhelp")
    terminal.run("import jax, jax.numpy as jnp; a, b = jnp.ones((2, 3)), jnp.ones((3, 2))")
    out = terminal.run("jax.vmap(jnp.add, in_axes=(0, 0))(a, b)")
    assert out.count(TITLE) == 1
    assert out.index("Traceback") < out.index(TITLE)
    assert "The corrected cell [3] follows." in terminal.run("%jaxhelp fix")
    terminal.child.expect(r"in_axes=\(1, 0\)")
    assert "Array([[2., 2.]" in terminal.run("")
    assert TITLE not in terminal.run("raise ValueError('mine')")
    assert "front end: terminal" in terminal.run("%jaxhelp doctor")


def test_fix_fills_the_prompt_with_a_cell_of_several_lines_and_a_number_takes_another_fix(
    terminal: Terminal,
) -> None:
    terminal.run("%load_ext jax_nbhelp")
    terminal.run(ARRAYS)
    cell = "steps = 3\nboth = states + controls\nboth.shape, float(jnp.sum(both * steps))"
    typed = cell.replace("\n", "\x0f\x1b[B")  # Ctrl+O opens a line below; then the cursor goes there
    assert "1 more fix:" in CONTROL.sub("", terminal.enter(f"{typed}\x1b\r"))
    for command, value in (("%jaxhelp fix", "((2, 3), 54.0)"), ("%jaxhelp fix 2", "((3, 2), 54.0)")):
        assert "The corrected cell [3] follows." in terminal.run(command)
        assert value in CONTROL.sub("", terminal.enter("\x1b\r")).split("\n")[-3]
    terminal.run("history = get_ipython().user_ns['In']")
    assert "('both = states + controls.T', 'both = states.T + controls')" in terminal.run(
        "tuple(history[n].split(chr(10))[1] for n in (5, 7))"
    )


def test_the_help_fits_80_columns_and_a_narrower_terminal(start: Callable[..., Terminal]) -> None:
    wide = start().fail()
    assert not CONTROL.search(wide)
    assert 75 < max(map(len, wide.split("\n"))) <= 80
    narrow = start(columns=50).fail()
    assert 45 < max(len(line) for line in narrow.split("\n") if "https" not in line) <= 50


def test_the_help_is_in_colour_where_ipython_is_and_the_user_wants_it(start: Callable[..., Terminal]) -> None:
    terminal = start(colors="Linux")
    shown = terminal.fail()
    assert "\x1b[1mvmap: the mapped axes differ in length\x1b[0m" in shown
    assert {"\x1b[1;31m0\x1b[0m", "\x1b[1;32m1\x1b[0m"} <= set(re.findall(r"\x1b\[1;3.m.\x1b\[0m", shown))

    def is_coloured() -> bool:
        again = terminal.enter("%jaxhelp\r")
        assert TITLE in again
        return f"\x1b[1m{TITLE}\x1b[0m" in again

    for theme, coloured in (("LightBG", True), ("NoColor", False), ("Neutral", True)):
        terminal.run(f"%colors {theme}")
        assert is_coloured() == coloured, theme
    terminal.run("%%capture kept\x0f\x1b[B%jaxhelp\x1b")
    assert "(True, False)" in terminal.run(f"({TITLE!r} in kept.stdout, chr(27) in kept.stdout)")
    terminal.run("import os; os.environ['NO_COLOR'] = '1'")
    assert not is_coloured()


def test_an_escape_sequence_in_a_cell_reaches_no_terminal(start: Callable[..., Terminal]) -> None:
    terminal = start()
    terminal.run(r"ESC = chr(27) + ']0;owned' + chr(7)")
    terminal.run('source = "jax.vmap(jnp.add)(states, controls)  # \'" + ESC + "\'"')
    shown = terminal.fail("get_ipython().run_cell(source).success")
    assert "# '␛]0;owned␇'" in shown
    assert "\x1b]0;owned" not in shown

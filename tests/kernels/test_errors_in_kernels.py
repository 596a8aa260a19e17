"""What a reader sees below a cell that fails, in a real kernel with the help and in one without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kernel_client import seen, without_help

if TYPE_CHECKING:
    from kernel_client import Kernel

pytestmark = pytest.mark.kernel

FAILS = "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
CELLS = {
    "plain": FAILS,
    "async": f"import asyncio\nawait asyncio.sleep(0)\n{FAILS}",
    "in a coroutine": f"async def work():\n    return {FAILS}\nawait work()",
    "%%time": f"%%time\nx = 1\n{FAILS}",
    "%%time, one expression": f"%%time\n{FAILS}",
    "%time": f"x = 1\n%time {FAILS}",
    "%%timeit": f"%%timeit -n1 -r1\n{FAILS}",
    "%timeit": f"%timeit -n1 -r1 {FAILS}",
    "%%prun": f"%%prun\nx = 1\n{FAILS}",
    "%run": "%run fails.py",
    "nested": f"_ = get_ipython().run_cell({FAILS!r})",
    "exec": f"exec({FAILS!r})",
    "chained": f"try:\n    {FAILS}\nexcept ValueError as e:\n    raise RuntimeError('mine') from e",
    "in a group": f"try:\n    {FAILS}\nexcept ValueError as e:\n    raise ExceptionGroup('all', [e])",
}
SILENT = {
    "raise": "raise ValueError('mine')",
    "raise in jit": "@jax.jit\ndef f(x):\n    raise ValueError('mine')\nf(1)",
    "assert in grad": "def f(x):\n    assert x.shape == (3,)\n    return x\njax.grad(f)(1.0)",
    "numpy": "np.zeros(3) + np.zeros(4)",
    "key": "{}['x']",
    "run-time syntax error": "eval('1 +')",
    "magic": "%no_such_magic",
    "exit": "raise SystemExit",
    "interrupt": "raise KeyboardInterrupt",
    "text that breaks": "class E(ValueError):\n    def __str__(self):\n        1 / 0\nraise E('x')",
    "own rendering": "class R(ValueError):\n    def _render_traceback_(self): return ['mine']\nraise R('x')",
}
BROKEN = {
    "syntax": "x = = 1",
    "indentation": "if x:\ny = 1",
    "unclosed": "f(1",
    "null byte": "x = 1\0",
    "return": "return 1",
    "lone surrogate": "get_ipython().run_cell('x = \"\\ud800\"');",
    "too deep": "get_ipython().run_cell('-' * 20000 + '1');",
}


@pytest.fixture(scope="module", autouse=True)
def script(kernel: Kernel, plain: Kernel) -> None:
    for one in (kernel, plain):
        one.run(f"open('fails.py', 'w').write({f'import jax, jax.numpy as jnp{chr(10)}{FAILS}'!r})")


@pytest.mark.parametrize("code", CELLS.values(), ids=CELLS)
def test_help_comes_once_and_after_the_traceback_that_is_there_without_it(
    code: str, kernel: Kernel, plain: Kernel
) -> None:
    ran = kernel.run(code)
    assert ran.kinds.count("help") == 1
    at = ran.kinds.index("help")
    assert {"error", "stream"} & set(ran.kinds[:at])
    assert set(ran.kinds[at + 1 :]) <= {"execute_result"}
    assert seen(without_help(ran)) == seen(plain.run(code))


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_an_error_that_is_not_of_jax_looks_as_without_us(code: str, kernel: Kernel, plain: Kernel) -> None:
    assert seen(kernel.run(code)) == seen(plain.run(code))


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN)
def test_a_cell_that_does_not_compile_looks_as_without_us(code: str, kernel: Kernel, plain: Kernel) -> None:
    assert seen(kernel.run(code)) == seen(plain.run(code))


def test_help_in_a_captured_cell_is_captured(kernel: Kernel) -> None:
    ran = kernel.run(f"%%capture held\n{FAILS}")
    assert ran.kinds == ["error"]
    assert kernel.run("held.show()").kinds == ["help"]


def test_an_error_raised_again_out_of_a_nested_cell_is_helped_once(kernel: Kernel) -> None:
    ran = kernel.run(f"get_ipython().run_cell({FAILS!r}).raise_error()")
    assert ran.kinds == ["error", "help", "error"]


def test_an_error_kept_and_raised_by_a_later_cell_is_helped_there_too(kernel: Kernel) -> None:
    keep = f"try:\n    {FAILS}\nexcept ValueError as error:\n    kept = error\n"
    assert kernel.run(keep).kinds == []
    for _ in range(2):
        assert kernel.run("raise kept").kinds == ["error", "help"]


def test_queued_cells_are_aborted(kernel: Kernel) -> None:
    # What waits is aborted: the second cell must have come before the first one fails.
    first = kernel.send(f"import time; time.sleep(1)\n{FAILS}", stop_on_error=True)
    second = kernel.send("1 + 1", stop_on_error=True)
    assert kernel.collect(first).status == "error"
    assert kernel.collect(second).status == "aborted"
    assert kernel.run("1 + 1", stop_on_error=False).status in {"ok", "aborted"}


def test_post_mortem_tools_see_the_error(kernel: Kernel) -> None:
    kernel.run(FAILS)
    assert kernel.value("type(__import__('sys').last_value).__name__") == "ValueError"
    again = kernel.run("%tb")
    assert again.kinds == ["error"]
    assert "inconsistent sizes" in again.errors[0]["evalue"]
    debugged = kernel.run("%debug", answers=("p 'in ' + 'the debugger'", "q"))
    assert "in the debugger" in debugged.text
    assert debugged.kinds.count("help") == 0


def test_the_debugger_that_pdb_opens_comes_before_the_help(kernel: Kernel) -> None:
    kernel.run("%pdb on")
    ran = kernel.run(FAILS, answers=("p 'in ' + 'the debugger'", "q"))
    kernel.run("%pdb off")
    assert "in the debugger" in ran.text
    assert ran.kinds.count("help") == 1
    assert ran.kinds[0] == "error"
    assert ran.kinds.index("help") > ran.kinds.index("stream")


def test_a_program_gets_the_static_help_and_a_person_the_widget_below_it(kernel: Kernel) -> None:
    assert kernel.run(FAILS, cell_id="a").kinds == ["error", "help"]
    first = kernel.run(FAILS, cell_id="a", answers=())
    assert first.kinds == ["error", "help", "widget"]
    assert not first.of("comm_close")
    again = kernel.run(FAILS, cell_id="a", answers=())
    assert again.of("comm_close"), "the widget of the cell's last run is closed"
    assert kernel.run("1", cell_id="a").of("comm_close")


def test_ten_thousand_frames_are_no_trouble(kernel: Kernel, plain: Kernel) -> None:
    deep = "def down(n):\n    return down(n + 1)\ndown(0)"
    assert seen(kernel.run(deep))[0] == seen(plain.run(deep))[0] == "error"

"""Threads, tasks, interrupts, forks, reloads, two notebooks on one kernel, and widgets whose kernel is another."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernel_client import Kernel

pytestmark = [pytest.mark.kernel, pytest.mark.once]

FAILS = "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
SLOT = "[repr(get_ipython().custom_exceptions), get_ipython().CustomTB.__module__]"


@pytest.fixture(autouse=True)
def helps_again(kernel: Kernel) -> Iterator[None]:
    yield
    assert kernel.run(FAILS).kinds == ["error", "help"]


def test_an_error_in_a_thread_looks_as_without_us(kernel: Kernel, plain: Kernel) -> None:
    # threading shows it on stderr by itself, and no shell is told.
    code = (
        f"import threading\nthread = threading.Thread(target=lambda: {FAILS})\nthread.start(); thread.join()"
    )
    ran, without = kernel.run(code), plain.run(code)
    assert ran.status == without.status == "ok"
    assert ran.kinds == without.kinds == ["stream"]
    assert ran.text.count("inconsistent sizes") == without.text.count("inconsistent sizes") == 1


def test_an_error_of_a_thread_that_the_cell_asks_for_is_helped(kernel: Kernel) -> None:
    pool = "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n"
    assert kernel.run(f"{pool}    pool.submit(lambda: {FAILS}).result()").kinds == ["error", "help"]


@pytest.mark.parametrize(
    "code",
    [
        "await work()",
        "await asyncio.gather(work(), asyncio.sleep(0.01))",
        "await asyncio.create_task(work())",
        "task = asyncio.create_task(work())\nawait asyncio.wait([task])\ntask.result()",
    ],
)
def test_an_error_of_a_task_that_is_awaited_is_helped(code: str, kernel: Kernel) -> None:
    kernel.run(f"import asyncio\nasync def work():\n    await asyncio.sleep(0)\n    return {FAILS}")
    assert kernel.run(code).kinds == ["error", "help"]


def test_an_error_of_a_task_that_nobody_awaits_is_nobodys(kernel: Kernel) -> None:
    ran = kernel.run(f"import asyncio\nasync def work(): {FAILS}\ntask = asyncio.create_task(work())")
    assert ran.kinds == []
    assert kernel.run("await asyncio.sleep(0.05)").status == "ok"
    kernel.run("task.exception(); del task")


# The function at whose start the signal comes, from within: each is a stage on the way from error to widget.
STAGES = {
    "first test": ("jax_nbhelp.shell.session", "looks_like_jax", ["error", "error"]),
    "capture": ("jax_nbhelp.help", "capture", ["error", "error"]),
    "match": ("jax_nbhelp.help", "match", ["error", "error"]),
    "facts": ("jax_nbhelp.help", "facts", ["error", "error"]),
    "fixes": ("jax_nbhelp.help", "propose", ["error", "error"]),
    "log": ("jax_nbhelp.shell.log.Log", "note", ["error", "error"]),
    "static output": ("jax_nbhelp.views.static", "bundle", ["error", "error"]),
    "import of the widget": ("jax_nbhelp.shell.session.Session", "_open_widget", ["error", "help", "error"]),
    "widget": ("jax_nbhelp.views.widget.HelpWidget", "bundle", ["error", "help", "error"]),
}


@pytest.mark.parametrize(("owner", "name", "kinds"), STAGES.values(), ids=STAGES)
def test_an_interrupt_at_every_stage_ends_the_help_and_leaves_the_hook(
    owner: str, name: str, kinds: list[str], kernel: Kernel
) -> None:
    kernel.run(FAILS, answers=())  # so that everything is imported
    before = kernel.value(SLOT)
    kernel.run(
        "import os, signal, time, jax_nbhelp.help, jax_nbhelp.shell.log, jax_nbhelp.views.static, jax_nbhelp.views.widget\n"
        "def interrupted(*args, **options):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(5)\n"  # the signal's handler raises in it
        f"sound = {owner}.{name}\n{owner}.{name} = interrupted"
    )
    ran = kernel.run(FAILS, answers=(), cell_id="interrupted")
    kernel.run(f"{owner}.{name} = sound")
    assert ran.kinds == kinds
    assert [one["ename"] for one in ran.errors] == ["ValueError", "KeyboardInterrupt"]
    assert ran.status == "error"
    assert kernel.value(SLOT) == before
    assert kernel.run(FAILS, answers=(), cell_id="interrupted").kinds == ["error", "help", "widget"]


def test_an_interrupted_first_import_is_done_again(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    kernel.run("%load_ext jax_nbhelp")
    kernel.run(
        "import builtins, os, signal, time\nsound = builtins.__import__\n"
        "def interrupted(name, *args, **options):\n"
        "    if name == 'anywidget':\n"
        "        builtins.__import__ = sound\n"
        "        os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
        "    return sound(name, *args, **options)\n"
        "builtins.__import__ = interrupted"
    )
    assert kernel.run(FAILS, answers=()).kinds == ["error", "help", "error"]
    assert kernel.run(FAILS, answers=()).kinds == ["error", "help", "widget"]


def test_autoreload_changes_nothing(kernel: Kernel) -> None:
    kernel.run("%load_ext autoreload\n%autoreload 2")
    try:
        kernel.run("open('reloaded.py', 'w').write('import jax, jax.numpy as jnp\\ndef f(): return 1')")
        kernel.run("import sys; sys.path.insert(0, '.'); import reloaded")
        kernel.run(
            f"open('reloaded.py', 'w').write({f'import jax, jax.numpy as jnp{chr(10)}def f(): return {FAILS}'!r} + ' ' * 9)"
        )
        assert kernel.run("reloaded.f()").kinds == ["error", "help"]
        assert kernel.run(FAILS).kinds == ["error", "help"]
    finally:
        kernel.run("%autoreload 0\n%unload_ext autoreload")


def test_a_fork_of_the_kernel_leaves_it_as_it_is(kernel: Kernel) -> None:
    fork = (
        "import os, warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    child = os.fork()\n"
        "if child == 0:\n    os._exit(7)\nos.waitstatus_to_exitcode(os.waitpid(child, 0)[1])"
    )
    ran = kernel.run(fork)
    assert ran.of("execute_result")[0]["data"]["text/plain"] == "7"
    assert kernel.run(FAILS, answers=(), cell_id="forked").kinds == ["error", "help", "widget"]


def test_a_process_pool_hands_its_error_to_the_cell(kernel: Kernel) -> None:
    kernel.run("open('worker.py', 'w').write('def f(x):\\n    raise TypeError(\"of the worker\")')")
    code = (
        "import sys; sys.path.insert(0, '.'); import worker, multiprocessing\n"
        "with multiprocessing.get_context('spawn').Pool(1) as pool:\n    pool.map(worker.f, [1])"
    )
    ran = kernel.run(code)
    assert ran.kinds == ["error"]
    assert "of the worker" in ran.errors[0]["evalue"]


@pytest.mark.parametrize("magic", ["%reset -f", "%reset -f in out", "%reset_selective -f x"])
def test_a_reset_leaves_the_help_on(magic: str, kernel: Kernel) -> None:
    kernel.run(magic)
    kernel.run("import jax, jax.numpy as jnp, numpy as np")
    assert kernel.run(FAILS, answers=(), cell_id="reset").kinds == ["error", "help", "widget"]


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("%unload_ext jax_nbhelp", ["error"]),
        ("%reload_ext jax_nbhelp", ["error", "help"]),
        ("%unload_ext jax_nbhelp\n%load_ext jax_nbhelp", ["error", "help"]),
    ],
)
def test_unloading_and_reloading_in_the_cell_that_fails(line: str, kinds: list[str], kernel: Kernel) -> None:
    try:
        assert kernel.run(f"{line}\n{FAILS}").kinds == kinds
    finally:
        kernel.run("%reload_ext jax_nbhelp")


def test_unloading_while_an_error_is_handled(kernel: Kernel) -> None:
    code = f"try:\n    {FAILS}\nfinally:\n    get_ipython().run_line_magic('reload_ext', 'jax_nbhelp')"
    assert kernel.run(code).kinds == ["error", "help"]


def test_two_notebooks_on_one_kernel_each_have_their_own_help(kernel: Kernel) -> None:
    first = kernel.run(FAILS, answers=(), cell_id="of the first")
    other = kernel.manager.blocking_client()
    other.start_channels()
    mine, kernel.client = kernel.client, other
    try:
        other.wait_for_ready(timeout=60)
        second = kernel.run("jnp.ones(3) + jnp.ones(4)", answers=(), cell_id="of the second")
    finally:
        kernel.client = mine
        other.stop_channels()
    assert first.kinds == second.kinds == ["error", "help", "widget"]
    opened = [{one["comm_id"] for one in ran.of("comm_open")} for ran in (first, second)]
    assert not opened[0] & opened[1]
    assert second.of("comm_close") == []
    widget = next(
        one["comm_id"] for one in first.of("comm_open") if "payload" in one["data"].get("state", {})
    )
    sent = kernel.click(widget, kind="choose", fix=0, values={"axes": "(0, None)"})
    heard = kernel.hear(sent, lambda kind, content: kind == "comm_msg")
    assert heard[-1][1]["comm_id"] == widget


FORGED = {
    "another version's": {"kind": "apply", "version": 99, "cells": [{"text": "import os"}]},
    "a fix that is not there": {"kind": "choose", "fix": 99, "values": {}},
    "a number that is a text": {"kind": "choose", "fix": "0", "values": {}},
    "a value that is code": {"kind": "choose", "fix": 0, "values": {"axes": "__import__('os').system('id')"}},
    "a value with a null character": {"kind": "choose", "fix": 0, "values": {"axes": "\0"}},
    "a value nested too deeply": {"kind": "choose", "fix": 0, "values": {"axes": "-" * 100_000 + "1"}},
    "a value of many brackets": {"kind": "choose", "fix": 0, "values": {"axes": "(" * 50_000}},
    "a hole that is not there": {"kind": "choose", "fix": 0, "values": {"__class__": "1"}},
    "values that are a list": {"kind": "choose", "fix": 0, "values": ["axes"]},
    "a kind that is a method": {"kind": "close"},
    "no kind": {},
}


@pytest.mark.parametrize("message", FORGED.values(), ids=FORGED)
def test_a_forged_message_runs_nothing_and_breaks_nothing(message: dict[str, object], kernel: Kernel) -> None:
    ran = kernel.run(FAILS, answers=(), cell_id="forged")
    widget = next(one["comm_id"] for one in ran.of("comm_open") if "payload" in one["data"].get("state", {}))
    before = kernel.value("(len(get_ipython().history_manager.input_hist_raw), sorted(globals()))")
    for _ in range(2):  # twice
        sent = kernel.click(widget, **message)
        heard = kernel.hear(sent, lambda kind, content: content.get("execution_state") == "idle")
        assert not [one for one in heard if one[0] in ("stream", "error", "display_data", "execute_result")]
    assert kernel.value("(len(get_ipython().history_manager.input_hist_raw), sorted(globals()))") == before


def test_a_message_to_a_widget_of_another_kernel_is_harmless(kernel: Kernel) -> None:
    for widget in ("0" * 32, "", "../../x"):
        kernel.click(widget, kind="run", fix=0, values={})
    assert kernel.run("1 + 1").of("execute_result")[0]["data"]["text/plain"] == "2"


def test_a_kernel_that_restarts_under_a_widget_knows_it_no_more(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    kernel.run("%load_ext jax_nbhelp")
    ran = kernel.run(FAILS, answers=(), cell_id="one")
    widget = next(one["comm_id"] for one in ran.of("comm_open") if "payload" in one["data"].get("state", {}))
    kernel.manager.restart_kernel(now=True)
    with contextlib.suppress(RuntimeError):  # what the dead kernel still had to say
        kernel.client.wait_for_ready(timeout=1)
    kernel.client.wait_for_ready(timeout=60)
    kernel.click(widget, kind="run", fix=0, values={})
    kernel.run("import jax, jax.numpy as jnp\n%load_ext jax_nbhelp")
    assert kernel.run(FAILS, answers=(), cell_id="one").kinds == ["error", "help", "widget"]

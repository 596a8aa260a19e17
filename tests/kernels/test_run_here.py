"""Run here: the kernel runs the fixed code at a click, for front ends whose cells nobody can run from outside."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernel_client import Kernel

pytestmark = pytest.mark.kernel

FAILS = "total = jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
FIX = {"fix": 0, "values": {}}


@pytest.fixture
def shown(kernel: Kernel) -> Iterator[Callable[..., str]]:
    """Runs a failing cell as a person does, and returns the id of its widget."""

    def show(*cells: str) -> str:
        for cell in cells:
            ran = kernel.run(cell, answers=(), cell_id=f"cell {hash(cell)}")
        (widget,) = [
            content["comm_id"]
            for content in ran.of("comm_open")
            if content["data"]["state"].get("_model_name") == "AnyModel"
            and "payload" in content["data"]["state"]
        ]
        return widget

    yield show
    kernel.run("%reset -f\nimport jax, jax.numpy as jnp, numpy as np")


def states(messages: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """What the widget was told of the run."""
    told = [content["data"].get("content", {}) for kind, content in messages if kind == "comm_msg"]
    return [one["state"] for one in told if one.get("kind") == "here"]


def run_here(kernel: Kernel, widget: str) -> list[tuple[str, dict[str, Any]]]:
    """Clicks and returns what was said, up to the word of how it ended."""
    ended = {"ran", "run_failed", "stopped", "here_busy"}
    return kernel.hear(kernel.click(widget, kind="run", **FIX), lambda *one: bool(ended & set(states([one]))))


def text(messages: list[tuple[str, dict[str, Any]]]) -> str:
    return "".join(content["text"] for kind, content in messages if kind == "stream")


SIZES = "a, b = jnp.ones((2, 3)), jnp.ones((2, 4))"
AXIS = "print('begins')\nc = jnp.concatenate([a, b])\nprint('shape', c.shape)\nc.sum()"


def test_the_fixed_code_runs_and_shows_its_output(kernel: Kernel, shown: Callable[..., str]) -> None:
    widget = shown(SIZES, AXIS)
    said = run_here(kernel, widget)
    assert states(said) == ["running", "ran"]
    assert text(said) == "begins\nshape (2, 7)\n"
    (result,) = [content for kind, content in said if kind == "execute_result"]
    assert result["data"]["text/plain"] in {"Array(14., dtype=float32)", "Array(14, dtype=float32)"}
    assert kernel.value("c.shape") == (2, 7)


def test_what_it_shows_belongs_to_an_output_of_the_widget(kernel: Kernel, shown: Callable[..., str]) -> None:
    widget = shown(SIZES, AXIS)
    said = run_here(kernel, widget)
    (output,) = [
        content["comm_id"]
        for kind, content in said
        if kind == "comm_open" and content["data"]["state"].get("_model_name") == "OutputModel"
    ]
    updates = [
        content["data"]["state"]
        for kind, content in said
        if kind == "comm_msg" and content["data"]["method"] == "update"
    ]
    assert {"output": f"IPY_MODEL_{output}"} in updates
    listened = [state["msg_id"] for state in updates if "msg_id" in state]
    assert listened[0]
    assert listened[-1] == ""


def test_an_error_is_shown_and_gets_help_of_its_own(kernel: Kernel, shown: Callable[..., str]) -> None:
    widget = shown(SIZES, "c = jnp.concatenate([a, b])\njax.vmap(jnp.add)(a, jnp.ones(3))")
    said = run_here(kernel, widget)
    assert states(said) == ["running", "run_failed"]
    assert [content["ename"] for kind, content in said if kind == "error"] == ["ValueError"]
    helps = [
        content for kind, content in said if kind == "display_data" and "jax_nbhelp" in content["metadata"]
    ]
    assert [one["metadata"]["jax_nbhelp"]["record"] for one in helps] == ["vmap-inconsistent-sizes"]


def test_the_definition_runs_first(kernel: Kernel, shown: Callable[..., str]) -> None:
    definition = "def join(a, b):\n    return jnp.concatenate([a, b])"
    widget = shown(SIZES, definition, "joined = join(a, b)\nprint(joined.shape)")
    said = run_here(kernel, widget)
    assert states(said) == ["running", "running", "ran"]
    assert text(said) == "(2, 7)\n"


def test_input_is_refused_clearly(kernel: Kernel, shown: Callable[..., str]) -> None:
    widget = shown(SIZES, "c = jnp.concatenate([a, b])\nname = input('who? ')")
    said = run_here(kernel, widget)
    assert states(said) == ["running", "run_failed"]
    (error,) = [content for kind, content in said if kind == "error"]
    assert (
        error["evalue"]
        == "input() and getpass() cannot be answered here: run the fixed code in a cell of its own."
    )
    assert kernel.run("x = input('x')", answers=("3",)).status == "ok"
    assert kernel.value("x") == "3"


WAITS = "import asyncio\nc = jnp.concatenate([a, b])\nprint('before')\nawait asyncio.sleep({seconds})\nprint('after', c.shape)"


def test_a_cell_that_awaits_runs_too(kernel: Kernel, shown: Callable[..., str]) -> None:
    widget = shown(SIZES, WAITS.format(seconds=0.2))
    said = run_here(kernel, widget)
    assert states(said) == ["running", "ran"]
    assert text(said) == "before\nafter (2, 7)\n"


def test_meanwhile_other_cells_run_and_their_output_stays_theirs(
    kernel: Kernel, shown: Callable[..., str]
) -> None:
    widget = shown(SIZES, WAITS.format(seconds=1))
    sent = kernel.click(widget, kind="run", **FIX)
    kernel.hear(sent, lambda kind, content: kind == "stream" and "before" in content["text"])
    assert kernel.run("print('mine')").text == "mine\n"
    said = kernel.hear(sent, lambda *one: states([one]) == ["ran"])
    assert text(said) == "after (2, 7)\n"


def test_one_fix_runs_at_a_time_and_can_be_stopped(kernel: Kernel, shown: Callable[..., str]) -> None:
    widget = shown(SIZES, WAITS.format(seconds=600))
    sent = kernel.click(widget, kind="run", **FIX)
    kernel.hear(sent, lambda kind, content: kind == "stream")
    assert states(run_here(kernel, widget)) == ["here_busy"]
    kernel.click(widget, kind="stop")
    said = kernel.hear(sent, lambda *one: "running" not in states([one]) and bool(states([one])))
    assert states(said) == ["stopped"]
    assert states(run_here(kernel, shown(SIZES, AXIS))) == ["running", "ran"]


@pytest.mark.parametrize(
    "body", ["import time\nfor _ in range(600): time.sleep(0.1)", "import asyncio\nawait asyncio.sleep(600)"]
)
def test_an_interrupt_of_the_kernel_stops_it(kernel: Kernel, shown: Callable[..., str], body: str) -> None:
    widget = shown(SIZES, f"c = jnp.concatenate([a, b])\nprint('begins', flush=True)\n{body}")
    sent = kernel.click(widget, kind="run", **FIX)
    kernel.hear(sent, lambda kind, content: kind == "stream")
    time.sleep(0.3)
    kernel.manager.interrupt_kernel()
    said = kernel.hear(sent, lambda *one: bool(states([one])))
    assert states(said) == ["stopped"]
    assert kernel.run("1 + 1").of("execute_result")[0]["data"]["text/plain"] == "2"


def test_progress_is_shown_as_it_comes(kernel: Kernel, shown: Callable[..., str]) -> None:
    loop = "import time\nfor step in range(3):\n    print('step', step, flush=True)\n    time.sleep(0.2)"
    widget = shown(SIZES, f"c = jnp.concatenate([a, b])\n{loop}")
    sent = kernel.click(widget, kind="run", **FIX)
    began = time.monotonic()
    kernel.hear(sent, lambda kind, content: kind == "stream" and "step 0" in content["text"])
    first = time.monotonic() - began
    kernel.hear(sent, lambda *one: states([one]) == ["ran"])
    assert time.monotonic() - began > first + 0.3


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "run"},
        {"kind": "run", "fix": 7, "values": {}},
        {"kind": "run", "fix": -1, "values": {}},
        {"kind": "run", "fix": "0", "values": {}},
        {"kind": "run", "fix": True, "values": {}},
        {"kind": "run", "fix": 0, "values": [1]},
        {"kind": "run", "fix": 0, "values": {"axis": "__import__('os').abort()"}, "cells": ["1/0"]},
        {"kind": "run", "fix": 0, "values": {"no such hole": "1"}},
        {"kind": ["run"]},
        {"other": 1},
    ],
)
def test_a_message_that_no_page_sends_runs_nothing(
    kernel: Kernel, shown: Callable[..., str], message: dict[str, Any]
) -> None:
    widget = shown(SIZES, AXIS)
    sent = kernel.click(widget, **message)
    said = kernel.hear(sent, lambda kind, content: content.get("execution_state") == "idle")
    assert states(said) == []
    assert text(said) == ""
    assert "c" not in kernel.value("sorted(name for name in globals() if len(name) == 1)")

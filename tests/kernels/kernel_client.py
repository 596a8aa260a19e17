"""A real kernel of the interpreter that runs the tests, spoken to message by message."""

from __future__ import annotations

import ast
import contextlib
import os
import queue
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

import jax_nbhelp

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(jax_nbhelp.__file__).parents[1]
"""The folder that kernels import this package from: the one that the tests themselves import it from."""
TIMEOUT = 120
KEY = "jax_nbhelp"
VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass
class Ran:
    """What came of one cell: the reply, and the messages on iopub in their order."""

    reply: dict[str, Any]
    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def status(self) -> str:
        return self.reply["status"]

    def of(self, *types: str) -> list[dict[str, Any]]:
        return [content for kind, content in self.messages if kind in types]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.of("error")

    @property
    def helps(self) -> list[dict[str, Any]]:
        """The static outputs of the help."""
        return [shown for shown in self.of("display_data") if KEY in shown["metadata"]]

    @property
    def widgets(self) -> list[dict[str, Any]]:
        """The outputs that a widget stands in."""
        return [shown for shown in self.of("display_data") if VIEW in shown["data"]]

    @property
    def text(self) -> str:
        return "".join(content["text"] for content in self.of("stream"))

    @property
    def kinds(self) -> list[str]:
        """What the reader sees, in order: streams, results, errors, `help` and `widget`.

        A stream that the kernel sent in several pieces is one to the reader.
        """
        kinds: list[str] = []
        for kind, content in self.messages:
            if kind == "display_data" and KEY in content["metadata"]:
                kinds.append("help")
            elif kind == "display_data" and VIEW in content["data"]:
                kinds.append("widget")
            elif kind in {"execute_result", "error", "display_data"} or (
                kind == "stream" and kinds[-1:] != ["stream"]
            ):
                kinds.append(kind)
        return kinds


def seen(ran: Ran) -> list[object]:
    """What the cell showed, without what differs from kernel to kernel and from run to run."""
    shown: list[object] = [ran.status]
    for kind, content in _joined(ran.messages):
        if kind in {"stream", "error", "display_data", "execute_result"}:
            told = {key: value for key, value in content.items() if key != "execution_count"}
            if "traceback" in told:
                # Where showing the error fails too, our own hidden frame is counted.
                told["traceback"] = [part for part in told["traceback"] if "skipping hidden" not in part]
            text = str(told)
            text = re.sub(r"ipykernel_\d+", "ipykernel", text)
            text = re.sub(r"In ?\[\d+\]", "In", text)
            text = re.sub(r"pytest-\d+/kernel\d+", "folder", text)
            text = re.sub(r"0x[0-9a-f]+", "address", text)
            text = re.sub(r"(CPU times|Wall time|Compiler)[^']*", "times", text)
            shown.append((kind, text))
    return shown


def _joined(messages: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """The messages, a stream that the kernel sent in several pieces as one."""
    joined: list[tuple[str, dict[str, Any]]] = []
    for kind, content in messages:
        last = joined[-1] if joined else ("", {})
        if kind == last[0] == "stream" and content["name"] == last[1]["name"]:
            joined[-1] = kind, {**content, "text": last[1]["text"] + content["text"]}
        else:
            joined.append((kind, content))
    return joined


def without_help(ran: Ran) -> Ran:
    ran.messages = [message for message in ran.messages if message[1] not in ran.helps]
    return ran


class Kernel:
    """A kernel that was started for a test: `python3`, or one whose specification stands beside this file.

    One of the same name in `JUPYTER_PATH` goes first.
    """

    def __init__(
        self, folder: Path, name: str, *, jax: bool = True, variables: dict[str, str] | None = None
    ) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_RUNTIME_DIR": str(folder),
            "JAX_PLATFORMS": "cpu",
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            **(variables or {}),
        }
        self.name = name
        specs = KernelSpecManager(kernel_dirs=[*KernelSpecManager().kernel_dirs, str(Path(__file__).parent)])
        self.manager = KernelManager(kernel_name=name, kernel_spec_manager=specs)
        self.manager.start_kernel(cwd=str(folder), env=env)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT)
        if jax:
            self.run("import jax, jax.numpy as jnp, numpy as np")

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def send(self, code: str, *, cell_id: str | None = None, stdin: bool = False, **content: Any) -> str:
        """Sends a cell as the kernel's front end does, JupyterLab or Colab, and returns the message's id."""
        request = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": stdin,
            "stop_on_error": False,
            **content,
        }
        named = {"colab": {"cell_id": cell_id}} if self.name == "colab" else {"cellId": cell_id}
        metadata = named if cell_id else {}
        message = self.client.session.msg("execute_request", request, metadata=metadata)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def collect(self, sent: str, answers: tuple[str, ...] = ()) -> Ran:
        """Waits until a cell is done; what it asks the user is answered in turn."""
        waiting, messages = list(answers), []
        deadline = time.monotonic() + TIMEOUT
        while True:
            assert time.monotonic() < deadline, "the kernel does not answer"
            if waiting:
                with contextlib.suppress(queue.Empty):
                    self.client.get_stdin_msg(timeout=0)
                    self.client.input(waiting.pop(0))
            try:
                message = self.client.get_iopub_msg(timeout=0.05)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") != sent:
                continue
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind not in {"status", "execute_input"}:
                messages.append((kind, content))
        while True:
            reply = self.client.get_shell_msg(timeout=TIMEOUT)
            if reply["parent_header"].get("msg_id") == sent:
                return Ran(reply["content"], messages)

    def click(self, widget: str, **message: Any) -> str:
        """Sends what a widget's page sends to the kernel; `widget` is its comm's id. Returns the message's id."""
        content = {"comm_id": widget, "data": {"method": "custom", "content": message}}
        sent = self.client.session.msg("comm_msg", content)
        self.client.shell_channel.send(sent)
        return sent["header"]["msg_id"]

    def hear(
        self, sent: str, until: Callable[[str, dict[str, Any]], bool]
    ) -> list[tuple[str, dict[str, Any]]]:
        """Returns the messages that belong to a request, up to the first that `until` accepts.

        Messages between widgets and their pages belong to their comm, whatever their parent is.
        """
        heard: list[tuple[str, dict[str, Any]]] = []
        deadline = time.monotonic() + TIMEOUT
        while not heard or not until(*heard[-1]):
            assert time.monotonic() < deadline, f"the kernel does not say it; it said {heard}"
            with contextlib.suppress(queue.Empty):
                message = self.client.get_iopub_msg(timeout=0.05)
                kind = message["header"]["msg_type"]
                if message["parent_header"].get("msg_id") == sent or kind == "comm_msg":
                    heard.append((kind, message["content"]))
        return heard

    def run(self, code: str, *, answers: tuple[str, ...] | None = None, **options: Any) -> Ran:
        """Runs a cell, for a program; for a person, who sees widgets, where there are `answers`."""
        return self.collect(self.send(code, stdin=answers is not None, **options), answers or ())

    def value(self, expression: str) -> Any:
        """Evaluates an expression in the kernel; its repr must be a literal."""
        ran = self.run(
            "", silent=True, store_history=False, user_expressions={"value": expression}, stop_on_error=False
        )
        answer = ran.reply["user_expressions"]["value"]
        assert answer["status"] == "ok", answer
        return ast.literal_eval(answer["data"]["text/plain"])

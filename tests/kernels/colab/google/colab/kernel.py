"""The kernel and its shell."""

from __future__ import annotations

import sys
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from ipykernel.jsonutil import json_clean
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShellABC

from google.colab import Rendering


class ColabHistory(HistoryManager):
    """Remembers which cell each input came from; the first is the input that never was."""

    _input_hist_cells = [{"cell_id": "", "code": ""}]  # noqa: RUF012 - one history, as in Colab

    def store_inputs(self, line_num: int, source: str, source_raw: str | None = None) -> None:
        super().store_inputs(line_num, source, source_raw=source_raw)
        colab = self.shell.parent_header.get("metadata", {}).get("colab", {})
        self._input_hist_cells.append({"cell_id": colab.get("cell_id"), "code": source_raw})


class ColabShell(ZMQInteractiveShell):
    def init_history(self) -> None:
        self.history_manager = ColabHistory(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Lets a cell magic have arguments and no body."""
        return super().run_cell_magic(magic_name, line, cell or (" " if line else cell))

    def _showtraceback(self, etype: Any, evalue: BaseException, stb: Any) -> None:
        """Sends an error with its buttons."""
        sys.stdout.flush()
        sys.stderr.flush()
        details = None
        if isinstance(stb, Rendering):
            stb, details = stb.lines, stb.details
        content = {"ename": etype.__name__, "evalue": str(evalue), "traceback": stb}
        if details is not None:
            content["error_details"] = details
        hook = self.displayhook
        topic = hook.topic.replace(b"execute_result", b"err") if hook.topic else None
        hook.session.send(hook.pub_socket, "error", json_clean(content), hook.parent_header, ident=topic)
        self._last_traceback = stb


InteractiveShellABC.register(ColabShell)


class ColabKernel(IPythonKernel):
    def _shell_class_default(self) -> type[ColabShell]:
        return ColabShell

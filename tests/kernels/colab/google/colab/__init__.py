"""A stand-in for the package that Colab's kernels load: as much of it as our help has to live with.

It is written from what Colab's public source does, so that Colab's side of the kernel is tested without Colab:
a handler of its own in IPython's slot, errors that carry buttons, cells named in `metadata.colab`, and widgets
that need a manager of Colab's. Its front end is not stood in for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.colab import output

__all__ = ["DisabledFunctionError", "Rendering", "load_ipython_extension", "output"]


class DisabledFunctionError(ValueError):
    """A function that Colab has switched off was called."""

    def __init__(self, message: str, funcname: str) -> None:
        super().__init__(message)
        self.funcname = funcname


@dataclass
class Rendering:
    """A traceback, and what the front end makes buttons of."""

    lines: list[str]
    details: dict[str, Any]


class RenderedError(Exception):
    """Stands in for an error while it is shown, and afterwards in `sys.last_value`."""

    def __init__(self, message: str, rendering: Rendering) -> None:
        super().__init__(message)
        self._rendering = rendering

    def _render_traceback_(self) -> Rendering:
        return self._rendering


def load_ipython_extension(shell: Any) -> None:
    shell.set_custom_exc((ImportError, DisabledFunctionError), show_with_button)


def show_with_button(
    shell: Any, etype: Any, error: BaseException, tb: Any, tb_offset: int | None = None
) -> None:
    lines = shell.InteractiveTB.structured_traceback(etype, error, tb, tb_offset=tb_offset)
    if isinstance(error, DisabledFunctionError):
        name = error.funcname
        action = {"action": "open_snippet", "action_text": f"Search for {name}", "snippet_filter": name}
    else:
        lines = [*lines, "", "\x1b[0;32mThe button below shows how packages are installed.\x1b[0m"]
        action = {"action": "open_url", "action_text": "Open Examples", "url": "/examples.ipynb"}
    wrapped = RenderedError(str(error), Rendering(lines, {"actions": [action]}))
    shell.showtraceback(exc_tuple=(etype, wrapped, tb))

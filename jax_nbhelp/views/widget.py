"""The widget: the fixes as buttons below the error.

Importing this module imports anywidget, which takes a tenth of a second; it is imported when the first help
with something to click is shown.
"""

# ipywidgets has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.phrases import sayer
from jax_nbhelp.views.html import rich
from jax_nbhelp.views.parts import can_act
from jax_nbhelp.views.payload import Cells, payload, variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jax_nbhelp.help import Help

say = sayer("view")

_FRONTEND = Path(__file__).parent / "frontend"
_MODULES = (
    *("text.js", "dom.js", "lab.js", "classic.js", "choices.js", "holes.js"),
    *("editor.js", "toast.js", "actions.js", "above.js", "widget.js"),
)
_VIEW = "application/vnd.jupyter.widget-view+json"

MAX_OPEN = 20
"""Widgets kept open; ipywidgets keeps every widget alive until it is closed."""


def _script() -> str:
    """Returns the script as the one module that anywidget takes: without its parts' imports and exports."""
    parts = [(_FRONTEND / name).read_text(encoding="utf-8") for name in _MODULES]
    return re.sub(r"^import .*\n|^export (?!default)", "", "\n".join(parts), flags=re.MULTILINE)


def _style() -> str:
    return "\n".join((_FRONTEND / name).read_text(encoding="utf-8") for name in ("static.css", "widget.css"))


class HelpWidget(anywidget.AnyWidget):
    """The controls of one help.

    Args:
      help: the help.
      on_mute: called with the record when the user mutes it.
    """

    _esm = _script()
    _css = _style()
    payload = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        help: Help,  # noqa: A002
        on_mute: Callable[[str], None] | None = None,
    ) -> None:
        self._cells = Cells(help)
        super().__init__(payload=payload(help, self._cells))
        self._help = help
        self._on_mute = on_mute
        self.on_msg(self._receive)

    def _receive(self, _widget: object, message: Mapping[str, Any], _buffers: object) -> None:
        if message.get("kind") == "choose":
            self.send(self._choose(int(message["fix"]), dict(message["values"])))
        elif message.get("kind") == "mute" and self._on_mute is not None and self._help.record:
            self._on_mute(self._help.record)
            self.send({"kind": "muted"})

    def _choose(self, index: int, values: dict[str, str]) -> dict[str, Any]:
        fix = self._help.fixes[index]
        try:
            chosen = fix.with_values(values)
        except HoleError as error:
            return {"kind": "invalid", "fix": index, "reason": str(error)}
        made = variant(chosen, self._cells)
        return {"kind": "variant", "fix": index, "variant": made, "cells": self._cells.data()}

    def bundle(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the MIME bundle to display and its metadata, which Colab needs."""
        data, metadata = self._repr_mimebundle_() or ({}, {})
        line = say("fallback" if can_act(self._help) else "fallback_report")
        return {"text/plain": line, "text/html": f"<small>{rich(line)}</small>", _VIEW: data[_VIEW]}, metadata


class Widgets:
    """The open widgets, one for each cell and at most `limit`."""

    def __init__(self, limit: int = MAX_OPEN) -> None:
        self._open: dict[object, HelpWidget] = {}
        self._limit = limit

    def open(
        self,
        help: Help,  # noqa: A002
        cell_id: str | None = None,
        on_mute: Callable[[str], None] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Opens a widget, in place of the one of the same cell.

        Args:
          help: the help it acts for.
          cell_id: the cell below which it is shown.
          on_mute: called with the record when the user mutes it.

        Returns:
          The MIME bundle to display and its metadata. Beside the widget the bundle holds one line, since
          the static output has said everything else.
        """
        self.close(cell_id)
        while len(self._open) >= self._limit:
            close(self._open.pop(next(iter(self._open))))
        widget = HelpWidget(help, on_mute)
        self._open[cell_id if cell_id is not None else object()] = widget
        return widget.bundle()

    def close(self, cell_id: str | None) -> None:
        """Closes the widget of a cell; for the front end its output is then empty."""
        if cell_id is not None and cell_id in self._open:
            close(self._open.pop(cell_id))

    def close_all(self) -> None:
        """Closes every widget."""
        while self._open:
            close(self._open.popitem()[1])


def close(widget: HelpWidget) -> None:
    """Closes a widget and its layout, which ipywidgets would keep."""
    widget.layout.close()
    widget.close()

"""The widget: the fixes as buttons below the error.

Importing this module imports anywidget, which takes a tenth of a second; it is imported when the first help
with something to click is shown.
"""

# ipywidgets has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import anywidget
import ipywidgets
import traitlets

from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.phrases import sayer
from jax_nbhelp.views.html import rich
from jax_nbhelp.views.manner import AT_ONCE
from jax_nbhelp.views.parts import can_act
from jax_nbhelp.views.payload import Cells, payload, variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.hosts.run_here import Outcome, RunHere
    from jax_nbhelp.views.manner import Manner
    from jax_nbhelp.views.payload import Payload, VariantData

say = sayer("view")

_FRONTEND = Path(__file__).parent / "frontend"
_MODULES = (
    *("text.js", "dom.js", "lab.js", "classic.js", "choices.js", "holes.js"),
    *("editor.js", "toast.js", "here.js", "colab.js", "actions.js", "above.js", "widget.js"),
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


SCRIPT, STYLE = _script(), _style()
"""What the page runs and how it looks; each widget sends both."""


class Owner(Protocol):
    """What a widget asks of the session that shows it."""

    @property
    def runner(self) -> RunHere:
        """Runs cells in the kernel."""
        ...

    def mute(self, record: str) -> None:
        """Leaves a record's errors without help from now on."""
        ...

    def open_all(self, help: Help) -> None:  # noqa: A002
        """Notes that every step of a help is open."""
        ...


class HelpWidget(anywidget.AnyWidget):
    """The controls of one help.

    Args:
      help: the help.
      owner: the session that shows it.
      manner: how the help is shown.
    """

    # As traits: of plain attributes anywidget makes traits for each widget, and a class to hold them.
    _esm = traitlets.Unicode(SCRIPT).tag(sync=True)
    _css = traitlets.Unicode(STYLE).tag(sync=True)
    _anywidget_id = traitlets.Unicode(f"{__name__}.HelpWidget").tag(sync=True)
    payload = traitlets.Dict().tag(sync=True)
    output = traitlets.Instance(ipywidgets.Output, allow_none=True).tag(
        sync=True, **ipywidgets.widget_serialization
    )

    def __init__(
        self,
        help: Help,  # noqa: A002
        owner: Owner,
        manner: Manner = AT_ONCE,
    ) -> None:
        self._cells = Cells(help)
        super().__init__(payload=payload(help, self._cells, manner))
        self._help = help
        self._owner = owner
        self._answers: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "choose": self._choose,
            "mute": self._mute,
            "opened": lambda _: owner.open_all(help),
            "run": self._run,
            "stop": lambda _: owner.runner.stop(),
        }
        self.on_msg(self._receive)

    def add_traits(self, **traits: Any) -> None:
        """Adds traits but for those that the class has; anywidget asks for them whether it has or not."""
        new = {name: trait for name, trait in traits.items() if not self.has_trait(name)}
        if new:
            super().add_traits(**new)

    def _receive(self, _widget: object, message: Mapping[str, Any], _buffers: object) -> None:
        """Does what the page asks for; what is no such message is left alone."""
        kind = message.get("kind") if isinstance(message, dict) else None
        answer = self._answers.get(kind) if isinstance(kind, str) else None
        if answer is not None:
            answer(message)

    def _asked(self, message: Mapping[str, Any]) -> tuple[int, Fix] | None:
        """Returns the place of the fix that a message is about, and the fix with its values.

        Raises:
          HoleError: a value cannot stand in its hole.
        """
        index, values = message.get("fix"), message.get("values")
        if type(index) is not int or not 0 <= index < len(self._help.fixes) or not isinstance(values, dict):
            return None  # there is no such fix
        named = cast("dict[object, object]", values)
        chosen = {str(name): str(value) for name, value in named.items()}
        return index, self._help.fixes[index].with_values(chosen)

    def _choose(self, message: Mapping[str, Any]) -> None:
        try:
            asked = self._asked(message)
        except HoleError as error:
            self.send({"kind": "invalid", "fix": message["fix"], "reason": str(error)})
            return
        if asked is not None:
            index, fix = asked
            made = variant(fix, self._cells)
            self._keep(index, made)
            self.send({"kind": "variant", "fix": index, "variant": made, "cells": self._cells.data()})

    def _keep(self, index: int, made: VariantData) -> None:
        """Keeps a variant for pages that are loaded later: by it they know an edit that was made with it."""
        known = cast("Payload", self.payload)
        fixes = list(known["fixes"])
        fixes[index] = {**fixes[index], "variants": [*fixes[index]["variants"], made]}
        self.payload = {**known, "cells": self._cells.data(), "fixes": fixes}

    def _mute(self, _message: Mapping[str, Any]) -> None:
        if self._help.record:
            self._owner.mute(self._help.record)
            self.send({"kind": "muted"})

    def _run(self, message: Mapping[str, Any]) -> None:
        """Runs the fixed cells in the kernel; what they show goes into an output of the widget."""
        try:
            asked = self._asked(message)
        except HoleError:
            return
        if asked is None or not (fix := asked[1]).can_run:
            return
        new = {edit.cell: edit.new for edit in fix.edits}
        texts = [new.get(cell, cell.text) for cell in fix.run]
        places = [self._cells.index(cell) for cell in fix.run]

        def tell(place: int, state: str) -> None:
            self.send({"kind": "here", "state": state, "cell": places[place]})

        if self._owner.runner.running:
            tell(0, "here_busy")
            return
        output, showing = ipywidgets.Output(), ExitStack()
        self._close_output()
        self.output = output
        showing.enter_context(output)

        def ended(place: int, outcome: Outcome) -> None:
            showing.close()
            tell(place, outcome)

        self._owner.runner.start(texts, lambda place: tell(place, "running"), ended)

    def bundle(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the MIME bundle to display and its metadata, which Colab needs."""
        data, metadata = self._repr_mimebundle_() or ({}, {})
        line = say("fallback" if can_act(self._help) else "fallback_report")
        return {"text/plain": line, "text/html": f"<small>{rich(line)}</small>", _VIEW: data[_VIEW]}, metadata

    def close(self) -> None:
        """Closes the widget, with its layout and its output, which ipywidgets would keep."""
        self._close_output()
        self.layout.close()
        super().close()

    def _close_output(self) -> None:
        if (output := cast("ipywidgets.Output | None", self.output)) is not None:
            output.layout.close()
            output.close()


class Widgets:
    """The open widgets, one for each cell and at most `limit`.

    Args:
      owner: the session that shows them.
      limit: how many stay open.
    """

    def __init__(self, owner: Owner, limit: int = MAX_OPEN) -> None:
        self._owner = owner
        self._open: dict[object, HelpWidget] = {}
        self._limit = limit

    def open(
        self,
        help: Help,  # noqa: A002
        cell_id: str | None = None,
        manner: Manner = AT_ONCE,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Opens a widget, in place of the one of the same cell.

        Args:
          help: the help it acts for.
          cell_id: the cell below which it is shown.
          manner: how the help is shown.

        Returns:
          The MIME bundle to display and its metadata. Beside the widget the bundle holds one line, since
          the static output has said everything else.
        """
        self.close(cell_id)
        while len(self._open) >= self._limit:
            self._open.pop(next(iter(self._open))).close()
        widget = HelpWidget(help, self._owner, manner)
        self._open[cell_id if cell_id is not None else object()] = widget
        return widget.bundle()

    def close(self, cell_id: str | None) -> None:
        """Closes the widget of a cell; for the front end its output is then empty."""
        if cell_id is not None and cell_id in self._open:
            self._open.pop(cell_id).close()

    def close_all(self) -> None:
        """Closes every widget."""
        while self._open:
            self._open.popitem()[1].close()

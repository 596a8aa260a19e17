from __future__ import annotations

import json
from dataclasses import replace
from unittest import mock

import ipywidgets
import pytest
from helps import CELL, HELP

from jax_nbhelp.cell import Cell
from jax_nbhelp.fixes.fix import CellEdit, Fix
from jax_nbhelp.views.payload import Cells, payload, report
from jax_nbhelp.views.widget import HelpWidget, Widgets

VIEW = "application/vnd.jupyter.widget-view+json"


class Owner:
    """Hears what a widget asks of its session."""

    def __init__(self):
        self.muted: list[str] = []
        self.opened = []
        self.runner = mock.Mock()

    def mute(self, record: str):
        self.muted.append(record)

    def open_all(self, help_):
        self.opened.append(help_)


@pytest.fixture
def widget():
    owner = Owner()
    opened = HelpWidget(HELP, owner)
    opened.owner = owner
    with mock.patch.object(HelpWidget, "send") as sent:
        opened.answers = sent
        yield opened
    opened.close()


def receive(widget: HelpWidget, **message: object):
    widget._handle_custom_msg(message, [])
    return widget.answers.call_args.args[0] if widget.answers.called else None


def test_the_payload_is_json_and_begins_with_the_likeliest_values():
    data = json.loads(json.dumps(payload(HELP, Cells(HELP))))
    first, second = data["fixes"]
    assert [variant["values"] for variant in first["variants"]] == [["(0, 0)"]]
    assert data["cells"] == [{"id": "c4", "count": 4, "label": "cell [4]", "text": CELL.text}]
    assert first["variants"][0]["run"] == [0]
    assert (first["can_apply"], first["can_run"]) == (True, True)
    assert (second["can_apply"], second["can_run"]) == (False, False)
    assert second["variants"][0]["notes"] == [
        "One length is needed.",
        "Cannot be applied here: it comes from a file.",
    ]


def test_a_fix_that_needs_a_restart_is_not_run():
    fix = replace(HELP.fixes[0], needs="restart-kernel")
    (data,) = payload(replace(HELP, fixes=(fix,)), Cells(HELP))["fixes"]
    assert (data["can_apply"], data["can_run"]) == (True, False)


def test_a_report_holds_versions_message_and_record_and_no_code():
    text = report(HELP)
    assert "record: vmap-inconsistent-sizes (exact)" in text
    assert "error: ValueError: vmap got inconsistent sizes" in text
    assert "jax " in text
    assert "controls" not in text


def test_a_value_of_ones_own_is_answered_with_its_edit(widget):
    answer = receive(widget, kind="choose", fix=0, values={"axes": "(1, 0)"})
    assert (answer["kind"], answer["fix"]) == ("variant", 0)
    rows = answer["variant"]["edits"][0]["hunks"][0]["rows"]
    assert "in_axes=(1, 0)" in "".join(part["text"] for part in rows[2]["parts"])
    kept = widget.payload["fixes"][0]["variants"]
    assert [one["values"] for one in kept] == [["(0, 0)"], ["(1, 0)"]]


def test_a_value_that_does_not_fit_is_answered_with_the_reason(widget):
    answer = receive(widget, kind="choose", fix=0, values={"axes": "(1"})
    assert answer == {"kind": "invalid", "fix": 0, "reason": "`(1` is not an expression"}


def test_muting_tells_the_record(widget):
    assert receive(widget, kind="mute") == {"kind": "muted"}
    assert widget.owner.muted == ["vmap-inconsistent-sizes"]


def test_opening_the_last_step_tells_which_help(widget):
    receive(widget, kind="opened")
    assert widget.owner.opened == [HELP]


def test_beside_the_widget_the_bundle_says_one_line():
    data, _ = Widgets(Owner()).open(HELP)
    assert set(data) == {"text/plain", "text/html", VIEW}
    assert "\n" not in data["text/plain"]
    assert "%jaxhelp fix" in data["text/plain"]
    data, _ = Widgets(Owner()).open(replace(HELP, fixes=()))
    assert "%jaxhelp fix" not in data["text/plain"]


def test_a_cell_has_one_widget_and_closing_leaves_nothing():
    # ipywidgets 7 keeps them in a class attribute, ipywidgets 8 in a module.
    def living() -> int:
        kept = getattr(ipywidgets.widgets.widget, "_instances", None)
        return len(ipywidgets.Widget.widgets if kept is None else kept)

    before = living()
    widgets = Widgets(Owner(), limit=3)
    widgets.open(HELP, "c4")
    one = living()
    widgets.open(HELP, "c4")
    assert living() == one
    for number in range(10):
        widgets.open(HELP, f"other {number}")
    widgets.open(HELP)
    assert living() - before == 3 * (one - before)
    widgets.close("other 9")
    widgets.close("never opened")
    assert living() - before == 2 * (one - before)
    widgets.close_all()
    assert living() == before


def test_cells_of_a_help_are_numbered_once():
    other = Cell("x", "c2", 2)
    fix = Fix("f", "F", "maybe-incorrect", edits=(CellEdit(other, "y"),), run=(other, CELL))
    cells = Cells(replace(HELP, fixes=(fix, *HELP.fixes)))
    assert [one["id"] for one in cells.data()] == ["c2", "c4"]
    assert cells.index(CELL) == 1


def test_a_run_of_minutes_is_warned_of_and_stale_cells_are_named():
    slow = replace(HELP.fixes[0], seconds=150.0, stale=(Cell("a", "c5", 5), Cell("b", "c6", 6)))
    (data,) = payload(replace(HELP, fixes=(slow,)), Cells(HELP))["fixes"]
    assert data["variants"][0]["warning"] == "That took 2 min the last time."
    assert data["variants"][0]["notes"][-1] == (
        "Not run again, though they used the old values: cell [5] and cell [6]."
    )
    fast = replace(slow, seconds=59.0, stale=())
    (data,) = payload(replace(HELP, fixes=(fast,)), Cells(HELP))["fixes"]
    assert data["variants"][0]["warning"] == ""
    assert len(data["variants"][0]["notes"]) == 1

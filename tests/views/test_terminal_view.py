"""The help as a terminal shows it."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from helps import CELL, HELP, SAID

from jax_nbhelp.cell import Cell
from jax_nbhelp.explanation import Link, Operand, Where
from jax_nbhelp.fixes.fix import CellEdit, Fix
from jax_nbhelp.help import Help
from jax_nbhelp.views.lines import width
from jax_nbhelp.views.manner import Manner, steps_of
from jax_nbhelp.views.terminal import panel, step_panel

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LONG = "total_cost = 0.5 * jnp.sum(jax.vmap(cost_of_one_step, in_axes=(0, 1))(state_matrix, control_matrix)) + penalty * steps"
CUT = """\
vmap: the mapped axes differ in length                                ValueError
vmap walks over one axis of every argument in step, so those axes must have one
length. Here axis 0 of `states` has length 10 and axis 1 of `controls` has
length 2.

  cell [7], line 2
  2 | total_cost = 0.5 * jnp.sum(jax.vmap(cost_of_one_step, in_axes=(0,
    |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    | 1))(state_matrix, control_matrix)) + penalty * steps
    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

  states    float32[10, 4]
  controls  float32[10, 2]

Fix: Map axis 0 of both
  1   steps = 10
  2 - …cost_of_one_step, in_axes=(0, 1))(state_matrix, control_matrix)) + penal…
  2 + …cost_of_one_step, in_axes=(0, 0))(state_matrix, control_matrix)) + penal…

`%jaxhelp fix` puts the corrected cell at the prompt.

JAX docs: https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html
Raised in: jax/_src/api.py _mapped_axis_size"""


class Screen(io.StringIO):
    """A stream that is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def help_of(line: str, new: str, start: int = 0, end: int = 0) -> Help:
    cell = Cell(f"steps = 10\n{line}", count=7)
    fix = Fix("f", "Map axis 0 of both", "machine-applicable", edits=(CellEdit(cell, f"steps = 10\n{new}"),))
    said = replace(SAID, where=Where(cell, 2, line, start, end))
    return replace(HELP, explanation=said, fixes=(fix,))


def test_code_is_cut_around_what_changes_and_broken_where_it_is_marked():
    start, end = LONG.index("jax.vmap"), LONG.index(") + penalty")
    shown = panel(help_of(LONG, LONG.replace("(0, 1)", "(0, 0)"), start, end), io.StringIO())
    assert shown == CUT


@pytest.mark.parametrize("columns", [24, 40, 60, 79, 80, 200])
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("colour", [False, True])
def test_it_fits_the_terminal_and_80_columns(
    columns: int, colour: bool, language: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("JAX_NBHELP_LANGUAGE", language)
    line = f"\tx['面积'] = {LONG}  # 面积 😀 e\u0301"
    said = replace(
        help_of(line, line.replace("(0, 1)", "(0, 0)")).explanation,
        title="a title " * 12,
        operands=(Operand("x['面积']" * 4, "float32[10, 4]@layout" * 5),),
        guard="if sizes:\n  " + "sizes = sizes + 1; " * 9,
        way_on=("Do this, then that. " * 8,),
        links=(Link("jax.errors.TracerBoolConversionError", "https://d/"),),
    )
    help_ = replace(help_of(line, line.replace("(0, 1)", "(0, 0)")), explanation=said, error_class="E" * 90)
    shown = COLOUR.sub("", panel(help_, Screen() if colour else io.StringIO(), full=True))
    assert max(map(width, shown.split("\n"))) <= min(columns, 80)


def test_a_link_that_does_not_fit_stands_alone_and_whole():
    url = "https://docs.jax.dev/en/latest/" + "x" * 60
    help_ = replace(HELP, explanation=replace(SAID, links=(Link("JAX docs", url),)))
    assert f"\nJAX docs:\n{url}\n" in panel(help_, io.StringIO())


def test_how_a_fix_is_taken_is_said():
    other = replace(HELP.fixes[0], title="Another")
    assert "at the prompt; a number after it chooses the fix." in panel(
        replace(HELP, fixes=(HELP.fixes[0], other)), io.StringIO()
    ).replace("\n", " ")
    assert "at the prompt." in panel(HELP, io.StringIO()), "the second fix is only to read"
    assert "%jaxhelp fix" not in panel(replace(HELP, fixes=HELP.fixes[1:]), io.StringIO())


def test_colours_are_of_the_sixteen_and_say_nothing_alone():
    coloured = panel(HELP, Screen(), "Linux")
    assert COLOUR.sub("", coloured) == panel(HELP, io.StringIO())
    codes = {code for found in COLOUR.findall(coloured) for code in found[2:-1].split(";")}
    assert codes == {"0", "1", "2", "31", "32"}
    assert "\x1b[1mvmap: the mapped axes differ in length\x1b[0m" in coloured
    assert "\x1b[31mcosts = jax.vmap(step_cost, in_axes=(0, \x1b[0m\x1b[1;31m1\x1b[0m" in coloured
    assert "\x1b[1;32m0\x1b[0m" in coloured
    assert "\x1b[1;31m^^^^^^^^\x1b[0m" in coloured


@pytest.mark.parametrize("theme", ["NoColor", "nocolor"])
def test_ipythons_theme_without_colours_is_followed(theme: str):
    assert not COLOUR.search(panel(HELP, Screen(), theme))


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_can_refuse_colours(name: str, value: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(name, value)
    assert not COLOUR.search(panel(HELP, Screen(), "Linux"))


def test_an_empty_no_color_refuses_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "")
    assert COLOUR.search(panel(HELP, Screen(), "Neutral"))


ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\b\x00\u202e\udc80"


def test_control_characters_of_the_users_reach_no_terminal():
    cell = Cell(f"x = '{ESCAPES}' / 0", count=1)
    said = replace(
        SAID,
        title=f"title {ESCAPES}",
        cause=f"cause {ESCAPES}",
        where=Where(cell, 1, cell.text, 4, 12),
        operands=(Operand(ESCAPES, ESCAPES),),
        guard=ESCAPES,
        way_on=(ESCAPES,),
        avoid=ESCAPES,
        links=(Link(ESCAPES, f"https://x/{ESCAPES}"),),
        raised_in=ESCAPES,
    )
    fix = Fix("f", ESCAPES, "maybe-incorrect", ESCAPES, edits=(CellEdit(cell, f"{ESCAPES} + 1"),))
    help_ = Help(ESCAPES, ESCAPES, "r", "exact", said, (fix, replace(fix, title=ESCAPES)))
    for stream in (Screen(), io.StringIO()):
        shown = COLOUR.sub("", panel(help_, stream, full=True))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", shown)
        assert "␛]0;owned␇␛[2J" in shown


def test_a_stream_that_cannot_say_a_character_gets_another():
    shown = panel(help_of(LONG, f"é {LONG}"), io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert shown.isascii()
    assert "?" in shown


def test_a_stream_of_the_users_own_needs_no_more_than_write():
    assert panel(HELP, object()) == panel(HELP, io.StringIO())


def test_a_tab_stands_under_no_wrong_caret():
    cell = Cell("if True:\n\ty = x / 0", count=3)
    shown = panel(
        replace(HELP, explanation=replace(SAID, where=Where(cell, 2, "\ty = x / 0", 5, 10))), io.StringIO()
    )
    assert "  2 |     y = x / 0\n    |         ^^^^^" in shown


def test_a_line_that_is_gone_or_new_as_a_whole_is_shown_whole():
    old = "value = " + " + ".join(f"term_{n}" for n in range(16))
    shown = panel(help_of(old, "pass"), io.StringIO())
    assert all(f"term_{n}" in shown.partition("Fix: ")[2] for n in range(16))


def test_a_line_into_which_something_is_put_is_cut_there():
    shown = panel(help_of(LONG, LONG.replace("(0, 1)", "(0, 1), out_axes=0")), io.StringIO())
    gone, come = (line for line in shown.split("\n") if line.startswith(("  2 - ", "  2 + ")))
    assert "in_axes=(0, 1))(state" in gone
    assert "in_axes=(0, 1), out_axes=0)(state" in come
    assert gone.index("in_axes") == come.index("in_axes")


def test_lines_far_from_the_change_are_cut_at_their_end():
    text = CELL.text.replace("states, controls = make()", "states = " + "make() + " * 20)
    fix = Fix(
        "f", "Fix", "machine-applicable", edits=(CellEdit(Cell(text), text.replace("(0, 1)", "(0, 0)")),)
    )
    shown = panel(replace(HELP, fixes=(fix,)), io.StringIO())
    assert re.search(r"^  4   states = make\(\).*…$", shown, flags=re.MULTILINE)


def test_steps_and_a_folded_help_fit_the_terminal_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "40")
    help_ = replace(HELP, message=f"got {ESCAPES}\n  * one axis had size 10: " + "argument " * 9)
    steps = [step_panel(help_, number, Screen(), "Linux") for number in range(len(steps_of(help_)))]
    shown = COLOUR.sub("", "\n".join(steps))
    assert "\x1b[1;31m" in "".join(steps)
    assert "got ␛]0;owned␇" in shown
    assert "Next: Cause. %jaxhelp next opens it." in steps[0]
    assert all(width(line) <= 40 or "https" in line for line in shown.split("\n"))
    first = panel(help_, io.StringIO(), manner=Manner(steps=True))
    assert first.split("\n") == [line.rstrip() for line in COLOUR.sub("", steps[0]).split("\n")]
    folded = panel(help_, io.StringIO(), manner=Manner(folded=True))
    assert " ".join(folded.split()).startswith(
        "The same error as before: vmap: the mapped axes differ in length."
    )
    assert all(width(line) <= 40 for line in folded.split("\n"))

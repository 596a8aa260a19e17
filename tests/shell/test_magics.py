from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from jax_nbhelp import shell as help_in_shell
from jax_nbhelp.cell import Cell
from jax_nbhelp.explanation import Explanation
from jax_nbhelp.fixes.fix import CellEdit, Fix, Hole
from jax_nbhelp.help import Help
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jax_nbhelp.shell.session import Session

RECORD = "vmap-inconsistent-sizes"
FAILS = "import jax, jax.numpy as jnp\njax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
ONE, TWO = Cell("def f(): old", "a", 1), Cell("f()", "b", 2)
TIMED = Cell("%%time\nf(old)", "c", 3)


def help_with(*fixes: Fix) -> Help:
    return Help("ValueError", "a message", RECORD, "exact", Explanation("a title", "a cause"), fixes)


def fix(*edits: tuple[Cell, str], **rest: object) -> Fix:
    return Fix("id", "Use new", "maybe-incorrect", edits=tuple(CellEdit(*edit) for edit in edits), **rest)


@pytest.fixture
def inserted(ipython: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []
    monkeypatch.setattr(ipython, "set_next_input", lambda text, replace=False: texts.append(text))
    return texts


say = sayer("shell")


def run(session: Session, line: str, capsys: pytest.CaptureFixture[str]) -> str:
    session.shell.run_line_magic("jaxhelp", line)
    return capsys.readouterr().out


def test_a_terminal_shows_the_help_as_text_below_the_traceback(session: Session, capsys) -> None:
    session.shell.run_cell(FAILS, store_history=True)
    out = capsys.readouterr().out
    assert out.count("ValueError") >= 2
    assert out.index("Traceback") < out.index("vmap: the mapped axes differ in length")


def test_without_arguments_it_shows_the_last_help_again(session: Session, capsys) -> None:
    assert run(session, "", capsys) == "There was no JAX error with help yet.\n"
    session.last = help_with()
    assert "a title" in run(session, "", capsys)


def test_fix_puts_the_corrected_cell_below(session: Session, inserted: list[str], capsys) -> None:
    session.last = help_with(fix((ONE, "def f(): new\n"), run=(ONE, TWO)))
    out = run(session, "fix", capsys)
    assert inserted == ["def f(): new"]
    assert out == "Use new\nThe corrected cell [1] follows.\nThen run cell [2] again.\n"


def test_fix_names_the_cells_where_it_changes_several(session: Session, inserted: list[str], capsys) -> None:
    session.last = help_with(fix((ONE, "def f(): new"), (TWO, "f(new)\n"), run=(ONE, TWO)))
    out = run(session, "fix 1", capsys)
    assert inserted == ["# cell [1], corrected\ndef f(): new\n\n# cell [2], corrected\nf(new)"]
    assert "changes cell [1] and cell [2]" in out
    assert "Then run" not in out


def test_fix_keeps_a_cell_magic_at_the_top_of_its_cell(session: Session, inserted: list[str], capsys) -> None:
    session.last = help_with(fix((TIMED, "%%time\nf(new)"), (ONE, "def f(): new")))
    out = run(session, "fix", capsys)
    assert inserted == ["%%time\nf(new)"]
    assert out.endswith("change the rest by hand:\n\n# cell [1], corrected\ndef f(): new\n")


def test_fix_says_what_a_cell_alone_cannot_do(session: Session, inserted: list[str], capsys) -> None:
    holes = (Hole("axis", "the axis to map", "0"),)
    session.last = help_with(fix((ONE, "new"), holes=holes, needs="restart-kernel"))
    out = run(session, "fix", capsys)
    assert "Check the value in it: the axis to map." in out
    assert "restart of the kernel" in out


def test_fix_takes_the_number_of_a_fix(session: Session, inserted: list[str], capsys) -> None:
    session.last = help_with(fix((ONE, "first")), fix((ONE, "second")))
    run(session, "fix 2", capsys)
    assert inserted == ["second"]
    for number in ("3", "0", "-1", "x"):
        out = run(session, f"fix {number}", capsys)
        assert out == f"The last help has no fix `{number}`. It has:\n  1. Use new\n  2. Use new\n"
    assert inserted == ["second"]


def test_fix_never_applies_what_is_only_to_read(session: Session, inserted: list[str], capsys) -> None:
    assert run(session, "fix", capsys) == "There was no JAX error with help yet.\n"
    session.last = help_with()
    assert run(session, "fix", capsys) == "The last help has no fix that can be put into a cell.\n"
    shown = Fix("id", "Read", "display-only", edits=(CellEdit(ONE, "new"),), reason="two places match.")
    session.last = help_with(shown)
    assert run(session, "fix", capsys) == "Fix 1 is to read, not to apply: two places match.\n"
    assert inserted == []


def test_explain_takes_a_message_or_a_record(session: Session, capsys) -> None:
    assert "mapped axes" in run(session, f"explain {RECORD}", capsys)
    message = "vmap got inconsistent sizes for array axes to be mapped:\\n"
    assert "title" not in run(session, f"explain {message}", capsys)
    assert "needs an error message" in run(session, "explain", capsys)


def test_off_silences_and_on_brings_back_muted_records_too(session: Session, capsys) -> None:
    def helped() -> bool:
        session.shell.run_cell(FAILS, store_history=True)
        return "mapped axes differ" in capsys.readouterr().out

    assert helped()
    run(session, "off", capsys)
    assert not helped()
    assert "switched off" in run(session, "doctor", capsys)
    run(session, "on", capsys)
    assert helped()
    assert RECORD in run(session, f"mute {RECORD}", capsys)
    assert not helped()
    assert f"muted: {RECORD}" in run(session, "doctor", capsys)
    run(session, f"unmute {RECORD}", capsys)
    assert helped()
    run(session, f"mute {RECORD}", capsys)
    run(session, "on", capsys)
    assert helped()


def test_muting_asks_for_a_record_that_exists(session: Session, capsys) -> None:
    assert run(session, "mute no-such", capsys) == "There is no record `no-such`.\n"
    assert run(session, f"unmute {RECORD}", capsys) == f"The record `{RECORD}` is not muted.\n"
    assert "needs the name of a record" in run(session, "mute", capsys)
    assert "needs the name of a record" in run(session, "unmute", capsys)


def test_an_unknown_command_is_answered_with_the_usage(session: Session, capsys) -> None:
    out = run(session, "fixx 1", capsys)
    assert out.startswith("%jaxhelp has no `fixx`.")
    assert say("usage") in out


def test_doctor_reports_versions_state_and_faults(session: Session, capsys, monkeypatch) -> None:
    out = run(session, "doctor", capsys)
    assert re.search(r"versions: python 3\.\d+\.\d+, .*jax \d+\.\d+", out)
    for line in ("hook: on", "front end: terminal", "faults: none"):
        assert line in out.splitlines()
    assert re.search(r"^records: [1-9]", out, re.MULTILINE)

    def broken(*_: object) -> bool:
        raise RuntimeError("injected")

    monkeypatch.setattr("jax_nbhelp.shell.session.looks_like_jax", broken)
    session.shell.run_cell(FAILS, store_history=True)
    assert capsys.readouterr().out.count(say("fault", kind="RuntimeError")) == 1
    out = run(session, "doctor", capsys)
    assert "faults: 1" in out
    assert "injected" in out


def test_doctor_survives_a_broken_catalog(session: Session, capsys, monkeypatch) -> None:
    def broken() -> None:
        raise OSError("no folder")

    monkeypatch.setattr("jax_nbhelp.catalog.index.installed", broken)
    assert "records: they cannot be read: OSError('no folder')" in run(session, "doctor", capsys)


def test_new_begins_a_record_from_the_last_error(session: Session, capsys, tmp_path) -> None:
    from jax_nbhelp.catalog.load import read_file

    for cell in (
        "import jax, jax.numpy as jnp",
        "unused = 1",
        "x = jnp.ones(2)",
        "jax.vmap(jnp.add)(x, jnp.ones(3))",
    ):
        session.shell.run_cell(cell, store_history=True)
    capsys.readouterr()
    session.shell.run_cell(f"%jaxhelp new vmap/my-sizes {tmp_path}", store_history=True)
    out = capsys.readouterr().out
    path = tmp_path / "vmap" / "my-sizes.toml"
    assert out == f"{path}\nNow write what is marked TODO there.\n"
    (record,) = read_file(path)
    assert record.occurrences[0].qualname == "_mapped_axis_size"
    assert "got inconsistent sizes for array axes to be mapped" in record.occurrences[0].template
    assert [cell.strip() for cell in record.examples[0].broken] == [
        "import jax, jax.numpy as jnp",
        "x = jnp.ones(2)",
        "jax.vmap(jnp.add)(x, jnp.ones(3))",
    ]
    assert "is there already" in run(session, f"new vmap/my-sizes {tmp_path}", capsys)


def test_new_says_what_it_cannot_begin_from(session: Session, capsys, tmp_path) -> None:
    assert "needs an area and a name" in run(session, "new", capsys)
    session.shell.run_cell("{}['mine']", store_history=True)
    capsys.readouterr()
    assert "KeyError: is not an error of JAX's" in run(session, f"new a/b {tmp_path}", capsys)
    assert "write AREA/SLUG" in run(session, f"new ../b {tmp_path}", capsys)
    assert list(tmp_path.iterdir()) == []


def test_the_magic_goes_with_the_help_and_one_it_covered_comes_back(ipython: InteractiveShell) -> None:
    def own(line: str) -> str:
        return line

    magics = ipython.magics_manager.magics["line"]
    ipython.register_magic_function(own, "line", "jaxhelp")
    help_in_shell.load(ipython)
    assert magics["jaxhelp"] is not own
    assert "%jaxhelp fix" in (magics["jaxhelp"].__doc__ or "")
    help_in_shell.unload(ipython)
    assert magics.pop("jaxhelp") is own


def test_records_of_a_user_who_is_not_there_are_told(session: Session, capsys) -> None:
    assert "home" in run(session, "records ~nobody-of-this-name", capsys)


def test_records_adds_a_folder_and_lists_the_sources(session: Session, capsys, tmp_path) -> None:
    from jax_nbhelp.catalog import shelf

    text = (
        'id = "0123456789abcdef"\nslug = "ours"\narea = "mine"\ntitle = "t"\nproof = "source"\nreason = "r"\n'
        'cause = "c"\n[[occurrences]]\ntemplate = "the words of our workshop {x}"\n'
    )
    (tmp_path / "ours.toml").write_text(text)
    (tmp_path / "broken.toml").write_text("id = ")
    try:
        out = run(session, f"records {tmp_path}", capsys)
        assert out.startswith(
            f"records of {tmp_path} (added here): 1\n  {tmp_path / 'broken.toml'}: is not TOML"
        )
        assert "We mean" not in run(session, "explain the words of our workshop 3", capsys)
        listed = run(session, "records", capsys)
        assert re.match(r"records: [1-9]\d+\nrecords of .* \(added here\): 1\n", listed)
        assert "(added here): 1" in run(session, "doctor", capsys)
        assert "stay without help" in run(session, "mute ours", capsys)
        out = run(session, f"records {tmp_path / 'none'}", capsys)
        assert "(added here): 0\n" in out
        assert "there is no such folder" in out
    finally:
        shelf.forget()
        session.settings.muted.clear()

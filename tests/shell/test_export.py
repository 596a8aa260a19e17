"""`%jaxhelp export`: the session's errors with their causes and cures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import nbformat

from jax_nbhelp.shell.log import MAX_ENTRIES

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from jax_nbhelp.shell.session import Session

SETUP = "import jax, jax.numpy as jnp\na, b = jnp.ones((2, 3)), jnp.ones((2, 4))"
FAILS = "joined = jnp.concatenate([a, b])\njoined.shape"
CURED = "joined = jnp.concatenate([a, b], axis=1)\njoined.shape"


def ran(session: Session, *cells: str) -> None:
    for cell in cells:
        session.shell.run_cell(cell, store_history=True)


def run(session: Session, line: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    session.shell.run_line_magic("jaxhelp", line)
    return capsys.readouterr().out


def exported(session: Session, path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    run(session, f"export {path}", capsys)
    return path.read_text(encoding="utf-8")


def test_the_page_holds_error_cause_place_and_fix(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, FAILS)
    out = run(session, f"export {tmp_path / 'notes.md'}", capsys)
    assert out == f"{tmp_path / 'notes.md'}: 1 errors with their causes and cures.\n"
    page = (tmp_path / "notes.md").read_text(encoding="utf-8")
    order = [
        "# JAX errors of this session",
        "## ",
        "```text\nTypeError: Cannot concatenate arrays with shapes",
        "line 1:",
        "```python\njoined = jnp.concatenate([a, b])",
        "- `a`: float32[2, 3]",
        "**Fix:**",
        "```diff\n- joined = jnp.concatenate([a, b])\n+ joined = jnp.concatenate([a, b], axis=1)",
        "*Not cured yet.*",
        "](https://docs.jax.dev/",
    ]
    places = [page.index(part) for part in order]
    assert places == sorted(places)


def test_a_cure_is_noted_when_the_cell_runs(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, FAILS, CURED)
    assert "*The cell ran after this change.*" in exported(session, tmp_path / "same.md", capsys)


def test_another_cure_than_ours_is_shown(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, FAILS, "joined = jnp.concatenate([a, b[:, :3]])\njoined.shape")
    page = exported(session, tmp_path / "other.md", capsys)
    assert (
        "**What cured it:**\n\n```diff\n- joined = jnp.concatenate([a, b])\n+ joined = jnp.concatenate([a, b[:, :3]])"
        in page
    )


def test_a_cell_that_runs_unchanged_was_cured_elsewhere(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, FAILS, "b = jnp.ones((2, 3))", FAILS)
    assert "something before it had changed" in exported(session, tmp_path / "elsewhere.md", capsys)


def test_an_error_met_again_is_counted(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, FAILS, FAILS, FAILS)
    page = exported(session, tmp_path / "again.md", capsys)
    assert "Met 3 times." in page
    assert page.count("\n## ") == 1


def test_the_notebook_holds_the_cured_cell_and_is_valid(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, FAILS, CURED)
    run(session, f"export {tmp_path / 'notes.ipynb'}", capsys)
    notebook = nbformat.read(tmp_path / "notes.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "markdown", "code"]
    assert notebook.cells[2].source == CURED
    assert "Cannot concatenate" in notebook.cells[1].source


def test_secrets_stay_behind(session: Session, capsys, tmp_path: Path) -> None:
    secret = "api_key = 'abc123'\nlogin = 'https://me:hunter2@example.org'\n"
    ran(session, SETUP, secret + FAILS, secret + CURED.replace("[a, b]", "(a, b)"))
    for name in ("secret.md", "secret.ipynb"):
        page = exported(session, tmp_path / name, capsys)
        assert "abc123" not in page
        assert "hunter2" not in page
        assert "concatenate((a, b)" in page


def test_in_class_mode_what_was_not_opened_is_not_written(session: Session, capsys, tmp_path: Path) -> None:
    session.settings.mode = "class"
    ran(session, SETUP, FAILS)
    page = exported(session, tmp_path / "locked.md", capsys)
    assert "Cannot concatenate" in page
    assert "axis=1" not in page
    assert "**Fix:**" not in page
    for _ in range(4):
        run(session, "next", capsys)
    assert "**Fix:**" in exported(session, tmp_path / "open.md", capsys)


def test_nothing_is_overwritten_and_bad_names_are_told(session: Session, capsys, tmp_path: Path) -> None:
    assert "nothing to write" in run(session, f"export {tmp_path / 'a.md'}", capsys)
    ran(session, SETUP, FAILS)
    (tmp_path / "a.md").write_text("mine")
    assert "is there already" in run(session, f"export {tmp_path / 'a.md'}", capsys)
    assert (tmp_path / "a.md").read_text() == "mine"
    assert "ends in .md or .ipynb" in run(session, f"export {tmp_path / 'a.txt'}", capsys)
    assert "cannot be written: No such file" in run(session, f"export {tmp_path / 'no' / 'a.md'}", capsys)
    assert "cannot be written" in run(session, "export ~nobody-of-this-name/a.md", capsys)
    assert "cannot be written" in run(session, f"export {tmp_path}/a\0.md", capsys)
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere.md")
    assert "is there already" in run(session, f"export {tmp_path / 'link.md'}", capsys)
    assert not (tmp_path / "elsewhere.md").exists()


def test_words_of_markdown_in_messages_mean_nothing(session: Session, capsys, tmp_path: Path) -> None:
    ran(session, SETUP, "x = jnp.ones(3)\nx['```\\n# <b>']")
    page = exported(session, tmp_path / "hostile.md", capsys)
    fences = re.findall(r"^`{3,}", page, re.MULTILINE)
    assert len(fences) % 2 == 0
    assert "\n# <b>" not in re.sub(r"^(`{3,})\w*\n.*?^\1$", "", page, flags=re.MULTILINE | re.DOTALL)


def test_the_log_does_not_grow_without_end(session: Session, capsys) -> None:
    ran(session, SETUP)
    for number in range(MAX_ENTRIES + 5):
        ran(session, f"jnp.ones(3)['{number}']")
    assert len(session.log.entries) == MAX_ENTRIES
    assert f"'{MAX_ENTRIES + 4}'" in session.log.entries[-1].help.where.source

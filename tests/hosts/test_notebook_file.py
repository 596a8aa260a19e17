"""Notebook files: what is not touched survives, and what cannot be used is said in one line."""

from __future__ import annotations

import json
import os

import pytest

from jax_nbhelp.hosts.notebook_file import NotebookError, NotebookFile, Output


def cell(source, kind="code", **more):
    own = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": more.pop("id", "a1"), "metadata": {}, "source": source, **own, **more}


def write(path, cells, indent=1, **top):
    content = {
        "cells": cells,
        "metadata": {"zebra": 1, "apple": 2},
        "nbformat": 4,
        "nbformat_minor": 5,
        **top,
    }
    path.write_text(json.dumps(content, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path):
    picture = {"picture.png": {"image/png": "aGVsbG8="}}
    cells = [
        cell(["# Größe\n", "![](attachment:picture.png)"], "markdown", id="m1", attachments=picture),
        cell(
            ["x = 1\n", "y = 2"], id="c1", metadata={"tags": ["raises-exception"], "mine": {"b": 1, "a": 2}}
        ),
        cell("z = 3", id="c2", outputs=[{"output_type": "stream", "name": "stdout", "text": "kept"}]),
    ]
    return write(tmp_path / "n.ipynb", cells)


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_a_change_touches_only_its_cell_and_keeps_the_files_formatting(path, indent):
    content = json.loads(path.read_text(encoding="utf-8"))
    write(path, content["cells"], indent)
    before = path.read_text(encoding="utf-8")
    notebook = NotebookFile(path)
    after = notebook.changed({1: "x = 1\ny = 20"}, {})
    assert after == before.replace("y = 2", "y = 20")


def test_without_a_change_the_text_is_the_files_own(path):
    path.write_text(
        path.read_text(encoding="utf-8").replace('"zebra": 1,', '"zebra":   1,'), encoding="utf-8"
    )
    assert NotebookFile(path).changed({}, {}) == path.read_text(encoding="utf-8")


def test_a_source_keeps_its_form(path):
    notebook = NotebookFile(path)
    content = json.loads(notebook.changed({1: "a\nb", 2: "c\nd"}, {}))
    assert content["cells"][1]["source"] == ["a\n", "b"]
    assert content["cells"][2]["source"] == "c\nd"


def test_outputs_of_a_changed_cell_are_those_of_its_run(path):
    new = [{"output_type": "stream", "name": "stdout", "text": "new"}]
    content = json.loads(NotebookFile(path).changed({2: "z = 4"}, {2: Output(7, new)}))
    assert content["cells"][2]["outputs"] == new
    assert content["cells"][2]["execution_count"] == 7
    assert content["cells"][0]["attachments"] == {"picture.png": {"image/png": "aGVsbG8="}}


def test_code_cells_know_their_index_and_whether_they_may_raise(path):
    assert [(c.index, c.source, c.may_raise) for c in NotebookFile(path).code_cells()] == [
        (1, "x = 1\ny = 2", True),
        (2, "z = 3", False),
    ]


def test_writing_keeps_a_backup_and_the_permissions(path):
    path.chmod(0o640)
    before = path.read_text(encoding="utf-8")
    notebook = NotebookFile(path)
    notebook.write("{}", path, backup=True)
    assert path.read_text(encoding="utf-8") == "{}"
    assert path.with_name("n.ipynb.bak").read_text(encoding="utf-8") == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in path.parent.iterdir()) == ["n.ipynb", "n.ipynb.bak"]


def test_a_write_that_fails_leaves_the_file_and_no_litter(path, monkeypatch):
    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr(os, "fdopen", lambda *_a, **_k: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(NotebookError, match="cannot be written: disk full"):
        NotebookFile(path).write("{}", path)
    assert path.read_text(encoding="utf-8") == before
    assert [one.name for one in path.parent.iterdir()] == ["n.ipynb"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"not json", "is not JSON"),
        (b"\xff\xfe", "cannot be read"),
        (b"[1, 2]", "holds no object"),
        (b'{"nbformat": 3, "worksheets": []}', "not a notebook of format 4"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "not a valid notebook"),
        (
            b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}',
            "not a valid notebook",
        ),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [7]}', "not a valid notebook"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 7}', "not a valid notebook"),
    ],
)
def test_what_is_not_a_notebook_is_said_in_one_line_with_the_files_name(tmp_path, content, complaint):
    path = tmp_path / "bad.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError, match=complaint) as caught:
        NotebookFile(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(NotebookError, match="there is no such file"):
        NotebookFile(tmp_path / "none.ipynb")

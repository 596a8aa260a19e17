"""`jax-nbhelp records new`, run as its user runs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from jax_nbhelp.catalog.load import read_file

FAILS = "jnp.sum(jnp.ones(2), axis=3)"
CELLS = ["import jax.numpy as jnp", "unused = 1", FAILS, "jnp.dot(jnp.ones(2), jnp.ones(3))"]


def new(*arguments, cwd, slug="mine"):
    command = [
        sys.executable,
        "-m",
        "jax_nbhelp",
        "records",
        "new",
        "--area",
        "a",
        "--slug",
        slug,
        "--folder",
        "r",
    ]
    ran = subprocess.run(
        [*command, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def files(tmp_path):
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{n}",
            "metadata": {},
            "outputs": [],
            "source": text,
        }
        for n, text in enumerate(CELLS)
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "n.py").write_text("\n# %% a cell\n".join(CELLS))
    return tmp_path


@pytest.mark.parametrize("name", ["n.py", "n.ipynb"])
def test_a_record_is_begun_from_the_first_error(files, name):
    code, out, err = new("--from", name, cwd=files)
    assert (code, err) == (0, "")
    assert "r/a/mine.toml\nValueError, raised in jax/_src/util.py canonicalize_axis\naxis {axis} is" in out
    (record,) = read_file(files / "r" / "a" / "mine.toml")
    assert record.examples[0].broken == ("import jax.numpy as jnp", FAILS)
    code, _, err = new("--from", name, cwd=files)
    assert code == 1
    assert "is there already" in err


@pytest.mark.parametrize("name", ["n.py", "n.ipynb"])
def test_a_cell_may_be_chosen(files, name):
    code, _, _ = new("--from", name, "--cell", 3, cwd=files)
    assert code == 0
    (record,) = read_file(files / "r" / "a" / "mine.toml")
    assert record.examples[0].broken == (CELLS[0], CELLS[3])
    code, _, err = new("--from", name, "--cell", 1, cwd=files, slug="other")
    assert (code, "does not fail" in err) == (1, True)
    code, _, err = new("--from", name, "--cell", 9, cwd=files, slug="other")
    assert (code, "has no code cell 9; it has 0, 1, 2, 3" in err) == (2, True)


def test_what_cannot_be_begun_from_is_named(tmp_path):
    (tmp_path / "fine.py").write_text("x = 1")
    (tmp_path / "mine.py").write_text("raise ValueError('mine')")
    (tmp_path / "ends.py").write_text("import os\nos._exit(3)")
    (tmp_path / "long.py").write_text("import time\ntime.sleep(60)")
    (tmp_path / "no.ipynb").write_text("{}")
    for name, code, text in (
        ("fine.py", 1, "it does not fail"),
        ("mine.py", 1, "ValueError: is not an error of JAX's: mine"),
        ("ends.py", 1, "the process ended with code 3"),
        ("long.py", 1, "it ran longer than 3 s; allow more with --timeout"),
        ("no.ipynb", 2, "is not a notebook"),
        ("none.py", 2, "none.py: cannot be read"),
    ):
        found = new("--from", name, "--timeout", 3 if name == "long.py" else 100, cwd=tmp_path)
        assert (found[0], text in found[2], found[2].count("\n")) == (code, True, 1), found
    assert not (tmp_path / "r").exists()
    code, _, err = new("--from", "fine.py", cwd=tmp_path, slug="../x")
    assert (code, "write AREA/SLUG" in err) == (2, True)

"""`jax-nbhelp records coverage`, run as its user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RECORDS = Path(__file__).parents[2] / "records"
API = """
def f(x):
  if x.ndim != 2:
    raise ValueError(f'f needs two axes, got {x.ndim}')
def g(x):
  raise TypeError('g is not for you')
"""
RECORD = """
id = "0123456789abcdef"
slug = "f-needs-two-axes"
area = "shapes"
title = "t"
proof = "run"
reviewed = true
cause = "c"
[[occurrences]]
template = "f needs two axes, got {n}"
file = "jax/api.py"
qualname = "f"
"""


def coverage(*arguments):
    ran = subprocess.run(
        [sys.executable, "-m", "jax_nbhelp", "records", "coverage", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def made(tmp_path):
    def write(name, api):
        package = tmp_path / name / "jax"
        package.mkdir(parents=True)
        (package / "version.py").write_text(f"_version = '{name}'\n")
        (package / "api.py").write_text(api)
        return tmp_path / name

    records = tmp_path / "records"
    records.mkdir()
    (records / "r.toml").write_text(RECORD)
    return write, records


def test_it_counts_and_proposes(made):
    write, records = made
    code, out, err = coverage("--jax-source", write("1.0", API), "--folder", records)
    assert (code, err) == (0, "")
    assert out.startswith("JAX 1.0: 2 raise sites in 2 files; 1 records.\nKnown at their own place 1,")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line[:1].isupper()}
    assert rows["ValueError"] == ["1", "1", "0", "0", "0", "0", "100.0%"]
    assert rows["TypeError"] == ["1", "0", "0", "0", "0", "1", "0.0%"]
    assert "jax/api.py g:6  TypeError  (calls in between: 0)\n           g is not for you" in out
    assert "f needs" not in out


def test_json_holds_every_site(made):
    write, records = made
    code, out, _ = coverage("--jax-source", write("1.0", API), "--folder", records, "--json")
    found = json.loads(out)
    assert (code, found["jax"], found["all"]["known"]) == (0, "1.0", 1)
    first, second = found["sites"]
    assert (first["state"], first["records"], first["reach"]) == ("known", ["f-needs-two-axes"], None)
    assert (second["state"], second["reach"]) == ("call", {"steps": 0, "weight": 1.0})


def test_two_releases_are_compared_by_record(made):
    write, records = made
    new = API.replace("two axes, got", "exactly two axes, not").replace("TypeError", "ValueError")
    arguments = ["--jax-source", write("1.0", API), "--against", write("2.0", new), "--folder", records]
    code, out, _ = coverage(*arguments)
    assert code == 0
    assert out.startswith("JAX 1.0 (2 raise sites) → 2.0 (2)\n")
    assert "No longer recognised, write an occurrence with the new words: 1\n" in out
    assert "+ jax/api.py f ValueError: f needs exactly two axes, not {x_ndim}" in out or "not {ndim}" in out
    assert "Records that recognise no raise site of 2.0: f-needs-two-axes" in out
    found = json.loads(coverage(*arguments, "--json")[1])
    assert found["counts"]["class changed"] == found["counts"]["text edited"] == 1
    assert found["records"] == {"text edited": ["f-needs-two-axes"]}
    assert found["vanished"] == ["f-needs-two-axes"]


def test_what_cannot_be_used_is_exit_code_2(made, tmp_path):
    write, records = made
    code, _, err = coverage("--jax-source", tmp_path, "--folder", records)
    assert code == 2
    assert "holds no JAX" in err
    code, _, err = coverage("--jax-source", write("1.0", API), "--folder", tmp_path / "none")
    assert code == 2
    assert "is not a folder" in err
    code, _, err = coverage("--jax-source", write("2.0", "def f(:"), "--folder", records)
    assert code == 2
    assert "1 files cannot be read by Python" in err


def test_the_installed_jax_is_read_by_default():
    code, out, _ = coverage("--folder", RECORDS, "--top", "1", "--area", "numpy")
    assert code == 0
    assert "\nnumpy: " in out
    assert "\nlax: " not in out

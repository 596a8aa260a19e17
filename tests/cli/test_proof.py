"""`jax-nbhelp records check` and `verified`, run on real records and the real JAX of this environment."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kernel  # slow as one: JAX is imported in a process of its own

RECORDS = Path(__file__).parents[2] / "records"
RELEASE = importlib.metadata.version("jax")
SLUG = "vmap-rank"


@pytest.fixture
def place(tmp_path):
    """A folder with two records, pins that name this JAX, and this environment under the pins' name."""
    for slug in (SLUG, "vmap-nothing-mapped"):
        (tmp_path / "records" / "vmap").mkdir(parents=True, exist_ok=True)
        shutil.copy(RECORDS / "vmap" / f"{slug}.toml", tmp_path / "records" / "vmap")
    (tmp_path / "pins").mkdir()
    (tmp_path / "pins" / "here.txt").write_text(f"# Python 3\njax=={RELEASE}\n")
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "here").symlink_to(sys.prefix)
    return tmp_path


def records(*arguments, cwd):
    command = [sys.executable, "-m", "jax_nbhelp", "records", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def over_releases(place, *more):
    options = ["--folder", "records", "--envs", "envs", "--pins", "pins", "--jax", RELEASE]
    return records("check", *options, *more, cwd=place)


def test_the_table_is_made_checked_and_not_made_twice(place):
    assert records("verified", "--folder", "records", cwd=place)[0] == 1
    code, out, _ = over_releases(place)
    assert (code, "2 records" in out) == (0, True)
    table = (place / "records" / "VERIFIED.md").read_text()
    assert f"vmap/{SLUG}" in table
    assert records("verified", "--folder", "records", cwd=place)[0] == 0
    path = place / "records" / "vmap" / f"{SLUG}.toml"
    path.write_text(path.read_text() + "\n# another text\n")
    code, _, err = records("verified", "--folder", "records", cwd=place)
    assert code == 1
    assert "another text of the record" in err
    assert over_releases(place)[0] == 0  # resumes: only the changed one is run again
    assert records("verified", "--folder", "records", cwd=place)[0] == 0


def test_a_wrong_expectation_fails_and_stays_in_the_table(place):
    path = place / "records" / "vmap" / f"{SLUG}.toml"
    path.write_text(
        path.read_text().replace(
            "assert moved.tolist() == [[0.5, 1.0]", "assert moved.tolist() == [[9.5, 1.0]"
        )
    )
    code, _, err = over_releases(place)
    assert code == 1
    assert f"{SLUG}#0 on JAX {RELEASE}: FAILS" in err
    assert "| FAILS |" in (place / "records" / "VERIFIED.md").read_text()
    assert "FAILS on JAX" in records("verified", "--folder", "records", cwd=place)[2]


def test_what_another_release_proves_is_left_out_but_the_first_of_each_area(place):
    path = place / "records" / "vmap" / f"{SLUG}.toml"
    options = ("--folder", "records", "--json", "--unlike", "99")

    def proven():
        code, out, err = records("check", *options, cwd=place)
        assert code == 0, err
        return {json.loads(line)["slug"] for line in out.splitlines()}

    assert proven() == {"vmap-nothing-mapped"}
    path.write_text(path.read_text().replace('jax         = ">=0.7"', 'jax         = ">=0.7,<98"'))
    assert proven() == {"vmap-nothing-mapped", SLUG}


def test_verdicts_as_lines_of_json(place):
    code, out, _ = records("check", "--folder", "records", "--json", SLUG, cwd=place)
    assert code == 0
    verdicts = [json.loads(line) for line in out.splitlines()]
    assert {one["slug"] for one in verdicts} == {SLUG}
    assert {one["outcome"] for one in verdicts} == {"raises and is cured"}


def test_a_release_that_cannot_be_installed_is_one_clear_line(place):
    (place / "pins" / "gone.txt").write_text("# Python 9.9\njax==9.9.9\n")
    code, _, err = records(
        "check", "--folder", "records", "--envs", "envs", "--pins", "pins", "--jax", "9.9.9", cwd=place
    )
    assert code == 1
    assert "Python 9.9 is missing" in err.splitlines()[-1]

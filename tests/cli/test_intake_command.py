"""`jax-nbhelp records import`, run as its user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SEEDS = sorted((Path(__file__).parents[1] / "data").glob("*.json"))


def take(*arguments, cwd):
    ran = subprocess.run(
        [sys.executable, "-m", "jax_nbhelp", "records", "import", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_the_seeds_are_taken_once(tmp_path):
    code, out, err = take(*SEEDS, "--into", "drafts", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert out == "2 entries: 2 written to drafts, 0 there already, 0 not taken\n"
    code, out, _ = take(*SEEDS, "--into", "drafts", cwd=tmp_path)
    assert (code, out) == (0, "2 entries: 0 written to drafts, 2 there already, 0 not taken\n")
    linted = subprocess.run(
        [sys.executable, "-m", "jax_nbhelp", "records", "lint", "--folder", "drafts"],
        cwd=tmp_path,
        check=False,
    )
    assert linted.returncode == 0


def test_thousands_are_taken_and_the_broken_ones_named(tmp_path):
    entries = [
        {
            "id": f"{n:016x}",
            "slug": f"w-{n}",
            "errorMessage": f"wording {n} of the dataset",
            "filePath": "jax/_src/a.py",
        }
        for n in range(3000)
    ]
    entries[7]["id"] = "no id"
    (tmp_path / "all.json").write_text(json.dumps(entries))
    (tmp_path / "broken.json").write_text("{")
    code, out, err = take("broken.json", "none.json", "all.json", "--into", "drafts", cwd=tmp_path)
    assert code == 1
    assert out == "3002 entries: 2999 written to drafts, 0 there already, 3 not taken\n"
    assert [line.split(": ")[0] for line in err.splitlines()] == ["broken.json", "none.json", "all.json"]
    assert "all.json: [7]: id: must be 16 hex digits" in err
    assert len(list((tmp_path / "drafts" / "a").iterdir())) == 2999


def test_where_nothing_can_be_used_the_exit_code_is_2(tmp_path):
    code, _, err = take("none.json", "--into", "drafts", cwd=tmp_path)
    assert code == 2
    assert err == "none.json: there is no such file\n"
    (tmp_path / "file").write_text("")
    code, _, err = take(SEEDS[0], "--into", "file", cwd=tmp_path)
    assert code == 2
    assert "file: cannot be used" in err

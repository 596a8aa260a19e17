"""The dataset's entries become drafts, and nothing that is there changes."""

from __future__ import annotations

import json
from pathlib import Path

from jax_nbhelp.catalog.index import from_folder
from jax_nbhelp.catalog.intake import Intake, drafts_of
from jax_nbhelp.catalog.load import read_file, read_folder

SEEDS = sorted((Path(__file__).parents[1] / "data").glob("*.json"))


def entry(number, **rest):
    given = {"filePath": "jax/_src/lax/lax.py", "errorMessage": f"wording number {number} of {{x}}"}
    return {"id": f"{number:016x}", "slug": f"wording-{number}", **given, **rest}


def take(tmp_path, *entries, folder="drafts"):
    path = tmp_path / "given.json"
    path.write_text(json.dumps(entries))
    return [(one.outcome, one.detail) for one in Intake(tmp_path / folder).take(drafts_of(path))]


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_entry_becomes_a_draft_that_recognises_it(tmp_path):
    ((outcome, detail),) = take(tmp_path, entry(1))
    assert outcome == "written"
    assert detail == str(tmp_path / "drafts" / "lax" / "wording-1.toml")
    (record,) = read_file(Path(detail))
    assert not record.reviewed
    assert record.occurrences[0].template == "wording number 1 of {x}"
    assert len(from_folder(tmp_path / "drafts")) == 1


def test_a_second_run_does_nothing(tmp_path):
    take(tmp_path, *map(entry, range(20)))
    before = content(tmp_path / "drafts")
    assert {outcome for outcome, _ in take(tmp_path, *map(entry, range(20)))} == {"there"}
    assert content(tmp_path / "drafts") == before


def test_what_was_reviewed_or_edited_stays(tmp_path):
    take(tmp_path, entry(1))
    path = tmp_path / "drafts" / "lax" / "wording-1.toml"
    path.write_text(
        path.read_text().replace("reviewed = false", "reviewed = true").replace("wording number", "other")
    )
    moved = path.rename(tmp_path / "drafts" / "elsewhere.toml")
    before = content(tmp_path / "drafts")
    assert take(tmp_path, entry(1, documentation="newer")) == [("there", "wording-1")]
    assert content(tmp_path / "drafts") == before
    assert moved.exists()


def test_a_slug_that_another_record_has_gets_a_slug_of_its_own(tmp_path):
    entries = [entry(1), entry(2, slug="wording-1")]
    assert [Path(detail).stem for _, detail in take(tmp_path, *entries)] == [
        "wording-1",
        "wording-1-00000000",
    ]
    assert {outcome for outcome, _ in take(tmp_path, *reversed(entries))} == {"there"}
    assert len(read_folder(tmp_path / "drafts")[0]) == 2


def test_another_file_is_not_overwritten(tmp_path):
    path = tmp_path / "drafts" / "lax" / "wording-1.toml"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    ((outcome, detail),) = take(tmp_path, entry(1))
    assert outcome == "refused"
    assert detail == f"{path}: is there and is no record of this id; move it away"
    assert path.read_text() == "mine"


def test_no_entry_leaves_the_folder(tmp_path):
    entries = [
        entry(1, filePath="jax/../../../etc/x.py"),
        entry(2, filePath="/etc/passwd"),
        entry(3, filePath="C:\\x\\y.py"),
        entry(4, slug="../x"),
    ]
    outcomes = [outcome for outcome, _ in take(tmp_path, *entries)]
    assert outcomes == ["written", "refused", "written", "refused"]
    assert {path.parents[1] for path in (tmp_path / "drafts").rglob("*.toml")} == {tmp_path / "drafts"}


def test_what_cannot_be_taken_is_named_and_stops_nothing(tmp_path):
    bad = [
        3,
        {"record": None},
        entry(1, errorMessage=None),
        entry(2, errorMessage="{a}"),
        entry(3, errorMessage="a {b}", filePath=None),
        entry(4, documentation="\ud800"),
        entry(5, slug="x" * 300),
        entry(6, tags=3),
        entry(7, errorMessage="at 0x7f00deadbeef lives {x}"),
    ]
    wanted = ["holds a number", "record: is", "errorMessage: is missing", "has no words", "needs_frame"]
    wanted += ["no file can", "cannot be written", "tags: write a list", "holds an address"]
    found = take(tmp_path, *bad, entry(9))
    assert [outcome for outcome, _ in found] == ["refused"] * len(bad) + ["written"]
    for (_, detail), text in zip(found, wanted, strict=False):
        assert text in detail
    assert found[0][1].startswith(f"{tmp_path / 'given.json'}: [0]: ")


def test_a_hostile_pattern_is_never_run(tmp_path):
    hostile = ["(a+)+" * 50 + "$", "(?:x(?=y))*" * 100, "[" * 5000, "(.+?)" * 2000, "\\"]
    found = take(tmp_path, *(entry(n, messagePattern=one) for n, one in enumerate(hostile)))
    assert {outcome for outcome, _ in found} == {"written"}
    records, errors = read_folder(tmp_path / "drafts")
    assert errors == []
    for record in records:
        assert "wording number" in record.occurrences[0].template


def test_the_seeds_are_taken_from_every_form(tmp_path):
    wrapped = [json.loads(path.read_text()) for path in SEEDS]
    lines = tmp_path / "lines.json"
    lines.write_text("\n".join(map(json.dumps, wrapped)) + "\n{broken\n")
    found = [one.outcome for one in Intake(tmp_path / "a").take(drafts_of(lines))]
    assert found == ["written", "written", "refused"]
    assert {outcome for outcome, _ in take(tmp_path, *(one["record"] for one in wrapped), folder="a")} == {
        "there"
    }

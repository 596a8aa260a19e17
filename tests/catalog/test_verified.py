"""The table of what running the records showed."""

from __future__ import annotations

import pytest

from jax_nbhelp.catalog.record import Occurrence, Record
from jax_nbhelp.catalog.verified import Table, complaints, digest, together


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vmap").mkdir()
    for slug in ("one", "two"):
        (tmp_path / "vmap" / f"{slug}.toml").write_text(f"slug = '{slug}'\n")
    return tmp_path


def record(slug):
    return Record("0" * 16, slug, "vmap", "t", "c", (Occurrence("m"),), reviewed=True)


def text(folder, slug):
    return digest(folder / "vmap" / f"{slug}.toml")


def table(folder, **outcomes):
    made = Table(folder)
    for slug, one in outcomes.items():
        for release, outcome in one.items():
            made.put(record(slug), text(folder, slug), release, outcome)
    made.write()
    return Table(folder)


CURED, NO_CURE, ABSENT = "raises and is cured", "raises, no cure", "does not raise there"


def test_what_is_written_is_read_again_and_releases_stand_in_order(folder):
    read = table(folder, two={"0.10.2": NO_CURE}, one={"0.7.2": CURED, "0.12.0.1": ABSENT, "0.10.2": CURED})
    assert read.releases == ["0.7.2", "0.10.2", "0.12.0.1"]
    assert read.known(record("one"), text(folder, "one"), "0.12.0.1") == ABSENT
    assert read.known(record("two"), text(folder, "two"), "0.10.2") == NO_CURE
    assert read.known(record("two"), text(folder, "two"), "0.7.2") is None
    before = read.path.read_bytes()
    read.write()
    assert read.path.read_bytes() == before


def test_a_row_counts_for_the_text_that_was_run_only(folder):
    read = table(folder, one={"0.7.2": CURED, "0.10.2": CURED})
    (folder / "vmap" / "one.toml").write_text("slug = 'one' # changed\n")
    assert read.known(record("one"), text(folder, "one"), "0.7.2") is None
    read.put(record("one"), text(folder, "one"), "0.10.2", NO_CURE)
    assert read.rows["one"].outcomes == {"0.10.2": NO_CURE}


def test_line_ends_make_no_other_text(folder):
    path = folder / "vmap" / "one.toml"
    before = digest(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert digest(path) == before


def test_a_translation_makes_no_other_text(folder):
    path = folder / "vmap" / "one.toml"
    before = digest(path)
    with path.open("a") as file:
        file.write("\n[translations.fr]\ntitle = 'un'\n\n[translations.fr.fixes.cure]\ntitle = 'deux'\n")
    assert digest(path) == before


@pytest.mark.parametrize("more", ["[[fixes]]\nid = 'cure'\n", "id = \n"])
def test_what_stands_behind_a_translation_counts(folder, more):
    path = folder / "vmap" / "one.toml"
    translated = path.read_text() + "\n[translations.fr]\ntitle = 'un'\n"
    path.write_text(translated)
    before = digest(path)
    path.write_text(translated + more)
    assert digest(path) != before


def test_code_that_looks_like_a_translation_counts(folder):
    path = folder / "vmap" / "one.toml"
    path.write_text('broken = """\n[translations.fr]\n"""\n')
    before = digest(path)
    path.write_text(path.read_text().replace("fr", "de"))
    assert digest(path) != before


def test_a_whole_table_has_no_complaint(folder):
    read = table(folder, one={"0.7.2": CURED}, two={"0.7.2": ABSENT})
    assert list(complaints(read, [record("one"), record("two")], folder)) == []


@pytest.mark.parametrize(
    ("outcomes", "records", "complaint"),
    [
        ({}, ["one"], "is missing or empty"),
        ({"one": {"0.7.2": CURED}}, ["one", "two"], "two: has no row"),
        ({"one": {"0.7.2": CURED}, "two": {"0.7.2": CURED}}, ["one"], "two: there is no such record"),
        ({"one": {"0.7.2": CURED, "0.10.2": "FAILS"}}, ["one"], "one: FAILS on JAX 0.10.2"),
        (
            {"one": {"0.7.2": CURED, "0.10.2": CURED}, "two": {"0.7.2": CURED}},
            ["one", "two"],
            "two: says nothing of JAX 0.10.2",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_remedy(folder, outcomes, records, complaint):
    (found,) = complaints(table(folder, **outcomes), [record(slug) for slug in records], folder)
    assert complaint in found
    assert str(folder) in found
    assert "records check --jax" in found or "no such record" in found


def test_a_changed_record_makes_its_row_stale(folder):
    read = table(folder, one={"0.7.2": CURED})
    (folder / "vmap" / "one.toml").write_text("slug = 'one' # changed\n")
    (found,) = complaints(read, [record("one")], folder)
    assert "another text of the record" in found


@pytest.mark.parametrize(
    ("outcomes", "wanted"),
    [
        ([CURED, NO_CURE], CURED),
        ([CURED, "FAILS"], "FAILS"),
        ([ABSENT, NO_CURE], NO_CURE),
        (["not reachable here", ABSENT], ABSENT),
    ],
)
def test_examples_together(outcomes, wanted):
    assert together(outcomes) == wanted

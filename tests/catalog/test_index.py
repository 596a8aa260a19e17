"""The catalog: compiled files say the same as the records they were made of."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jax_nbhelp.catalog.index import (
    BODIES,
    INDEX,
    build,
    from_build,
    from_folder,
    from_records,
    installed,
)
from jax_nbhelp.catalog.load import RecordError, read_folder
from jax_nbhelp.catalog.match import recognise
from jax_nbhelp.catalog.record import Occurrence, Record
from jax_nbhelp.catalog.template import compile_template, normalise

ROOT = Path(__file__).parents[2]
OWN = sorted((ROOT / "records").rglob("*.toml"))
SEEDS = ROOT / "tests" / "data"


def record(slug, *templates, **fields):
    occurrences = tuple(Occurrence(template) for template in templates)
    return Record("0" * 16, slug, "area", "title", "cause", occurrences, **fields)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    target = tmp_path_factory.mktemp("data")
    build(ROOT / "records", target)
    return target


def test_every_record_comes_back_whole_from_the_compiled_files(compiled, catalog):
    other = from_build(compiled)
    assert other.slugs() == catalog.slugs()
    for slug in catalog.slugs():
        assert other.record(slug) == catalog.record(slug)


def test_a_draft_comes_back_whole_from_the_compiled_files(tmp_path):
    build(SEEDS, tmp_path)
    before, after = from_folder(SEEDS), from_build(tmp_path)
    assert len(before) == 2
    for slug in before.slugs():
        assert after.record(slug) == before.record(slug)


def test_a_body_read_back_has_the_types_of_the_dataclasses(compiled):
    catalog = from_build(compiled)
    for slug in catalog.slugs():
        pending = [catalog.record(slug)]
        while pending:
            one = pending.pop()
            assert not isinstance(one, list)
            if dataclasses.is_dataclass(one):
                pending += [
                    getattr(one, field.name)
                    for field in dataclasses.fields(one)
                    if field.type not in ("Mapping[str, Any]", "Mapping[str, Mapping[str, Any]]")
                ]
            elif isinstance(one, tuple):
                pending += one


def test_the_compiled_files_match_what_the_records_match(compiled, catalog):
    other = from_build(compiled)
    for slug in catalog.slugs():
        for one in catalog.record(slug).occurrences:
            template = compile_template(one.template)
            message = template.fill({hole: f"<{hole}>" for hole in template.holes})
            found = recognise(message, catalog)
            assert found == recognise(message, other)
            # a bare message cannot tell who raised or what was called
            assert found is not None or one.innermost or one.calls_jax or one.raised_there


def test_a_body_is_read_when_it_is_asked_for_and_not_before(tmp_path, compiled):
    (tmp_path / INDEX).write_bytes((compiled / INDEX).read_bytes())
    catalog = from_build(tmp_path)  # no bodies there
    assert len(catalog) == len(OWN)
    with pytest.raises(FileNotFoundError):
        catalog.record(catalog.slugs()[0])


def test_the_index_is_small_beside_the_bodies(compiled):
    assert (compiled / INDEX).stat().st_size < (compiled / BODIES).stat().st_size / 2


def test_building_stops_at_a_record_that_cannot_be_read(tmp_path):
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "a.toml").write_text("id =")
    with pytest.raises(RecordError, match=r"a\.toml"):
        build(tmp_path / "records", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_building_twice_gives_equal_files(tmp_path):
    for name in ("one", "two"):
        build(ROOT / "records", tmp_path / name)
    for name in (INDEX, BODIES):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_retired_record_is_compiled_but_not_found(tmp_path):
    records, _ = read_folder(ROOT / "records")
    text = OWN[0].read_text().replace("reviewed = true", "reviewed = true\nretired = true")
    (tmp_path / "a.toml").write_text(text)
    build(tmp_path, tmp_path / "out")
    assert json.loads((tmp_path / "out" / BODIES).read_text())["retired"]
    for catalog in (from_folder(tmp_path), from_build(tmp_path / "out")):
        assert len(catalog) == 0
        assert records[0].slug not in catalog


def test_the_package_ships_the_projects_records(catalog):
    assert installed().slugs() == catalog.slugs()
    assert installed() is installed()


def test_the_projects_records_are_all_readable(catalog):
    assert catalog.complaints == []
    assert len(catalog) == len(OWN)


def test_a_template_that_cannot_be_used_is_a_complaint_and_stops_nothing():
    catalog = from_records([record("a", "lone { brace"), record("b", "a good template")])
    assert catalog.complaints == ["a: template: a lone { : write {{ for a brace, {name} for a hole"]
    assert recognise("a good template", catalog).slug == "b"


def test_an_unknown_slug_is_a_key_error():
    with pytest.raises(KeyError):
        from_records([]).record("nothing")


def test_complaints_of_the_folder_are_kept(tmp_path):
    (tmp_path / "a.toml").write_text("id =")
    (complaint,) = from_folder(tmp_path).complaints
    assert "a.toml" in complaint


def test_a_template_without_a_sure_word_is_still_found():
    catalog = from_records([record("a", "{x}: no {y} of {z}")])
    assert recognise("vmap: no axis of x", catalog).slug == "a"


def test_many_templates_that_share_their_words_are_all_found():
    texts = [
        f"shared {a} {b} words {{x}} end" for a in ("one", "two", "three") for b in ("four", "five", "six")
    ] * 5
    texts = [f"{text} {'again ' * n}" for n, text in enumerate(texts)]
    catalog = from_records([record(f"s-{n}", text) for n, text in enumerate(texts)])
    for number, text in enumerate(texts):
        message = normalise(text.replace("{x}", "of 3"))
        found = {
            entry.slug for entry in catalog.candidates(message) if entry.template.match(message) is not None
        }
        assert f"s-{number}" in found
        assert found == {
            f"s-{n}" for n, one in enumerate(texts) if compile_template(one).match(message) is not None
        }


def test_a_message_of_all_their_words_meets_only_the_records_that_begin_and_end_as_it_does():
    names = [f"name{number % 50} word{number % 70} term{number % 90}" for number in range(3_000)]
    catalog = from_records([record(f"s-{n}", f"of {text} got {{x}} bad") for n, text in enumerate(names)])
    message = " ".join(sorted({word for text in names for word in text.split()}))
    assert list(catalog.candidates(f"of {message} got 3 bad")) == []
    found = {entry.slug for entry in catalog.candidates(f"of {names[7]} {message} got 3 bad")}
    assert found == {f"s-{n}" for n in range(7, 3_000, 350)}


def test_templates_that_share_very_many_words_are_told_apart_without_deep_calls():
    shared = " ".join(f"word{number}" for number in range(1_500))
    catalog = from_records([record(f"s-{n}", f"{shared} end{n}") for n in range(20)])
    assert recognise(f"{shared} end7", catalog).slug == "s-7"


def test_the_candidates_come_in_one_order():
    texts = [f"{{x}} some words and {word} {{y}}" for word in ("one", "two", "six")] * 6
    catalog = from_records([record(f"s-{n}", text) for n, text in enumerate(texts)])
    found = [entry.slug for entry in catalog.candidates("a some words and six one two b")]
    assert found == [f"s-{n}" for n in [*range(1, 18, 3), *range(2, 18, 3), *range(0, 18, 3)]]


words = st.lists(
    st.sampled_from("add got shapes for axis size the of {a} {b} {c}".split()), min_size=1, max_size=8
)


@given(st.lists(words.map(" ".join), min_size=1, max_size=12, unique=True), st.data())
def test_every_template_that_matches_is_among_the_candidates(texts, data):
    catalog = from_records([record(f"s-{n}", text) for n, text in enumerate(texts)])
    template = compile_template(data.draw(st.sampled_from(texts)))
    message = normalise(
        template.fill({hole: data.draw(st.sampled_from(["x", "axis", "got the"])) for hole in template.holes})
    )
    wanted = {f"s-{n}" for n, text in enumerate(texts) if compile_template(text).match(message) is not None}
    found = [entry.slug for entry in catalog.candidates(message) if entry.template.match(message) is not None]
    assert sorted(found) == sorted(wanted)

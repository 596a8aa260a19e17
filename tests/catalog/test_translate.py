"""Records in another language."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import jax_nbhelp
from jax_nbhelp import phrases
from jax_nbhelp.catalog.body import record_from_json
from jax_nbhelp.catalog.load import from_mapping, read_folder
from jax_nbhelp.catalog.record import FixWords, HoleRule, Occurrence, Record, Rule, Translation
from jax_nbhelp.catalog.translate import translated
from jax_nbhelp.catalog.translation_lint import translation_complaints
from jax_nbhelp.catalog.write import to_toml

FRENCH = Translation(
    title="les axes de {a} diffèrent",
    title_plain="les axes diffèrent",
    cause="Une règle.",
    documentation="long",
    solutions=("ceci",),
    fixes={
        "cure": FixWords(
            "Mettre {axis}",
            "Mettre l'axe",
            labels={"axis": "l'axe"},
            reasons={"axis": {"-1": "le dernier axe"}},
        )
    },
)
RECORD = Record(
    id="0123456789abcdef",
    slug="a-record",
    area="vmap",
    title="the axes of {a} differ",
    title_plain="the axes differ",
    cause="A rule.",
    documentation="long",
    solutions=("this",),
    occurrences=(Occurrence("the axes {a} and {b} differ"),),
    fixes=(
        Rule(
            "cure",
            "Use {axis}",
            "maybe-incorrect",
            title_plain="Use the axis",
            holes={
                "axis": HoleRule(
                    "int",
                    "literal",
                    "the axis",
                    {"values": ["0", {"value": "-1", "reason": "the last axis"}]},
                )
            },
        ),
    ),
    translations={"fr": FRENCH},
)


def test_a_translated_record_says_its_words_and_keeps_its_code():
    french = translated(RECORD, "fr")
    assert (french.title, french.solutions, french.language) == (FRENCH.title, ("ceci",), "fr")
    assert french.fixes[0].title == "Mettre {axis}"
    assert french.fixes[0].holes["axis"] == replace(
        RECORD.fixes[0].holes["axis"],
        label="l'axe",
        options={"values": ["0", {"value": "-1", "reason": "le dernier axe"}]},
    )
    assert french.occurrences == RECORD.occurrences
    assert translated(RECORD, "en") is RECORD
    assert RECORD.language == "en"


def test_it_survives_the_index_and_the_file():
    assert record_from_json(json.loads(json.dumps(asdict(RECORD)))) == RECORD
    assert from_mapping(tomllib.loads(to_toml(RECORD)), "f") == RECORD


def changed(**fields):
    return replace(RECORD, translations={"fr": replace(FRENCH, **fields)})


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (
            replace(RECORD, translations={"xx": FRENCH}),
            "translations.xx: is no language of ours; write one of fr",
        ),
        (changed(title="les axes"), "translations.fr.title: names {a} in one language only"),
        (changed(title="les {axes"), "translations.fr.title: "),
        (changed(title_plain=""), "translations.fr.title_plain: stands in one language only"),
        (changed(avoid="rien"), "translations.fr.avoid: stands in one language only"),
        (changed(solutions=()), "translations.fr.solutions: stands in one language only"),
        (changed(fixes={}), "translations.fr.fixes: cure is not translated"),
        (
            changed(fixes={**FRENCH.fixes, "x": FRENCH.fixes["cure"]}),
            "translations.fr.fixes.x: there is no such fix",
        ),
        (
            changed(fixes={"cure": FixWords("Mettre {axis}", "Mettre")}),
            "fixes.cure.labels.axis: the fix has this hole",
        ),
        (
            changed(fixes={"cure": replace(FRENCH.fixes["cure"], reasons={})}),
            "fixes.cure.reasons.axis: gives a reason for -1 in one language only",
        ),
        (
            changed(fixes={"cure": replace(FRENCH.fixes["cure"], reasons={"axes": {"1": "car"}})}),
            "fixes.cure.reasons.axes: gives a reason for 1 in one language only",
        ),
        (
            changed(fixes={"cure": replace(FRENCH.fixes["cure"], why="car")}),
            "fixes.cure.why: stands in one language only",
        ),
    ],
)
def test_what_is_wrong_with_a_translation_is_said(record, complaint):
    assert list(translation_complaints(RECORD)) == []
    assert any(complaint in one for one in translation_complaints(record)), list(
        translation_complaints(record)
    )


@pytest.fixture
def french():
    phrases.choose("fr")
    yield
    phrases.choose(None)


def test_some_of_our_records_are_in_french_and_are_said_so(french):
    records, _ = read_folder(Path(__file__).parents[2] / "records")
    slugs = [record.slug for record in records if "fr" in record.translations]
    assert len(slugs) >= 6
    for slug in slugs:
        help_ = jax_nbhelp.explain(slug)
        assert help_.explanation.language == "fr"
        data, _ = help_._repr_mimebundle_()
        assert '<div class="jax-nbhelp" lang="fr">' in data["text/html"]


def test_a_record_without_a_translation_is_marked_as_english(french):
    page = jax_nbhelp.explain("vmap needs to be told")._repr_mimebundle_()[0]["text/html"]
    assert "Aucune fiche ne connaît ce message" in page
    records, _ = read_folder(Path(__file__).parents[2] / "records")
    slug = next(record.slug for record in records if not record.translations and record.reviewed)
    page = jax_nbhelp.explain(slug)._repr_mimebundle_()[0]["text/html"]
    assert '<b lang="en">' in page
    assert '<p class="nbh-cause" lang="en">' in page
    assert "Que faire" in page

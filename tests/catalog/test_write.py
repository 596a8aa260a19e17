"""A record written as TOML is read back as it was."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jax_nbhelp.catalog.load import from_dataset, from_mapping, read_file, read_folder
from jax_nbhelp.catalog.write import to_toml

ROOT = Path(__file__).parents[2]
SEEDS = sorted((ROOT / "tests" / "data").glob("*.json"))
ENTRY = {"id": "0123456789abcdef", "slug": "x-y", "errorMessage": "size {n} is odd"}


def again(record):
    return from_mapping(tomllib.loads(to_toml(record)), "f")


def test_every_record_of_the_project_survives():
    records, errors = read_folder(ROOT / "records")
    assert errors == []
    for record in records:
        assert again(record) == record


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_seed_survives_with_its_provenance(path):
    (record,) = read_file(path)
    assert again(record) == record
    assert record.provenance["sourceCode"] == json.loads(path.read_text())["record"]["sourceCode"]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.recursive(
    words | st.booleans() | st.integers() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(words, words, st.lists(words, max_size=2), st.dictionaries(words, values, max_size=3))
def test_any_text_and_any_provenance_survives(documentation, fix, tags, extra):
    entry = {**extra, **ENTRY, "documentation": documentation, "tags": tags}
    entry["exampleFix"] = f"# before\n{fix}x\n# after\n{fix}y"
    record = from_dataset(entry, "f")
    assert again(record) == record


def test_a_remark_stands_above_its_field():
    record = from_dataset(ENTRY, "f")
    text = to_toml(record, remarks={"cause": "TODO: say why"})
    assert "\n# TODO: say why\ncause = " in text
    assert from_mapping(tomllib.loads(text), "f") == record


def test_half_of_a_surrogate_pair_is_refused():
    with pytest.raises(UnicodeEncodeError):
        to_toml(replace(from_dataset(ENTRY, "f"), cause="\ud800"))

"""Reading records: every complaint names the file, the field and the remedy, and one bad file stops nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jax_nbhelp.catalog.lint import lint
from jax_nbhelp.catalog.load import RecordError, from_dataset, from_mapping, read_file, read_folder
from jax_nbhelp.catalog.template import compile_template, normalise

SEEDS = sorted((Path(__file__).parents[1] / "data").glob("*.json"))

GOOD = """
id       = "0123456789abcdef"
slug     = "a-record"
area     = "vmap"
title    = "what happens"
proof    = "run"
cause    = "why"

[[occurrences]]
template = "something {went} wrong"

[[fixes]]
id = "cure"
title = "Cure it"
applicability = "maybe-incorrect"

[[fixes.alternatives]]
[[fixes.alternatives.edits]]
at = "failing"
match = "f($X)"
rewrite = "g($X, ${axis})"
where = { X = { is = "name" } }

[fixes.holes.axis]
type = "int"
from = "literal"
values = ["0", "1"]
label = "the axis"

[[examples]]
broken = ["f(x)"]
fix = { id = "cure", holes = { axis = "0" } }
env = { JAX_ENABLE_X64 = 1 }
"""


def read(tmp_path, text, name="a-record.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (record,) = read_file(path)
    return record


def complaint(tmp_path, text, name="a-record.toml"):
    with pytest.raises(RecordError) as caught:
        read(tmp_path, text, name)
    return str(caught.value)


def test_a_record_is_read_whole(tmp_path):
    record = read(tmp_path, GOOD)
    assert record.slug == "a-record"
    assert record.repo == "jax-ml/jax"
    assert not record.reviewed
    assert record.occurrences[0].template == "something {went} wrong"
    (rule,) = record.fixes
    (edit,) = rule.alternatives[0]
    assert (edit.at, edit.match, edit.rewrite) == ("failing", "f($X)", "g($X, ${axis})")
    assert edit.where == {"X": {"is": "name"}}
    assert rule.holes["axis"].source == "literal"
    assert rule.holes["axis"].options == {"values": ["0", "1"]}
    assert record.examples[0].fix.holes == {"axis": "0"}
    assert record.examples[0].env == {"JAX_ENABLE_X64": "1"}


def test_text_blocks_lose_their_outer_line_breaks_only(tmp_path):
    text = GOOD.replace('"something {went} wrong"', "'''\n  a\n{b}\n'''")
    assert read(tmp_path, text).occurrences[0].template == "  a\n{b}"


@pytest.mark.parametrize("field", ["id", "slug", "area", "title", "cause", "proof"])
def test_a_missing_field_is_named_with_its_file(tmp_path, field):
    lines = [line for line in GOOD.splitlines() if not line.startswith(field + " ")]
    text = complaint(tmp_path, "\n".join(lines))
    assert "a-record.toml" in text
    assert f": {field}: is missing" in text


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('"why"', "3", ": cause: is a number; write a text in quotes"),
        ('proof    = "run"', 'proof = "yes"', ": proof: is 'yes'; write one of run, lower, source"),
        (
            '"maybe-incorrect"',
            '"safe"',
            ": fixes[0].applicability: is 'safe'; write one of machine-applicable",
        ),
        (
            '"failing"',
            '"everywhere"',
            ": fixes[0].alternatives[0].edits[0].at: is 'everywhere'; write one of",
        ),
        ('"int"', '"bool"', ": fixes[0].holes.axis.type: is 'bool'; write one of str, name, expr, int"),
        ('from = "literal"', "", ": fixes[0].holes.axis.from: is missing"),
        ('match = "f($X)"', "", ": fixes[0].alternatives[0].edits[0].match: is missing"),
        ('template = "something {went} wrong"', "", ": occurrences[0].template: is missing"),
        (
            'cause    = "why"',
            'cause = "why"\ncuase_plain = "x"',
            ": cuase_plain: is not a field here; remove it",
        ),
        (
            'at = "failing"',
            'at = "failing"\nunles = "x"',
            ": fixes[0].alternatives[0].edits[0].unles: is not a",
        ),
        (
            'area     = "vmap"',
            'area = "vmap"\nreviewed = "yes"',
            ": reviewed: is a text; write true or false",
        ),
        ('area     = "vmap"', 'area = "vmap"\ntags = [1]', ": tags: write a list of texts"),
        ('area     = "vmap"', 'area = "vmap"\nprovenance = 1', ": provenance: is a number; write a table"),
        ('"0123456789abcdef"', '"0123"', ": id: must be 16 hex digits"),
        ('"0123456789abcdef"', '"0123456789ABCDEF"', ": id: must be 16 hex digits"),
        ('"a-record"', '"A record"', ": slug: must be words of a-z and 0-9 joined by `-`"),
        ('rewrite = "g', 'as = "expr"\nrewrite = "g', ".as: is 'expr'; leave it out, or write"),
        ('where = { X = { is = "name" } }', "where = { X = 1 }", ".where.X: is a number; write a table"),
        ('fix = { id = "cure", holes', "fix = { holes", ": examples[0].fix.id: is missing"),
        (
            'fix = { id = "cure", holes',
            'fix = { id = "cure", hole',
            ": examples[0].fix.hole: is not a field here",
        ),
        (
            "[[fixes.alternatives]]",
            "[[fixes.alternatives]]\nedit = 1",
            ".alternatives[0].edit: is not a field here",
        ),
    ],
)
def test_a_wrong_field_is_named_with_what_to_write(tmp_path, old, new, wanted):
    assert GOOD.count(old) == 1
    text = complaint(tmp_path, GOOD.replace(old, new))
    assert text.startswith(str(tmp_path))
    assert wanted in text


def test_an_unknown_key_comes_with_the_known_ones(tmp_path):
    text = complaint(tmp_path, GOOD.replace("template =", "tmplate ="))
    assert "occurrences[0]" in text
    text = complaint(tmp_path, GOOD.replace("template =", 'qualnam = "f"\ntemplate ='))
    assert "qualname" in text


@pytest.mark.parametrize("text", ["occurrences = 1\n", "occurrences = [1]\n"])
def test_occurrences_of_the_wrong_kind_are_named(tmp_path, text):
    head = GOOD.split("[[occurrences]]", maxsplit=1)[0]
    assert ": occurrences" in complaint(tmp_path, head + text)


def test_a_record_without_occurrences_is_refused(tmp_path):
    assert ": occurrences: is empty" in complaint(tmp_path, GOOD.split("[[occurrences]]", maxsplit=1)[0])


def test_what_is_not_toml_is_named(tmp_path):
    text = complaint(tmp_path, "id = \n")
    assert "a-record.toml: is not TOML" in text


def test_what_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(RecordError, match=r"a\.toml: cannot be read .*UTF-8"):
        read_file(path)


def test_a_file_that_is_gone_is_named(tmp_path):
    with pytest.raises(RecordError, match=r"gone\.toml: cannot be read"):
        read_file(tmp_path / "gone.toml")


def test_a_broken_file_does_not_stop_the_folder(tmp_path):
    (tmp_path / "a.toml").write_text("id = ")
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "c.txt").write_text("not a record, not read")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.toml").write_text(GOOD)
    (tmp_path / "folder.toml").mkdir()
    records, errors = read_folder(tmp_path)
    assert [record.slug for record in records] == ["a-record"]
    assert [Path(str(error).split(": ")[0]).name for error in errors] == ["a.toml", "b.json"]


def test_records_come_in_the_order_of_their_slugs(tmp_path):
    (tmp_path / "1.toml").write_text(GOOD)
    (tmp_path / "2.toml").write_text(GOOD.replace('"a-record"', '"0-record"'))
    assert [record.slug for record in read_folder(tmp_path)[0]] == ["0-record", "a-record"]


# ---------------------------------------------------------------- the public dataset

ENTRY = {
    "id": "0123456789abcdef",
    "slug": "x-y",
    "errorMessage": "size {n} is not ${m} of %s",
    "schemaVersion": 2,
}


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_seed_is_accepted_verbatim_as_a_draft(path):
    (record,) = read_file(path)
    assert record.slug == path.stem
    assert not record.reviewed
    assert record.fixes == ()
    message = json.loads(path.read_text())["record"]["errorMessage"]
    assert compile_template(record.occurrences[0].template).match(normalise(message)) == {}
    assert record.provenance["lineNumber"] > 0
    assert record.provenance["datasetVersion"]


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_seeds_way_to_silence_the_error_is_dropped(path):
    (record,) = read_file(path)
    silenced = json.loads(path.read_text())["record"]["tryCatchPattern"]
    assert "tryCatchPattern" not in record.provenance
    assert repr(silenced)[1:-1] not in repr(record)


def test_there_are_two_seeds():
    assert len(SEEDS) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bare.json", json.dumps(ENTRY)),
        ("wrapped.json", json.dumps({"record": ENTRY, "datasetVersion": "v"})),
        ("array.json", json.dumps([ENTRY])),
        ("array-of-wrapped.json", json.dumps([{"record": ENTRY, "datasetVersion": "v"}])),
        ("lines.jsonl", json.dumps(ENTRY) + "\n\n"),
        (
            "strange-lines.jsonl",
            json.dumps({**ENTRY, "errorClass": "a\u2028b\x85"}, ensure_ascii=False) + "\r\n",
        ),
        ("wrapped-lines.jsonl", json.dumps({"record": ENTRY}) + "\n"),
    ],
)
def test_every_form_of_the_dataset_is_read(tmp_path, name, text):
    record = read(tmp_path, text, name)
    assert record.slug == "x-y"
    assert record.provenance["schemaVersion"] == 2
    assert ("datasetVersion" in record.provenance) == ("datasetVersion" in text)


@pytest.mark.parametrize(
    ("pattern", "message", "wanted"),
    [
        (r"size (.+?) is odd\.", "", "size {part0} is odd."),
        (r"(.+?) and (.+?)", "", "{part0} and {part1}"),
        (r"a (.+?)(.+?) b", "", "a {part0} b"),
        (r"f\(\{(.+?)\}\)", "", "f({{{part0}}})"),
        (r"size (.+?) is odd", "size {x.shape[0]} is odd", "size {x_shape_0} is odd"),
        (r"(.+?) and (.+?)", "{n} and {n}", "{n} and {n_}"),
        (r"no \\(.+?) \* end\\", "", r"no \{part0} * end" + "\\"),
        (r"ends badly\ ", "", "ends badly "),
        ("ends badly\\", "the message then", "the message then"),
        ("(a+)+" * 9 + "b", "the message then", "the message then"),
        ("x" * 20_000, "the message then", "the message then"),
        ("", "size {n} is odd", "size {n} is odd"),
        ("", "size ${n} is odd", "size {n} is odd"),
        ("", "size %s is %d", "size {part0} is {part1}"),
        ("", "{a}{b} end here", "{a} end here"),
        ("", "{a} {b} end here", "{a} end here"),
        (r"size \d+ is odd", "size {n} is odd", "size {n} is odd"),
        (r"size .* is odd", "size {n} is odd", "size {n} is odd"),
        (r"one|two", "one or two", "one or two"),
        (r"a.b", "a.b", "a.b"),
    ],
)
def test_a_pattern_of_the_dataset_becomes_a_template(pattern, message, wanted):
    record = from_dataset({**ENTRY, "messagePattern": pattern, "errorMessage": message or "m"}, "f")
    assert record.occurrences[0].template == wanted
    assert compile_template(wanted)


def test_a_short_pattern_needs_a_frame_as_a_witness():
    assert from_dataset({**ENTRY, "errorMessage": "bad axis"}, "f").occurrences[0].needs_frame


def test_a_draft_keeps_what_it_does_not_know():
    record = from_dataset({**ENTRY, "severity": "error", "nothing": None}, "f")
    assert record.provenance == {"severity": "error", "schemaVersion": 2}


def test_a_drafts_example_is_shown_as_before_and_after():
    record = from_dataset({**ENTRY, "exampleFix": "# before\nf(x)\n\n# after\ng(x)"}, "f")
    assert (record.examples[0].broken, record.examples[0].fixed) == (("f(x)",), ("g(x)",))


def test_braces_in_a_drafts_words_are_no_holes():
    record = from_dataset({**ENTRY, "solutions": ["write {'a': 1}"]}, "f")
    assert compile_template(record.cause).holes == ()


def test_braces_in_a_drafts_title_are_no_holes():
    record = from_dataset({**ENTRY, "errorMessage": "size {n} is odd"}, "f")
    assert compile_template(record.title).holes == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{", "is not JSON"),
        ("3", "holds a number"),
        ("[3]", "holds a number"),
        ('{"record": 3}', "record: is a number"),
        ('{"slug": "x"}', "errorMessage: is missing"),
        ('{"errorMessage": "m", "slug": "x"}', "id: is missing"),
        ('{"errorMessage": "m", "id": "x"}', "slug: is missing"),
        ('{"errorMessage": 3, "id": "x", "slug": "y"}', "errorMessage: is a number"),
        ('{"errorMessage": "", "id": "x", "slug": "y"}', "errorMessage"),
        ('{"errorMessage": "{a}{b}", "id": "x", "slug": "y"}', "errorMessage: has no words of its own"),
        ('{"errorMessage": "' + "m" * 10_001 + '", "id": "x", "slug": "y"}', "errorMessage: is longer than"),
        ("[" * 100_000, "is not JSON"),
        ('{"errorMessage": "m", "id": "0123456789abcdef", "slug": "../y"}', "slug: must be"),
    ],
)
def test_a_draft_that_cannot_be_read_is_named(tmp_path, text, wanted):
    text = complaint(tmp_path, text, "draft.json")
    assert text.startswith(str(tmp_path / "draft.json"))
    assert wanted in text


def test_a_draft_never_counts_as_reviewed_by_its_own_word():
    record = from_dataset({**ENTRY, "reviewed": True, "fixes": [{"id": "x"}]}, "f")
    assert not record.reviewed
    assert record.fixes == ()


def test_a_mapping_is_not_changed_by_reading_it():
    values = {
        "id": "0" * 16,
        "slug": "a",
        "area": "b",
        "title": "c",
        "proof": "run",
        "cause": "d",
        "occurrences": [{"template": "something else"}],
    }
    before = json.dumps(values)
    from_mapping(values, "f")
    assert json.dumps(values) == before


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_seed_passes_the_lint(path):
    (record,) = read_file(path)
    assert lint(record) == []

"""The lint of records: each fault gives one complaint, with the file, the field and the remedy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jax_nbhelp.catalog.lint import lint, lint_all, record_id
from jax_nbhelp.catalog.record import ExampleFix, Occurrence, Record, RecordExample, Rule

GOOD = Record(
    id="",
    slug="a-record",
    area="vmap",
    title="the axes differ",
    cause="One rule. Another rule, e.g. this.",
    occurrences=(
        Occurrence("the axes {a} and {b} differ", "ValueError", "jax/_src/api.py", "vmap", ">=0.7"),
    ),
    reviewed=True,
    proof="run",
    documentation="long",
    triggers=("this",),
    solutions=("that",),
    references=("https://docs.jax.dev/x",),
    fixes=(Rule("cure", "Cure it", "display-only"),),
    examples=(RecordExample(broken=("f(x)",)),),
)
GOOD = replace(GOOD, id=record_id(GOOD))
FIRST = GOOD.occurrences[0]


def changed(**fields):
    record = replace(GOOD, **fields)
    return record if "id" in fields else replace(record, id=record_id(record))


def occurring(**fields):
    return changed(occurrences=(replace(FIRST, **fields),))


def test_a_good_record_has_no_complaint():
    assert lint(GOOD) == []


def test_the_id_follows_the_datasets_rule():
    # sha256 of "repo \x01 message \x01 file", the first 16 hex digits; the seeds' ids are made so
    seed = Record(
        "",
        "s",
        "a",
        "t",
        "c",
        (Occurrence("Cannot `wait_send` on a local copy.", file="jax/_src/pallas/mosaic/primitives.py"),),
    )
    assert record_id(seed) == "aa2a2df405e40fd9"


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (changed(id="0" * 16), "id: write "),
        (occurring(template="a { b, which is long"), "occurrences[0].template: a lone {"),
        (
            occurring(template="ab {x}"),
            "occurrences[0].template: has under 8 literal characters; set needs_frame",
        ),
        (occurring(needs_frame=True, file=""), "occurrences[0].file: is missing"),
        (
            occurring(raised_there=True, file=""),
            "occurrences[0].raised_there: needs the file and the qualname",
        ),
        (occurring(template="at 0x7f33aa something else"), "occurrences[0].template: holds an address"),
        (occurring(template="JitTracer<float32[3]> is wrong"), "occurrences[0].template: holds an address"),
        (occurring(file="/usr/lib/jax/_src/api.py"), "occurrences[0].file: write it from the package on"),
        (occurring(file="lib/site-packages/jax/api.py"), "occurrences[0].file: write it from the package on"),
        (occurring(jax="new"), "occurrences[0].jax: 'new' is not a version specifier"),
        (occurring(jax="~=0.7"), "occurrences[0].jax: '~=0.7' is not a version specifier"),
        (occurring(jax=">=0.7rc1"), "occurrences[0].jax: '>=0.7rc1' is not a version specifier"),
        (changed(title="a { b"), "title: a lone {"),
        (changed(cause_plain="a } b"), "cause_plain: a lone }"),
        (changed(title="axis {axis}"), "title_plain: is missing"),
        (changed(cause="Axis {axis}."), "cause_plain: is missing"),
        (changed(cause="One. Two. Three. Four."), "cause: has more than 3 sentences"),
        (
            changed(
                cause="Here the sizes of all axes must be equal.",
                occurrences=(replace(FIRST, template="{x}: the sizes of all axes must agree"),),
            ),
            "cause: restates the message ('the sizes of all axes must')",
        ),
        (
            changed(cause="Here {b}.", occurrences=(replace(FIRST, template="the axes {a}\n{b} differ"),)),
            "cause: names {b}, beside which a template has another hole",
        ),
        (changed(cause="A residual is lost."), "cause: 'residual' is a word of the trade"),
        (changed(documentation=""), "documentation: is missing"),
        (changed(references=()), "references: is missing"),
        (changed(solutions=()), "solutions: is missing"),
        (changed(triggers=()), "triggers: is missing"),
        (
            changed(references=("http://docs.jax.dev",)),
            "references[0]: 'http://docs.jax.dev' is not an https",
        ),
        (
            changed(references=("javascript:alert(1)",)),
            "references[0]: 'javascript:alert(1)' is not an https",
        ),
        (changed(fixes=(*GOOD.fixes, *GOOD.fixes)), "fixes: the id 'cure' is used 2 times"),
        (changed(fixes=(Rule("cure", "t", "display-only", jax="x"),)), "fixes[0].jax: 'x' is not a version"),
        (changed(examples=()), "examples: is empty"),
        (
            changed(examples=(RecordExample(("f()",), ExampleFix("other"), expect="assert x"),)),
            "examples: name the fix 'other', which the record does not have",
        ),
        (changed(examples=(RecordExample(("f()",), ExampleFix("cure")),)), "examples[0].expect: must assert"),
        (
            changed(examples=(RecordExample(("f()",), fixed=("g()",), expect="x == 1"),)),
            "examples[0].expect: must",
        ),
        (
            changed(examples=(RecordExample(("f()",), fixed=("g()",), expect="assert ("),)),
            "examples[0].expect: must",
        ),
        (changed(proof="source"), "reason: is missing"),
    ],
)
def test_one_fault_gives_one_complaint(record, wanted):
    (complaint,) = lint(record)
    assert complaint.startswith(f"vmap/a-record.toml: {wanted}")


RULE = Rule("cure", "Cure it", "maybe-incorrect", why="It changes this.")


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, ["fixes[0].alternatives: is missing", "examples: none exercises the fix 'cure'"]),
        (
            {"why": ""},
            ["fixes[0].alternatives: is missing", "fixes[0].why: is missing", "examples: none exercises"],
        ),
    ],
)
def test_an_applied_fix_needs_its_pattern_its_why_and_an_example(fields, wanted):
    complaints = lint(changed(fixes=(replace(RULE, **fields),)))
    assert len(complaints) == len(wanted)
    assert all(
        one.startswith(f"vmap/a-record.toml: {text}") for one, text in zip(complaints, wanted, strict=True)
    )


def test_what_cannot_be_raised_here_offers_no_edit():
    complaints = lint(changed(proof="source", reason="needs a TPU", fixes=(RULE,)))
    assert any('a record with proof = "source" offers no edit' in one for one in complaints)


def test_a_hole_that_every_wording_catches_needs_no_plain_sentence():
    assert lint(changed(title="axes {a} and {b}")) == []


def test_a_hole_that_one_wording_lacks_needs_the_plain_sentence():
    record = changed(
        title="axes {a}", occurrences=(FIRST, replace(FIRST, template="the axes differ somehow"))
    )
    (complaint,) = lint(record)
    assert "title_plain: is missing" in complaint


def test_several_wordings_that_all_catch_a_hole_need_no_plain_sentence():
    record = changed(title="axes {a}", occurrences=(FIRST, replace(FIRST, template="axis {a} is different")))
    assert lint(record) == []


def test_a_draft_is_not_asked_for_the_words_of_a_review():
    assert (
        lint(replace(GOOD, id="0" * 16, reviewed=False, documentation="", references=(), examples=())) == []
    )


@pytest.mark.parametrize("field", ["slug", "id"])
def test_a_name_used_twice_is_a_complaint(field):
    other = replace(GOOD, slug="another", id="f" * 16, reviewed=False)
    assert lint_all([GOOD, other]) == []
    (complaint,) = lint_all([GOOD, replace(other, **{field: getattr(GOOD, field)})])
    assert complaint == f"{getattr(GOOD, field)}: {field}: is used 2 times; each is unique"


def test_a_broken_template_is_a_complaint_and_not_a_crash_of_the_other_checks():
    record = changed(title="axis {axis}", occurrences=(replace(FIRST, template="a { broken"),))
    assert len(lint(record)) == 2


def test_the_projects_records_pass(catalog):
    assert lint_all([catalog.record(slug) for slug in catalog.slugs()]) == []

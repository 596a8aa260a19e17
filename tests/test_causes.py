"""Explanations: the cause in the user's own terms, the place in the cell, what JAX saw there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jax_nbhelp.catalog.match import Match
from jax_nbhelp.catalog.record import Occurrence, Record, RecordExample
from jax_nbhelp.causes import explain_message, explain_record, fill
from jax_nbhelp.facts import facts

SETUP = "import jax, jax.numpy as jnp\n"

RECORD = Record(
    id="0" * 16,
    slug="a-record",
    area="a",
    title="axes of {name}",
    title_plain="axes",
    cause="Here {name} has {size}.",
    cause_plain="Here they differ.",
    occurrences=(Occurrence("m {name} {size}"),),
    reviewed=True,
    solutions=("do this",),
    avoid="not that",
    documentation="long",
    references=(
        "https://docs.jax.dev/1",
        "https://docs.jax.dev/2",
        "https://docs.jax.dev/3",
        "https://docs.jax.dev/4",
    ),
    examples=(RecordExample(broken=("f(x)",), fixed=("g(x)",)),),
)


def explained(scene, text, record=RECORD, confidence="exact", known=None, **more):
    one = scene(text, **more)
    match = Match(record.slug, record.occurrences[0], {}, confidence, 0)
    return explain_record(record, match, one.failure, one.spots, known or {}, "0.10.2")


# the same scenes as the engine's tests use
@pytest.fixture
def scene(monkeypatch):
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fixes"))
    from scene import Scene

    return Scene


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        ({"name": "`x`", "size": "3"}, "Here `x` has 3."),
        ({"name": "`x`"}, "Here they differ."),
        ({"name": "", "size": "3"}, "Here they differ."),
        ({}, "Here they differ."),
    ],
)
def test_a_sentence_whose_facts_are_missing_is_the_plain_one(known, wanted):
    assert fill(RECORD.cause, RECORD.cause_plain, known) == wanted


def test_without_a_plain_sentence_a_missing_fact_is_marked():
    assert fill("Here {name} is.", "", {}) == "Here … is."


def test_a_value_with_braces_is_no_hole():
    assert fill("Here {name}.", "", {"name": "{'a': {size}}"}) == "Here {'a': {size}}."


def test_a_sentence_stays_short_however_long_the_message(scene):
    text = fill("Here {name}.", "", {"name": "x" * 100_000})
    assert len(text) < 400
    assert text.endswith("….")


def test_the_line_is_shown_with_the_failing_expression_marked(scene):
    where = explained(scene, "a = 1\n  # c\ny = [«f(a)»]  # why\nz = 2").where
    assert (where.line, where.source) == (3, "y = [f(a)]  # why")
    assert where.source[where.start : where.end] == "f(a)"


def test_of_an_expression_over_several_lines_the_first_is_marked(scene):
    where = explained(scene, "y = «f(\n  a,\n)»").where
    assert where.source[where.start : where.end] == "f("


def test_without_columns_nothing_is_marked(scene):
    where = explained(scene, "y = f(a)", exact=False).where
    assert where.start == where.end


def test_a_cell_that_is_not_python_has_no_place(scene):
    assert explained(scene, "%%bash\n«ls»").where is None


def test_an_exact_match_brings_what_the_record_says(scene):
    one = explained(scene, "«f(x)»", known={"name": "`x`", "size": "3"})
    assert (one.title, one.cause) == ("axes of `x`", "Here `x` has 3.")
    assert (one.way_on, one.avoid, one.details) == (("do this",), "not that", "long")
    assert (one.example.broken, one.example.fixed) == (("f(x)",), ("g(x)",))
    assert not one.unverified
    assert len([link for link in one.links if "docs.jax.dev" in link.url]) == 3


def test_a_similar_match_never_brings_the_records_cause_as_its_own(scene):
    one = explained(scene, "«f(x)»", confidence="similar", known={"name": "`x`", "size": "3"})
    assert "Here `x` has 3." not in one.cause
    assert "a-record" in one.cause
    assert one.way_on == ()
    assert one.example is None


def test_a_draft_is_marked_as_unverified(scene):
    assert explained(scene, "«f(x)»", replace(RECORD, reviewed=False)).unverified
    assert explain_message(replace(RECORD, reviewed=False), {}).unverified


def test_a_record_without_examples_has_none(scene):
    assert explained(scene, "«f(x)»", replace(RECORD, examples=())).example is None


def test_a_record_by_itself_has_no_place():
    one = explain_message(RECORD, {"name": "`x`"})
    assert one.where is None
    assert one.title == "axes of `x`"


# ---------------------------------------------------------------- facts


def known(scene, text, captures=None, **more):
    one = scene(text, **more)
    return facts(one.failure, one.live, 0, one.spots, captures or {})


def test_the_facts_are_in_the_users_own_words(scene):
    import jax.numpy as jnp

    found = known(scene, "y = «jnp.dot(x, w)» + 1", names={"jnp": jnp, "x": jnp.ones(3), "w": jnp.ones(4)})
    assert found["call"] == "jnp.dot"
    assert found["expression"] == "jnp.dot(x, w)"
    assert found["statement"] == "y = jnp.dot(x, w) + 1"
    assert found["target"] == "y"
    assert found["operands"] == "`x` is float32[3] and `w` is float32[4]"
    assert (found["operand"], found["operand_type"]) == ("x", "float32[3]")


@pytest.mark.parametrize(
    ("text", "wanted"), [("«x[0] = 1»", "x"), ("«a.b[0] += 1»", "a.b"), ("«y = f()»", "y")]
)
def test_the_target_of_an_assignment(scene, text, wanted):
    assert known(scene, text)["target"] == wanted


def test_the_messages_own_words_win(scene):
    assert known(scene, "«f(x)»", {"call": "vmap"})["call"] == "vmap"


def test_a_long_expression_is_cut(scene):
    found = known(scene, "«f(" + ", ".join(f"argument{n}" for n in range(30)) + ")»")
    assert len(found["expression"]) <= 60
    assert found["expression"].endswith("…")


def test_nothing_is_asked_of_the_users_objects(scene, hostile):
    assert "operands" not in known(scene, "y = «h.dot(h, h.T)»", names={"h": hostile})


@pytest.mark.parametrize("size", [4_000, 100_000])
def test_a_hostile_message_of_vmaps_is_read_in_bounded_time(scene, size):
    piece = "* one axis had size 3: axis 0 of argument a "
    message = "vmap got inconsistent sizes for array axes to be mapped:\n" + piece * (size // len(piece))
    one = scene("y = «f(x)»")
    link = replace(one.failure.links[0], message=message)
    found = facts(replace(one.failure, links=(link,)), one.live, 0, one.spots, {})
    assert "lengths" not in found


# ---------------------------------------------------------------- end to end


def test_vmaps_lengths_are_named_as_the_user_names_the_arrays(notebook):
    cell = SETUP + "states, controls = jnp.ones((10, 4)), jnp.ones((10, 2))\n"
    _, found, _ = notebook(cell + "jax.vmap(lambda s, u: s, in_axes=(0, 1))(states, controls)")
    assert "axis 0 of `states` has length 10 and axis 1 of `controls` has length 2" in found.explanation.cause


def test_the_link_to_the_source_is_that_of_the_installed_release(notebook):
    import jax

    _, found, _ = notebook(SETUP + "jax.vmap(lambda s, u: s)(jnp.ones(3), jnp.ones(4))")
    (source,) = [link.url for link in found.explanation.links if "github.com" in link.url]
    assert source.startswith(f"https://github.com/jax-ml/jax/blob/jax-v{jax.__version__}/jax/_src/api.py#L")

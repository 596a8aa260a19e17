"""Templates: anchored at both ends, white space made equal, and never slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jax_nbhelp.catalog.template import (
    Template,
    TemplateError,
    compile_template,
    compile_text,
    hole_names,
    normalise,
    words_of,
)


def match(template, message):
    return compile_template(template).match(normalise(message))


@pytest.mark.parametrize(
    ("template", "message", "wanted"),
    [
        ("size {n} is odd", "size 3 is odd", {"n": "3"}),
        ("size {n} is odd", "the size 3 is odd", None),
        ("size {n} is odd", "size 3 is odd, again", None),
        ("no hole at all", "no hole at all", {}),
        ("no hole at all", "no hole at all!", None),
        ("no hole at all", "no hole at", None),
        ("{a}", "anything, really", {"a": "anything, really"}),
        ("{a} and {b}", "x and y and z", {"a": "x", "b": "y and z"}),
        ("ends with{a}", "ends with", {"a": ""}),
        ("ends with {a}", "ends with ", None),
        ("ab{a}bc", "abc", None),
        ("got {a}, {b}.", "got (2,), (3,).", {"a": "(2,)", "b": "(3,)"}),
        ("{a}: {detail}", "vmap: first\nsecond", {"a": "vmap", "detail": "first second"}),
    ],
)
def test_a_template_matches_the_whole_message_and_nothing_else(template, message, wanted):
    assert match(template, message) == wanted


def test_white_space_is_one_blank_on_both_sides():
    assert match("one\n  two {x}\n", "  one two\t\n 3") == {"x": "3"}


def test_a_name_that_stands_twice_holds_the_same_text():
    template = "{x} is not {y}, so {x} fails"
    assert match(template, "a is not b, so a fails") == {"x": "a", "y": "b"}
    assert match(template, "a is not b, so c fails") is None


def test_double_braces_are_braces():
    assert match("a {{'b': {n}}}", "a {'b': 4}") == {"n": "4"}


@pytest.mark.parametrize("text", ["a { b", "a } b", "{1}", "{a b}", "{}", "{a.b}"])
def test_a_lone_brace_is_refused_with_the_remedy(text):
    with pytest.raises(TemplateError, match=r"\{\{|\}\}"):
        compile_template(text)


def test_two_holes_side_by_side_are_refused_with_the_remedy():
    with pytest.raises(TemplateError, match="side by side"):
        compile_template("got {a}{b} there")


def test_two_holes_with_a_blank_between_are_accepted():
    assert match("got {a} {b}", "got x y z") == {"a": "x", "b": "y z"}


@pytest.mark.parametrize(
    "tail",
    [
        "\nSee https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError",
        " See https://jax.readthedocs.io/en/latest/errors.html#x\n",
        "\n\nSee https://docs.jax.dev/en/latest/errors.html  ",
    ],
)
def test_the_docs_tail_is_cut(tail):
    assert normalise("Attempted boolean conversion." + tail) == "Attempted boolean conversion."


@pytest.mark.parametrize("text", ["See https://docs.jax.dev/a for more.", "See https://example.com/x"])
def test_an_address_inside_a_message_stays(text):
    assert normalise(text) == text


def test_a_long_run_of_blanks_is_normalised_in_one_pass():
    assert normalise("a" + " " * 100_000 + "b") == "a b"


def test_only_the_last_address_can_be_the_tail():
    address = "See https://docs.jax.dev"
    assert normalise(address * 4_000 + "!") == address * 3_999


def test_the_weight_counts_literal_characters_without_blanks():
    assert compile_template("ab cd {x} e").weight == 5
    assert compile_template("{x}").weight == 0


def test_a_word_that_touches_a_hole_is_not_relied_on():
    template = compile_template("con{x}cat the array{y} shapes")
    assert template.words == {"the", "shapes"}


def test_every_word_of_a_template_is_in_a_message_that_matches():
    template = compile_template("add got incompatible shapes: {a}, {b}.")
    assert template.words <= words_of("add got incompatible shapes: (2,), (3,).")


def test_holes_are_named_in_order():
    assert hole_names("Map axis {axis} of `{argument}` {{no}}") == ("axis", "argument")


def test_a_sentence_is_filled():
    assert compile_text("axis {a} of {b}").fill({"a": "0", "b": "{x}"}) == "axis 0 of {x}"


class Counted(str):
    """A message that counts the characters which the searches in it look at."""

    __slots__ = ()
    looked_at = 0

    def find(self, piece, at=0):
        found = super().find(piece, at)
        Counted.looked_at += (found if found >= 0 else len(self)) - at + len(piece)
        return found


HOSTILE = [
    (", ".join(f"{{h{n}}}" for n in range(60)), ", "),
    ("{a}, {b}, {c}, {d}!", ", "),
    (" = ".join(f"{{h{n}}}" for n in range(9)) + " ... {z}_major", " = "),
    ("aa{a}aa{b}aa{c}aa{d}ab", "a"),
    ("{a}{x}{b}".replace("{x}", " to ") + " not {a} to {b}", " to "),
    ("{a}aab{b}aab{c}aac", "aab"),
]


@pytest.mark.parametrize(("template", "piece"), HOSTILE)
@pytest.mark.parametrize("size", [4_000, 100_000])
def test_a_hostile_message_is_read_once_from_left_to_right(template, piece, size):
    message = Counted(piece * (size // len(piece)))
    Counted.looked_at = 0
    compile_template(template).match(message)
    assert Counted.looked_at <= len(message) + len(template)


def naive(template: Template, message: str) -> bool:
    """What the format says, by a regular expression: holes are lazy, a name twice is a back-reference."""
    parts, seen = [re.escape(template.literals[0])], set()
    for hole, literal in zip(template.holes, template.literals[1:], strict=True):
        parts += [f"(?P={hole})" if hole in seen else f"(?P<{hole}>.*?)", re.escape(literal)]
        seen.add(hole)
    return re.fullmatch("".join(parts), message, re.DOTALL) is not None


pieces = st.text("ab, {}", max_size=6)
names = st.sampled_from("xyz")


@st.composite
def templates(draw):
    literals = draw(st.lists(pieces, min_size=1, max_size=5))
    literals = [literals[0], *(one or "," for one in literals[1:-1]), *literals[1:][-1:]]
    holes = (
        draw(st.lists(names, min_size=len(literals) - 1, max_size=len(literals) - 1, unique=True))
        if len(literals) <= 4
        else list("vwxyz")[: len(literals) - 1]
    )
    return "".join(
        literal.replace("{", "{{").replace("}", "}}") + (f"{{{holes[n]}}}" if n < len(holes) else "")
        for n, literal in enumerate(literals)
    )


@given(templates(), st.text("ab, {}", max_size=30))
def test_with_different_names_a_template_is_its_regular_expression(text, message):
    try:
        template = compile_template(text)
    except TemplateError:
        return
    message = normalise(message)
    assert (template.match(message) is not None) == naive(template, message)


@given(templates(), st.lists(st.text(max_size=8), min_size=5, max_size=5))
def test_a_template_matches_its_own_filling(text, values):
    try:
        template = compile_template(text)
    except TemplateError:
        return
    filled = template.fill(dict(zip(template.holes, values, strict=False)))
    assert template.match(filled) is not None


@given(templates(), st.text("ab, {}", max_size=30))
def test_what_the_holes_caught_fills_the_template_to_the_message(text, message):
    try:
        template = compile_template(text)
    except TemplateError:
        return
    message = normalise(message)
    caught = template.match(message)
    if caught is not None:
        assert template.fill(caught) == message


@given(st.text(max_size=200))
def test_any_text_is_a_template_or_a_clear_refusal(text):
    try:
        template = compile_template(text)
    except TemplateError:
        return
    assert len(template.literals) == len(template.holes) + 1


@given(st.text(max_size=200))
def test_normalising_twice_changes_nothing_more(text):
    once = normalise(text)
    assert normalise(once) == once or "See http" in once

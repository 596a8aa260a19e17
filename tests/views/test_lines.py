"""Text in a terminal's columns."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from jax_nbhelp.views.lines import Segment, fitted, plain, printable, width, wrapped

# Letters, blanks, tabs; wide, combining, joining and control characters; a bidirectional override; a surrogate.
TEXTS = st.text("ab_ (\t面😀\u0301\u200d\x1b\r\u202e\udc80", max_size=60)


def shown(line: str, before: str, kept: str, after: str, columns: int) -> list[str]:
    assert line == before + kept + after
    return plain(fitted((Segment(before), Segment(kept), Segment(after)), (1, 2), columns)).split("\n")


@given(st.lists(TEXTS, min_size=1, max_size=4), st.data(), st.integers(10, 80))
@example(["a" * 200], None, 10)
def test_fitted_code_fits_and_what_must_be_seen_is_there(texts: list[str], data, columns: int):
    first = data.draw(st.integers(0, len(texts))) if data else 0
    last = data.draw(st.integers(first, len(texts))) if data else 1
    rows = fitted(tuple(map(Segment, texts)), (first, last), columns)
    assert max(width("".join(segment.text for segment in row)) for row in rows) <= columns
    text = "".join(segment.text for row in rows for segment in row)
    assert "\t" not in text
    must = "".join(texts[first:last])
    if "\t" not in must:
        assert must in text


@given(TEXTS, st.integers(8, 40), st.sampled_from(["", "  - "]))
def test_wrapped_prose_fits_and_keeps_every_word(text: str, columns: int, first: str):
    lines = wrapped(text, columns, first, " " * len(first))
    assert all(width(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join((first + text).split())


def test_prose_is_wrapped_by_columns_not_by_characters():
    assert wrapped("面积 面积 ab", 9) == ["面积 面积", "ab"]
    assert wrapped("", 9) == [""]
    assert wrapped("la cause\u00a0: ici", 9) == ["la", "cause\u00a0:", "ici"]
    assert wrapped("a it: abcdefghij", 6, "* ", "  ") == ["* a", "  it:", "  abcd", "  efgh", "  ij"]


def test_code_that_fits_is_left_alone():
    assert shown("x = f(a, b)", "x = f(", "a", ", b)", 20) == ["x = f(a, b)"]


def test_a_long_line_is_cut_around_what_must_be_seen_and_not_within_a_word():
    line = "total = compute(alpha, beta, gamma, delta) + offset * scale"
    assert shown(line, line[:29], "gamma", line[34:], 30) == ["…alpha, beta, gamma, delta) +…"]
    assert shown(line, line[:8], "compute", line[15:], 30) == ["total = compute(alpha, beta, …"]


def test_the_old_and_the_new_line_are_cut_alike():
    line = "total = compute(alpha, beta, gamma, delta) + offset * scale"
    old = shown(line, line[:29], "gamma", line[34:], 30)
    new = shown(line.replace("gamma", "a_much_longer_name"), line[:29], "a_much_longer_name", line[34:], 30)
    assert old[0].index("gamma") == new[0].index("a_much")


def test_what_must_be_seen_is_broken_after_a_blank_when_it_is_too_long():
    code = "first_argument, second_argument, third_argument"
    assert shown(f"f({code})", "f(", code, ")", 20) == [
        "f(first_argument,",
        "second_argument,",
        "third_argument)",
    ]


def test_a_place_between_two_segments_is_seen():
    line = (Segment("f(" + "a, " * 30), Segment(")" + " + b" * 30))
    (row,) = plain(fitted(line, (1, 1), 40)).split("\n")
    assert "a, ) + b" in row


def test_tabs_are_blanks_up_to_the_next_stop():
    assert plain(fitted((Segment("\ta\tb"),), (0, 1), 20)) == "    a   b"


def test_nothing_that_acts_on_a_terminal_is_left():
    text = "".join(map(chr, range(0x250))) + "\u2028\u202e\u2066\ud800"
    assert printable(text).replace("\t", "").isprintable() is False  # no-break space and soft hyphen stay
    assert not set(printable(text)) & {chr(c) for c in (*range(9), *range(10, 32), *range(127, 160))}
    assert len(printable(text)) == len(text)
    assert width("\x1b[2J") == width(printable("\x1b[2J")) == 4

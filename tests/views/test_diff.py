from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jax_nbhelp.views import diff
from jax_nbhelp.views.diff import Hunk, hunks


def applied(old: str, changes: tuple[Hunk, ...]) -> str:
    """What the widget's script does with hunks."""
    lines = old.split("\n")
    for hunk in reversed(changes):
        gone = sum(row.mark != "+" for row in hunk.rows)
        lines[hunk.start - 1 : hunk.start - 1 + gone] = [row.text for row in hunk.rows if row.mark != "-"]
    return "\n".join(lines)


def shown(old: str, new: str) -> list[str]:
    return [f"{row.line} {row.mark} {row.text}" for hunk in hunks(old, new) for row in hunk.rows]


def changed(old: str, new: str) -> list[tuple[str, list[str]]]:
    rows = [row for hunk in hunks(old, new) for row in hunk.rows if row.mark != " "]
    return [(row.mark, [part.text for part in row.parts if part.changed]) for row in rows]


@given(st.text("ab\n"), st.text("ab\n"))
def test_the_hunks_are_exactly_the_edit(old: str, new: str):
    assert applied(old, hunks(old, new)) == new


def test_equal_texts_have_no_hunks():
    assert hunks("a\nb", "a\nb") == ()


def test_only_lines_near_the_change_are_shown():
    old = "\n".join(f"line {number}" for number in range(300))
    new = old.replace("line 7\n", "import jax\nline 7\n").replace("line 250", "line two")
    assert shown(old, new) == [
        "7   line 6",
        "8 + import jax",
        "8   line 7",
        "250   line 249",
        "251 - line 250",
        "252 + line two",
        "252   line 251",
    ]
    assert len(hunks(old, new)) == 2


def test_changed_words_are_marked():
    assert changed("f(x, in_axes=(0, 1))", "f(x, in_axes=(0, 0))") == [("-", ["1"]), ("+", ["0"])]


def test_a_line_is_compared_with_the_one_it_became():
    old = "y = f(x)"
    new = "mesh = make_mesh()\ny = f(x, mesh)"
    assert changed(old, new) == [("-", []), ("+", []), ("+", [", mesh"])]


def test_lines_with_nothing_in_common_have_no_marks():
    assert changed("abc", "1234") == [("-", []), ("+", [])]


def test_a_change_in_a_long_cell_of_equal_lines_is_found_in_what_differs(monkeypatch):
    compared: list[int] = []
    real = diff.SequenceMatcher

    def counted(junk, one, other, **options):
        compared.append(len(one) * len(other))
        return real(junk, one, other, **options)

    monkeypatch.setattr(diff, "SequenceMatcher", counted)
    (hunk,) = hunks(
        "x = 1\n" * 3_000 + "y = 2\n" + "x = 1\n" * 3_000, "x = 1\n" * 3_000 + "y = 3\n" + "x = 1\n" * 3_000
    )
    assert [(row.mark, row.line, row.text) for row in hunk.rows] == [
        (" ", 3_000, "x = 1"),
        ("-", 3_001, "y = 2"),
        ("+", 3_001, "y = 3"),
        (" ", 3_002, "x = 1"),
    ]
    assert hunk.start == 3_000
    assert max(compared) <= 100

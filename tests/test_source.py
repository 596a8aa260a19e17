"""Cells as Python: masks of equal length, offsets, and the way from a traceback's line to the user's."""

from __future__ import annotations

import ast
import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jax_nbhelp import source as sources
from jax_nbhelp.cell import Cell, Compiled
from jax_nbhelp.source import Source, locate, mask, parse

NOTEBOOK_SYNTAX = [
    "!ls -l\nx = 1",
    "files = !ls\nx = 1",
    "%matplotlib inline\nx = 1",
    "%%time\nx = f(1)",
    "%%capture out\nx = f(1)",
    "%time y = f(x)",
    "%timeit -n 10 f(x)",
    "jnp.dot?\nx = 1",
    "?jnp.dot\nx = 1",
    "!echo \\\n  more\nx = 1",
    "s = '''\n%not a magic\n!nor this\n'''\nx = 1",
    "f(\n    a % b,\n)",
    "await g()",
    "    x = 1\n    y = 2",
    "größe = 1; x = größe",
    "",
    "# only a comment",
]


@pytest.mark.parametrize("text", NOTEBOOK_SYNTAX)
def test_a_mask_has_the_length_of_the_cell_and_its_line_breaks(text):
    masked = mask(text)
    assert masked is not None
    assert len(masked) == len(text)
    assert [i for i, c in enumerate(masked) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


@pytest.mark.parametrize("text", NOTEBOOK_SYNTAX)
def test_notebook_syntax_parses(text):
    assert parse(text) is not None


@pytest.mark.parametrize("text", ["%%bash\nls", "%%writefile a.py\nx = 1", "def f(:", "x = 'open"])
def test_what_is_not_python_gives_no_source(text):
    assert parse(text) is None


def test_a_string_that_looks_like_a_magic_is_left_alone():
    text = "s = '''\n%time f()\n'''"
    assert mask(text) == text


def test_spans_are_characters_of_the_cell_even_after_other_alphabets():
    text = "größe = 'ü'; wert = f(größe)"
    source = parse(text)
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    assert source.segment(call) == "f(größe)"


@pytest.mark.parametrize("strange", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_only_what_python_takes_for_a_line_break_is_one(strange):
    text = f"s = 'a{strange}b'  # c{strange}d\n!ls {strange} x\nt = f(s)"
    source = parse(text)
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    assert source.segment(call) == "f(s)"
    compiled = Compiled(Cell(text), text.replace(f"!ls {strange} x", "get_ipython().system('ls')"))
    assert locate(compiled, 3, (3, 3, 4, 8)).text == "f(s)"


def test_spans_of_an_indented_cell_are_those_of_its_text():
    text = "    a = 1\n    b = f(a)"
    source = parse(text)
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    assert source.segment(call) == "f(a)"


def test_a_decorated_function_begins_at_its_decorator():
    source = parse("@jax.jit\ndef f(x):\n    return x")
    assert source.segment(source.tree.body[0]).startswith("@jax.jit")


def test_of_a_statement_and_its_value_the_smallest_is_the_value():
    source = parse("f(x)")
    assert isinstance(source.smallest(0, 4), ast.Call)


@pytest.mark.parametrize(
    ("raw", "compiled", "line", "columns", "wanted"),
    [
        ("x = 1\ny = f(x)", "x = 1\ny = f(x)\n", 2, (4, 8), "f(x)"),
        ("\n\ny = f(x)", "y = f(x)\n", 1, (4, 8), "f(x)"),
        ("  y = f(x)", "y = f(x)\n", 1, (4, 8), "f(x)"),
        ("%%time\ny = f(x)", "y = f(x)\n", 1, (4, 8), "f(x)"),
        ("%time y = f(x)", "y = f(x)", 1, (4, 8), "f(x)"),
        (
            "%matplotlib inline\ny = f(x)",
            "get_ipython().run_line_magic('matplotlib', 'inline')\ny = f(x)\n",
            2,
            (4, 8),
            "f(x)",
        ),
        ("ü = f('ö', x)", "ü = f('ö', x)\n", 1, (5, 15), "f('ö', x)"),
    ],
)
def test_a_position_in_compiled_source_leads_to_the_users_characters(raw, compiled, line, columns, wanted):
    place = locate(Compiled(Cell(raw), compiled), line, (line, line, *columns))
    assert place.text == wanted
    assert place.exact


def test_without_columns_the_line_is_the_place():
    place = locate(Compiled(Cell("x = 1\n  y = f(x)"), "x = 1\n  y = f(x)"), 2)
    assert place.text == "y = f(x)"
    assert not place.exact


def test_a_line_that_is_not_the_cells_gives_no_place():
    assert locate(Compiled(Cell("x = 1"), "x = 1"), 9) is None


def test_few_long_cells_are_kept_and_many_short_ones():
    for number in range(100):
        assert parse(f"a = {number}\n" + "b = 1\n" * 2_000) is not None
    assert len(sources._kept) <= sources._Kept.LAST
    for number in range(100):
        assert parse(f"a = {number}") is not None
    assert parse("a = 99") is parse("a = 99")
    assert sources._Kept.LAST < len(sources._kept) <= sources._Kept.MOST


def test_a_node_is_looked_for_in_the_statements_that_touch_its_line_and_no_others(monkeypatch):
    parsed = Source(text := "a = f(1)\n" * 500 + "@d\ndef g():\n    return h(2)\n" + "b = k(3)\n" * 500, text)
    asked: list[object] = []
    monkeypatch.setattr(
        Source, "span", lambda self, node, span=Source.span: asked.append(node) or span(self, node)
    )
    at = text.index("h(2)")
    assert ast.unparse(parsed.smallest(at, at + 4)) == "h(2)"
    assert [ast.unparse(node) for node in parsed.on_line(501)][:1] == ["d"]
    assert len(asked) < 30


def test_the_lines_of_a_long_cell_of_equal_lines_are_aligned_without_comparing_each_with_each(monkeypatch):
    compared: list[int] = []
    real = difflib.SequenceMatcher

    def counted(junk, one, other, **options):
        compared.append(len(one) * len(other))
        return real(junk, one, other, **options)

    monkeypatch.setattr(difflib, "SequenceMatcher", counted)
    lines = ["x = 1"] * 3_000
    assert sources.equal_runs([*lines, "a", *lines], [*lines, "b", *lines]) == [
        (0, 0, 3_000),
        (3_001, 3_001, 3_000),
    ]
    assert max(compared) <= 1


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_aligned_runs_are_equal_in_order_and_do_not_overlap(one, other):
    i = j = 0
    for begin, new_begin, size in sources.equal_runs(one, other):
        assert size
        assert begin >= i
        assert new_begin >= j
        assert one[begin : begin + size] == other[new_begin : new_begin + size]
        i, j = begin + size, new_begin + size
    assert i <= len(one)
    assert j <= len(other)


def test_the_statements_that_bind_each_name_are_known_in_their_order():
    text = "a = b = 1\n(c, a) = f(a)\nd: int = 2\n@wrap\ndef g():\n    a = 3\ndef h(): pass\nk.x = 4\nfor m in n: pass"
    bindings = {name: [node.lineno for node in nodes] for name, nodes in parse(text).bindings.items()}
    assert bindings == {"a": [1, 2, 6], "b": [1], "c": [2], "d": [3], "g": [5]}

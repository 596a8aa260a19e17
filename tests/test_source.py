"""Cells as Python: masks of equal length, offsets, and the way from a traceback's line to the user's."""

from __future__ import annotations

import ast

import pytest

from jax_nbhelp.cell import Cell, Compiled
from jax_nbhelp.source import locate, mask, parse

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

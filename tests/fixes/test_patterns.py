"""Patterns: what they match, and what they do not."""

from __future__ import annotations

import ast
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.lax import scan

from jax_nbhelp.fixes.names import Names
from jax_nbhelp.fixes.patterns import PatternError, match_node, parse_pattern, same_code

SCOPE = {"jax": jax, "jnp": jnp, "np": np, "fold": scan, "partial": functools.partial, "cc": jnp.concatenate}


def node(text):
    body = ast.parse(text).body[0]
    return body.value if isinstance(body, ast.Expr) else body


def shown(caught):
    if isinstance(caught, list):
        return [ast.unparse(one) for one in caught]
    return caught if isinstance(caught, str) else ast.unparse(caught)


def caught(pattern, code, **scope):
    found = match_node(pattern, node(code), Names([SCOPE | scope]))
    return None if found is None else {name: shown(one) for name, one in found.variables.items()}


@pytest.mark.parametrize(
    ("pattern", "code", "wanted"),
    [
        ("f($X)", "f(a + 1)", {"X": "a + 1"}),
        ("f($X)", "f(a, b)", None),
        ("f($X)", "f(x=a)", None),
        ("f($X)", "g(a)", None),
        ("f($X, $X)", "f(a, a)", {"X": "a"}),
        ("f($X, $X)", "f(a.b[0], (a . b) [ 0 ])", {"X": "a.b[0]"}),
        ("f($X, $X)", "f(a, b)", None),
        ("f($$$R)", "f()", {"R": []}),
        ("f($$$R)", "f(a, *b, k=1, **m)", {"R": ["a", "*b", "k=1", "**m"]}),
        ("f($$$R, **$$$K)", "f(a, k=1, *b, **m)", {"R": ["a", "*b"], "K": ["k=1", "**m"]}),
        ("f($$$R, **$$$K)", "f(a, b)", None),
        ("[$$$A, stop, $$$B]", "[1, stop, 2, stop]", {"A": ["1"], "B": ["2", "stop"]}),
        ("[$$$A, stop, $X, $$$B]", "[1, stop]", None),
        ("[$$$A, $X, $$$B, $X]", "[1, 2, 3, 2]", {"A": ["1"], "X": "2", "B": ["3"]}),
        ("f($A, j=$J, **$$$K)", "f(a, k=1, j=2)", {"A": "a", "J": "2", "K": ["k=1"]}),
        ("f($A, **$$$K)", "f(a, b, k=1)", None),
        ("f($A, $$$R)", "f(a)", {"A": "a", "R": []}),
        ("f($A, $$$R)", "f()", None),
        ("f($$$R, $A)", "f(a, b, c)", {"R": ["a", "b"], "A": "c"}),
        ("f($A, $$$R, $B)", "f(a)", None),
        ("f($A, k=$K)", "f(a, k=1)", {"A": "a", "K": "1"}),
        ("f($A, k=$K)", "f(a, k=1, m=2)", None),
        ("f($A, k=$K, m=$M)", "f(a, m=2, k=1)", {"A": "a", "K": "1", "M": "2"}),
        ("f($A, $$$R, k=$K)", "f(a, m=2, k=1)", {"A": "a", "K": "1", "R": ["m=2"]}),
        ("f($A, k=$K)", "f(a, **k)", None),
        ("jax.numpy.dot($A, $B)", "jnp.dot(a, b)", {"A": "a", "B": "b"}),
        ("jax.numpy.dot($A, $B)", "jax.numpy.dot(a, b)", {"A": "a", "B": "b"}),
        ("jax.numpy.dot($A, $B)", "np.dot(a, b)", None),
        ("jax.lax.scan($F, $$$R)", "fold(f, 0)", {"F": "f", "R": ["0"]}),
        ("jax.numpy.$FN($A)", "jnp.stack(a)", {"FN": "stack", "A": "a"}),
        ("jax.numpy.$FN($A)", "cc(a)", {"FN": "concatenate", "A": "a"}),
        ("jax.numpy.$FN($A)", "np.stack(a)", None),
        ("jax.numpy.$FN($A)", "unknown(a)", None),
        ("$X.at[$I].set($V)", "x.at[0, 1].set(3)", {"X": "x", "I": "(0, 1)", "V": "3"}),
        ("$X.$ATTR", "x.shape", {"X": "x", "ATTR": "shape"}),
        ("$X[$I] = $V", "x[0] = 1", {"X": "x", "I": "0", "V": "1"}),
        ("$X[$I] += $V", "x[0] += 1", {"X": "x", "I": "0", "V": "1"}),
        ("$X[$I] += $V", "x[0] -= 1", None),
        ("$A @ $B", "a @ b.T", {"A": "a", "B": "b.T"}),
        ("$A if $C else $B", "p if q else r", {"A": "p", "C": "q", "B": "r"}),
        ("[$E, $$$R]", "[a, b, *c]", {"E": "a", "R": ["b", "*c"]}),
        ("[$E, $$$R]", "[]", None),
        (
            "if $C:\n    return $A\nelse:\n    return $B",
            "if x > 0:\n  return 1\nelse:\n  return 2",
            {"C": "x > 0", "A": "1", "B": "2"},
        ),
        ("if $C:\n    $Y = $A", "if c:\n    y = 1", {"C": "c", "Y": "y", "A": "1"}),
        ("if $C:\n    $Y = $A", "if c:\n    y = 1\nelse:\n    y = 2", None),
        ("for $I in $R:\n    $$$BODY", "for i in r:\n    a\n    b", {"I": "i", "R": "r", "BODY": ["a", "b"]}),
        (
            "def $F($$$P):\n    $$$BODY",
            "def f(a, b):\n    return a",
            {"F": "f", "P": ["a", "b"], "BODY": ["return a"]},
        ),
        ("[$D.wait() for $V in $XS]", "[d.wait() for d in ds]", {"D": "d", "V": "d", "XS": "ds"}),
        ("f(1)", "f(1)", {}),
        ("f(1)", "f(1.0)", None),
        ("f(1)", "f(True)", None),
        ("f('a')", 'f("a")', {}),
    ],
)
def test_a_pattern_catches(pattern, code, wanted):
    assert caught(pattern, code) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("jax.vmap(f, 0)", {"F": "f", "R": [], "AXES": "0"}),
        ("jax.vmap(f, in_axes=0)", {"F": "f", "R": [], "AXES": "0"}),
        ("jax.vmap(f, in_axes=0, out_axes=1)", {"F": "f", "R": ["out_axes=1"], "AXES": "0"}),
        ("jax.vmap(f)", None),
        ("jax.vmap(f, out_axes=1)", None),
    ],
)
def test_a_keyword_of_a_pattern_also_matches_the_argument_given_by_position(code, wanted):
    assert caught("jax.vmap($F, $$$R, in_axes=$AXES)", code) == wanted


def test_a_canonical_name_remembers_the_users_spelling():
    found = match_node("jax.numpy.concatenate($X)", node("cc(a)"), Names([SCOPE]))
    assert ast.unparse(found.spelled["jax.numpy.concatenate"]) == "cc"


def test_bindings_of_an_earlier_edit_must_hold_again_and_are_not_changed():
    first = match_node("f($X)", node("f(a)"), Names([SCOPE]))
    assert match_node("g($X)", node("g(b)"), Names([SCOPE]), first) is None
    again = match_node("g($X, $Y)", node("g(a, c)"), Names([SCOPE]), first)
    assert set(again.variables) == {"X", "Y"}
    assert set(first.variables) == {"X"}


def test_a_run_that_an_earlier_match_caught_must_be_the_same_run():
    names = Names([SCOPE])
    first = match_node("f($A, $$$R)", node("f(a, b, k=1)"), names)
    assert match_node("f($X, $$$R)", node("f(a, b, k=1)"), names, first) is not None
    assert match_node("f($X, $$$R)", node("f(a, b, k=2)"), names, first) is None
    assert match_node("f($X, $$$R)", node("f(a, b)"), names, first) is None


def test_a_match_that_fails_late_leaves_no_trace_in_the_bindings():
    first = match_node("f($X)", node("f(a)"), Names([SCOPE]))
    assert match_node("g($Y, 1)", node("g(b, 2)"), Names([SCOPE]), first) is None
    assert set(first.variables) == {"X"}


@pytest.mark.parametrize("text", ["f(", "$X $Y", "if $C", "", "  \n", "f($x)"])
def test_what_is_not_python_is_refused(text):
    with pytest.raises(PatternError):
        parse_pattern(text)


@pytest.mark.parametrize(
    "pattern", ["jax.numpy.dot($A, $$$R)", "$X.shape", "h($X)", "$X + $Y", "jax.numpy.$FN($A)"]
)
@pytest.mark.parametrize("code", ["h.dot(h, h)", "h.shape", "h(h)", "h + h", "h.numpy.dot(1)"])
def test_nothing_is_asked_of_a_users_object(pattern, code, hostile):
    match_node(pattern, node(code), Names([SCOPE | {"h": hostile}]))


def test_reading_and_assigning_a_name_is_the_same_code():
    assert same_code(node("x = 1").targets[0], node("x"))
    assert not same_code(node("x = 1").targets[0], node("y"))


def test_a_text_that_only_looks_like_a_context_is_kept():
    assert not same_code(node("f(', ctx=Load()')"), node("f('')"))

"""Rewrites: the new code means what the rule says, in the user's own spelling."""

from __future__ import annotations

import ast
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jax_nbhelp.fixes.patterns as patterns
from jax_nbhelp.fixes.names import Names
from jax_nbhelp.fixes.rewrite import rewrite
from jax_nbhelp.source import Source

SCOPE = {"jax": jax, "jnp": jnp}


def written(pattern, template, code, holes=None, **scope):
    source = Source(code, code)
    target = source.body[0]
    if isinstance(target, ast.Expr):
        target = target.value
    names = Names([SCOPE | scope])
    found = patterns.match_node(pattern, target, names)
    assert found is not None
    return rewrite(template, source, target, found, names, holes or {})


def text_of(*args, **kwargs):
    return written(*args, **kwargs).text


@pytest.mark.parametrize("imported", ["one", "one as two"])
def test_an_imported_name_moves_to_another_module(imported):
    made = text_of("from old import $NAME", "from new import $NAME", f"from old import {imported}")
    assert made == f"from new import {imported}"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("f(a)", "a.T"),
        ("f(a + b)", "(a + b).T"),
        ("f(-a)", "(-a).T"),
        ("f(a if c else b)", "(a if c else b).T"),
        ("f(lambda: a)", "(lambda: a).T"),
        ("f((a, b))", "(a, b).T"),
        ("f([a])", "[a].T"),
        ("f(a[0])", "a[0].T"),
        ("f(a())", "a().T"),
        ("f(1)", "(1).T"),
        ("f('a' 'b')", "('a' 'b').T"),
        ("f(a @ b)", "(a @ b).T"),
        ("f(not a)", "(not a).T"),
        ("f(a < b)", "(a < b).T"),
        ("f((x := a))", "(x := a).T"),
        ("f((yield))", "(yield).T"),
        ("f((a\n  + b))", "(a\n  + b).T"),
        ("f(a[0:1])", "a[0:1].T"),
        ("f({'a': 1})", "{'a': 1}.T"),
        ("f(f'{a}')", "f'{a}'.T"),
    ],
)
def test_an_attribute_of_what_was_caught(code, wanted):
    assert text_of("f($X)", "$X.T", code) == wanted


@pytest.mark.parametrize("code", ["f(*a)", "f(x=a)", "f(**a)"])
def test_what_is_no_expression_by_itself_is_not_caught_alone(code):
    source = Source(code, code)
    found = patterns.match_node("f($X)", source.body[0].value, Names([SCOPE]))
    if found is not None:
        assert rewrite("$X.T", source, source.body[0].value, found, Names([SCOPE]), {}) is None


@pytest.mark.parametrize(
    ("template", "code", "wanted"),
    [
        ("g($X)", "f(a + b)", "g(a + b)"),
        ("g($X)", "f(lambda: a)", "g(lambda: a)"),
        ("g($X)", "f((a, b))", "g((a, b))"),
        ("g($X, 1)", "f((a for a in b))", "g((a for a in b), 1)"),
        ("g($X, 1)", "f(a for a in b)", "g((a for a in b), 1)"),
        ("g(k=$X)", "f((yield))", "g(k=(yield))"),
        ("$X + 1", "f(a + b)", "(a + b) + 1"),
        ("1 - $X", "f(a - b)", "1 - (a - b)"),
        ("-$X", "f(a + b)", "-(a + b)"),
        ("$X ** 2", "f(-a)", "(-a) ** 2"),
        ("$X(*args)", "f(lambda x: x)", "(lambda x: x)(*args)"),
        ("$X(*args)", "f(g)", "g(*args)"),
        ("y[$X]", "f((a, b))", "y[(a, b)]"),
        ("[$X, 0]", "f(lambda: a)", "[lambda: a, 0]"),
        ("lambda z: $X", "f(a if b else c)", "lambda z: a if b else c"),
        ("$X if c else 0", "f(a if b else d)", "(a if b else d) if c else 0"),
        ("g(*$X)", "f(a or b)", "g(*(a or b))"),
        ("{'k': $X}", "f(a, )", "{'k': a}"),
        ("await $X", "f(a + b)", "await (a + b)"),
    ],
)
def test_parentheses_stand_where_they_must(template, code, wanted):
    found = written("f($X)", template, code)
    assert found is not None
    assert found.text == wanted


def test_a_subscripts_tuple_needs_none():
    assert (
        text_of("$X[$I] = $V", "$X = $X.at[$I].set($V)", "x[0, 1:2] = a, b") == "x = x.at[0, 1:2].set((a, b))"
    )


@pytest.mark.parametrize(
    ("pattern", "template", "code", "wanted"),
    [
        ("f($A, $$$R)", "g($A, $$$R, k=1)", "f(a)", "g(a, k=1)"),
        ("f($A, $$$R)", "g($A, $$$R, k=1)", "f(a, b, m=2)", "g(a, b, m=2, k=1)"),
        ("f($A, $$$R)", "g(($A, $$$R))", "f(a, b)", "g((a, b))"),
        ("f($$$R)", "g($$$R)", "f()", "g()"),
        ("f($$$R, $Z)", "g($Z, $$$R)", "f(a, b, c)", "g(c, a, b)"),
        ("f($$$R)", "[$$$R]", "f(*a, b)", "[*a, b]"),
        ("f($$$R)", "g($$$R, k=1)", "f(a, **m)", "g(a, **m, k=1)"),
        ("f($A, $$$R, k=$K)", "f($A, $$$R, k=$K + 1)", "f(a, k=1, m=2)", "f(a, k=1 + 1, m=2)"),
        ("f($A, $$$R, k=$K)", "f($A, $$$R, k=0)", "f(a, m=2, k=1, n=3)", "f(a, m=2, k=0, n=3)"),
        ("f($$$R, **$$$K)", "g(f, **$$$K)($$$R)", "f(a, k=1, *b, m=2)", "g(f, k=1, m=2)(a, *b)"),
        ("f($$$R, **$$$K)", "g(f, **$$$K)($$$R)", "f(k=1, **m)", "g(f, k=1, **m)()"),
    ],
)
def test_runs_of_arguments_keep_their_order(pattern, template, code, wanted):
    assert text_of(pattern, template, code) == wanted


def test_a_run_that_holds_a_keyword_cannot_become_a_tuple():
    assert written("f($A, $$$R)", "g(($A, $$$R))", "f(a, k=1)") is None


@pytest.mark.parametrize(
    ("scope", "wanted", "imports"),
    [
        ({"jnp": jnp}, "jnp.where(c, a, b)", ()),
        ({"jax": jax}, "jax.numpy.where(c, a, b)", ()),
        ({"J": jax}, "J.numpy.where(c, a, b)", ()),
        ({"where": jnp.where}, "where(c, a, b)", ()),
        ({}, "jnp.where(c, a, b)", ("import jax.numpy as jnp",)),
        ({"jnp": np}, "jax.numpy.where(c, a, b)", ("import jax",)),
    ],
)
def test_a_canonical_name_is_written_as_the_user_would(scope, wanted, imports):
    code = "a if c else b"
    source = Source(code, code)
    names = Names([scope])
    node = source.body[0].value
    found = patterns.match_node("$A if $C else $B", node, names)
    new = rewrite("jax.numpy.where($C, $A, $B)", source, node, found, names, {})
    assert (new.text, new.imports) == (wanted, imports)


def test_the_spelling_that_was_matched_is_used_again():
    assert text_of(
        "jax.lax.scan($F, $$$R)", "jax.lax.scan($F, $$$R, unroll=2)", "fold(f, 0)", fold=lax.scan
    ) == ("fold(f, 0, unroll=2)")


def test_a_member_that_was_caught_is_put_into_another_module():
    new = written("numpy.$FN($X)", "jax.numpy.$FN($X)", "np.sum(a)", np=np)
    assert new.text == "jnp.sum(a)"


def test_two_missing_imports_are_both_named():
    scope = {"f": 1}
    source = Source("f", "f")
    names = Names([scope])
    node = source.body[0].value
    found = patterns.match_node("f", node, names)
    new = rewrite("functools.partial(jax.jit, f)", source, node, found, names, {})
    assert new.text == "functools.partial(jax.jit, f)"
    assert set(new.imports) == {"import functools", "import jax"}


def test_a_decorator_in_the_users_style():
    new = written(
        "jax.jit",
        "functools.partial(jax.jit, static_argnames=(${arg},))",
        "jax.jit",
        {"arg": "'n'"},
        partial=functools.partial,
    )
    assert new.text == "partial(jax.jit, static_argnames=('n',))"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("0", "f(a, axis=0)"),
        ("(0, 1)", "f(a, axis=(0, 1))"),
        ("0, 1", "f(a, axis=(0, 1))"),
        ("x if y else z", "f(a, axis=x if y else z)"),
    ],
)
def test_a_hole_is_filled_as_an_expression(value, wanted):
    assert text_of("f($X)", "f($X, axis=${axis})", "f(a)", {"axis": value}) == wanted


def test_what_other_tools_hang_on_the_shared_parts_of_trees_is_not_followed(monkeypatch):
    # executing, which IPython's tracebacks use, sets `parent` on every node, also on the one ast.Load() of all trees
    class Huge:
        def __deepcopy__(self, memo):
            raise AssertionError("a whole other tree would be copied")

    load = ast.parse("a", mode="eval").body.ctx
    monkeypatch.setattr(load, "parent", Huge(), raising=False)
    assert text_of("f($X, $$$R)", "g($X, $$$R, k=$X)", "f(a, b)") == "g(a, b, k=a)"


@pytest.mark.parametrize("value", ["0) + g(0", "0, k=1", "0); import os; (0"])
def test_a_hole_cannot_break_out_of_its_place(value):
    try:
        new = written("f($X)", "f($X, axis=${axis})", "f(a)", {"axis": value})
    except SyntaxError:
        return
    assert new is None


def test_statements_keep_their_comments():
    code = "if c:\n    y = a  # the left\nelse:\n    y = b"
    assert text_of("if $C:\n    $$$B\nelse:\n    $$$E", "if not $C:\n    $$$E\nelse:\n    $$$B", code) == (
        "if not c:\n    y = b\nelse:\n    y = a"
    )


def test_a_block_of_several_statements_is_moved_whole():
    code = "for i in r:\n  a()\n  # between\n  if x:\n    b()"
    new = text_of("for $I in $R:\n    $$$B", "if $R:\n    for $I in $R:\n        $$$B", code)
    assert new == "if r:\n    for i in r:\n        a()\n        # between\n        if x:\n          b()"


def test_a_text_over_several_lines_is_not_indented_with_its_statement():
    code = 'for i in r:\n    s = """\nx\n"""'
    new = written("for $I in $R:\n    $$$B", "if $R:\n    for $I in $R:\n        $$$B", code)
    assert new is None or '"""\nx\n"""' in new.text


@pytest.mark.parametrize(
    ("pattern", "template", "code", "wanted"),
    [
        # a parameter would capture what was caught
        ("f($X)", "g(lambda t: $X + t)", "f(a)", "g(lambda t: a + t)"),
        ("f($X)", "g(lambda t: $X + t)", "f(t)", "g(lambda t_2: t + t_2)"),
        ("f($X)", "g(lambda t: $X + t)", "f(t + t_2)", "g(lambda t_3: (t + t_2) + t_3)"),
        # a function would take the place of the one that the loop calls
        (
            "while $C:\n    $$$BODY",
            "def step(state):\n    $$$BODY\nstep(0)",
            "while c:\n    x = step(x)",
            "def step_2(state):\n    x = step(x)\nstep_2(0)",
        ),
        # a variable at the top of a cell would take the place of another cell's
        ("f($X)", "known = $X\ng(known)", "f(1)", "known_2 = 1\ng(known_2)"),
    ],
)
def test_a_rewrites_own_names_are_none_of_the_users(pattern, template, code, wanted):
    assert text_of(pattern, template, code, known=3) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("for i in n:\n    if i:\n        return i", "for i in n:\n    keep(i)"),
        ("for i in n:\n    a()\n    if i:\n        return i", "for i in n:\n    a()\n    keep(i)"),
        ("for i in n:\n    if i:\n        return i\n    b()", "for i in n:\n    keep(i)\n    b()"),
    ],
)
def test_a_run_of_no_statements_leaves_no_line(code, wanted):
    pattern = "for $I in $N:\n    $$$BODY\n    if $C:\n        return $A\n    $$$REST"
    template = "for $I in $N:\n    $$$BODY\n    keep($A)\n    $$$REST"
    assert text_of(pattern, template, code) == wanted


def test_a_block_of_runs_that_are_all_empty_keeps_a_statement():
    pattern, template = "if c:\n    $$$A\n    stop\n    $$$B", "if c:\n    $$$A\n    $$$B"
    assert text_of(pattern, template, "if c:\n    stop") == "if c:\n    pass\n    pass"

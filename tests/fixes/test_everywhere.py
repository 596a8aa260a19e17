"""Rules about names that are gone: every use in the cell, and the import."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jax_nbhelp.catalog.record import EditRule, Rule
from jax_nbhelp.fixes.patterns import match_node
from jax_nbhelp.operands import is_integer, is_key, is_sparse


def edits_of(fix):
    return {edit.cell.count: edit.new for edit in fix.edits}


def test_every_use_in_the_cell_is_rewritten(scene, rule):
    one = scene("a = «jax.tree_map»(f, t)\nb = jax.tree_map(g, t)")
    (fix,) = one.fixes(rule("jax.tree_map", "jax.tree.map", everywhere=True))
    assert edits_of(fix) == {1: "a = jax.tree.map(f, t)\nb = jax.tree.map(g, t)"}


def test_without_it_only_the_failing_use_is(scene, rule):
    one = scene("a = «jax.tree_map»(f, t)\nb = jax.tree_map(g, t)")
    (fix,) = one.fixes(rule("jax.tree_map", "jax.tree.map"))
    assert edits_of(fix) == {1: "a = jax.tree.map(f, t)\nb = jax.tree_map(g, t)"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from jax import tree_map, jit, vmap",
            "from jax import jit, vmap\nfrom jax.tree_util import tree_map",
        ),
        ("from jax import jit, vmap, tree_map", None),
    ],
)
def test_an_import_keeps_its_other_names(scene, rule, before, after):
    new = "from jax import $$$REST\nfrom jax.tree_util import tree_map"
    fixes = scene(before).fixes(rule("from jax import tree_map, $$$REST", new, as_statement=True))
    assert [edits_of(fix) for fix in fixes] == ([{1: after}] if after else [])


def test_an_import_keeps_the_users_name_for_it(scene, rule):
    old, new = "from jax.experimental.pjit import PartitionSpec", "from jax.sharding import PartitionSpec"
    (fix,) = scene(f"{old} as Q").fixes(rule(f"{old} as $P", f"{new} as $P", as_statement=True))
    assert edits_of(fix) == {1: f"{new} as Q"}


def test_a_variable_bound_in_another_cell_is_written_from_its_own(scene):
    names = {"jax": jax, "k": 3}
    edits = (
        EditRule("failing", "jax.random.normal($K)"),
        EditRule("definition", "$K = $S", "$K = jax.random.key($S)", as_statement=True, of="K"),
    )
    rule = Rule("r", "Cure it", "machine-applicable", alternatives=(edits,))
    (fix,) = scene("import os\nk = 3", "«jax.random.normal(k)»", names=names).fixes(rule)
    assert edits_of(fix) == {1: "import os\nk = jax.random.key(3)"}


def test_keys_whole_numbers_and_sparse_arrays_are_told_apart():
    from jax.experimental import sparse

    key, old, matrix = jax.random.key(0), jax.random.PRNGKey(0), sparse.BCOO.fromdense(jnp.eye(2))
    assert [is_key(one) for one in (key, old, jax.random.split(key, 3), 0, jnp.ones(2), matrix)] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
    assert [is_integer(one) for one in (3, jnp.int32(3), jnp.arange(2), 3.0, True, key)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    assert is_sparse(matrix)
    assert not is_sparse(jnp.eye(2))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return jax.pure_callback(jnp.tanh, x, x)", ["1 - jnp.tanh(x) ** 2"]),
        ("return jax.pure_callback(lambda v: jnp.exp(v), x, x)", ["jnp.exp(x)"]),
        ("out = jax.pure_callback(jnp.tanh, x, x)\n    return out", ["1 - jnp.tanh(x) ** 2"]),
        ("return jax.pure_callback(lambda v: 2 * jnp.exp(v), x, x)", []),
        ("return jax.pure_callback(lambda v: other(v), x, x)", []),
        ("return jax.pure_callback(jnp.tanh, x, x).sum()", []),
        ("out = jax.pure_callback(jnp.tanh, x, x)\n    return 2 * out", []),
    ],
)
def test_the_derivative_of_one_elementary_function_is_known(scene, rule, hole, body, wanted):
    code = f"def f(x):\n    {body}"
    one = scene(code, "y = «f(1.0)»", names={"jax": jax, "jnp": jnp, "f": None})
    pattern = "def $F($X):\n    $$$BODY"
    new = "def $F($X):\n    $$$BODY\n$F.defjvps(lambda t, y, $X: (${d}) * t)"
    rules = rule(
        pattern,
        new,
        at="notebook",
        as_statement=True,
        holes={"d": hole("derivative", of="X")},
        applicability="has-placeholders",
    )
    (fix,) = one.fixes(rules)
    assert [one.value for one in fix.holes[0].candidates] == wanted
    assert fix.applicability == ("maybe-incorrect" if wanted else "has-placeholders")


def test_a_parameters_name_is_caught_as_a_name():
    import ast

    from jax_nbhelp.fixes.names import Names

    found = match_node("lambda $X: $BODY", ast.parse("lambda v: v + 1", mode="eval").body, Names([{}]))
    assert found is not None
    assert found.variables["X"] == "v"

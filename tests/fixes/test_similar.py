"""Habits of other libraries: what JAX has for a method, a keyword, a name or a value."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import pytest

from jax_nbhelp.catalog.record import HoleRule
from jax_nbhelp.fixes.holes import Found, candidates
from jax_nbhelp.fixes.patterns import match_node

NAMES = {
    "jax": jax,
    "jnp": jnp,
    "functools": functools,
    "x": jnp.ones((2, 3)),
    "row": [1.0, 2.0, 3.0],
    "rates": {0: 0.5, 1: 2.0},
    "ages": {"a": 1},
    "mine": lambda x, axis: x,
}


@pytest.fixture
def values(scene):
    """A function that gives the candidates of a finder for a piece of code, as texts."""

    def run(source, text, pattern, facts=None, **options):
        one = scene(f"«{text}»", names=NAMES)
        spot = one.spots.failing
        bindings = match_node(pattern, spot.node, spot.names)
        assert bindings is not None
        found = Found(HoleRule("expr", source, "l", options), facts or {}, spot, bindings, one.spots, {})
        return [candidate.value for candidate in candidates(found)]

    return run


@pytest.mark.parametrize(
    ("text", "said", "options", "wanted"),
    [
        ("x.exp()", "exp", {"module": "jax.numpy"}, ["exp"]),
        ("x.add(1)", "add", {"module": "jax.numpy"}, ["add"]),  # a ufunc
        ("x.relu()", "relu", {"module": "jax.nn"}, ["relu"]),
        ("x.where(x, 1)", "where", {"module": "jax.numpy"}, []),  # takes the condition first
        ("x.concatenate(x)", "concatenate", {"module": "jax.numpy"}, []),  # takes a list
        ("x.nonsense()", "nonsense", {"module": "jax.numpy"}, []),
        ("x.exp()", "numpy", {"module": "jax.numpy"}, []),  # another method is missing
        ("x.unsqueeze(0)", "unsqueeze", {"table": {"unsqueeze": "expand_dims"}}, ["expand_dims"]),
        ("x.split(2)", "split", {"module": "jax.numpy", "table": {"split": ""}}, []),  # means another thing
        ("x.exp_()", "exp_", {"module": "jax.numpy", "in_place": True}, ["exp"]),
        ("x.exp()", "exp", {"module": "jax.numpy", "in_place": True}, []),
    ],
)
def test_a_method_becomes_the_function_that_jax_has(values, text, said, options, wanted):
    assert values("method", text, "$X.$M($$$ARGS)", {"method": said}, **options) == wanted


@pytest.mark.parametrize(("facts", "wanted"), [({}, ["asarray"]), ({"tracer": "DynamicJaxpr"}, [])])
def test_only_an_array_with_values_becomes_one_of_numpy(values, facts, wanted):
    options = {"table": {"numpy": "asarray"}, "traced": False}
    assert values("method", "x.numpy()", "$X.$M()", {"method": "numpy", **facts}, **options) == wanted


@pytest.mark.parametrize(
    ("text", "said", "wanted"),
    [
        ("x.cpu()", "cpu", ["x"]),
        ("(x + 1).cpu()", "cpu", ["(x + 1)"]),
        ("x.cpu()", "numpy", []),
        ("x.exp()", "exp", []),
    ],
)
def test_a_method_that_does_nothing_is_left_away(values, text, said, wanted):
    assert values("receiver", text, "$X.$M()", {"method": said}, methods=["cpu"]) == wanted


@pytest.mark.parametrize(
    ("text", "said", "wanted"),
    [
        ("x.reshpae", "reshpae", "x.reshape"),
        ("(x + x).shap", "shap", "(x + x).shape"),
        ("x.zqk", "zqk", None),
    ],
)
def test_the_attribute_most_alike_is_offered(values, text, said, wanted):
    assert next(iter(values("alike_attribute", text, "$X.$M", {"method": said})), None) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("jnp.mean(x, dim=1, keepdim=True)", ["jnp.mean(x, axis=1, keepdims=True)"]),
        ("x.sum(dim=0)", ["x.sum(axis=0)"]),
        ("jax.nn.softmax(x, dim=-1)", ["jax.nn.softmax(x, axis=-1)"]),
        ("jax.random.normal(k, size=(3,))", ["jax.random.normal(k, shape=(3,))"]),
        (
            "functools.partial(jax.nn.softmax, dim=0)",
            ["functools.partial(jax.nn.softmax, axis=0)"],
        ),
        ("jax.lax.fori_loop(uper=3)", ["jax.lax.fori_loop(upper=3)"]),
        ("jnp.std(x, dim=0, unbiased=False)", []),  # one of them is like none
        ("jnp.array(x, requires_grad=True)", []),
        ("jnp.mean(x, axis=0)", []),
        ("jnp.mean(x, dim=0, axis=1)", []),  # it is given already
        ("mine(x, dim=0)", []),  # a function of the user's
        ("nowhere(x, dim=0)", []),
        ("jnp.swapaxes(x, axis0=0, axis9=1)", ["jnp.swapaxes(x, axis2=0, axis1=1)"]),  # each only once
    ],
)
def test_unknown_keywords_become_those_of_the_function(values, text, wanted):
    assert values("known_keywords", text, "$F($$$ARGS)") == wanted


@pytest.mark.parametrize(
    ("text", "module", "wanted"),
    [
        ("jnp.relu", "jax.nn", ["relu"]),
        ("jax.nn.ReLU", "jax.nn", ["relu"]),
        ("jax.nn.relu_6", "jax.nn", ["relu6"]),
        ("jnp.relu", "jax.lax", []),
    ],
)
def test_a_name_is_looked_for_in_other_modules(values, text, module, wanted):
    facts = {"name": text.rsplit(".", 1)[-1]}
    assert values("elsewhere", text, "$M.$N", facts, module=module) == wanted
    assert values("elsewhere", text, "$M.$N", {"name": "other"}, module=module) == []


def test_the_name_most_alike_in_the_same_module_is_offered(values):
    assert values("alike_name", "jnp.arrange", "$M.$N", {"name": "arrange"})[0] == "jnp.arange"
    assert values("alike_name", "jax.nn.Relu", "$M.$N", {"name": "Relu"})[0] == "jax.nn.relu"
    assert values("alike_name", "jnp.arrange", "$M.$N", {"name": "zeros"}) == []


@pytest.mark.parametrize(
    ("text", "pattern", "wanted"),
    [
        ("x + row", "$A + $B", ["x + jnp.asarray(row)"]),
        ("[1, 2, 3] * x", "$A * $B", ["jnp.asarray([1, 2, 3]) * x"]),
        ("x > (1, 2, 3)", "$A > $B", ["x > jnp.asarray((1, 2, 3))"]),
        ("x + x", "$A + $B", []),
        ("row + [1]", "$A + $B", []),  # two lists are joined
    ],
)
def test_a_list_beside_an_array_becomes_an_array(values, text, pattern, wanted):
    assert values("as_arrays", text, pattern) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("rates[k]", ["jnp.array(list(rates.values()))"]),
        ("{0: 1, 1: 2}[k]", ["jnp.array(list({0: 1, 1: 2}.values()))"]),
        ("{0: f, 1: 2}[k]", []),
        ("{1: 1, 0: 2}[k]", []),
        ("ages[k]", []),
        ("row[k]", []),
        ("nowhere[k]", []),
    ],
)
def test_a_dict_whose_keys_are_positions_becomes_an_array(values, text, wanted):
    assert values("as_table", text, "$D[$X]") == wanted


def test_code_is_given_only_where_the_message_tells_of_that_case(values):
    options = {"of": "X", "group": "home"}
    assert values("where_told", "'a' + x.sum()", "$A + $X", {"home": "_jax"}, **options) == ["x.sum()"]
    assert values("where_told", "'a' + x.sum()", "$A + $X", {"kind": "Batch"}, **options) == []

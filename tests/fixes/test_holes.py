"""Finders: the values a hole may take, best first, each with its reason; and the check of what is typed."""

from __future__ import annotations

import ast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hostile import hostile_class
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import Mesh, PartitionSpec
from scene import Scene

from jax_nbhelp.catalog.record import HoleRule
from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.fixes.holes import FINDERS, Found, candidates, check
from jax_nbhelp.fixes.patterns import Bindings, match_node

MESH = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("data", "model"))
NAMES = {
    "jax": jax,
    "jnp": jnp,
    "np": np,
    "P": PartitionSpec,
    "mesh": MESH,
    "_hidden": MESH,
    "n": 3,
    "x": jnp.ones((10, 4)),
    "u": jnp.ones((10, 2)),
    "key": jax.random.key(0),
    "l": [1],
}


@pytest.fixture
def values(scene):
    """A function that gives the candidates of a finder for the failing code of a cell, as (value, reason)."""

    def run(
        source, text, pattern="", *, kind="expr", facts=None, filled=None, names=None, cells=(), **options
    ):
        one = scene(*cells, text, names=NAMES | (names or {}))
        spot = one.spots.failing
        bindings = match_node(pattern, spot.node, spot.names) if pattern else Bindings()
        assert bindings is not None
        rule = HoleRule(kind, source, "l", options)
        return [
            (c.value, c.reason)
            for c in candidates(Found(rule, facts or {}, spot, bindings, one.spots, filled or {}))
        ]

    return run


def plain(found):
    return [value for value, _ in found]


# ---------------------------------------------------------------- what is typed


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", "3"),
        ("int", " -1 "),
        ("str", "'data'"),
        ("str", '"a" "b"'),
        ("name", "mesh"),
        ("name", "größe"),
        ("expr", "(0, 1)"),
        ("expr", "0, 1"),
        ("expr", "lambda x: x"),
        ("expr", "f(\n1)"),
        ("expr", "None"),
    ],
)
def test_a_value_of_the_right_kind_is_taken(kind, text):
    assert check(HoleRule(kind, "literal", "l"), text) == text.strip()


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("int", "3.0", "not a whole number"),
        ("int", "n", "not a whole number"),
        ("int", "True", "not a whole number"),
        ("int", "--1", "not a whole number"),
        ("int", "'1'", "not a whole number"),
        ("str", "data", "write a text in quotes"),
        ("str", "b'data'", "write a text in quotes"),
        ("str", "f'{x}'", "write a text"),
        ("name", "a.b", "not a name"),
        ("name", "for", "not a Python expression|not a name"),
        ("name", "None", "not a name"),
        ("name", "1", "not a name"),
        ("expr", "", "a value is needed"),
        ("expr", "  ", "a value is needed"),
        ("expr", "(", "not a Python expression"),
        ("expr", "x = 1", "not a Python expression"),
        ("expr", "import os", "not a Python expression"),
        ("expr", "1) + (1", "not a Python expression"),
        ("expr", "0); f(0", "not a Python expression"),
        ("expr", "*a", "not a Python"),
        ("expr", "yield", "not a Python expression"),
        ("expr", "\0", "not a Python expression|null"),
    ],
)
def test_a_value_of_another_kind_is_refused_and_says_why(kind, text, words):
    with pytest.raises(HoleError, match=words):
        check(HoleRule(kind, "literal", "l"), text)


@given(kind=st.sampled_from(["int", "str", "name", "expr"]), text=st.text(max_size=40))
def test_any_text_is_taken_or_refused(kind, text):
    try:
        value = check(HoleRule(kind, "literal", "l"), text)
    except HoleError:
        return
    ast.parse(f"({value}\n)", mode="eval")


# ---------------------------------------------------------------- finders


def test_literals_come_in_the_records_order_each_once(values):
    found = values("literal", "«f(a)»", values=["0", {"value": "1", "reason": "the last"}, "0"])
    assert found == [("0", ""), ("1", "the last")]


@pytest.mark.parametrize(("kind", "wanted"), [("str", "'data'"), ("expr", "data")])
def test_the_message_gives_what_it_caught(values, kind, wanted):
    assert values("message", "«f(a)»", kind=kind, facts={"axis": "data"}, group="axis") == [
        (wanted, "named in the error")
    ]


def test_a_message_that_caught_nothing_gives_nothing(values):
    assert values("message", "«f(a)»", group="axis") == []


def test_the_parameter_that_the_error_names_comes_first(values):
    cell = "@jax.jit\ndef f(x, n, *, k):\n    return «x + n»"
    assert plain(
        values(
            "parameter",
            "@«jax.jit»\ndef f(x, n, *, k):\n    return x",
            kind="str",
            facts={"a": "n"},
            group="a",
        )
    ) == ["'n'", "'x'", "'k'"]
    assert cell


def test_a_parameter_that_steers_comes_before_the_others(values):
    cell = "@«jax.jit»\ndef f(x, n):\n    for i in range(n):\n        x += i\n    return x"
    (first, reason), *_ = values("parameter", cell, kind="str", used_in="condition")
    assert first == "'n'"
    assert reason


def test_the_parameters_of_a_method_leave_self_out(values):
    cell = "class A:\n    @«jax.jit»\n    def f(self, n):\n        return n"
    assert plain(values("parameter", cell, kind="str")) == ["'n'"]


def test_live_objects_of_exactly_one_class_are_found(values):
    assert values("namespace", "«f(a)»", isinstance="jax.sharding.Mesh") == [("mesh", "")]


def test_the_mesh_that_has_the_axis_comes_first(values):
    other = Mesh(np.array(jax.devices()[:1]), ("rows",))
    found = values(
        "namespace",
        "«f(a)»",
        isinstance="jax.sharding.Mesh",
        names={"a_mesh": other},
        facts={"axis": "model"},
        prefer_axis="axis",
    )
    assert found[0] == ("mesh", "has the axis 'model'")
    assert plain(found) == ["mesh", "a_mesh"]


def test_an_unknown_class_finds_nothing(values):
    assert values("namespace", "«f(a)»", isinstance="jax.sharding.NothingLikeThis") == []


def test_names_of_arrays(values):
    assert set(plain(values("array_names", "«f(a)»"))) >= {"x", "u"}
    assert not {"l", "n", "mesh", "jnp", "_hidden"} & set(plain(values("array_names", "«f(a)»")))


def test_specs_over_the_axes_of_the_mesh(values):
    found = plain(values("specs", "«f(a)»", filled={"mesh": "mesh"}, facts={"axis": "model"}))
    assert found == ["P('model')", "P('data')", "P()"]
    assert plain(values("specs", "«f(a)»", filled={"mesh": "mesh"}, prefer="replicated"))[0] == "P()"


def test_the_other_axes_of_live_meshes(values):
    found = values("mesh_axes", "«f(a)»", facts={"axis": "dta"}, group="axis")
    assert plain(found)[0] == "'data'"
    assert "mesh" in found[0][1]
    assert "'data'" not in plain(values("mesh_axes", "«f(a)»", facts={"axis": "data"}, group="axis"))


@pytest.mark.parametrize(
    ("array", "mask", "wanted"),
    [
        ((2, 3), "(3,)", ["t[:, m]"]),
        ((3, 3, 2), "(2,)", ["t[:, :, m]"]),
        ((4, 2, 3), "(2, 3)", ["t[:, m]"]),
        ((3, 2), "(2, 3)", ["t[m.T]"]),
        ((2, 3), "(4,)", []),
        ((2, 3), "", []),
    ],
)
def test_a_mask_goes_to_the_axes_of_its_shape(values, array, mask, wanted):
    names = {"t": jnp.ones(array), "m": None}
    found = values("mask_place", "«t[m]»", "$X[$M]", facts={"shape": mask}, names=names, of="X", mask="M")
    assert plain(found) == wanted


def test_arguments_by_position_are_as_many_as_the_message_says(values):
    cell, call = "g = lambda x, n: x", "«g(x, n=2)»"
    for count, wanted in ("2", ["g(x, 2)"]), ("3", []):
        facts = {"entries": count}
        found = values(
            "positional",
            call,
            "$F($$$A, **$$$K)",
            cells=[cell],
            facts=facts,
            names={"g": len},
            of="F",
            count="entries",
        )
        assert plain(found) == wanted


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("jax_enable_x46", "'jax_enable_x64'"),
        ("enable_x64", "'jax_enable_x64'"),
        ("jax_debug_nan", "'jax_debug_nans'"),
        ("jax_array", None),
        ("", None),
    ],
)
def test_the_option_of_jax_that_is_most_like_a_name(values, name, wanted):
    first, *_ = [
        *plain(values("config_option", "«f(a)»", kind="str", facts={"name": name}, group="name")),
        None,
    ]
    assert first == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("x > 0 & x < 2", ["(x > 0) & (x < 2)"]),
        ("x == 0 | x >= y + 1", ["(x == 0) | (x >= y + 1)"]),
        ("m & x < 2", ["m & (x < 2)"]),
        ("x > 0 & m", ["(x > 0) & m"]),
        ("x > 0 & x < 2 | m & y != 3", ["(x > 0) & (x < 2) | m & (y != 3)"]),
        ("0 < x & y < 2", ["(0 < x) & (y < 2)"]),
        ("x > (a & b)", []),
        ("x > 0", []),
        ("0 < x < 2", []),
        ("x in a & b", []),
    ],
)
def test_comparisons_get_their_brackets(values, code, wanted):
    assert plain(values("bracketed", f"«{code}»")) == wanted


def test_reshapes_of_the_right_size(values):
    found = plain(values("reshape", "«f(a)»", facts={"size": "12", "shape": "(5, 4)"}))
    assert all(np.empty(12).reshape(ast.literal_eval(one)).size == 12 for one in found)
    assert "(-1, 4)" in found or "(3, 4)" in found


def test_in_axes_that_give_one_length(values):
    text = "«jax.vmap(f, in_axes=(0, 1))»(x, u)"
    found = plain(values("mapped_axes", text, "jax.vmap($F, $$$R, in_axes=$AXES)", now="AXES"))
    assert found[0] == "(0, 0)"
    shapes = {0: (10, 4), 1: (10, 2)}
    for one in found:
        axes = ast.literal_eval(one)
        assert len({shapes[number][axis] for number, axis in enumerate(axes) if axis is not None}) == 1


@pytest.mark.parametrize(
    ("text", "wanted", "first"),
    [
        ("(P('x'),)", "3", "(P('x'), P('x'), P('x'))"),
        ("(P('x'), P())", "1", "(P('x'),)"),
        ("P('x')", "2", None),
        ("(P('x'),)", "0", None),
        ("(P('x'),)", "many", None),
    ],
)
def test_a_spec_for_each_value(values, text, wanted, first):
    found = plain(values("specs_for_each", f"«f({text})»", "f($S)", facts={"wanted": wanted}, of="S"))
    assert found[:1] == ([first] if first else [])


def test_an_array_padded_to_a_multiple(values):
    facts = {"size": "10", "count": "8"}
    assert plain(values("padded", "«f(x)»", "f($X)", facts=facts, of="X")) == ["jnp.pad(x, ((0, 6), (0, 0)))"]
    assert plain(values("padded", "«f(x)»", "f($X)", facts={"size": "9", "count": "8"}, of="X")) == []
    assert plain(values("padded", "«f(y + 1)»", "f($X)", facts=facts, of="X")) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = 0\n«while a < n:\n    b = a + 1\n    a = b»", ["a"]),  # b is bound anew in each round
        ("a = 0\n«while a < n:\n    b = b + 1\n    a = b»", ["(b, a)"]),
        ("a = b = 0\n«while a < n:\n    b = 1\n    a = a + b»", ["(b, a)"]),
        ("a = 0\n«while a < n:\n    a = a + 1\n    break»", []),
    ],
)
def test_what_a_loop_carries(scene, text, wanted):
    one = scene(text, names={"a": jnp.ones(()), "b": jnp.ones(()), "n": 3})
    loop = next(spot for spot in one.spots.at("failing") if isinstance(spot.node, ast.While))
    found = Found(HoleRule("expr", "carried", "l", {}), {}, loop, Bindings(), one.spots, {})
    assert [candidate.value for candidate in candidates(found)] == wanted


def test_an_array_of_more_axes_is_mapped_before_one_of_fewer(values):
    names = {"q": jnp.ones((2, 4, 8)), "k": jnp.ones((6, 8))}
    found = plain(values("mapped_axes", "«jax.vmap(f)»(q, k, k)", "jax.vmap($F, $$$R)", names=names))
    assert found[0] == "(0, None, None)"


@pytest.mark.parametrize(
    ("call", "shapes", "vectors", "outer", "inner"),
    [
        ("jax.vmap(f)»(a, b)", {"a": (5, 2), "b": (3, 2)}, False, "(0, None)", "(None, 0)"),
        ("jax.vmap(f)»(a, b)", {"a": (5, 2), "b": (3, 4)}, False, None, None),
        ("jax.vmap(f)»(a, b)", {"a": (5,), "b": (3,)}, False, None, None),
        ("jax.vmap(f)»(a, b)", {"a": (5,), "b": (3,)}, True, "(0, None)", "(None, 0)"),
        ("jax.vmap(f)»(a, b, c)", {"a": (5,), "b": (3,), "c": (5,)}, True, "(0, None, 0)", "(None, 0, None)"),
        ("jax.vmap(f)»(a, b, c)", {"a": (5,), "b": (3,), "c": (4,)}, True, None, None),
        (
            "jax.vmap(f, in_axes=(None, 0, 0))»(x, a, b)",
            {"a": (5,), "b": (3,)},
            True,
            "(None, 0, None)",
            "(None, None, 0)",
        ),
        ("jax.vmap(f, in_axes=(1, 0))»(a, b)", {"a": (5, 2), "b": (3, 2)}, False, None, None),
        ("jax.vmap(f)»(*a, b)", {"a": (5, 2), "b": (3, 2)}, False, None, None),
        ("jax.vmap(f)»(a, unknown)", {"a": (5, 2)}, False, None, None),
    ],
)
def test_the_axes_of_every_pair(values, call, shapes, vectors, outer, inner):
    names = {name: jnp.ones(shape) for name, shape in shapes.items()}
    pattern = "jax.vmap($F, in_axes=$AXES)" if "in_axes" in call else "jax.vmap($F)"
    for side, wanted in (("outer", outer), ("inner", inner)):
        found = values("pair_axes", f"«{call}", pattern, names=names, now="AXES", side=side, vectors=vectors)
        assert plain(found) == ([wanted] if wanted else [])


# ---------------------------------------------------------------- every finder

CAPTURES = st.sampled_from(
    [
        "",
        "x",
        "n",
        "(3,)",
        "(2, 3)",
        "[1, 2]",
        "data",
        "'data'",
        "-1",
        "12",
        "0",
        "a.b",
        "(",
        "\0",
        "float32[3,4]",
        "P('data', 'data')",
        "lambda ; a:i32[]. let in (a, 0)",
        "ü" * 50,
        "9" * 30,
        "('rows', 'columns')",
        "<class 'list'>",
    ]
)
PATTERNS = [
    "f($A, $$$R)",
    "$A + $B",
    "jax.vmap($F, $$$R, in_axes=$A)",
    "jax.sharding.PartitionSpec($$$A)",
    "[$$$A]",
    "if $A:\n    $$$B",
    "$A",
]
CODES = [
    "f(x, u)",
    "x + u",
    "jax.vmap(f, in_axes=(0, 1))",
    "P('data', 'data')",
    "[1, [2, n]]",
    "h",
    "f(*x)",
    "f(h, **h)",
    "P(*x)",
    "np.ones",
]
OPTIONS = [
    "group",
    "of",
    "now",
    "other",
    "size",
    "shape",
    "shapes",
    "block",
    "mesh",
    "count",
    "names",
    "path",
    "axis",
    "spec",
    "rank",
    "wrong",
    "mask",
    "count",
    "value",
    "old",
    "isinstance",
    "prefer_axis",
    "kind",
    "used_in",
    "only",
    "bare",
    "prefer",
]


@pytest.mark.parametrize("source", sorted(FINDERS))
@given(data=st.data())
def test_no_input_makes_a_finder_raise(source, data):
    code = data.draw(st.sampled_from(CODES))
    one = Scene("h = 1\ndef f(a, b): return a\n", f"«{code}»", names=NAMES | {"h": hostile_class()()})
    spot = one.spots.failing
    facts = {name: data.draw(CAPTURES) for name in ["size", "shape", "axis", "group", "value"]}
    fits = [found for pattern in PATTERNS if (found := match_node(pattern, spot.node, spot.names))]
    bindings = data.draw(st.sampled_from([*fits, Bindings()]))
    options = {
        name: data.draw(st.sampled_from(["size", "shape", "axis", "A", "B", "F", "R", ""]))
        for name in OPTIONS
    }
    rule = HoleRule(data.draw(st.sampled_from(["expr", "str", "name", "int"])), source, "l", options)
    found = candidates(
        Found(rule, facts, spot, bindings, one.spots, {"mesh": "mesh", "block": data.draw(CAPTURES)})
    )
    assert len(found) <= 6
    assert len({one.value for one in found}) == len(found)
    assert all(isinstance(one.value, str) and isinstance(one.reason, str) for one in found)

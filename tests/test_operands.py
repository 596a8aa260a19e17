"""Operands: types as JAX writes them, and nothing asked of any object that is not JAX's or numpy's."""

from __future__ import annotations

import ast
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jax_nbhelp.fixes.names import Names
from jax_nbhelp.operands import describe, is_array, is_tracer, operands, shape_of

MESH = Mesh(np.array(jax.devices()[:1]), ("data",))


def named(code, **scope):
    return [(one.name, one.type) for one in operands(ast.parse(code).body[0], Names([scope]))]


def traced(x):
    """A tracer for the shape and dtype of an array."""
    seen = []
    jax.make_jaxpr(seen.append)(x)
    return seen[0]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (jnp.ones((10, 4)), "float32[10, 4]"),
        (jnp.ones(()), "float32[]"),
        (jnp.arange(3), "int32[3]"),
        (jnp.ones(2, jnp.bfloat16), "bfloat16[2]"),
        (np.ones((2, 3)), "float64[2, 3] (numpy)"),
        (np.ones(2, object), "object[2] (numpy)"),
        (np.float32(1), "numpy float32"),
        (np.bool_(True), "numpy bool"),
        (3, "3"),
        (True, "True"),
        (1.5, "float"),
        (None, "None"),
        ("mean", "'mean'"),
        ("x" * 30, "str"),
        ([1, 2], "list of 2"),
        ((1,), "tuple of 1"),
        ({}, "dict of 0"),
        (MESH, "Mesh('data': 1)"),
        (PartitionSpec("data"), "P('data')"),
        (PartitionSpec(None, ("data",)), "P(None, 'data')"),
        (jax.ShapeDtypeStruct((3,), jnp.float32), "ShapeDtypeStruct float32[3]"),
        (
            jax.device_put(jnp.ones(2), NamedSharding(MESH, PartitionSpec("data"))),
            "float32[2] (sharded P('data'))",
        ),
    ],
)
def test_a_value_is_described_in_jaxs_notation(value, wanted):
    assert describe(value).replace("bool_", "bool") == wanted  # numpy's name of it before 2.0


def test_a_tracer_is_described_as_traced():
    assert describe(traced(jnp.ones(3))) == "float32[3] (traced)"
    assert is_tracer(traced(jnp.ones(3)))
    assert shape_of(traced(jnp.ones(3))) == (3,)


@pytest.mark.parametrize("value", [object(), lambda: 0, jnp, jax.jit, range(3), 3 + 2j, b"x", iter([])])
def test_any_other_value_is_not_described_or_by_its_type_alone(value):
    assert describe(value) in {None, "(3+2j)"}


@pytest.mark.parametrize(
    ("value", "wanted"), [(2, ()), (jnp.ones((2, 3)), (2, 3)), (np.ones(3), (3,)), ([1], None), ("a", None)]
)
def test_shapes(value, wanted):
    assert shape_of(value) == wanted


def test_nothing_is_asked_of_a_users_object(hostile):
    assert describe(hostile) is None
    assert describe(type(hostile)) is None
    assert shape_of(hostile) is None
    assert not is_array(hostile)
    assert not is_tracer(hostile)


@pytest.mark.parametrize(
    "code", ["h", "h.shape", "h.a.b", "h[0]", "f(h)", "h @ h", "m.h", "h.T.x", "o.h.y", "C.h"]
)
def test_nothing_is_asked_of_the_objects_in_the_failing_code(code, hostile):
    module, owner = types.ModuleType("m"), types.SimpleNamespace(h=hostile)
    module.h = hostile
    assert named(code, h=hostile, m=module, o=owner, C=type(hostile), f=len) == []


@pytest.mark.parametrize("base", [list, dict, tuple, str, int, float, np.ndarray])
def test_a_subclass_is_the_users_own_type(base):
    def refuse(*_):
        raise AssertionError("code of the user's ran")

    cls = type(
        "Own",
        (base,),
        {"__len__": refuse, "__repr__": refuse, "shape": property(refuse), "dtype": property(refuse)},
    )
    assert describe(np.ones(2).view(cls) if base is np.ndarray else cls()) is None


def test_a_class_that_only_bears_the_name_of_jaxs_is_not_jaxs():
    for name in ("ArrayImpl", "Mesh", "P", "PartitionSpec", "ShapeDtypeStruct", "Tracer"):
        fake = type(name, (), {"__module__": "jaxtools.core", "shape": (1,), "axis_names": ()})()
        assert describe(fake) is None


def test_a_class_whose_module_is_no_text_is_not_asked():
    assert describe(type("ArrayImpl", (), {"__module__": None})()) is None
    assert describe(type("ArrayImpl", (), {"__module__": property(lambda self: 1 / 0)})()) is None


def test_names_come_in_the_order_of_the_code_and_once():
    x, y = jnp.ones(2), jnp.ones(3)
    assert named("f(y, x) + y", x=x, y=y) == [("y", "float32[3]"), ("x", "float32[2]")]


def test_an_attribute_is_shown_where_the_object_holds_it_plainly():
    assert named("net.w @ x", net=types.SimpleNamespace(w=jnp.ones(2)), x=1) == [
        ("net.w", "float32[2]"),
        ("x", "1"),
    ]


def test_an_attribute_of_the_class_is_shown():
    cls = type("Net", (), {"w": jnp.ones(2)})
    assert named("net.w", net=cls()) == [("net.w", "float32[2]")]


def test_a_slot_is_read():
    cls = type("Net", (), {"__slots__": ("w", "empty")})
    net = cls()
    net.w = jnp.ones(2)
    assert named("net.w + net.empty", net=net) == [("net.w", "float32[2]")]


def test_a_property_is_not_run():
    class Net:
        @property
        def w(self):
            raise AssertionError("code of the user's ran")

    net = Net()
    net.__dict__["w"] = jnp.ones(2)  # a property wins over the instance
    assert named("net.w", net=net) == []


def test_what_a_lambda_only_defines_is_not_looked_into():
    assert named("f(lambda z: z + x, y)", x=jnp.ones(2), y=1) == [("y", "1")]


def test_few_operands_are_shown():
    code = "f(" + ", ".join(f"x{n}" for n in range(20)) + ")"
    assert len(named(code, **{f"x{n}": n for n in range(20)})) == 8


def test_values_are_never_read(monkeypatch):
    cls = type(jnp.ones(2))

    def refuse(*_):
        raise AssertionError("an array's values were read")

    x = jnp.ones((2, 2))
    for name in (
        "__array__",
        "__repr__",
        "__str__",
        "__iter__",
        "__bool__",
        "__eq__",
        "__getitem__",
        "__len__",
        "_value",
    ):
        monkeypatch.setattr(cls, name, property(refuse) if name == "_value" else refuse)
    assert describe(x) == "float32[2, 2]"

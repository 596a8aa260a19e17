"""Names: what they refer to, by identity, without running any code of the user's."""

from __future__ import annotations

import ast
import functools
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.lax import scan
from jax.sharding import PartitionSpec

from jax_nbhelp.fixes.names import MISSING, Names, canonical, dotted, is_canonical


def node(text):
    return ast.parse(text, mode="eval").body


def refers(text, name, **scope):
    return Names([scope]).refers(node(text), name)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a", "a"), ("a.b.c", "a.b.c"), ("a().b", ""), ("a[0].b", ""), ("1", ""), ("a.b()", "")],
)
def test_a_dotted_name_is_a_chain_of_attributes_on_a_name(text, wanted):
    assert dotted(node(text)) == wanted


@pytest.mark.parametrize(
    ("text", "name", "scope"),
    [
        ("jax.numpy.dot", "jax.numpy.dot", {"jax": jax}),
        ("jnp.dot", "jax.numpy.dot", {"jnp": jnp}),
        ("j.numpy.dot", "jax.numpy.dot", {"j": jax}),
        ("j.lax.scan", "jax.lax.scan", {"j": jax}),
        ("lax.scan", "jax.lax.scan", {"lax": lax}),
        ("fold", "jax.lax.scan", {"fold": scan}),
        ("P", "jax.sharding.PartitionSpec", {"P": PartitionSpec}),
        ("vmap", "jax.vmap", {"vmap": jax.vmap}),
        ("np.load", "numpy.load", {"np": np}),
        ("partial", "functools.partial", {"partial": functools.partial}),
        ("jnp", "jax.numpy", {"jnp": jnp}),
    ],
)
def test_a_thing_is_itself_whatever_the_user_calls_it(text, name, scope):
    assert refers(text, name, **scope)


@pytest.mark.parametrize(
    ("text", "name", "scope"),
    [
        ("np.dot", "jax.numpy.dot", {"np": np}),
        ("jnp.dot", "jax.numpy.matmul", {"jnp": jnp}),
        ("jnp.dot", "jax.numpy.dot", {}),
        ("dot", "jax.numpy.dot", {"dot": lambda a, b: a}),
        ("jax.numpy.dot", "jax.numpy.dot", {"jax": types.SimpleNamespace(numpy=jnp)}),
        ("jnp.dot()", "jax.numpy.dot", {"jnp": jnp}),
        ("scan", "jax.lax.scan", {"scan": None}),
    ],
)
def test_another_thing_of_the_same_name_is_not_it(text, name, scope):
    assert not refers(text, name, **scope)


def test_an_inner_scope_shadows_an_outer_one():
    names = Names([{"jnp": np}, {"jnp": jnp}])
    assert not names.refers(node("jnp.dot"), "jax.numpy.dot")
    assert names.get("jnp") is np


def test_a_builtin_is_seen_unless_shadowed():
    assert Names([{}]).get("range") is range
    assert Names([{"range": 3}]).get("range") == 3


def test_a_name_that_is_not_there_is_missing():
    assert Names([{}]).get("nothing") is MISSING
    assert Names([{"jnp": jnp}]).value(node("jnp.nothing_here")) is MISSING
    assert canonical("jax.numpy.nothing_here") is MISSING
    assert canonical("nothing.here") is MISSING
    assert canonical("jax.numpy.ndarray.nothing.here") is MISSING


def test_a_name_that_jax_removed_is_recognised_by_its_module_and_spelling():
    assert canonical("jax.experimental_name_that_is_gone") is MISSING
    assert refers("j.experimental_name_that_is_gone", "jax.experimental_name_that_is_gone", j=jax)
    assert not refers("np.experimental_name_that_is_gone", "jax.experimental_name_that_is_gone", np=np)


@pytest.mark.parametrize(
    ("name", "scope", "wanted"),
    [
        ("jax.numpy.dot", {"jnp": jnp}, ("jnp.dot", None)),
        ("jax.numpy.dot", {"np": jnp}, ("np.dot", None)),
        ("jax.numpy.dot", {"jax": jax}, ("jax.numpy.dot", None)),
        ("jax.numpy.dot", {"dot": jnp.dot}, ("dot", None)),
        ("jax.lax.scan", {"fold": scan, "jax": jax}, ("jax.lax.scan", None)),
        ("jax.sharding.PartitionSpec", {"P": PartitionSpec}, ("P", None)),
        ("jax.vmap", {"j": jax}, ("j.vmap", None)),
        ("jax.numpy.dot", {}, ("jnp.dot", "import jax.numpy as jnp")),
        ("jax.vmap", {}, ("jax.vmap", "import jax")),
        ("functools.partial", {}, ("functools.partial", "import functools")),
        ("functools.partial", {"partial": functools.partial}, ("partial", None)),
        ("numpy.asarray", {}, ("np.asarray", "import numpy as np")),
        ("jax.experimental.pallas.BlockSpec", {"pl": pl}, ("pl.BlockSpec", None)),
        (
            "jax.experimental.pallas.BlockSpec",
            {},
            ("pl.BlockSpec", "from jax.experimental import pallas as pl"),
        ),
        ("range", {}, ("range", None)),
    ],
)
def test_a_name_is_spelled_as_the_user_would(name, scope, wanted):
    assert Names([scope]).spell(name) == wanted


def test_a_binding_that_is_shadowed_is_not_a_spelling():
    assert Names([{"jnp": 1}, {"jnp": jnp}]).spell("jax.numpy.dot") == ("jax.numpy.dot", "import jax")


def test_an_import_never_takes_a_name_that_the_user_gave_to_another_thing():
    assert Names([{"np": jnp}]).spell("numpy.asarray") == ("numpy.asarray", "import numpy")


@pytest.mark.parametrize("name", ["jax.numpy.dot", "jax", "numpy.load", "functools.partial"])
def test_a_known_package_makes_a_name_canonical(name):
    assert is_canonical(name)


@pytest.mark.parametrize("name", ["x.jax", "jaxy.f", "self.jax.numpy", ""])
def test_any_other_name_is_compared_by_spelling(name):
    assert not is_canonical(name)


def test_the_texts_of_cells_that_the_shell_keeps_are_no_names():
    names = Names([{"_i1": "x = 1", "_1": 7, "_index": 3, "_i": "x = 1"}])
    assert [names.get(name) for name in ("_i1", "_1", "_index", "_i")] == [MISSING, 7, 3, "x = 1"]


def test_a_namespace_is_looked_over_once():
    own, inner = {"a": 1}, {"b": 2}
    outer = Names([own])
    both = Names([inner, own], outer=outer)
    assert both.scopes[1] is outer.scopes[0]
    assert (both.get("a"), both.get("b")) == (1, 2)


def test_private_names_of_the_shell_are_no_spelling():
    assert Names([{"_1": jnp, "_jnp": jnp}]).spell("jax.numpy.dot") == ("jnp.dot", "import jax.numpy as jnp")


@pytest.mark.parametrize("text", ["h", "h.shape", "h.a.b", "h.T.dot", "m.h.x"])
def test_nothing_is_asked_of_a_users_object(text, hostile):
    module = types.ModuleType("m")
    module.h = hostile
    names = Names([{"h": hostile, "m": module, "jnp": jnp}])
    names.value(node(text))
    assert not names.refers(node(text), "jax.numpy.dot")
    assert names.spell("jax.numpy.dot") == ("jnp.dot", None)


def test_a_lazy_module_is_not_made_to_load():
    class Lazy(types.ModuleType):
        def __getattr__(self, name):
            raise AssertionError("the module was asked")

        def __getattribute__(self, name):
            if name != "__dict__":
                raise AssertionError("the module was asked")
            return super().__getattribute__(name)

    names = Names([{"lazy": Lazy("lazy"), "jnp": jnp}])
    assert names.value(node("lazy.thing")) is MISSING
    assert not names.refers(node("lazy.thing"), "jax.numpy.dot")
    assert not names.refers(node("lazy.thing"), "jax.numpy.gone_name")


def test_a_class_of_the_users_is_looked_into_without_its_metaclass():
    class Meta(type):
        def __getattribute__(cls, name):
            raise AssertionError("the metaclass was asked")

    assert Names([{"C": Meta("C", (), {"x": 3})}]).value(node("C.x")) == 3


def test_a_member_of_an_enumeration_is_known():
    assert refers("Axis.Explicit", "jax.sharding.AxisType.Explicit", Axis=jax.sharding.AxisType)
    assert not refers("Axis.Auto", "jax.sharding.AxisType.Explicit", Axis=jax.sharding.AxisType)

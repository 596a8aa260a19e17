"""Values of the type that a loop, a branch or a product asks for."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jax_nbhelp.catalog.record import HoleRule
from jax_nbhelp.fixes.holes import Found, candidates
from jax_nbhelp.fixes.patterns import match_node

NAMES = {"jax": jax, "jnp": jnp, "W": jnp.ones((2, 3)), "x": jnp.ones((4, 3)), "v": jnp.ones(2)}


@pytest.fixture
def values(scene):
    """A function that gives the candidates of a finder for a piece of code, as texts."""

    def run(source, text, pattern, facts=None, **options):
        one = scene(f"«{text}»", names=NAMES)
        spot = one.spots.failing
        bindings = match_node(pattern, spot.node, spot.names)
        found = Found(HoleRule("expr", source, "l", options), facts or {}, spot, bindings, one.spots, {})
        return [candidate.value for candidate in candidates(found)]

    return run


@pytest.mark.parametrize(
    ("start", "carry", "have", "want", "wanted"),
    [
        ("0", "c", "int32[]", "float32[]", ["jnp.asarray(0, dtype=jnp.float32)"]),
        ("0.0", "c", "float32[]", "float32[2]", ["jnp.broadcast_to(0.0, (2,))"]),
        ("(0, a)", "component c[1]", "int32[]", "float32[]", ["(0, jnp.asarray(a, dtype=jnp.float32))"]),
        (
            "(0, a)",
            "component loop_carry[1][1]",
            "int32[]",
            "float32[]",
            ["(0, jnp.asarray(a, dtype=jnp.float32))"],
        ),
        ("{'n': a}", "component c['n']", "bool[]", "int32[]", ["{'n': jnp.asarray(a, dtype=jnp.int32)}"]),
        ("a", "c", "float32[2,3]{data}", "float32[2,3]{V:data,model}", ["{vary}(a, ('model',){to})"]),
        (
            "(a, b)",
            "component c[1]",
            "int32[]",
            "float32[]{V:data}",
            ["(a, {vary}(jnp.asarray(b, dtype=jnp.float32), ('data',){to}))"],
        ),
        ("a", "c", "float32[]{V:data}", "float32[]", []),  # what varies cannot be made equal
        ("0.5", "c", "float32[]", "int32[]", []),  # the start would lose its digits
        ("a", "c", "float32[2]", "float32[3]", []),  # a state that grows has no one shape
        ("state", "component c[1]", "int32[]", "float32[]", []),  # the part is not written out here
    ],
)
def test_the_start_of_a_loop_gets_the_type_that_its_body_returns(values, start, carry, have, want, wanted):
    facts = {"carry": carry, "have": have, "want": want}
    new = hasattr(jax.lax, "pcast")  # JAX 0.8 renamed pvary
    names = {"vary": "jax.lax.pcast" if new else "jax.lax.pvary", "to": ", to='varying'" if new else ""}
    wanted = [text.format(**names) if "{vary}" in text else text for text in wanted]
    assert values("carry_start", f"f({start})", "$F($A)", facts, of="A") == wanted


def test_every_part_of_a_state_is_put_right(values):
    words = (
        "* the input carry component c[0] has type int32[] but the corresponding output carry component has type "
        "float32[], so the dtypes do not match; * the input carry component c[1] has type bool[2,3] but the "
        "corresponding output carry component has type int32[2,3], so the dtypes do not match."
    )
    found = values("carry_start", "f((a, b))", "$F($A)", {"detail": words}, of="A")
    assert found == ["(jnp.asarray(a, dtype=jnp.float32), jnp.asarray(b, dtype=jnp.int32))"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x @ W", ["x @ W.T"]),
        ("v @ x", []),
        ("W @ v", ["W.T @ v", "v @ W"]),
        ("jnp.dot(x, W)", ["jnp.dot(x, W.T)"]),
        ("W.T @ x", ["x @ W.T"]),
    ],
)
def test_the_products_whose_inner_lengths_agree(values, text, wanted):
    pattern = "jax.numpy.dot($A, $B)" if "dot" in text else "$A @ $B"
    found = values("product", text, pattern, left="A", right="B")
    assert set(wanted) <= set(found)
    assert bool(found) == bool(wanted)


def test_a_whole_number_is_written_as_a_float(values):
    assert values("decimal", "f(2)", "$F($A)", of="A") == ["2.0"]
    assert values("decimal", "f(a)", "$F($A)", of="A") == []

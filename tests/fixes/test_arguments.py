"""The values of the arguments of a failing call, from real errors of JAX's."""

from __future__ import annotations

import ast

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jax_nbhelp.fixes.arguments import arguments_of

NAMES = {
    "jax": jax,
    "jnp": jnp,
    "np": np,
    "x": jnp.ones((2, 3)),
    "y": jnp.ones((4, 5)),
    "key": jax.random.key(0),
}


@pytest.fixture(autouse=True)
def _all_frames():
    """As under IPython; plain Python's default takes JAX's frames away."""
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")
    yield
    jax.config.update("jax_traceback_filtering", before)


def known(code):
    """The shapes of the arguments that are found, by their source."""
    node = ast.parse(code, mode="eval").body
    with pytest.raises(Exception) as caught:
        eval(compile(code, "<cell>", "eval"), dict(NAMES))
    traceback = caught.value.__traceback__
    while traceback.tb_frame.f_code.co_filename != "<cell>":
        traceback = traceback.tb_next
    found = arguments_of(node, traceback.tb_next.tb_frame)
    return {ast.unparse(one): getattr(value, "shape", None) for one, value in found.items()}


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("(x * 2) + y.T", {"x * 2": (2, 3), "y.T": (5, 4)}),
        ("(x * 2) @ y", {"x * 2": (2, 3), "y": (4, 5)}),
        ("jnp.dot(x * 2, y)", {"x * 2": (2, 3), "y": (4, 5)}),
        ("jax.lax.add(x + 1, y=y + 1)", {"x + 1": (2, 3), "y + 1": (4, 5)}),
        ("(x * 2).reshape(4, 4)", {"x * 2": (2, 3)}),
        ("jnp.reshape(x * 2, shape=(4, 4))", {"x * 2": (2, 3)}),
        ("jax.vmap(lambda a, b: a)(x[0], y[0])", {"x[0]": (3,), "y[0]": (5,)}),
        ("jax.vmap(lambda a, b: a)(x[0], b=y[0])", {"x[0]": (3,), "y[0]": (5,)}),
        ("jax.jit(lambda a, b: a + b)(x[0], y[0])", {"x[0]": (3,), "y[0]": (5,)}),
        ("jax.grad(lambda a: a)(x[0])", {"x[0]": (3,)}),
    ],
)
def test_values_that_no_name_holds(code, wanted):
    assert known(code) == wanted


@pytest.mark.parametrize(
    "code",
    [
        "np.ones(7) + (x * 2)",  # __radd__: its self is the right side
        "jnp.dot(*(x * 2, y))",
        "jnp.concatenate([x, y[None]])",  # what is written out says what it is
        "jax.random.normal(3)",
    ],
)
def test_what_cannot_be_told_is_left_out(code):
    assert known(code) == {}


def test_a_fix_knows_the_shapes_of_arguments_that_have_no_name():
    from jax_nbhelp.help import help_for
    from jax_nbhelp.hosts.plain import PlainShell

    shell = PlainShell()
    cells = [
        "import jax, jax.numpy as jnp",
        "t = jax.vmap(lambda p, q: p @ q)(jnp.ones((3, 2)), jnp.ones((4, 2)))",
    ]
    error = shell.run(cells)
    fix = help_for(error, shell.book, shell.namespace).fixes[0]
    assert fix.id == "every-pair"
    assert shell.run([cells[0], fix.edits[0].new]) is None
    assert shell.namespace["t"].shape == (3, 4)

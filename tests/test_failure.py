"""Failures: chains, JAX's four ways to hide frames, origins, and whose error it is."""

from __future__ import annotations

import jax
import pytest
from hostile import hostile_class
from jax.sharding import PartitionSpec as P

from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.failure import capture, message_of
from jax_nbhelp.help import help_for

SETUP = "import jax, jax.numpy as jnp, numpy as np\n"
BAD_VMAP = SETUP + "a, b = jnp.ones(3), jnp.ones(4)\nc = jax.vmap(lambda x, y: x + y)(a, b)"


@pytest.fixture(params=["off", "tracebackhide", "remove_frames", "quiet_remove_frames"])
def filtering(request):
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", request.param)
    yield request.param
    jax.config.update("jax_traceback_filtering", before)


def failure_of(notebook, *cells):
    error, _, shell = notebook(*cells)
    assert error is not None
    return capture(error, shell.book, shell.namespace)[0]


def test_every_filtering_mode_gives_the_same_record_and_place(notebook, filtering):
    _, found, _ = notebook(BAD_VMAP)
    assert found.record == "vmap-inconsistent-sizes"
    assert found.where.source == "c = jax.vmap(lambda x, y: x + y)(a, b)"
    assert found.fixes


def test_the_raising_frame_is_kept_unless_jax_threw_it_away(notebook, filtering):
    link = failure_of(notebook, BAD_VMAP).links[0]
    if filtering == "quiet_remove_frames":
        assert link.frames_removed
        assert link.owner == "jax"
    else:
        assert link.raising.file == "jax/_src/api.py"
        assert link.raising.function == "_mapped_axis_size"


def test_a_failure_holds_no_live_object(notebook):
    failure = failure_of(notebook, BAD_VMAP)
    pending, kinds = [failure], set()
    while pending:
        one = pending.pop()
        kinds.add(type(one).__module__.split(".")[0])
        if hasattr(one, "__slots__"):
            pending += [getattr(one, name) for name in one.__slots__]
        elif isinstance(one, tuple):
            pending += one
    assert kinds <= {"builtins", "jax_nbhelp"}


def test_the_place_is_the_failing_expression(notebook):
    failure = failure_of(notebook, SETUP + "x, y = jnp.ones(3), jnp.ones(4)", "z = (x * 2) + (x + y) * 3")
    (_, frame), *_ = failure.links[0].cell_frames
    assert frame.place.text == "x + y"


def test_a_function_of_an_earlier_cell_is_found_there(notebook):
    failure = failure_of(notebook, SETUP + "def f(x):\n    return x + jnp.ones(4)", "f(jnp.ones(3))")
    (_, inner), (_, outer) = failure.links[0].cell_frames
    assert inner.place.text == "x + jnp.ones(4)"
    assert outer.place.text == "f(jnp.ones(3))"
    assert inner.place.cell is not outer.place.cell


def test_an_error_of_the_backward_pass_knows_the_users_line(notebook):
    loop = "def f(a):\n    return jax.lax.while_loop(lambda c: c < 3, lambda c: c + 1, a)"
    link = failure_of(notebook, SETUP + loop, "jax.grad(f)(1.)").links[0]
    assert link.origin[-1].place.text.startswith("return jax.lax.while_loop")


def test_causes_and_contexts_are_links(notebook):
    chained = "try:\n    jnp.ones(3) + jnp.ones(4)\nexcept TypeError as e:\n    raise RuntimeError('mine') {}"
    for ending in ("from e", ""):
        failure = failure_of(notebook, SETUP + chained.format(ending))
        assert [link.error_class for link in failure.links] == ["RuntimeError", "TypeError"]
        assert [link.owner for link in failure.links] == ["user", "jax"]


def test_raise_from_none_hides_the_context(notebook):
    cell = "try:\n    jnp.ones(3) + jnp.ones(4)\nexcept TypeError:\n    raise RuntimeError('mine') from None"
    error, found, _ = notebook(SETUP + cell)
    assert isinstance(error, RuntimeError)
    assert found is None


def test_members_of_a_group_are_links(notebook):
    cell = "try:\n    jnp.ones(3) + jnp.ones(4)\nexcept TypeError as e:\n    raise ExceptionGroup('many', [e]) from None"
    error, _, shell = notebook(SETUP + cell)
    failure, _ = capture(error, shell.book)
    assert [link.error_class for link in failure.links] == ["ExceptionGroup", "TypeError"]


def test_a_chain_that_bites_its_tail_ends(notebook):
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert [link.message for link in capture(one, notebook()[2].book)[0].links] == ["one", "two"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((1, P("x", ("y", "z"), None)), "(1, P('x', ('y', 'z'), None))"),
        ((1, "a", (2.0, True)), "(1, 'a', (2.0, True))"),
        ((1, hostile_class()()), ""),
        (((((1,),),),), ""),
        (tuple(range(100)), ""),
    ],
)
def test_a_message_of_plain_values_is_their_text(given, text):
    assert message_of(AssertionError(given)).replace("PartitionSpec(", "P(") == text


def test_a_message_that_cannot_be_made_is_empty(notebook):
    class HostileError(ValueError):
        def __str__(self):
            raise RuntimeError

    assert capture(HostileError(), notebook()[2].book)[0].links[0].message == ""


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("own raise", "raise ValueError('vmap got inconsistent sizes for array axes to be mapped: a')"),
        ("own raise in jit", "@jax.jit\ndef f(x):\n    raise ValueError('no')\nf(1.)"),
        ("own raise in grad", "def f(x):\n    raise NotImplementedError('later')\njax.grad(f)(1.)"),
        (
            "own assert in jit",
            "@jax.jit\ndef f(x):\n    assert x.shape == (4,), 'shape'\n    return x\nf(jnp.ones(3))",
        ),
        ("numpy's own", "np.ones(3) + np.ones(4)"),
        ("numpy's own in jit", "@jax.jit\ndef f(x):\n    return x + np.arange(9).reshape(2, 5)\nf(1.)"),
        ("numpy's truth value", "if np.ones(3) > 0: pass"),
        ("numpy's own Python", "np.linalg.inv(np.ones((2, 3)))"),
        ("plain Python", "[][1]"),
        ("plain Python in jit", "@jax.jit\ndef f(x):\n    return {}['a']\nf(1.)"),
        (
            "own raise in a callback",
            (
                "def g(x):\n    raise ValueError('mine')\n"
                "s = jax.ShapeDtypeStruct((), 'float32')\njax.jit(lambda x: jax.pure_callback(g, s, x))(1.)"
            ),
        ),
    ],
)
def test_an_error_that_is_not_jaxs_gets_no_help(notebook, name, cell):
    error, found, _ = notebook(SETUP + cell)
    assert error is not None
    assert found is None


def test_an_error_of_jaxs_without_a_record_is_explained_from_the_check_that_fired(notebook):
    error, _, shell = notebook(SETUP + "m = jnp.ones((3, 3))", "y = jnp.linalg.det(m[0])")
    found = help_for(error, shell.book, shell.namespace, from_records([]))
    assert found.record is None
    assert found.confidence == "none"
    assert "jnp.linalg.det" in found.explanation.cause
    assert found.explanation.guard.startswith("if ")
    assert found.explanation.raised_in.startswith("jax/_src/")

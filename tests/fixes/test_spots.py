"""Spots: the code that a rule looks at, also where no frame of the traceback lies in it."""

from __future__ import annotations

import pytest

from jax_nbhelp.failure import capture
from jax_nbhelp.fixes.spots import _AT_ONE_PLACE, Spots

SETUP = "import jax, jax.numpy as jnp, functools\n"
BAD = "jnp.ones(3) + jnp.ones(4)"


@pytest.fixture
def texts(notebook):
    """A function that runs cells and gives the text of every spot of a kind."""

    def run(where, *cells):
        error, _, shell = notebook(SETUP, *cells)
        assert error is not None
        failure, live = capture(error, shell.book, shell.namespace)
        spots = Spots(failure, live, 0, shell.book)
        return [spot.source.segment(spot.node) for spot in spots.at(where)]

    return run


def test_the_failing_expression_comes_first_then_what_is_around_it(texts):
    found = texts("failing", "y = [1, f0(2)] if False else (\n  abs(" + BAD + "))")
    assert found[0] == BAD
    assert found[1] == f"abs({BAD})"
    assert found[-1].startswith("y = ")


def test_of_several_frames_the_innermost_is_the_failing_one(texts):
    found = texts("failing", f"def f(x):\n    return {BAD}", "f(1)")
    assert found[0] == BAD


def test_every_frame_is_looked_at_innermost_first(texts):
    found = texts("any-frame", f"def f(x):\n    return {BAD}", "y = f(1)")
    assert found.index(BAD) < found.index("f(1)")


def test_the_callee_of_a_call_of_a_call_is_looked_at(texts):
    found = texts("any-frame", "jax.vmap(lambda x, y: x)(jnp.ones(3), jnp.ones(4))")
    assert "jax.vmap(lambda x, y: x)" in found


def test_the_assignment_of_the_called_name_is_found_in_another_cell(texts):
    found = texts("any-frame", "g = jax.vmap(lambda x, y: x)", "g(jnp.ones(3), jnp.ones(4))")
    assert "jax.vmap(lambda x, y: x)" in found


def test_the_last_assignment_wins(texts):
    found = texts(
        "any-frame",
        "g = 1",
        "g = jax.vmap(lambda x, y: y)",
        "g = jax.vmap(lambda x, y: x)",
        "g(jnp.ones(3), jnp.ones(4))",
    )
    calls = [one for one in found if one.startswith("jax.vmap(")]
    assert calls[0] == "jax.vmap(lambda x, y: x)"


def test_the_decorator_of_the_failing_function_is_found(texts):
    cells = ["@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x", "f(1.)"]
    assert texts("decorator", *cells)[0] == "jax.jit"


@pytest.mark.parametrize("decorator", ["jax.jit", "functools.partial(jax.jit, static_argnames='n')"])
def test_the_decorator_of_a_called_function_without_a_frame_is_found(texts, decorator):
    cells = [f"@{decorator}\ndef f(x, n=1):\n    return x", "f(object())"]
    assert decorator in texts("decorator", *cells)


def test_the_definition_behind_a_jitted_name_is_found(texts):
    cells = ["def f(x, y):\n    return x", "g = jax.vmap(jax.jit(f))", "g(jnp.ones(3), jnp.ones(4))"]
    assert any(one.startswith("def f(x, y)") for one in texts("definition", *cells))


def test_a_partial_is_seen_through(texts):
    cells = [
        "def f(x, y):\n    return x",
        "g = functools.partial(jax.vmap(f), jnp.ones(3))",
        "g(jnp.ones(4))",
    ]
    assert any(one.startswith("def f(x, y)") for one in texts("definition", *cells))


def test_a_method_leads_to_its_class(texts):
    cells = [f"class Net:\n    def __call__(self, x):\n        return {BAD}", "net = Net()", "net(1)"]
    assert any(one.startswith("class Net") for one in texts("definition", *cells))


def test_a_bound_method_leads_to_its_class(texts):
    cells = [
        "class Net:\n    def go(self, x, y):\n        return x",
        "net = Net()",
        "jax.vmap(net.go)(jnp.ones(3), jnp.ones(4))",
    ]
    assert any(one.startswith("class Net") for one in texts("definition", *cells))


def test_within_is_everything_inside_the_failing_statement(texts):
    found = texts("within", f"z = 5\ny = (2, {BAD}, [3])")
    assert {"2", "[3]", "3", BAD} <= set(found)
    assert "5" not in found


def test_no_spot_comes_twice(texts):
    for where in ("failing", "any-frame", "decorator", "definition", "within"):
        notebook_cells = ["def f(x, y):\n    return x", "g = jax.vmap(f)", "g(jnp.ones(3), jnp.ones(4))"]
        assert texts(where, *notebook_cells) is not None
        break


def test_every_spot_is_a_piece_of_its_cell_and_comes_once(notebook):
    error, _, shell = notebook(
        SETUP,
        "@jax.jit\ndef f(x, y):\n    return x + y",
        "g = jax.vmap(f)",
        "r = g(jnp.ones(3), jnp.ones(4))",
    )
    failure, live = capture(error, shell.book, shell.namespace)
    for where in ("failing", "any-frame", "decorator", "definition", "within"):
        seen = [(id(spot.source), id(spot.node)) for spot in Spots(failure, live, 0, shell.book).at(where)]
        assert len(seen) == len(set(seen))


def test_a_definition_that_calls_itself_ends(texts):
    cells = ["def f(x, y):\n    return x", "f = jax.vmap(f)", "f(jnp.ones(3), jnp.ones(4))"]
    assert texts("definition", *cells)


def test_nothing_is_asked_of_a_users_callable(scene, hostile):
    one = scene("h = make()\nC = make()", "y = «h(C, h.go, a=h)»", names={"h": hostile, "C": type(hostile)})
    for where in ("failing", "any-frame", "decorator", "definition", "within"):
        list(one.spots.at(where))


def test_the_method_behind_an_object_is_found_where_it_was_written():
    from jax_nbhelp.failure import capture
    from jax_nbhelp.fixes.spots import Spots
    from jax_nbhelp.hosts.plain import PlainShell

    for call in ("model(x)", "model.step(x)"):
        shell = PlainShell()
        text = (
            "import jax, jax.numpy as jnp\nclass Model:\n    @jax.jit\n    def __call__(self, x):\n"
            "        return x\n    @jax.jit\n    def step(self, x):\n        return x\nmodel, x = Model(), jnp.ones(2)"
        )
        failure, live = capture(shell.run([text, call]), shell.book, shell.namespace)
        spots = Spots(failure, live, 0, shell.book)
        first = next(iter(spots.at("decorator")))
        owner = first.source.parent(first.node)
        assert owner.name == ("__call__" if call == "model(x)" else "step")


def test_of_a_deep_recursion_the_innermost_frames_are_looked_at(notebook):
    error, _, shell = notebook(SETUP, f"def f(n):\n    return f(n - 1) if n else {BAD}", "f(200)")
    failure, live = capture(error, shell.book, shell.namespace)
    spots = Spots(failure, live, 0, shell.book)
    assert len(spots._anchors) <= 2 + _AT_ONE_PLACE  # the raising place, the recursion's, the failing cell's
    texts = [spot.source.segment(spot.node) for spot in spots.at("any-frame")]
    assert texts[0] == BAD
    assert "f(200)" in texts

"""The place in the installed JAX that raised: the check that fired, and what the user called."""

from __future__ import annotations

import linecache
import types

import jax
import jax.numpy as jnp
import pytest

from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.failure import Frame, Link, Live
from jax_nbhelp.help import help_for
from jax_nbhelp.live_site import guard, public_call

SETUP = "import jax, jax.numpy as jnp\n"


def fired(source, call, **scope):
    """The guard for a piece of code that stands in for JAX's."""
    name = f"<jax {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), scope)
        eval(call, scope)
    except Exception as error:  # noqa: BLE001  whatever it is
        tb, frames, live = error.__traceback__.tb_next, [], []
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == name:
                frames.append(Frame("jax/_src/x.py", tb.tb_frame.f_code.co_qualname, "jax", tb.tb_lineno))
                live.append(tb.tb_frame)
            tb = tb.tb_next
        link = Link("ValueError", ("ValueError",), "m", tuple(frames), (), "jax", frames_removed=False)
        return guard(link, Live({}, [live]), 0)
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if n != 3:\n    raise ValueError", "if n != 3    with n = 4"),
        ("if n == 3:\n    pass\n  else:\n    raise ValueError", "if not (n == 3)    with n = 4"),
        ("if n > 0:\n    if x.ndim > 1:\n      raise ValueError", "if x.ndim > 1    with x = float32[2, 2]"),
        ("if n == 3:\n    pass\n  elif n == 4:\n    raise ValueError", "if n == 4    with n = 4"),
        ("if n > (\n      0):\n    raise ValueError('a'\n      'b')", "if n > 0    with n = 4"),
    ],
)
def test_the_check_is_shown_with_its_values(body, wanted):
    found = fired(f"def f(n, x):\n  {body}\n", "f(4, x)", x=jnp.ones((2, 2)))
    assert str(found).replace("x.ndim = 2, ", "") == wanted


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n  raise ValueError",
        "def f(n):\n  return {}[n]",
        "def f(n):\n  if n:\n    return g()\ndef g():\n  raise ValueError",
        "def f(n):\n  if n:\n    def g():\n      raise ValueError\n    g()",
    ],
)
def test_where_no_check_of_its_own_stands_around_there_is_none(source):
    assert fired(source, "f(4)") is None


def test_a_long_check_is_cut():
    test = " and ".join(f"n != {number}" for number in range(60))
    found = fired(f"def f(n):\n  if {test}:\n    raise ValueError", "f(-1)")
    assert len(found.test) <= 160
    assert found.test.endswith("…")


def test_nothing_is_asked_of_an_object_in_the_check(hostile):
    found = fired("def f(h, n):\n  if n > 3 or h.x == 1:\n    raise ValueError", "f(h, 4)", h=hostile)
    assert found.values == (("n", "4"),)


def test_a_file_that_is_gone_or_no_python_gives_no_check():
    name = "<gone>"
    frame = Frame("jax/_src/x.py", "f", "jax", 3)
    link = Link("ValueError", ("ValueError",), "m", (frame,), (), "jax", frames_removed=False)
    code = compile("x = 1", name, "exec")
    live = types.SimpleNamespace(f_code=code, f_locals={}, f_globals={})
    assert guard(link, Live({}, [[live]]), 0) is None
    linecache.cache["<broken>"] = (1, None, ["def f(:\n"], "<broken>")
    live = types.SimpleNamespace(f_code=compile("x = 1", "<broken>", "exec"), f_locals={}, f_globals={})
    assert guard(link, Live({}, [[live]]), 0) is None


def test_without_live_frames_there_is_no_check():
    frame = Frame("jax/_src/x.py", "f", "jax", 3)
    link = Link("ValueError", ("ValueError",), "m", (frame,), (), "jax", frames_removed=False)
    assert guard(link, Live({}, [[]]), 0) is None
    assert guard(Link("E", ("E",), "m", (), (), "jax", frames_removed=False), Live({}, [[]]), 0) is None


@pytest.fixture
def called(monkeypatch):
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fixes"))
    from scene import Scene

    return lambda text, **names: public_call(Scene(text, names={"jax": jax, "jnp": jnp} | names).spots)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("y = «jnp.linalg.det(m)»", "jnp.linalg.det"),
        ("y = g(«jnp.dot(a, b)»)", "jnp.dot"),
        ("y = «g(a)»", ""),
        ("y = «a + b»", ""),
        ("y = jax.nn.relu(«a + b»)", "jax.nn.relu"),
        ("y = «jax.vmap(f)(a)»", "jax.vmap"),
    ],
)
def test_the_public_function_is_named_as_the_user_spells_it(called, text, wanted):
    assert called(text, g=lambda x: x) == wanted


def test_a_function_that_only_jax_wrapped_is_the_users(called):
    assert called("y = «g(a)»", g=jax.jit(lambda x: x)) == ""


def test_a_function_of_a_library_beside_jax_is_not_jaxs(called):
    def g(x):
        return x

    g.__module__ = "jaxtools.core"
    assert called("y = «g(a)»", g=g) == ""


def test_nothing_is_asked_of_a_users_callable(called, hostile):
    assert called("y = «h(a)» + h.go(1)", h=hostile) == ""


def test_an_unknown_error_says_the_check_and_the_call(notebook):
    error, _, shell = notebook(SETUP + "m = jnp.ones((3, 3))", "y = jnp.linalg.det(m[0])")
    found = help_for(error, shell.book, shell.namespace, from_records([]))
    assert found.record is None
    assert "`jnp.linalg.det`" in found.explanation.cause
    assert found.explanation.guard

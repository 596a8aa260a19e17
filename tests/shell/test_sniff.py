"""The first test, on errors as they really come: out of cells, whose frames are what tells them apart."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import sparse

from jax_nbhelp.shell.sniff import MAX_ERRORS, looks_like_jax, packages_of

DOT = "try:\n    jnp.dot(jnp.ones(2), jnp.ones(3))\nexcept TypeError as e:\n"
STEP = "step = jax.jit(lambda n: n, static_argnums=0)\n"
JAX = {
    "raised in JAX": "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))",
    "class of JAX": "jax.jit(lambda x: 1 if x else 2)(jnp.ones(()))",
    "in C++, static argument": f"{STEP}step([1])",
    "in C++, called by a global name": f"{STEP}x = step(\n  [1])",
    "pytree keys": "jax.tree.map(lambda x: x, {1: 0, 'a': 0})",
    "unknown keyword": "jax.jit(len, static_argnum=0)",
    "unknown keyword of an imported name": "from jax import jit\njit(len, static_argnum=0)",
    "update without brackets": "def cell():\n    x = jnp.ones(2)\n    return x.at(0)\ncell()",
    "name that is gone": "jnp.no_such_function(1)",
    "name that cannot be imported": "from jax import no_such_name",
    "method that an array has not": "jnp.ones(3).no_such_method()",
    "sparse item": "def cell():\n    A = sparse.BCOO.fromdense(jnp.eye(2))\n    A[0, 0] = 2\ncell()",
    "key as a number": "def cell():\n    k = jax.random.key(0)\n    return int(k)\ncell()",
    "operator": "jnp.ones(3) + ['a']",
    "numpy on a tracer": "jax.jit(lambda x: np.sin(x))(1.0)",
    "cause": f"{DOT}    raise RuntimeError('mine') from e",
    "context": f"{DOT}    raise RuntimeError('mine') from None",
    "raised again": f"{DOT}    raise",
    "kept and raised": f"{DOT}    kept = e\nraise kept",
    "group": f"{DOT}    raise ExceptionGroup('g', [ValueError(1), ExceptionGroup('h', [e])])",
}
NOT_JAX = {
    "raise": "raise ValueError('mine')",
    "words of JAX": "raise ValueError('vmap got inconsistent sizes, Non-hashable static arguments')",
    "raise in jit": "@jax.jit\ndef f(x):\n    raise ValueError('mine')\nf(1)",
    "raise in grad": "def f(x):\n    raise NotImplementedError\njax.grad(f)(1.0)",
    "assert in vmap": "def f(x):\n    assert x.shape == (7,)\njax.vmap(f)(jnp.ones(3))",
    "numpy": "np.zeros(3) + np.zeros(4)",
    "numpy truth": "if np.ones(3): pass",
    "lookup": "{}['jax']",
    "own call": "def jit(x): pass\njit(y=1)",
    "division": "1 / 0",
    "recursion": "def down(): down()\ndown()",
    "file": "open('/no/such/jax')",
    "module": "import no_such_module",
}


def error_of(code: str, **names: object) -> BaseException:
    namespace = {"jax": jax, "jnp": jnp, "np": np, "sparse": sparse, **names}
    with pytest.raises(BaseException) as caught:
        exec(compile(code, "<ipython-input-1-0>", "exec"), namespace)
    # pytest's own frames are no part of a cell's traceback.
    return caught.value.with_traceback(caught.value.__traceback__.tb_next)


@pytest.mark.parametrize("code", JAX.values(), ids=JAX)
def test_an_error_of_jax_looks_like_one(code: str) -> None:
    assert looks_like_jax(error_of(code))


@pytest.mark.parametrize("code", NOT_JAX.values(), ids=NOT_JAX)
def test_another_error_does_not(code: str) -> None:
    assert not looks_like_jax(error_of(code))


@pytest.mark.parametrize("mode", ["off", "tracebackhide", "remove_frames", "quiet_remove_frames"])
def test_it_does_not_depend_on_how_jax_filters_tracebacks(mode: str) -> None:
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", mode)
    try:
        error = error_of(
            "def cell():\n    return jax.jit(lambda x: jnp.dot(x, jnp.ones(3)))(jnp.ones(2))\ncell()"
        )
    finally:
        jax.config.update("jax_traceback_filtering", before)
    assert looks_like_jax(error)


def test_without_jax_only_the_words_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jax")
    assert not looks_like_jax(error_of("1 / 0"))
    assert looks_like_jax(ModuleNotFoundError("No module named 'jax'"))
    assert looks_like_jax(
        RuntimeError("jaxlib version 0.1 is newer than and incompatible with jax version 0.2")
    )


def test_a_library_that_uses_jax_is_looked_at_closer() -> None:
    code = "def raises():\n    raise ValueError('in a library')\n"
    names = {"jax": jax, "__name__": "library"}
    exec(compile(code, "/env/lib/site-packages/library/core.py", "exec"), names)
    assert looks_like_jax(error_of("raises()", raises=names["raises"]))
    names.pop("jax")
    assert not looks_like_jax(error_of("raises()", raises=names["raises"]))


class HostileError(ValueError):
    def __str__(self) -> str:
        raise RuntimeError

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


def test_a_hostile_error_is_not_asked() -> None:
    assert not looks_like_jax(HostileError("x"))
    mine = ValueError("mine")
    mine.__cause__ = HostileError("x")
    mine.__context__ = TypeError("'jaxlib._jax.ArrayImpl' object is not callable")
    assert looks_like_jax(mine)


def test_circles_and_long_chains_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert not looks_like_jax(first)
    last: BaseException = TypeError("jaxlib")
    for _ in range(MAX_ERRORS * 2):
        error = ValueError("link")
        error.__cause__ = last
        last = error
    assert not looks_like_jax(last)


def test_the_packages_that_an_error_passed_through_are_named() -> None:
    def library(name: str, code: str, **names: object) -> dict[str, object]:
        scope: dict[str, object] = {"__name__": name, **names}
        exec(compile(code, "/env/applib.py", "exec"), scope)
        return scope

    inner = library("applib.core", "def fails():\n    raise ValueError('x')")["fails"]
    outer = library("other", "def calls():\n    fails()", fails=inner)["calls"]
    assert packages_of(error_of("calls()", __name__="__main__", calls=outer)) == {"applib", "other"}
    chained = ValueError("mine")
    chained.__cause__ = error_of("fails()", __name__="__main__", fails=inner)
    assert packages_of(chained) == {"applib"}


def test_a_users_own_error_passed_through_no_package() -> None:
    for code in ("{}['mine']", "import json; json.loads('x')", "jnp.dot(jnp.ones(2), jnp.ones(3))"):
        assert packages_of(error_of(code, __name__="__main__")) == set()
    assert packages_of(HostileError("x")) == set()
    assert packages_of(error_of("f()", __name__=3, f=eval("lambda: 1 / 0", {"__name__": b"x"}))) == set()

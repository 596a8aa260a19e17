"""Errors and namespaces that mean harm: the traceback stands once, none of their code runs for us, help goes on.

What is raised here is caught by IPython as any error is; IPython itself asks it for its text. The promise is
that the help asks nothing more. So each attack counts how often its code runs, here and in a kernel without
the help.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import IPython
import pytest
from kernel_client import seen, without_help

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel_client import Kernel, Ran

pytestmark = pytest.mark.kernel

FAILS = "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
# `told` counts the calls of hostile code; `Refusing` raises at whatever is asked of it.
PREPARED = """
import time
told = []
class Refusing(ValueError):
    @property
    def hostile(self):
        told.append(1)
        raise RuntimeError('asked')
def hostile(*names, base=ValueError, does=None):
    def ask(self, *_):
        told.append(1)
        return does(self) if does else 1 / 0
    body = {name: ask if name in ('__str__', '__repr__') else property(ask) for name in names}
    return type('Hostile', (base,), body)
def joined(error):
    try:
        jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))
    except ValueError as cause:
        raise error from cause
"""
# Where an error's chain raises or its text interrupts, IPython 7.34 never answers, with the help or without it.
ANSWERS = IPython.version_info[0] > 7
CHAIN = ("__cause__", "__context__") if ANSWERS else ()
ATTRIBUTES = ("__class__", "args", "__traceback__", "__notes__", "__dict__", *CHAIN)
ATTACKS = {
    **{f"{name} raises": f"raise hostile('{name}')('x')" for name in ("__str__", "__repr__", *ATTRIBUTES)},
    **{
        f"{name} raises, of an error from JAX's": f"joined(hostile('{name}')('x'))"
        for name in ("__str__", "__repr__", *ATTRIBUTES)
    },
    "all raise": "joined(hostile('__str__', '__repr__', 'args', '__notes__', '__dict__')('x'))",
    "the class lies": "joined(hostile('__class__', does=lambda self: TypeError)('x'))",
    "the class is JAX's, it says": "joined(type('E', (ValueError,), {'__module__': 'jax.errors'})('x'))",
    "the module is no text": "joined(type('E', (ValueError,), {'__module__': 5})('x'))",
    "the text is no text": "joined(hostile('__str__', does=lambda self: 5)('x'))",
    "an argument that refuses": "joined(ValueError(hostile('__str__', '__repr__')()))",
    "the cause is itself": "e = ValueError('round')\ne.__cause__ = e\nraise e",
    "a cause that goes round": (
        "a, b = ValueError('a'), ValueError('b')\na.__cause__, b.__cause__ = b, a\nraise a"
    ),
    "a group of thousands": "raise ExceptionGroup('many', [ValueError(n) for n in range(3000)])",
    "no traceback of its own": "joined(ValueError('x').with_traceback(None))",
    "notes that are no texts": "e = ValueError('x')\ne.__notes__ = 7\njoined(e)",
    "a name that is no text": "globals()[7] = 1\n" + FAILS,
    "a class's own namespace": (
        "class Space(dict):\n    def __getitem__(self, name):\n        told.append(1)\n"
        "        return dict.__getitem__(self, name)\n    __contains__ = None\n"
        "class Meta(type):\n    @classmethod\n    def __prepare__(cls, *_): return Space()\n"
        f"class Body(metaclass=Meta):\n    import jax, jax.numpy as jnp\n    {FAILS}"
    ),
    "html": "joined(ValueError('</script><script>alert(1)</script><img src=x onerror=alert(1)>'))",
    "escapes": r"joined(ValueError('\x1b[2J\x1b]0;title\x07\x9b31m'))",
    "directions": r"joined(ValueError('\u202e\u2066\u200bx\u2069'))",
    "null": r"joined(ValueError('a\0b'))",
    "a source file that is gone": (
        "exec(compile('\\n' * 50 + 'joined(ValueError(1))', '/nowhere/gone.py', 'exec'), globals())"
    ),
    "a source file that has changed": (
        "import pathlib, importlib, sys\nsys.path.insert(0, '.')\n"
        "pathlib.Path('changes.py').write_text(chr(10) * 9 + 'def f(call):\\n    return call()')\n"
        "import changes\npathlib.Path('changes.py').write_text('x = 1')\n"
        f"changes.f(lambda: {FAILS})"
    ),
    "a file name of a code that is none": "exec(compile('joined(ValueError(1))', '\\x1b<b>\\u202e', 'exec'))",
}

if ANSWERS:
    ATTACKS["the text interrupts"] = (
        "def stop(self): raise KeyboardInterrupt\njoined(hostile('__str__', does=stop)('x'))"
    )


def told(kernel: Kernel) -> int:
    return kernel.value("len(told)")


@pytest.fixture(scope="module", autouse=True)
def prepared(kernel: Kernel, plain: Kernel) -> None:
    for one in (kernel, plain):
        assert one.run(PREPARED).status == "ok"


def run(kernel: Kernel, code: str) -> tuple[Ran, int]:
    """Runs a cell; returns it, and how often hostile code ran in it."""
    before = told(kernel)
    return kernel.run(code), told(kernel) - before


@pytest.mark.parametrize("code", ATTACKS.values(), ids=ATTACKS)
def test_the_traceback_stands_once_and_nothing_more_is_asked(
    code: str, kernel: Kernel, plain: Kernel
) -> None:
    without, asked_without = run(plain, code)
    ran, asked = run(kernel, code)
    assert ran.status == "error"
    assert seen(without_help(ran)) == seen(without)
    assert asked == asked_without
    assert kernel.run(FAILS).kinds == ["error", "help"]


# Each begins to count, and ends with the help's own part of the time: from the traceback to the end of the cell.
TIMED = """
import jax_nbhelp.shell.session
session = jax_nbhelp.shell.session.CURRENT
def timed(error, on_error=session.on_error):
    began = time.perf_counter()
    on_error(error)
    took.append(time.perf_counter() - began)
took = []
session.hook._on_error = timed
"""
SLOW = {
    "a text that waits": "joined(hostile('__str__', does=lambda self: time.sleep(1) or 'x')('x'))",
    "an argument that waits": "joined(ValueError(hostile('__str__', '__repr__', does=lambda self: time.sleep(1) or 'x')()))",
    "a long key": "joined(KeyError('x' * 5_000_000))",
    "a text of 100 MB that JAX began": (
        "joined(ValueError('vmap got inconsistent sizes for array axes to be mapped:' + 'x' * 100_000_000))"
    ),
    "an attribute that waits": "joined(hostile('__notes__', does=lambda self: time.sleep(1))('x'))",
}


@pytest.fixture
def timed(kernel: Kernel) -> Iterator[Kernel]:
    kernel.run(TIMED)
    yield kernel
    kernel.run("session.hook._on_error = session.on_error")


@pytest.mark.parametrize("code", SLOW.values(), ids=SLOW)
def test_the_help_waits_for_nothing_and_copies_nothing(code: str, timed: Kernel) -> None:
    # IPython formats the traceback first, slowly or not at all. The bound is far above what the help takes, and
    # below one second of waiting.
    timed.run(FAILS)
    ran = timed.run(code.replace("joined(", "took.clear()\njoined(", 1))
    assert ran.status == "error"
    assert 0 < timed.value("max(took)") < 0.9
    assert timed.run(FAILS).kinds == ["error", "help"]


# What a pattern, a hole or the list of operands might ask of an object that stands in the failing cell.
NAMESPACES = {
    "beside the arrays": FAILS,
    "in the failing expression": "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3), x)",
    "as the function": "jnp.ones(2) + jnp.ones(3) + x",
    "as an attribute": "box.held = x\njax.vmap(jnp.add)(box.held, jnp.ones(3))",
    "as an operand": "jnp.ones(2) @ jnp.ones(3) @ x",
    "as an axis": "jnp.concatenate([jnp.ones(2), jnp.ones((2, 3))], axis=0), x",
    "as a class": "Hostile\njnp.concatenate([jnp.ones(2), jnp.ones((2, 3))])",
}


@pytest.fixture(scope="module")
def hostile_space(kernel: Kernel, plain: Kernel) -> None:
    source = (Path(__file__).parents[1] / "hostile.py").read_text()
    for one in (kernel, plain):
        one.run(
            f"{source}\nHostile = hostile_class()\nx = object.__new__(Hostile)\nclass Box: pass\nbox = Box()"
        )


@pytest.mark.parametrize("code", NAMESPACES.values(), ids=NAMESPACES)
@pytest.mark.usefixtures("hostile_space")
def test_an_object_of_which_nothing_may_be_asked_is_asked_nothing(
    code: str, kernel: Kernel, plain: Kernel
) -> None:
    ran = kernel.run(code, answers=())
    ran.messages = [
        one for one in ran.messages if not one[0].startswith("comm") and one[1] not in ran.widgets
    ]
    assert "the help itself failed" not in ran.text
    assert seen(without_help(ran)) == seen(plain.run(code))
    assert kernel.run(FAILS).kinds == ["error", "help"]

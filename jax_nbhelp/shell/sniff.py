"""The first test of an error: may it be JAX's? It costs microseconds and imports nothing.

A yes only means that the error is worth a closer look; a no is final.
"""

from __future__ import annotations

import os
import sys
from opcode import opmap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

MAX_ERRORS = 50
MAX_FRAMES = 5_000
MAX_TEXT = 4_000

# Errors that leave no frame of JAX: raised in C++, or by Python about an object or a name of JAX's.
_TEXTS = (
    "jaxlib",
    "module 'jax",
    "from 'jax",
    "named 'jax",
    "Tracer' ",
    "'ArrayImpl'",
    "'ShapeDtypeStruct'",
    "Non-hashable static arguments",
    "RESOURCE_EXHAUSTED",
    "XlaRuntimeError",
)
# Python's complaint about the arguments of a call: `jit() got an unexpected keyword argument 'x'`.
_CALL_COMPLAINTS = ("() got ", "() missing ", "() takes ")
_CALLABLES_OF = ("jax", "jax.numpy", "jax.lax", "jax.random", "jax.nn", "jax.sharding", "jax.tree", "jax.tree_util")
_FILTERED = "JAX has removed"  # the note that a traceback filtered by JAX leaves

_INSTALLED = (f"site-packages{os.sep}", f"dist-packages{os.sep}")
_STDLIB = os.path.dirname(os.__file__) + os.sep
_RAISE = opmap["RAISE_VARARGS"]


def looks_like_jax(error: BaseException) -> bool:
    """Tells whether an error, or one that it came from, may be JAX's own.

    It never calls into the error (`__str__` may be anybody's), never raises, and takes bounded time.
    """
    try:
        jax = sys.modules.get("jax")
        roots = _roots(jax)
        return any(_is_candidate(link, jax, roots) for link in _links(error))
    except Exception:  # noqa: BLE001 - an error class may override any attribute
        return False


def _links(error: BaseException) -> Iterator[BaseException]:
    """Yields an error, its causes, contexts and group members, each once."""
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < MAX_ERRORS:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        if isinstance(link, BaseExceptionGroup):
            waiting.extend(link.exceptions[:MAX_ERRORS])
        waiting.extend(e for e in (link.__context__, link.__cause__) if e is not None)


def _roots(jax: Any) -> tuple[str, ...]:
    """Returns the folders of JAX's own code."""
    files = (getattr(module, "__file__", None) for module in (jax, sys.modules.get("jaxlib")))
    return tuple(os.path.dirname(file) + os.sep for file in files if file)


def _is_candidate(error: BaseException, jax: Any, roots: tuple[str, ...]) -> bool:
    if jax is not None:
        if any(c.__module__.partition(".")[0] in ("jax", "jaxlib") for c in type(error).__mro__):
            return True
        if _crosses_jax(error.__traceback__, jax, roots):
            return not _raised_by_user(error.__traceback__, roots)
        if any(_FILTERED in note for note in getattr(error, "__notes__", ())):
            return True
    text = _text(error)
    if not any(piece in text for piece in _TEXTS) and not (jax and _blames_call_of_jax(text)):
        return False
    return not _raised_by_user(error.__traceback__, roots)


def _crosses_jax(tb: TracebackType | None, jax: Any, roots: tuple[str, ...]) -> bool:
    """Tells whether a traceback has a frame of JAX, or of an installed library that uses JAX."""
    numpy = sys.modules.get("jax.numpy", jax)
    last = None
    for _ in range(MAX_FRAMES):
        if tb is None:
            return False
        frame = tb.tb_frame
        file = frame.f_code.co_filename
        if file is not last:  # deep recursions stay in one file
            last = file
            if file.startswith(roots):
                return True
            if _INSTALLED[0] in file or _INSTALLED[1] in file:
                names = frame.f_globals
                if names.get("jax") is jax or names.get("jnp") is numpy:
                    return True
        tb = tb.tb_next
    return False


def _raised_by_user(tb: TracebackType | None, roots: tuple[str, ...]) -> bool:
    """Tells whether the error comes from a `raise` (or `assert`) in the user's own code."""
    if tb is None:
        return False
    for _ in range(MAX_FRAMES):
        if tb.tb_next is None:
            break
        tb = tb.tb_next
    code = tb.tb_frame.f_code
    file = code.co_filename
    if file.startswith((*roots, _STDLIB)) or any(part in file for part in _INSTALLED):
        return False
    return code.co_code[tb.tb_lasti] == _RAISE


def _text(error: BaseException) -> str:
    """Returns the message where it is there without asking the error for it."""
    args = error.args
    return args[0][:MAX_TEXT] if args and type(args[0]) is str else ""


def _blames_call_of_jax(text: str) -> bool:
    for complaint in _CALL_COMPLAINTS:
        name, found, _ = text.partition(complaint)
        if found and len(name) < 100:
            name = name.partition(".")[0]
            return any(name in vars(sys.modules[m]) for m in _CALLABLES_OF if m in sys.modules)
    return False

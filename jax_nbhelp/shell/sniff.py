"""The first test of an error: may it be JAX's? It costs microseconds and imports nothing.

A yes only means that the error is worth a closer look; a no is final.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import repeat
from opcode import opmap
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from jax_nbhelp import raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType


MAX_ERRORS = 50
MAX_FRAMES = 10_000
MAX_TEXT = 4_000

# Errors raised in C++ or by Python, in the user's frame: about an object or a name of JAX's.
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
    " pytree",
    "'_IndexUpdate",
    "'BCOO'",
    "'BCSR'",
    "'PRNGKeyArray'",
)
_FILTERED = "JAX has removed"  # the note that a traceback filtered by JAX leaves

_NO_LIBRARY = sys.stdlib_module_names | {"__main__", "IPython", "ipykernel", "jax", "jaxlib", "numpy"}
_RAISE, _EXTENDED_ARG = opmap["RAISE_VARARGS"], opmap["EXTENDED_ARG"]
_LOAD_NAME, _LOAD_GLOBAL = opmap["LOAD_NAME"], opmap["LOAD_GLOBAL"]


def looks_like_jax(error: BaseException) -> bool:
    """Tells whether an error, or one that it came from, may be JAX's own.

    It never calls into the error (every attribute may be the user's code), never raises, and takes bounded
    time.
    """
    jax = sys.modules.get("jax")
    roots = _roots(jax)
    for link in _links(error):
        with suppress(Exception):  # a frame may be of any kind
            if _is_candidate(link, jax, roots):
                return True
    return False


def packages_of(error: BaseException) -> set[str]:
    """Returns the packages whose code an error, or one that it came from, passed through.

    Python's own, IPython's and JAX's are left out: this is for the libraries that bring records of their own.
    """
    found: set[str] = set()
    for link in _links(error):
        with suppress(Exception):
            for entry in _entries(raw.traceback(link)):
                module = entry.tb_frame.f_globals.get("__name__")
                if type(module) is str:
                    found.add(module.partition(".")[0])
    return found - _NO_LIBRARY


def _links(error: BaseException) -> Iterator[BaseException]:
    """Yields an error, its causes, contexts and group members, each once."""
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < MAX_ERRORS:
        link = waiting.pop()
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        waiting.extend(raw.members(link)[:MAX_ERRORS])
        waiting.extend(e for e in (raw.context(link), raw.cause(link)) if e is not None)


def _roots(jax: Any) -> tuple[str, ...]:
    """Returns the folders of JAX's code."""
    files = (getattr(module, "__file__", None) for module in (jax, sys.modules.get("jaxlib")))
    return tuple(file.rpartition(os.sep)[0] + os.sep for file in files if file)


def _is_candidate(error: BaseException, jax: Any, roots: tuple[str, ...]) -> bool:
    if jax is None:
        return _tells_of_jax(error)
    if _is_of_jax(raw.classes(type(error))):
        return True
    entries = _entries(raw.traceback(error))
    if not entries:
        return _tells_of_jax(error)
    last = entries[-1]
    frames = {id(entry.tb_frame.f_code.co_filename): entry.tb_frame for entry in entries}  # one of each file
    crosses = any(_crosses(frame, jax, roots) for frame in frames.values())
    if not _is_user_file(last.tb_frame.f_code.co_filename, roots):
        return crosses or _tells_of_jax(error)
    if last.tb_frame.f_code.co_code[last.tb_lasti] == _RAISE:
        return False  # the user's own `raise` or `assert`
    return crosses or _tells_of_jax(error) or _uses_jax(last)


def _entries(tb: TracebackType | None) -> list[TracebackType]:
    """Returns the entries of a traceback; of a recursion the first, and the one that it goes on to."""
    found: list[TracebackType] = []
    code, last = None, tb
    for _ in repeat(None, MAX_FRAMES):
        if tb is None:
            break
        last = tb
        if (here := tb.tb_frame.f_code) is not code:
            code = here
            found.append(tb)
        elif (inner := tb.tb_next) is not None:
            last = tb = inner  # every second frame will do, and the last
        tb = tb.tb_next
    return found if last is None or found[-1] is last else [*found, last]


def _crosses(frame: FrameType, jax: Any, roots: tuple[str, ...]) -> bool:
    """Tells whether a frame is JAX's, or that of an installed library that uses it."""
    file, names = frame.f_code.co_filename, frame.f_globals
    return file.startswith(roots) or (
        raw.is_packaged(file)
        and (names.get("jax") is jax or names.get("jnp") is sys.modules.get("jax.numpy", jax))
    )


def _is_user_file(file: str, roots: tuple[str, ...]) -> bool:
    return not file.startswith(roots) and not raw.is_packaged(file)


def _tells_of_jax(error: BaseException) -> bool:
    """Tells whether the message names JAX, as far as it is there without asking the error for it."""
    args = raw.arguments(error)
    text = args[0][:MAX_TEXT] if args and type(args[0]) is str else ""
    if any(piece in text for piece in _TEXTS):
        return True
    return any(_FILTERED in note for note in raw.notes(error))


def _uses_jax(tb: TracebackType) -> bool:
    """Tells whether a global name on the line that failed is JAX's: C++ was called there, or JAX misused."""
    frame, code = tb.tb_frame, tb.tb_frame.f_code
    names, ops = frame.f_globals, code.co_code
    for start, end, line in code.co_lines():
        if line != tb.tb_lineno:
            continue
        high = 0
        for at in range(start, end, 2):
            op, arg = ops[at], ops[at + 1] | high
            high = arg << 8 if op == _EXTENDED_ARG else 0
            if op in (_LOAD_NAME, _LOAD_GLOBAL):
                name = code.co_names[arg if op == _LOAD_NAME else arg >> 1]
                if _is_from_jax(names.get(name)):
                    return True
    return False


def _is_from_jax(value: Any) -> bool:
    """Tells whether a user's value is JAX's, by exact type: `isinstance` would ask it for its `__class__`."""
    if type(value) is FunctionType:
        return _is_name_of_jax(value.__module__)
    if type(value) is ModuleType:
        return _is_name_of_jax(value.__name__)
    cls: type = value if issubclass(type(value), type) else type(value)  # pyright: ignore[reportUnknownVariableType]
    return _is_of_jax((cls,))


def _is_of_jax(classes: tuple[type, ...]) -> bool:
    return any(_is_name_of_jax(raw.module_of(cls)) for cls in classes)


def _is_name_of_jax(module: Any) -> bool:
    return type(module) is str and module.partition(".")[0] in ("jax", "jaxlib")

"""What an error and its class hold, read past what the class may override.

A class of the user's may put a property, a method or a metaclass in the way of every attribute. What is read
here is what Python itself keeps in the object, so none of that runs: it can neither raise, nor lie, nor wait.
"""

from __future__ import annotations

import os
import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

_ERROR: Final = BaseException.__dict__
_CLASS_MODULE: Final = type.__dict__["__module__"].__get__
_CLASS_QUALNAME: Final[Callable[[type], str]] = type.__dict__["__qualname__"].__get__
_SHORT: Final = 100_000  # characters of one text of an error's that are copied at most
_FEW: Final = 16  # parts of a tuple
_INSTALLED: Final = (f"site-packages{os.sep}", f"dist-packages{os.sep}")
_STDLIB: Final = os.__file__.removesuffix("os.py")

classes: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
"""Returns the classes that a class is made of, itself first."""
dict_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
"""Returns what a class itself holds."""

cause: Final[Callable[[BaseException], BaseException | None]] = _ERROR["__cause__"].__get__
"""Returns `error.__cause__`."""
context: Final[Callable[[BaseException], BaseException | None]] = _ERROR["__context__"].__get__
"""Returns `error.__context__`."""
hides_context: Final[Callable[[BaseException], bool]] = _ERROR["__suppress_context__"].__get__
"""Returns `error.__suppress_context__`."""
traceback: Final[Callable[[BaseException], TracebackType | None]] = _ERROR["__traceback__"].__get__
"""Returns `error.__traceback__`."""
arguments: Final[Callable[[BaseException], tuple[Any, ...]]] = _ERROR["args"].__get__
"""Returns `error.args`."""
_attributes: Final[Callable[[BaseException], dict[str, Any]]] = _ERROR["__dict__"].__get__
_members: Final[Callable[[BaseException], tuple[BaseException, ...]]] = BaseExceptionGroup.__dict__[
    "exceptions"
].__get__


def module_of(cls: type) -> str:
    """Returns the module that a class says it is from; empty where it says nothing of use."""
    module = _CLASS_MODULE(cls)
    return module if type(module) is str else ""


def qualname_of(cls: type) -> str:
    """Returns a class's qualified name."""
    return _CLASS_QUALNAME(cls)


def members(error: BaseException) -> tuple[BaseException, ...]:
    """Returns the errors of a group; none for an error that is no group."""
    return _members(error) if issubclass(type(error), BaseExceptionGroup) else ()


def notes(error: BaseException) -> list[str]:
    """Returns the notes that were added to an error."""
    found = _attributes(error).get("__notes__")
    return [note for note in cast("list[object]", found) if type(note) is str] if type(found) is list else []


def text(error: BaseException) -> str:
    """Returns `str(error)`, or as much of it as is there without running code of the user's.

    Where the class has a `__str__` of the user's, or the error was given more than short texts and numbers,
    that is the first text it was given, or nothing: the traceback above the help has shown the rest already,
    and asking again would wait, or copy, a second time.
    """
    given = arguments(error)
    first = given[0] if given and type(given[0]) is str else ""
    made_by = next(dict_of(cls)["__str__"] for cls in classes(type(error)) if "__str__" in dict_of(cls))
    if made_by is _ERROR["__str__"] and len(given) == 1:
        return first or _plain(error)
    if isinstance(made_by, FunctionType) and not is_packaged(made_by.__code__.co_filename):
        return first
    return _plain(error) or first


def _plain(error: BaseException) -> str:
    """`str(error)` where that takes only Python's own work, and little of it."""
    if not all(_is_short(one) for one in arguments(error)):
        return ""
    try:
        return str(error)
    except Exception:  # noqa: BLE001  a package's `__str__` may fail too
        return ""


def _is_short(value: object, depth: int = 3) -> bool:
    """Whether a value's text is short and no work of the user's; that of a tuple or a PartitionSpec too."""
    cls = type(value)
    if cls is str:
        return len(cast("str", value)) <= _SHORT
    if cls is tuple or cls is getattr(sys.modules.get("jax.sharding"), "PartitionSpec", None):
        parts = list(cast("Iterable[object]", value))
        return depth > 0 and len(parts) <= _FEW and all(_is_short(one, depth - 1) for one in parts)
    return value is None or any(cls is known for known in (int, float, bool))


def is_packaged(file: str) -> bool:
    """Whether a file of code is Python's own or an installed package's."""
    return file.startswith(_STDLIB) or any(part in file for part in _INSTALLED)

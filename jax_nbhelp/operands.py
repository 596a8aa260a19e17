"""The type of a value at the failing place, e.g. `float32[10, 4]`.

Attributes are read on exactly known types of JAX and numpy only. A user's object is never asked for
anything: no `repr`, no `==`, no `bool`, and no array's values.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.explanation import Operand
from jax_nbhelp.fixes.names import MISSING, dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.fixes.names import Names

_MOST = 8  # operands that are shown


def is_tracer(value: object) -> bool:
    """Whether a value stands for an array while a function is transformed."""
    return any(c.__name__ == "Tracer" and c.__module__ == "jax._src.core" for c in type(value).__mro__)


def is_array(value: object) -> bool:
    """Whether a value is a JAX array, traced or not, or a numpy array."""
    cls = type(value)
    return (
        is_tracer(value)
        or (cls.__name__ == "ArrayImpl" and cls.__module__.startswith("jax"))
        or (cls.__module__ == "numpy" and cls.__name__ == "ndarray")
    )


def shape_of(value: object) -> tuple[int, ...] | None:
    """The shape of an array of a known type, else None."""
    if type(value) in (int, float, bool, complex):
        return ()
    known = (
        is_array(value)
        or _is(value, "jax._src.core", "ShapeDtypeStruct")
        or _is(value, "jax._src.api", "ShapeDtypeStruct")
    )
    shape: Any = getattr(_aval(value), "shape", None) if known else None
    return cast("tuple[int, ...]", shape) if isinstance(shape, tuple) else None


def describe(value: object) -> str | None:
    """Returns a value's type in JAX's notation, or None for a type that is not known."""
    cls = type(value)
    if is_array(value):
        return _array(value)
    if cls.__module__ == "numpy" and _numpy_scalar(value):
        return f"numpy {cls.__name__}"
    if cls in (int, bool, float, complex) or value is None:
        return repr(value) if cls is not float else "float"
    if cls is str:
        text = cast("str", value)
        return repr(text) if len(text) <= 24 else "str"
    if cls in (list, tuple, dict, set):
        size = len(cast("list[Any]", value))
        return f"{cls.__name__} of {size}"
    if _is(value, "jax._src.mesh", "Mesh"):
        mesh = cast("Any", value)
        sizes = ", ".join(
            f"{name!r}: {size}" for name, size in zip(mesh.axis_names, mesh.devices.shape, strict=True)
        )
        return f"Mesh({sizes})"
    if cls.__name__ == "PartitionSpec" and cls.__module__.startswith("jax"):
        return str(value)
    if cls.__name__ == "ShapeDtypeStruct" and cls.__module__.startswith("jax"):
        return "ShapeDtypeStruct " + _array(value)
    return None


def _is(value: object, module: str, name: str) -> bool:
    return type(value).__module__ == module and type(value).__name__ == name


def _numpy_scalar(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _aval(value: Any) -> Any:
    """The abstract value of a tracer; an array describes itself."""
    return value.aval if is_tracer(value) else value


def _array(value: object) -> str:
    aval = _aval(value)
    dtype = getattr(getattr(aval, "dtype", None), "name", None) or str(getattr(aval, "dtype", "?"))
    shape = getattr(aval, "shape", None)
    text = f"{dtype}[{', '.join(str(size) for size in shape)}]" if isinstance(shape, tuple) else str(dtype)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if type(aval).__name__ == "AbstractRef":
        text = f"Ref {text}"
    notes = ["traced"] if is_tracer(value) else ["numpy"] if type(value).__module__ == "numpy" else []
    spec = getattr(getattr(aval, "sharding", None), "spec", None)
    if spec is not None and any(axis is not None for axis in spec):
        notes.append(f"sharded {spec}")
    return f"{text} ({', '.join(notes)})" if notes else text


def operands(node: ast.AST, names: Names) -> tuple[Operand, ...]:
    """Returns the values that are named in a piece of code, in the order of the code, each once."""
    found: dict[str, str] = {}
    for name, one in _named(node):
        value = _value(one, names)
        text = describe(value) if value is not MISSING else None
        if text is not None and name not in found:
            found[name] = text
    return tuple(Operand(name, text) for name, text in list(found.items())[:_MOST])


def _named(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Names and dotted names in a piece of code, not looking into functions that it only defines."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = dotted(child)
        if name:
            yield name, child
        else:
            yield from _named(child)


def _value(node: ast.AST, names: Names) -> Any:
    """A name's value; an attribute's where the object keeps it in a plain `__dict__`."""
    value = names.value(node)
    if value is not MISSING or not isinstance(node, ast.Attribute):
        return value
    base = _value(node.value, names)
    if base is MISSING or type(base).__getattribute__ is not object.__getattribute__:
        return MISSING
    try:
        return object.__getattribute__(base, "__dict__").get(node.attr, MISSING)
    except AttributeError:
        return MISSING

"""The type of a value at the failing place, e.g. `float32[10, 4]`.

Attributes are read on exactly known types of JAX and numpy only. A user's object is never asked for
anything: no `repr`, no `==`, no `bool`, and no array's values.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.explanation import Operand
from jax_nbhelp.fixes.names import MISSING, class_name, dotted, is_of_jax, members, of_class
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.fixes.names import Names

say = sayer("fact")

_MOST = 8  # operands that are shown
_MRO = type.__dict__["__mro__"].__get__


def is_tracer(value: object) -> bool:
    """Whether a value stands for an array while a function is transformed."""
    return any(class_name(cls) == "jax._src.core.Tracer" for cls in _MRO(type(value)))


def is_jax_array(value: object) -> bool:
    """Whether a value is a JAX array, traced or not."""
    return is_tracer(value) or _is(value, "ArrayImpl")


def is_array(value: object) -> bool:
    """Whether a value is a JAX array, traced or not, or a numpy array."""
    return is_jax_array(value) or class_name(type(value)) == "numpy.ndarray"


def is_key(value: object) -> bool:
    """Whether a value is a PRNG key or an array of keys: typed, or the old uint32 of 2 or 4 words a key."""
    if _is(value, "PRNGKeyArray"):
        return True
    aval = _aval(value) if is_array(value) else None
    dtype = str(getattr(getattr(aval, "dtype", None), "name", ""))
    shape: Any = getattr(aval, "shape", None)
    return dtype.startswith("key<") or (
        dtype == "uint32" and isinstance(shape, tuple) and shape[-1:] in ((2,), (4,))
    )


def elements_of(value: object) -> str:
    """The kind of a numpy array's elements in numpy's own letter (`f`, `U`, `O`); `-` for any other value."""
    return cast("Any", value).dtype.kind if class_name(type(value)) == "numpy.ndarray" else "-"


def is_sparse(value: object) -> bool:
    """Whether a value is one of JAX's sparse arrays."""
    return any(_is(value, name) for name in ("BCOO", "BCSR", "COO", "CSR", "CSC"))


def is_integer(value: object) -> bool:
    """Whether a value is one whole number: a Python int, a numpy integer, an integer array without axes."""
    cls = type(value)
    if cls is int:
        return True
    dtype = getattr(_aval(value) if is_array(value) else None, "dtype", None)
    name = cls.__name__ if _numpy_scalar(cls) else str(getattr(dtype, "name", ""))
    return name.startswith(("int", "uint")) and (dtype is None or shape_of(value) == ())


def is_complex(value: object) -> bool:
    """Whether a value is a complex number, or an array of them."""
    dtype = getattr(_aval(value) if is_array(value) else None, "dtype", None)
    return type(value) is complex or str(getattr(dtype, "name", "")).startswith("complex")


def shape_of(value: object) -> tuple[int, ...] | None:
    """The shape of an array of a known type, else None."""
    if _one_of(type(value), int, float, bool, complex):
        return ()
    known = is_array(value) or _is(value, "ShapeDtypeStruct") or _is(value, "PRNGKeyArray")
    shape: Any = getattr(_aval(value), "shape", None) if known else None
    return cast("tuple[int, ...]", shape) if isinstance(shape, tuple) else None


def describe(value: object) -> str | None:
    """Returns a value's type in JAX's notation, or None for a type that is not known."""
    cls = type(value)
    if is_array(value) or _is(value, "PRNGKeyArray"):
        return _array(value)
    if _numpy_scalar(cls):
        return f"numpy {cls.__name__}"
    if _one_of(cls, int, bool, float, complex) or value is None:
        return repr(value) if cls is not float else "float"
    if cls is str:
        text = cast("str", value)
        return repr(text) if len(text) <= 24 else "str"
    if _one_of(cls, list, tuple, dict, set):
        return say("container", kind=cls.__name__, size=len(cast("list[Any]", value)))
    if _is(value, "Mesh"):
        mesh = cast("Any", value)
        sizes = ", ".join(
            f"{name!r}: {size}" for name, size in zip(mesh.axis_names, mesh.devices.shape, strict=True)
        )
        return f"Mesh({sizes})"
    if _is(value, "P") or _is(value, "PartitionSpec"):  # renamed in JAX 0.10
        return _spec(value)
    if _is(value, "ShapeDtypeStruct"):
        return "ShapeDtypeStruct " + _array(value)
    return None


def _is(value: object, name: str) -> bool:
    """Whether a value is exactly of a class of JAX's, by the class's last name: its module moves."""
    return is_of_jax(type(value)) and class_name(type(value)).endswith(f".{name}")


def _one_of(cls: type, *wanted: type) -> bool:
    """By identity: `in` would ask the metaclass."""
    return any(cls is one for one in wanted)


def _numpy_scalar(cls: type) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and class_name(cls).startswith("numpy.") and issubclass(cls, numpy.generic)


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
    notes: list[str] = []
    if is_tracer(value):
        notes.append(say("traced"))
    elif class_name(type(value)) == "numpy.ndarray":
        notes.append("numpy")
    spec = getattr(getattr(aval, "sharding", None), "spec", None)
    if spec is not None and any(axis is not None for axis in spec):
        notes.append(say("sharded", spec=_spec(spec)))
    return f"{text} ({', '.join(notes)})" if notes else text


def _spec(spec: Any) -> str:
    """A partition spec as one writes it; its own text differs between releases."""
    return f"P({', '.join(map(repr, spec))})"


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
    """A name's value; an attribute's where the object or its class holds it, and no property makes it."""
    value = names.value(node)
    if value is not MISSING or not isinstance(node, ast.Attribute):
        return value
    base = _value(node.value, names)
    return MISSING if base is MISSING else _held(base, node.attr)


def _held(owner: object, name: str) -> Any:
    """An attribute as it is kept; `inspect.getattr_static` would ask the classes for their hashes."""
    found = of_class(owner, name)
    if type(found) is types.MemberDescriptorType:  # a slot
        try:
            return found.__get__(owner)
        except AttributeError:
            return MISSING
    if any("__set__" in members(cls) for cls in _MRO(type(found))):
        return MISSING  # a property: it would win over what the object holds
    plain = (types.GetSetDescriptorType, types.MemberDescriptorType)
    if any(type(of_class(owner, "__dict__")) is one for one in plain):
        inside: dict[str, Any] = object.__getattribute__(owner, "__dict__")
        return inside.get(name, found)
    return found

"""What a name in the user's code refers to, and how the user spells a thing.

Names are resolved by identity in the live namespaces. Only modules and classes are looked into, past their
own `__getattribute__`, so no code of the user's runs: no `__getattr__`, no property, no `__eq__`. Nor is
`isinstance` used on a user's object: it asks for `__class__`.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


class Missing:
    """The type of `MISSING`: no such name."""


MISSING: Final = Missing()

# First parts of canonical names: in a pattern these are compared by identity, any other name by spelling.
ROOTS = frozenset(
    "jax jaxlib numpy scipy functools itertools operator math dataclasses os optax flax equinox".split()
)
# How a name is imported where the user has no spelling for its module yet.
_IMPORTS = {
    "jax.numpy": ("import jax.numpy as jnp", "jnp"),
    "jax.experimental.pallas.tpu": ("from jax.experimental.pallas import tpu as pltpu", "pltpu"),
    "jax.experimental.pallas": ("from jax.experimental import pallas as pl", "pl"),
    "numpy": ("import numpy as np", "np"),
}


_CLASS_MEMBERS = type.__dict__["__dict__"].__get__
_CLASS_MRO = type.__dict__["__mro__"].__get__
_CLASS_MODULE = type.__dict__["__module__"].__get__
_CLASS_NAME = type.__dict__["__name__"].__get__


def class_name(cls: type) -> str:
    """Returns a class's name with its module, past its metaclass."""
    return f"{_CLASS_MODULE(cls)}.{_CLASS_NAME(cls)}"


def is_of_jax(cls: type) -> bool:
    """Whether a class is one of JAX's own."""
    return class_name(cls).startswith(("jax.", "jaxlib."))


def members(value: object) -> Mapping[str, Any]:
    """Returns what a module or a class holds, and nothing for any other object."""
    if issubclass(type(value), types.ModuleType):
        return object.__getattribute__(value, "__dict__")
    return _CLASS_MEMBERS(value) if issubclass(type(value), type) else {}


def of_class(owner: object, name: str) -> Any:
    """Returns what an object's class holds under a name, or MISSING."""
    classes: tuple[type, ...] = _CLASS_MRO(type(owner))
    return next((members(cls)[name] for cls in classes if name in members(cls)), MISSING)


def dotted(node: ast.AST) -> str:
    """Returns `a.b.c` for a chain of attributes on a name, and an empty text for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def canonical(name: str) -> Any:
    """Returns the object of a canonical dotted name, from modules that are imported already, or MISSING."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        value: Any = sys.modules.get(".".join(parts[:length]))
        if value is None:
            continue
        for part in parts[length:]:
            value = members(value).get(part, MISSING)
        return value
    return MISSING


def is_canonical(name: str) -> bool:
    """Whether a dotted name of a pattern stands for one thing, however the user calls it."""
    return name.split(".", maxsplit=1)[0] in ROOTS


def _holds(module: Any, parts: Sequence[str]) -> bool:
    """Whether submodules can be reached as attributes; one that was never imported cannot."""
    for part in parts:
        module = vars(module).get(part, MISSING)
        if not isinstance(module, types.ModuleType | type):
            return module is not MISSING
    return True


def _lasts(value: object) -> bool:
    """Whether a value is a module, or a function or a class of a known package: these live on anyway."""
    cls = type(value)
    if issubclass(cls, types.ModuleType):
        return True
    home: object = ""
    if issubclass(cls, type):
        home = _CLASS_MODULE(value)
    elif (
        cls is types.FunctionType or cls is types.BuiltinFunctionType or (is_of_jax(cls) and callable(value))
    ):
        home = getattr(value, "__module__", "")
    return str(home).split(".", 1)[0] in ROOTS


def _plain(scope: Mapping[str, Any]) -> Mapping[str, Any]:
    """A namespace without the user's code in it: a class's own kind of namespace, a key that is no text.

    Nor has it the texts of cells, which IPython keeps as `_i1`, `_i2` and so on: they only grow.
    """
    kind = type(scope)
    if kind is not dict and class_name(kind) != "builtins.FrameLocalsProxy":  # Python 3.13's
        scope = _entries(scope) if issubclass(kind, dict) else {}
    return {
        name: value
        for name, value in list(scope.items())
        if type(name) is str and not (name[:2] == "_i" and name[2:].isdecimal())
    }


_entries: Callable[[Any], dict[str, Any]] = dict.__dict__["copy"]


class Names:
    """The names that a piece of code sees.

    Args:
      scopes: namespaces, innermost first.
      known: the values of expressions that are no names, by their node.
      outer: names whose namespaces were looked over already; those that are among `scopes` are not again.
    """

    def __init__(
        self,
        scopes: Sequence[Mapping[str, Any]],
        known: Mapping[ast.AST, Any] | None = None,
        outer: Names | None = None,
    ) -> None:
        # Every frame sees the user's namespace, which may hold thousands of names.
        known_plain = outer._by_id if outer is not None else {}
        self._by_id: dict[int, Mapping[str, Any]] = {
            id(scope): known_plain.get(id(scope)) or _plain(scope) for scope in scopes
        }
        self.scopes = list(self._by_id.values())
        self._known = known or {}

    def get(self, name: str) -> Any:
        """Returns the value of a plain name, or MISSING."""
        for scope in self.scopes:
            if name in scope:
                return scope[name]
        return vars(builtins).get(name, MISSING)

    def value(self, node: ast.AST) -> Any:
        """Returns the value of a name, of a dotted name over modules and classes, or of a node that is known.

        Any other expression's is MISSING.
        """
        value: Any = MISSING
        if isinstance(node, ast.Name):
            value = self.get(node.id)
        elif isinstance(node, ast.Attribute):
            value = members(self.value(node.value)).get(node.attr, MISSING)
        return self._known.get(node, MISSING) if value is MISSING else value

    def refers(self, node: ast.AST, name: str) -> bool:
        """Whether the user's expression is the thing of a canonical name.

        A removed or a lazily loaded attribute is in no module's `vars`; then the module's own name and the
        attribute's decide.
        """
        wanted = canonical(name)
        if wanted is not MISSING:
            return self.value(node) is wanted
        if isinstance(node, ast.Name):  # `from jax.lax import psend`: the function says where it is from
            value, parts = self.get(node.id), name.split(".")
            known = type(value) is types.FunctionType and value.__name__ == parts[-1]
            return known and str(value.__module__).split(".")[0] == parts[0]
        if not isinstance(node, ast.Attribute):
            return False
        holder = self.value(node.value)  # a module, or an object of JAX's such as jax.config
        base, _, last = name.rpartition(".")
        return holder is not MISSING and holder is canonical(base) and node.attr == last

    def spell(self, name: str) -> tuple[str, str | None]:
        """Returns how the user would write a canonical name, and the import that it still needs."""
        value, parts = canonical(name), name.split(".")
        if value is not MISSING:
            for own, _ in self._bound_to(value):
                if own == parts[-1] or (own[:1].isupper() and isinstance(value, type)):
                    return own, None
        for length in range(len(parts) - 1, 0, -1):
            module = sys.modules.get(".".join(parts[:length]))
            if module is not None and _holds(module, parts[length:-1]):
                for own, _ in self._bound_to(module):
                    return ".".join([own, *parts[length:]]), None
        for length in range(len(parts) - 1, 0, -1):
            known = _IMPORTS.get(".".join(parts[:length]))
            if known and self.get(known[1]) is MISSING:  # `np` may be the user's name for another thing
                return ".".join([known[1], *parts[length:]]), known[0]
        if len(parts) == 1:
            return name, None if name in vars(builtins) else f"import {name}"
        # `jax` and `functools` hold their parts; for others the module itself is imported
        module_name = (
            parts[0] if canonical(name) is not MISSING and parts[0] == "jax" else ".".join(parts[:-1])
        )
        return name, f"import {module_name}"

    def spellings(self) -> Names:
        """Returns names that keep no value of the user's alive, yet spell as these do."""
        return Names(
            [
                # a name that begins so spells nothing; results of cells, `_1`, `_2` and so on, are many
                {
                    name: value if not name.startswith("_") and _lasts(value) else None
                    for name, value in list(scope.items())
                }
                for scope in self.scopes
            ]
        )

    def _bound_to(self, value: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Names of the user's that are an object, public and not shadowed."""
        for scope in self.scopes:
            for own, bound in list(scope.items()):
                if bound is value and not own.startswith("_") and self.get(own) is value:
                    yield own, scope

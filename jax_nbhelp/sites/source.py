"""The source of a JAX, read and never imported: its modules, and what a name in one of them stands for."""

from __future__ import annotations

import ast
import gc
import importlib.util
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# What only JAX's own tests use; among it are recorded outputs, a sixth of all text.
_LEFT_OUT = ("internal_test_util", "test_")
_HOPS = 6  # re-exports that are followed from a name to its definition

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


class SourceError(ValueError):
    """A folder that holds no JAX; the message names it and the remedy."""


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function in the source.

    Attributes:
      module: where it stands.
      qualname: as Python would call it, e.g. `vmap.<locals>.vmap_f`.
      node: its definition.
      owner: the class that it is a method of.
      parent: the function around it.
      inner: the functions defined in it, by name.
    """

    module: Module
    qualname: str
    node: AnyFunction
    owner: Class | None = None
    parent: Function | None = None
    inner: dict[str, Function] = field(default_factory=dict[str, "Function"])


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class in the source: its methods, and what is assigned in its body."""

    module: Module
    name: str
    node: ast.ClassDef
    methods: dict[str, Function] = field(default_factory=dict[str, Function])
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])


@dataclass(slots=True, eq=False, repr=False)
class Module:
    """A file of the source.

    Attributes:
      file: from the package on, e.g. `jax/_src/api.py`.
      name: e.g. `jax._src.api`.
      tree: its syntax tree.
      text: its source.
      imports: local name → (module, name in it; empty for the module itself).
      functions: all functions, inner ones too, by qualified name.
      classes: the classes by name.
      values: what module-level names are assigned.
    """

    file: str
    name: str
    tree: ast.Module
    text: str
    imports: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    classes: dict[str, Class] = field(default_factory=dict[str, Class])
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])

    @property
    def public(self) -> bool:
        """Whether users import it: no part of its name is private, and it is no tool."""
        parts = self.name.split(".")
        return not any(part.startswith("_") or part == "tools" for part in parts)


Found = Function | Class | Module


class Source:
    """A JAX, read from its files.

    Args:
      root: the folder that holds the package `jax`.
      files: only these, from the package on; all where None.

    Attributes:
      modules: the modules by name.
      unread: the files that this Python cannot read, with the reason: a newer JAX may need a newer Python.

    Raises:
      SourceError: there is no JAX.
    """

    def __init__(self, root: Path, files: tuple[str, ...] | None = None) -> None:
        package = root / "jax"
        if not (package / "version.py").is_file():
            raise SourceError(f"{root}: holds no JAX; name the folder that the package jax is in")
        self.root = root
        self.modules: dict[str, Module] = {}
        self.unread: dict[str, str] = {}
        self._resolved: dict[tuple[str, str], Found | None] = {}
        paths = [root / file for file in files] if files else sorted(package.rglob("*.py"))
        with no_collection():
            for path in paths:
                if not any(part.startswith(_LEFT_OUT) for part in path.relative_to(package).parts):
                    self._read(path)

    @property
    def release(self) -> str:
        """JAX's version as its source gives it, or an empty text."""
        text = (self.root / "jax" / "version.py").read_text(encoding="utf-8")
        found = re.search(r"^_version\s*=\s*[\"']([^\"']+)", text, re.MULTILINE)
        return found[1] if found else ""

    def functions(self) -> Iterator[Function]:
        """Yields every function."""
        for module in self.modules.values():
            yield from module.functions.values()

    def in_module(self, module: str, name: str) -> Found | None:
        """Returns what a name of a module stands for, followed through re-exports."""
        key = module, name
        if key not in self._resolved:
            self._resolved[key] = self._in_module(module, name, _HOPS)
        return self._resolved[key]

    def resolve(self, node: ast.AST, module: Module, function: Function | None) -> Found | None:
        """Returns the function, class or module that an expression names at a place in the source.

        Args:
          node: the expression: a name, or names joined by dots. `self.f` is a method of the class around.
          module: where it stands.
          function: the function around it, or None at the module's level.
        """
        if isinstance(node, ast.Name):
            around = function
            while around is not None:
                if node.id in around.inner:
                    return around.inner[node.id]
                around = around.parent
            return self.in_module(module.name, node.id)
        if not isinstance(node, ast.Attribute):
            return None
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and function is not None:
            owner = owner_of(function)
            return self.method(owner, node.attr) if owner else None
        base = self.resolve(node.value, module, function)
        if isinstance(base, Module):
            return self.in_module(base.name, node.attr)
        return self.method(base, node.attr) if isinstance(base, Class) else None

    def method(self, cls: Class, name: str) -> Function | None:
        """Returns a method of a class or of the nearest class it is made from."""
        return next((one.methods[name] for one in self.ancestry(cls) if name in one.methods), None)

    def class_value(self, cls: Class, name: str) -> tuple[ast.expr, Module] | None:
        """Returns what a name is assigned in a class's body or in one it is made from, and where that is."""
        for one in self.ancestry(cls):
            if name in one.values:
                return one.values[name], one.module
        return None

    def ancestry(self, cls: Class) -> Iterator[Class]:
        """Yields a class, then those it is made from, as far as they stand in the source."""
        waiting, seen = [cls], set[int]()
        while waiting:
            one = waiting.pop(0)
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            for base in one.node.bases:
                found = self.resolve(base, one.module, None)
                if isinstance(found, Class):
                    waiting.append(found)

    def _in_module(self, module: str, name: str, hops: int) -> Found | None:
        one = self.modules.get(module)
        if one is None or not hops:
            return None
        if name in one.functions:
            return one.functions[name]
        if name in one.classes:
            return one.classes[name]
        if name in one.imports:
            source, inner = one.imports[name]
            if not inner:
                return self.modules.get(source)
            return self.modules.get(f"{source}.{inner}") or self._in_module(source, inner, hops - 1)
        value = one.values.get(name)
        if isinstance(value, ast.Name) and value.id != name:  # another name for it
            return self._in_module(module, value.id, hops - 1)
        return self.modules.get(f"{module}.{name}")

    def _read(self, path: Path) -> None:
        file = path.relative_to(self.root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (OSError, SyntaxError, ValueError) as error:
            self.unread[file] = str(error)
            return
        name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        module = self.modules[name] = Module(file, name, tree, text)
        _Reader(module, is_package=path.name == "__init__.py").block(tree.body, "", None, None)


def nodes_under(*roots: ast.AST) -> Iterator[ast.AST]:
    """Yields nodes and all under them, in no order; twice as fast as `ast.walk`, for a million of them."""
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                stack.append(value)
            elif isinstance(value, list):
                stack += [one for one in cast("list[object]", value) if isinstance(one, ast.AST)]


@contextmanager
def no_collection() -> Generator[None]:
    """Pauses Python's collector: among a million live nodes it would take most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def owner_of(function: Function) -> Class | None:
    """Returns the class whose `self` a function sees, for a function inside a method too."""
    around: Function | None = function
    while around is not None:
        if around.owner is not None:
            return around.owner
        around = around.parent
    return None


def installed_root() -> Path:
    """Returns the folder that the installed JAX stands in; JAX is looked for, not imported.

    Raises:
      SourceError: there is none.
    """
    spec = importlib.util.find_spec("jax")
    if spec is None or spec.origin is None:
        raise SourceError("JAX is not installed here; name a folder that holds it with --jax-source")
    return Path(spec.origin).parents[1]


class _Reader:
    """Notes a module's definitions and imports."""

    def __init__(self, module: Module, *, is_package: bool) -> None:
        self.module = module
        parts = module.name.split(".")
        self.package = parts if is_package else parts[:-1]

    def block(self, body: list[ast.stmt], prefix: str, owner: Class | None, parent: Function | None) -> None:
        for node in body:
            self.statement(node, prefix, owner, parent)

    def statement(self, node: ast.stmt, prefix: str, owner: Class | None, parent: Function | None) -> None:
        if isinstance(node, AnyFunction):
            self.function(node, prefix, owner, parent)
        elif isinstance(node, ast.ClassDef):
            cls = Class(self.module, node.name, node)
            self.module.classes.setdefault(node.name, cls)
            self.block(node.body, f"{prefix}{node.name}.", cls, parent)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self.imports(node)
        else:
            if parent is None:
                self.value(node, self.module.values if owner is None else owner.values)
            for field_name in ("body", "orelse", "finalbody"):
                self.block(getattr(node, field_name, []), prefix, owner, parent)
            for handler in getattr(node, "handlers", ()):
                self.block(handler.body, prefix, owner, parent)
            for case in getattr(node, "cases", ()):
                self.block(case.body, prefix, owner, parent)

    def function(self, node: AnyFunction, prefix: str, owner: Class | None, parent: Function | None) -> None:
        function = Function(self.module, f"{prefix}{node.name}", node, owner, parent)
        earlier = self.module.functions.get(function.qualname)
        self.module.functions[function.qualname] = function
        if earlier is not None:  # an overload, a property's getter, the other branch of an `if`
            self.module.functions[f"{function.qualname}#{len(self.module.functions)}"] = earlier
        if owner is not None:
            owner.methods[node.name] = function
        elif parent is not None:
            parent.inner[node.name] = function
        self.block(node.body, f"{function.qualname}.<locals>.", None, function)

    def value(self, node: ast.stmt, values: dict[str, ast.expr]) -> None:
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign):
            targets, value = [node.target], node.value
        for target in targets:
            if isinstance(target, ast.Name) and value is not None:
                values.setdefault(target.id, value)

    def imports(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.module.imports.setdefault(alias.asname, (alias.name, ""))
                else:
                    top = alias.name.split(".")[0]
                    self.module.imports.setdefault(top, (top, ""))
            return
        base = node.module or ""
        if node.level:
            above = self.package[: len(self.package) - node.level + 1]
            base = ".".join([*above, base] if base else above)
        for alias in node.names:
            self.module.imports.setdefault(alias.asname or alias.name, (base, alias.name))

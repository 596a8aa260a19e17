"""How near raise sites are to what users call: a call graph by name, from JAX's public functions inward.

Its nodes are functions, classes and module-level names such as primitives. An edge leads from a function to
whatever it names: a local function, a name of its module, an imported one, `module.f`, `self.f`, and `x.f`
where classes of the same folder have a method `f`, at most three. A module-level name leads to all that is
named in the statements that name it, since JAX ties rules to primitives so: `p = make(rule)`,
`ad.defjvp(p, rule)`, `@p.def_impl`. Roots are the functions and classes that a public module exports, with a
class's methods.

What is approximate: a function that is passed along counts as called where it is named, a value's type is not
followed, and no condition is looked at. It ranks; it proves nothing.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from jax_nbhelp.sites.source import AnyFunction, Class, Function, Module, nodes_under

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jax_nbhelp.sites.site import Site
    from jax_nbhelp.sites.source import Source

_STEPS = 6  # calls from a public function that are followed
_METHODS = 3  # classes with a method of a name, up to which the name alone tells
# Public by name, and used by those who write compilers and libraries.
_FOR_AUTHORS = (
    "jax.api_util",
    "jax.core",
    "jax.experimental.mosaic",
    "jax.extend",
    "jax.interpreters",
    "jax.lib",
)
# Wrappers and decorators: by way of them everything would lead to everything, so no edge enters them.
_THROUGH = ("jax._src.api", "jax._src.api_util", "jax._src.util", "jax._src.traceback_util")

Node = Function | Class | tuple[str, str]  # the last: a module and a name at its level


class Reach:
    """The call graph of a source.

    Args:
      source: the JAX.

    Attributes:
      steps: for each function that a public one leads to: calls in between, 0 for a public one.
      publics: for each: how many public functions lead to it, a near one counting for more.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._methods: defaultdict[str, list[Function]] = defaultdict(list)
        for module in source.modules.values():
            for cls in module.classes.values():
                for name, method in cls.methods.items():
                    self._methods[name].append(method)
        self._edges: dict[Node, frozenset[Node]] = {}
        self._tied: defaultdict[Node, set[Node]] = defaultdict(set)
        for module in source.modules.values():
            self._tie(module)
        self.steps: dict[Node, int] = {}
        self.publics: defaultdict[Node, float] = defaultdict(float)
        self._spread()

    def of(self, site: Site) -> tuple[int, float] | None:
        """Returns the steps and the weight of the public functions that lead to a site, or None."""
        module = self.source.modules.get(
            site.caller_file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        )
        function = module.functions.get(site.caller) if module else None
        best: tuple[int, float] | None = None
        while function is not None:
            if function in self.steps:
                found = self.steps[function], self.publics[function]
                best = max(found, best or found, key=lambda one: one[1])
            function = function.parent  # an inner function is made where the outer one runs
        return best

    def roots(self) -> list[Function]:
        """Returns the public functions, and the public methods of public classes."""
        found: dict[Function, None] = {}
        for module in self.source.modules.values():
            if module.public and not module.name.startswith(_FOR_AUTHORS):
                for name in (*module.imports, *module.functions, *module.classes):
                    if not name.startswith("_") and "." not in name and "#" not in name:
                        found.update(dict.fromkeys(_entries(self.source.in_module(module.name, name))))
        return list(found)

    def _spread(self) -> None:
        """Goes from all roots at once; a set of roots is the bits of a number."""
        reached: dict[Node, int] = {root: 1 << number for number, root in enumerate(self.roots())}
        latest = dict(reached)
        for distance in range(_STEPS + 1):
            following: defaultdict[Node, int] = defaultdict(int)
            for node, roots in latest.items():
                self.steps.setdefault(node, distance)
                self.publics[node] += roots.bit_count() * 0.5**distance
                for other in self._next(node):
                    following[other] |= roots
            latest = {
                node: new for node, roots in following.items() if (new := roots & ~reached.get(node, 0))
            }
            for node, new in latest.items():
                reached[node] = reached.get(node, 0) | new

    def _next(self, node: Node) -> frozenset[Node]:
        found = self._edges.get(node)
        if found is None:
            if isinstance(node, Function):
                found = frozenset(self._named(ast.iter_child_nodes(node.node), node.module, node))
            elif isinstance(node, Class):
                found = frozenset(
                    one for one in [node.methods.get("__init__"), node.methods.get("__call__")] if one
                )
            else:
                found = frozenset(self._tied.get(node, ()))
            self._edges[node] = found
        return found

    def _named(self, nodes: Iterable[ast.AST], module: Module, function: Function | None) -> Iterator[Node]:
        """Yields what is named under some nodes."""
        names: dict[str, ast.expr] = {}
        attributes: dict[str, ast.Attribute] = {}
        for node in nodes_under(*nodes):
            if isinstance(node, ast.Name):
                names.setdefault(node.id, node)
            elif isinstance(node, ast.Attribute):
                base = node.value.id if isinstance(node.value, ast.Name) else ""
                attributes.setdefault(f"{base}.{node.attr}", node)
        for node in names.values():
            yield from self._node(node, module, function)
        for node in attributes.values():
            known = list(self._node(node, module, function))
            yield from known or self._methods_near(node.attr, module)

    def _methods_near(self, name: str, module: Module) -> list[Function]:
        """The methods of a name in a module's folder, where they are few."""
        folder = module.file.rpartition("/")[0]
        methods = [one for one in self._methods.get(name, ()) if one.module.file.rpartition("/")[0] == folder]
        return methods if len(methods) <= _METHODS else []

    def _node(self, node: ast.expr, module: Module, function: Function | None) -> Iterator[Node]:
        found = self.source.resolve(node, module, function)
        if isinstance(found, Function | Class):
            if found.module is module or found.module.name not in _THROUGH:
                yield found
        elif found is None:
            place = _module_value(node, module, function, self.source)
            if place is not None:
                yield place

    def _tie(self, module: Module) -> None:
        """Ties module-level names to what the statements that name them name."""
        for statement in module.tree.body:
            if isinstance(statement, AnyFunction):
                function = module.functions.get(statement.name)
                decorators = list(self._named(statement.decorator_list, module, None))
                named: list[Node] = [function] if function is not None else []
                values = [one for one in decorators if isinstance(one, tuple)]
            elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
                named = list(self._named([statement], module, None))
                values = [one for one in named if isinstance(one, tuple)]
            else:
                continue
            for value in values:
                self._tied[value].update(one for one in named if one != value and not isinstance(one, tuple))


def _module_value(
    node: ast.expr, module: Module, function: Function | None, source: Source
) -> tuple[str, str] | None:
    """The module-level name, such as a primitive's, that an expression stands for."""
    if isinstance(node, ast.Attribute):
        base = source.resolve(node.value, module, function)
        return (base.name, node.attr) if isinstance(base, Module) and node.attr in base.values else None
    if not isinstance(node, ast.Name):
        return None
    if node.id in module.values:
        return module.name, node.id
    where, name = module.imports.get(node.id, ("", ""))
    other = source.modules.get(where)
    return (where, name) if other is not None and name in other.values else None


def _entries(found: object) -> Iterator[Function]:
    if isinstance(found, Function):
        yield found
    elif isinstance(found, Class):
        yield from (
            method
            for name, method in found.methods.items()
            if not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
        )


def ranked(sites: Iterable[Site], reach: Reach) -> list[tuple[Site, int, float]]:
    """Returns the sites that a public function leads to: those first that most and nearest ones lead to."""
    found = [(site, *near) for site in sites if (near := reach.of(site)) is not None]
    return sorted(found, key=lambda one: (-one[2], one[1], one[0].file, one[0].line))

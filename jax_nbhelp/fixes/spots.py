"""Where a cure may be needed: the pieces of the user's code that a rule looks at, likeliest first.

The faulty code may stand in another cell than the one that raised, and often no frame of the traceback lies
in it (a decorated function, `g = jax.vmap(f)`): then the live object leads to its code, and the code to its
cell.
"""

from __future__ import annotations

import ast
import functools
import itertools
import types
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.arguments import arguments_of
from jax_nbhelp.fixes.names import MISSING, Names, class_name, dotted, is_of_jax, members, of_class
from jax_nbhelp.source import Source, binds, bound_by, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from jax_nbhelp.catalog.record import At
    from jax_nbhelp.cell import Cell, CellBook
    from jax_nbhelp.failure import Failure, Frame, Link, Live

_AT_ONE_PLACE = 8  # frames of a recursion that are looked at, the innermost
_HOPS = 3  # from a called name to its definition, to the definition of what that calls


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of the user's code.

    Attributes:
      cell: the cell it stands in; `source` is that cell parsed.
      node: the node.
      names: what names mean there.
      exact: the node covers the failing expression, or defines what is called there; otherwise it only
        stands on the failing line.
    """

    cell: Cell
    source: Source
    node: ast.AST
    names: Names
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A failing place: the nodes from the failing expression outward to its statement."""

    cell: Cell
    source: Source
    chain: tuple[ast.AST, ...]
    names: Names
    exact: bool
    function: str

    @property
    def runs(self) -> ast.AST | None:
        """The function that the frame runs; None at the top of a cell."""
        return self.source.function(self.chain[0]) if self.chain else None

    def spots(self) -> Iterator[Spot]:
        for node in self.chain:
            yield Spot(self.cell, self.source, node, self.names, self.exact)


class Spots:
    """The pieces of code that belong to one link of a failure.

    Args:
      failure: the failure; `live` holds its frames.
      link: the index of the link.
      book: the cells that ran.
    """

    def __init__(self, failure: Failure, live: Live, link: int, book: CellBook) -> None:
        self._book, self._live = book, live
        self._global_names = Names([live.namespace])
        one = failure.links[link]
        self._anchors = list(self._find_anchors(one, link, failure))
        self._found: dict[At, list[Spot]] = {}  # every alternative of every rule asks again

    def at(
        self,
        where: At,
        of: ast.AST | None = None,
        beside: Spot | None = None,
        words: frozenset[str] = frozenset(),
    ) -> Iterator[Spot]:
        """Yields the spots of one kind.

        Args:
          where: `failing`: the failing expression outward to its statement. `any-frame`: the same for every
            frame, with what is called there and the assignments that define it. `decorator`: decorators of
            the failing functions and of those called. `definition`: everything in the definition of what is
            called. `within`: everything inside the failing statement. `notebook`: everything in the cells
            that ran, the failing function first, then the failing cell, then the last.
          of: for `definition`, the expression whose definition is meant instead.
          beside: the spot that `of` was found in.
          words: for `notebook`, identifiers that a cell must hold to be looked at.
        """
        if where == "failing":
            yield from _once(spot for anchor in self._anchors[:1] for spot in anchor.spots())
        elif where == "notebook":
            yield from _once(self._notebook(words))
        elif where == "definition" and of is not None and beside is not None:
            yield from _once(self._inside(self._defining(of, beside.cell, beside.source, beside.names)))
        else:
            if where not in self._found:
                self._found[where] = list(_once(self._around(where)))
            yield from self._found[where]

    def _around(self, where: At) -> Iterator[Spot]:
        if where == "any-frame":
            return self._any_frame()
        if where == "within":
            return self._within()
        return self._decorators() if where == "decorator" else self._inside(self._called())

    @property
    def tells_values(self) -> bool:
        """Whether the help may tell types and values of the user's objects."""
        return self._live.tells_values

    def value_of(self, name: str) -> Any:
        """Returns the value of a name where the error came up, or MISSING."""
        return self._anchors[0].names.get(name) if self._anchors else MISSING

    def value_in(self, function: ast.AST, name: str) -> Any:
        """Returns the value of a local name in the innermost frame that runs a function, or MISSING."""
        for anchor in self._anchors:
            own, *outer = anchor.names.scopes
            if outer and anchor.runs is function:
                return own.get(name, MISSING)
        return MISSING

    @property
    def failing(self) -> Spot | None:
        """The failing expression."""
        return next(iter(self.at("failing")), None)

    def _find_anchors(self, link: Link, number: int, failure: Failure) -> Iterator[_Anchor]:
        for frame in reversed(link.origin):
            anchor = self._anchor(frame, [self._live.namespace])
            if anchor:
                yield anchor
        met = Counter[object]()
        for index, frame in link.cell_frames:
            met[frame.place] += 1
            if met[frame.place] > _AT_ONE_PLACE:
                continue
            entered = self._live.frame(number, index + 1) if _is_of_jax(link, index + 1) else None
            anchor = self._anchor(frame, self._live.scopes(number, index), entered)
            if anchor:
                yield anchor
        if not link.cell_frames and number == 0 and failure.cell is not None:
            source = parse(failure.cell.text)
            if source is not None and len(source.body) == 1:  # no frame at all: a cell of one statement
                node = source.body[0]
                yield _Anchor(failure.cell, source, (node,), self._global_names, exact=False, function="")

    def _anchor(self, frame: Frame, scopes: list[Any], entered: FrameType | None = None) -> _Anchor | None:
        """The anchor of a frame; `entered` is the frame of JAX's that its failing expression called."""
        place = frame.place
        source = parse(place.cell.text) if place else None
        if place is None or source is None:
            return None
        function = frame.function.rsplit(".", 1)[-1]
        names = Names(scopes, outer=self._global_names)
        if not place.exact:
            nodes = tuple(source.on_line(place.line))
            return _Anchor(place.cell, source, nodes, names, exact=False, function=function)
        node = source.smallest(place.start, place.end)
        if node is None:
            return None
        if isinstance(node, ast.If | ast.While | ast.Assert | ast.IfExp):
            node = node.test  # Python 3.11 gives the whole statement for the truth value of a plain name
        chain: list[ast.AST] = []
        for one in source.ancestors(node):
            chain.append(one)
            if isinstance(one, ast.stmt):
                break
        if entered is not None:
            names = Names(scopes, arguments_of(node, entered), outer=self._global_names)
        return _Anchor(place.cell, source, tuple(chain), names, exact=True, function=function)

    def _any_frame(self) -> Iterator[Spot]:
        for anchor, called in zip(self._anchors, self._called_by, strict=True):
            callee: ast.AST = anchor.chain[0] if anchor.chain else ast.Pass()
            if anchor.exact:
                yield Spot(anchor.cell, anchor.source, callee, anchor.names)
                while isinstance(callee, ast.Call):  # jax.vmap(f)(x): the callee too
                    callee = callee.func
                    yield Spot(anchor.cell, anchor.source, callee, anchor.names)
            yield from anchor.spots()
            for spot in called:
                if isinstance(spot.node, ast.Assign | ast.AnnAssign) and spot.node.value is not None:
                    yield from self._inside([Spot(spot.cell, spot.source, spot.node.value, spot.names)])
        yield from self._decorators()

    def _within(self) -> Iterator[Spot]:
        for anchor in self._anchors[:1]:
            for top in anchor.chain:
                for node in _code(top):
                    yield Spot(anchor.cell, anchor.source, node, anchor.names, anchor.exact)

    def _decorators(self) -> Iterator[Spot]:
        for anchor in self._anchors:
            for decorator in getattr(anchor.runs, "decorator_list", ()):
                yield Spot(anchor.cell, anchor.source, decorator, anchor.names)
        for spot in self._called():
            for decorator in getattr(spot.node, "decorator_list", ()):
                yield Spot(spot.cell, spot.source, decorator, spot.names)

    def _notebook(self, words: frozenset[str]) -> Iterator[Spot]:
        for anchor in self._anchors:
            if anchor.runs is not None:
                yield from self._inside([Spot(anchor.cell, anchor.source, anchor.runs, anchor.names)])
        cells = [anchor.cell for anchor in self._anchors] + self._book.latest()
        for cell in dict.fromkeys(cells):
            source = parse(cell.text) if all(word in cell.text for word in words) else None
            if source is not None:
                yield from self._inside(
                    [Spot(cell, source, node, self._global_names) for node in source.body]
                )

    def _inside(self, spots: Iterator[Spot] | list[Spot]) -> Iterator[Spot]:
        for spot in spots:
            for node in _code(spot.node):
                yield Spot(spot.cell, spot.source, node, spot.names)

    def _called(self) -> Iterator[Spot]:
        return itertools.chain.from_iterable(self._called_by)

    @functools.cached_property
    def _called_by(self) -> list[list[Spot]]:
        """For each anchor the definitions of what it calls or passes along, where they are new."""
        asked: set[object] = set()
        return [list(self._definitions(anchor, asked)) for anchor in self._anchors]

    def _definitions(self, anchor: _Anchor, asked: set[object]) -> Iterator[Spot]:
        outward = anchor.chain[:1] if anchor.exact else anchor.chain
        for top in outward:
            for node in ast.walk(top):
                if isinstance(node, ast.Call):
                    passed = (node.func, *node.args, *(keyword.value for keyword in node.keywords))
                    for one in (part for argument in passed for part in _parts(argument)):
                        if not isinstance(one, ast.Name | ast.Attribute):
                            continue
                        question = id(anchor.source), dotted(one), id(_behind(one, anchor.names))
                        if question not in asked:  # the calls of many frames pass the same things along
                            asked.add(question)
                            yield from self._defining(one, anchor.cell, anchor.source, anchor.names)

    def _defining(
        self, node: ast.AST, cell: Cell, source: Source, names: Names, hops: int = _HOPS
    ) -> Iterator[Spot]:
        """The statements that define a name: assignments, then the code of the live object behind it."""
        if not hops:
            return
        name = dotted(node)
        spots = [
            *self._assignments(name.split(".")[0], cell, source, names),
            *self._code_of(_behind(node, names)),
        ]
        for spot in spots:
            yield spot
            value = getattr(spot.node, "value", None)
            if isinstance(value, ast.Call):  # g = jax.jit(f): then f's definition
                for one in _mentioned(value):
                    yield from self._defining(one, spot.cell, spot.source, spot.names, hops - 1)
            for decorator in getattr(spot.node, "decorator_list", ()):
                if isinstance(decorator, ast.Name):
                    yield from self._defining(decorator, spot.cell, spot.source, spot.names, hops - 1)

    def _assignments(self, name: str, cell: Cell, source: Source, names: Names) -> Iterator[Spot]:
        """Assignments to a name: in the same cell, then at the top of the cells that ran, the last first."""
        if not name or names.get(name) is MISSING:
            return
        for node in reversed(source.bindings.get(name, ())):
            yield Spot(cell, source, node, names)
        for other in self._book.latest():
            if other is cell or not binds(other.text, name):
                continue
            parsed = parse(other.text)
            for node in reversed(parsed.body if parsed else []):
                if parsed and name in bound_by(node):
                    yield Spot(other, parsed, node, self._global_names)

    def _code_of(self, value: object) -> Iterator[Spot]:
        for code in _codes(value):
            compiled = self._book.find(code.co_filename)
            source = parse(compiled.cell.text) if compiled else None
            if compiled is None or source is None:
                continue
            owner, *path = code.co_qualname.split(".")  # a method's class, a nested function's outermost
            for node in source.body:
                if getattr(node, "name", None) == owner:
                    for method in node.body if isinstance(node, ast.ClassDef) else ():
                        if [getattr(method, "name", None)] == path:
                            yield Spot(compiled.cell, source, method, self._global_names)
                    yield Spot(compiled.cell, source, node, self._global_names)


def _is_of_jax(link: Link, index: int) -> bool:
    return index < len(link.frames) and link.frames[index].kind == "jax"


def _code(top: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Expressions and statements; operators, arguments and the like have no place of their own."""
    return (node for node in ast.walk(top) if isinstance(node, ast.expr | ast.stmt))


def _parts(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or a list that is written out, else the node itself."""
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def _mentioned(call: ast.Call) -> Iterator[ast.AST]:
    """The names that a call calls or passes along, also those of calls inside it: jax.jit(jax.vmap(f))."""
    for one in (call.func, *call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(one, ast.Name | ast.Attribute):
            yield one
        elif isinstance(one, ast.Call):
            yield from _mentioned(one)


def _behind(node: ast.AST, names: Names) -> Any:
    """The value of a name; for `model.step`, the method that the object's class holds."""
    value = names.value(node)
    if value is MISSING and isinstance(node, ast.Attribute):
        owner = names.value(node.value)
        return MISSING if owner is MISSING else of_class(owner, node.attr)
    return value


def _codes(value: object, depth: int = 6) -> Iterator[types.CodeType]:
    """The code behind a callable of a known type; wrappers of JAX's and functools' are seen through."""
    cls = type(value)
    if not depth or value is MISSING:
        return
    inner: Any = None
    if cls is types.FunctionType:
        assert isinstance(value, types.FunctionType)
        yield value.__code__
        inner = value.__dict__.get("__wrapped__")
    elif cls is types.MethodType:
        assert isinstance(value, types.MethodType)
        inner = value.__func__
    elif class_name(cls) == "functools.partial":
        inner = getattr(value, "func", None)
    elif is_of_jax(cls):  # jit's, custom_jvp's, custom_vjp's own callable types
        inner = getattr(value, "__wrapped__", None)
    else:  # a class of the user's, or an object: its class
        held = members(value if issubclass(cls, type) else cls)
        for name in sorted(held, key=lambda name: name != "__call__"):
            one: object = held[name]
            if type(one) is types.FunctionType or is_of_jax(type(one)):
                yield from _codes(one, depth - 1)
    if inner is not None:
        yield from _codes(inner, depth - 1)


def is_function_of_jax(value: object, depth: int = 6) -> bool:
    """Whether a value is a function or a class of JAX's own; one that JAX only wraps is not."""
    cls = type(value)
    if cls is types.FunctionType:
        return str(value.__module__).split(".")[0] in ("jax", "jaxlib")
    if issubclass(cls, type):
        return is_of_jax(cast("type", value))
    if not is_of_jax(cls) or not callable(value):
        return False
    inner: object = getattr(value, "__wrapped__", None) if depth else None
    return inner is None or is_function_of_jax(inner, depth - 1)


def is_own_function(value: object, depth: int = 6) -> bool:
    """Whether a value is a function that the notebook itself defined, also behind JAX's wrappers."""
    if type(value) is types.FunctionType:
        return value.__module__ == "__main__"
    wrapped = depth and type(value).__module__.startswith("jax")
    return bool(wrapped) and is_own_function(getattr(value, "__wrapped__", None), depth - 1)


def _once(spots: Iterator[Spot]) -> Iterator[Spot]:
    seen: set[tuple[int, int]] = set()
    for spot in spots:
        key = (id(spot.source), id(spot.node))
        if key not in seen:
            seen.add(key)
            yield spot

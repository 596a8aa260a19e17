"""Holes: where the values come from that a rewrite needs and no record can know.

A record names a finder of the fixed list here; it is never an expression to evaluate. A finder looks at the
message, at the code, and at live objects of exactly known types, and runs nothing of the user's.
"""

from __future__ import annotations

import ast
import itertools
import keyword
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.fix import Candidate, HoleError
from jax_nbhelp.fixes.names import MISSING, canonical
from jax_nbhelp.operands import is_array, shape_of

if TYPE_CHECKING:
    from jax_nbhelp.catalog.record import HoleRule
    from jax_nbhelp.fixes.patterns import Bindings
    from jax_nbhelp.fixes.spots import Spot, Spots

_MOST = 6  # candidates offered for one hole


@dataclass(slots=True)
class Found:
    """What a finder may look at.

    Attributes:
      rule: the hole.
      captures: what the message's holes caught, and what the explanation found.
      spot: the matched node.
      bindings: what the pattern caught.
      spots: the pieces of code around the failure.
      values: the values of the holes before this one.
    """

    rule: HoleRule
    captures: Mapping[str, str]
    spot: Spot
    bindings: Bindings
    spots: Spots
    values: Mapping[str, str] = field(default_factory=dict[str, str])

    def option(self, name: str, default: Any = "") -> Any:
        """Returns one of the finder's keys in the record."""
        return self.rule.options.get(name, default)

    def caught(self, key: str) -> ast.AST | None:
        """Returns the node that the variable named by an option caught."""
        node = self.bindings.variables.get(self.option(key))
        return node if isinstance(node, ast.AST) else None

    def spell(self, name: str) -> str:
        """Returns the user's spelling of a canonical name."""
        return self.spot.names.spell(name)[0]


Finder = Callable[[Found], list[Candidate]]


def candidates(found: Found) -> list[Candidate]:
    """Returns the values a hole may take, the best first, each once."""
    unique: dict[str, Candidate] = {}
    for one in FINDERS[found.rule.source](found):
        unique.setdefault(one.value, one)
    return list(unique.values())[:_MOST]


def check(rule: HoleRule, text: str) -> str:
    """Returns a value for a hole as it will stand in the code.

    Raises:
      HoleError: it is not what the hole takes.
    """
    text = text.strip()
    if not text:
        raise HoleError("a value is needed here")
    try:
        node = ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError as error:
        raise HoleError(f"{text!r} is not a Python expression ({error.msg})") from None
    constant = node.value if isinstance(node, ast.Constant) else None
    if rule.type == "name" and (not text.isidentifier() or keyword.iskeyword(text)):
        raise HoleError(f"{text!r} is not a name")
    if rule.type == "int":
        number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
        if not (isinstance(number, ast.Constant) and type(number.value) is int):
            raise HoleError(f"{text!r} is not a whole number")
    if rule.type == "str" and not isinstance(constant, str):
        raise HoleError(f"write a text in quotes, e.g. {text!r}")
    return text


# ---------------------------------------------------------------- from the record and the message


def _literal(found: Found) -> list[Candidate]:
    """`values`: fixed texts, each plain or with a `reason`."""
    out: list[Candidate] = []
    for one in found.option("values", []):
        if isinstance(one, dict):
            entry = cast("dict[str, str]", one)
            out.append(Candidate(str(entry["value"]), str(entry.get("reason", ""))))
        else:
            out.append(Candidate(str(one)))
    return out


def _message(found: Found) -> list[Candidate]:
    """`group`: what a hole of the message caught."""
    text = found.captures.get(found.option("group"), "")
    if not text:
        return []
    return [Candidate(repr(text) if found.rule.type == "str" else text, "named in the error")]


# ---------------------------------------------------------------- functions and their parameters


def _function(found: Found) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, list[str]] | None:
    """The function meant by `of` (a pattern variable), or the one a matched decorator stands on."""
    node = found.caught("of") if found.option("of") else found.spot.node
    if node is None:
        return None
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    if isinstance(node, kinds):
        target = node
    elif isinstance(found.spot.source.parent(node), kinds):  # a decorator
        target = cast("ast.FunctionDef", found.spot.source.parent(node))
    else:
        definitions = found.spots.at("definition", node, found.spot)
        target = next((spot.node for spot in definitions if isinstance(spot.node, kinds)), None)
    if not isinstance(target, kinds):
        return None
    return target, [arg.arg for arg in (*target.args.posonlyargs, *target.args.args, *target.args.kwonlyargs)]


def _parameter(found: Found) -> list[Candidate]:
    """A parameter of the function `of`; the one that `group` of the message names comes first.

    With `used_in = "condition"`, parameters that an `if`, a `while` or a `range` looks at come first.
    """
    function = _function(found)
    if function is None:
        return _message(found) if found.option("group") else []
    node, parameters = function
    named = found.captures.get(found.option("group"), "")
    first = [name for name in parameters if name == named]
    first += [name for name in parameters if found.option("used_in") and name in _steering(node)]
    rest = [name for name in parameters if name not in ("self", "cls")]
    if found.option("only"):
        rest = []
    out: list[Candidate] = []
    for name in dict.fromkeys([*first, *rest]):
        reason = (
            "named in the error" if name == named else "decides a branch or a length" if name in first else ""
        )
        out.append(Candidate(repr(name) if found.rule.type == "str" else name, reason))
    return out


def _steering(function: ast.AST) -> set[str]:
    """Names that a branch, a loop's length or a shape depends on."""
    names: set[str] = set()
    for node in ast.walk(function):
        parts: list[ast.AST] = []
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            parts = [node.test]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            parts = list(node.args)
        for part in parts:
            names |= {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
    return names


# ---------------------------------------------------------------- the live namespace


def _namespace(found: Found) -> list[Candidate]:
    """`isinstance`: names of live objects of exactly that class; `prefer_axis` names the wanted mesh axis."""
    cls = canonical(found.option("isinstance"))
    axis = found.captures.get(found.option("prefer_axis"), "")
    hits: list[tuple[bool, Candidate]] = []
    for scope in found.spot.names.scopes:
        for name, value in list(scope.items()):
            if not name.startswith("_") and type(value) is cls and cls is not MISSING:
                has = bool(axis) and axis in getattr(value, "axis_names", ())
                reason = f"has the axis {axis!r}" if has else ""
                hits.append((not has, Candidate(name, reason)))
    return [candidate for _, candidate in sorted(hits, key=lambda hit: hit[0])]


def _array_names(found: Found) -> list[Candidate]:
    """Names of live arrays."""
    return [
        Candidate(name)
        for scope in found.spot.names.scopes
        for name, value in list(scope.items())
        if not name.startswith("_") and is_array(value)
    ]


def _specs(found: Found) -> list[Candidate]:
    """PartitionSpecs over the axes of the mesh in the hole `mesh`; `prefer = "replicated"` puts P() first."""
    mesh = found.spot.names.get(found.values.get(found.option("mesh", "mesh"), ""))
    axes = list(getattr(mesh, "axis_names", ())) if type(mesh).__name__ == "Mesh" else []
    wanted = found.captures.get(found.option("prefer_axis", "axis"), "")
    axes.sort(key=lambda axis: axis != wanted)
    spec = found.spell("jax.sharding.PartitionSpec")
    split = [Candidate(f"{spec}({axis!r})", f"axis 0 is split over {axis!r}") for axis in axes]
    whole = [Candidate(f"{spec}()", "every device holds all of it")]
    return whole + split if found.option("prefer") == "replicated" else split + whole


def _mesh_axes(found: Found) -> list[Candidate]:
    """Names of mesh axes that live meshes have; `group` is the one that was asked for."""
    wrong = found.captures.get(found.option("group"), "")
    axes: dict[str, str] = {}
    for scope in found.spot.names.scopes:
        for name, value in list(scope.items()):
            if type(value).__name__ == "Mesh" and type(value).__module__.startswith("jax"):
                for axis in cast("Any", value).axis_names:
                    axes.setdefault(axis, f"an axis of `{name}`")
    ranked = sorted(axes, key=lambda axis: (axis[:1] != wrong[:1], axis))
    return [Candidate(repr(axis), axes[axis]) for axis in ranked if axis != wrong]


# ---------------------------------------------------------------- shapes


def _shape(found: Found, node: ast.AST | None) -> tuple[int, ...] | None:
    """The shape of what an expression names, where it can be read without running anything."""
    if node is None:
        return None
    value = found.spot.names.value(node)
    return shape_of(value) if value is not MISSING else None


def _reshape(found: Found) -> list[Candidate]:
    """Shapes of the right size: `size` and `shape` are groups of the message."""
    try:
        size = int(found.captures[found.option("size", "size")])
        wanted = [int(n) for n in re.findall(r"-?\d+", found.captures[found.option("shape", "shape")])]
    except (KeyError, ValueError):
        return []
    out: list[Candidate] = []
    for free in reversed(range(len(wanted))):
        others = math.prod(n for number, n in enumerate(wanted) if number != free)
        if others > 0 and size % others == 0:
            dims = ["-1" if number == free else str(n) for number, n in enumerate(wanted)]
            text = dims[0] + "," if len(dims) == 1 else ", ".join(dims)
            out.append(Candidate(f"({text})", f"axis {free} gets length {size // others}"))
    return [*out, Candidate("(-1,)", "one axis with all elements")]


def _argument_axes(found: Found) -> list[Candidate]:
    """`in_axes` for the arguments of the mapped call: every way in which the mapped axes have one length.

    Options: `now` is the variable that caught the present in_axes. The ways that change least come first;
    an argument is shared (None) only where no axis of it fits.
    """
    call = _mapped_call(found)
    if call is None:
        return []
    arguments = call.args
    if any(isinstance(one, ast.Starred) for one in arguments):
        return []
    now = _present_axes(found.caught("now"), len(arguments))
    shapes = [_shape(found, one) for one in arguments]
    lengths = {n for shape in shapes if shape for n in shape}
    ranked: list[tuple[tuple[int, ...], Candidate]] = []
    for length in lengths:
        choices = [
            [axis for axis, n in enumerate(shape) if n == length] + [None] if shape is not None else [old]
            for shape, old in zip(shapes, now, strict=True)
        ]
        for axes in itertools.islice(itertools.product(*choices), 256):
            if all(axis is None for axis in axes):
                continue
            changed = [number for number, axis in enumerate(axes) if axis != now[number]]
            needless = sum(
                axis is None and len(choice) > 1 for axis, choice in zip(axes, choices, strict=True)
            )
            entries = ", ".join(map(str, axes)) + ("," if len(axes) == 1 else "")
            reason = _axes_reason(found, arguments, axes, changed, length)
            cost = (needless, len(changed), sum(axis or 0 for axis in axes), -length)
            ranked.append((cost, Candidate(f"({entries})", reason)))
    ranked.sort(key=lambda one: one[0])
    return [candidate for _, candidate in ranked]


def _axes_reason(
    found: Found, arguments: list[ast.expr], axes: tuple[int | None, ...], changed: list[int], length: int
) -> str:
    parts: list[str] = []
    for number in changed:
        name = found.spot.source.segment(arguments[number])
        axis = axes[number]
        parts.append(
            f"`{name}` is shared" if axis is None else f"axis {axis} of `{name}` has length {length}"
        )
    return " and ".join(parts)


def _mapped_call(found: Found) -> ast.Call | None:
    """The call with the arrays: around the matched `jax.vmap(f)`, or the failing one of the mapped name."""
    parent = found.spot.source.parent(found.spot.node)
    if isinstance(parent, ast.Call) and parent.func is found.spot.node:
        return parent
    failing = found.spots.failing
    nodes = found.spot.source.ancestors(found.spot.node) if failing is None else [failing.node]
    call = next((node for node in nodes if isinstance(node, ast.Call)), None)
    if call is not None and failing is not None and failing.source is not found.spot.source:
        found.spot = failing  # its names and its text are those of the call
    return call


def _present_axes(node: ast.AST | None, count: int) -> list[int | None]:
    try:
        value: Any = ast.literal_eval(node) if isinstance(node, ast.expr) else 0
    except ValueError:
        value = 0
    if isinstance(value, tuple | list):
        entries = cast("list[Any]", list(cast("tuple[Any, ...]", value)))
        axes = [one if isinstance(one, int) else None for one in entries[:count]]
        return axes + [0] * (count - len(axes))
    return [value if isinstance(value, int) or value is None else 0] * count


FINDERS: Mapping[str, Finder] = {
    "array_names": _array_names,
    "literal": _literal,
    "mapped_axes": _argument_axes,
    "mesh_axes": _mesh_axes,
    "message": _message,
    "namespace": _namespace,
    "parameter": _parameter,
    "reshape": _reshape,
    "specs": _specs,
}

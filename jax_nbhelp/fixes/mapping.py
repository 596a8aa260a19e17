"""Finders for vmap and scan: the axes that are walked over, in arrays and in trees of arrays.

A tree is read from live values of exactly known types: tuples, lists and dicts, and arrays in them.
"""

from __future__ import annotations

import ast
import itertools
import re
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.broadcast import drops
from jax_nbhelp.fixes.fix import Candidate, tuple_of
from jax_nbhelp.fixes.names import MISSING
from jax_nbhelp.operands import describe, is_key, shape_of
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")

_WAYS = 256  # combinations of axes that are looked at
_DEPTH = 6  # levels of a tree

# The shape of an array, a container of trees, or None for what is not known.
Tree = Any
# An axis, None for what is shared, or a container of those: what `in_axes` holds for one argument.
Axes = Any


def mapped_axes(found: Found) -> list[Candidate]:
    """`in_axes` for the arguments of the mapped call: every way in which the mapped axes have one length.

    Options: `now` is the variable that caught the present in_axes. The ways that change least come first;
    an argument is shared (None) only where no axis of it fits.
    """
    call = _mapped_call(found)
    if call is None or any(isinstance(one, ast.Starred) for one in call.args):
        return []
    arguments = call.args
    now = _present_axes(found.caught("now"), len(arguments))
    trees = [_tree_at(found, one) for one in arguments]
    lengths = {n for tree in trees for shape in _leaves(tree) if shape for n in shape}
    ranked: list[tuple[tuple[int, ...], Candidate]] = []
    for length in lengths or {0}:  # numbers only, beside what is not known: they are shared
        choices = [
            [old] if tree is None else [*_fitting(found, tree, length), None]
            for tree, old in zip(trees, now, strict=True)
        ]
        for axes in itertools.islice(itertools.product(*choices), _WAYS):
            if all(axis is None for axis in axes):
                continue
            changed = [number for number, axis in enumerate(axes) if axis != now[number]]
            needless = sum(
                axis is None and len(choice) > 1 for axis, choice in zip(axes, choices, strict=True)
            )
            reason = _reason(found, arguments, axes, changed, length)
            high = sum(axis for axis in axes if type(axis) is int)
            rank = (needless, _upside_down(trees, axes), len(changed), high, -length)
            ranked.append((rank, Candidate(tuple_of(axes), reason)))
    ranked.sort(key=lambda one: one[0])
    return [candidate for _, candidate in ranked]


def pair_axes(found: Found) -> list[Candidate]:
    """`in_axes` of one of two nested vmaps that call a function for every pair, where there are two lengths.

    Options: `side` is "outer" (it maps the arguments of the first length) or "inner" (those of the second);
    `now` as for `mapped_axes`; with `vectors`, for vectors; else for arrays that agree but for their length,
    as two lists of points do.
    """
    call = _mapped_call(found)
    if call is None or any(isinstance(one, ast.Starred) for one in call.args):
        return []
    now = _present_axes(found.caught("now"), len(call.args))
    mapped = [number for number, axis in enumerate(now) if axis is not None]
    if any(now[number] != 0 for number in mapped):
        return []
    shapes = {number: _tree_at(found, call.args[number]) for number in mapped}
    if not all(isinstance(shape, _Shape) and shape for shape in shapes.values()):
        return []
    vectors = all(len(shape) == 1 for shape in shapes.values())
    if len({shape[1:] for shape in shapes.values()}) != 1 or vectors != bool(found.option("vectors", False)):
        return []
    lengths = list(dict.fromkeys(shape[0] for shape in shapes.values()))
    if len(lengths) != 2:
        return []
    wanted = lengths[found.option("side") == "inner"]
    axes = [0 if number in shapes and shapes[number][0] == wanted else None for number in range(len(now))]
    names = [found.spot.source.segment(call.args[number]) for number, axis in enumerate(axes) if axis == 0]
    return [Candidate(tuple_of(axes), say("and").join(f"`{name}`" for name in names))]


def axis_at(found: Found) -> list[Candidate]:
    """The axes `of` with the entry at the `path` of the message exchanged for the message's `axis`."""
    node = found.caught("of")
    try:
        axes: Axes = ast.literal_eval(node) if isinstance(node, ast.expr) else MISSING
        path: list[Any] = [
            ast.literal_eval(key) for key in re.findall(r"\[([^\]]+)\]", found.captures.get("path", ""))
        ]
        axis = int(found.captures.get("axis", ""))
    except (ValueError, SyntaxError):
        return []
    new = _exchanged(axes, path, axis)
    if axes is MISSING or new is MISSING:
        return []
    return [Candidate(repr(new), say("axis_of_output", axis=axis))]


def shorter(found: Found) -> list[Candidate]:
    """The array `of` cut to the length of `other`, where it is longer: its first or last values dropped."""
    node, other = found.caught("of"), found.caught("other")
    long, short = (
        shape_of(found.spot.names.value(one)) if one is not None else None for one in (node, other)
    )
    if not long or not short or node is None or not 0 < long[0] - short[0] < short[0]:
        return []
    extra, text = long[0] - short[0], found.spot.source.segment(node)
    first, last = drops(extra)
    return [Candidate(f"{text}[{extra}:]", first), Candidate(f"{text}[:-{extra}]", last)]


def _exchanged(axes: Axes, path: list[Any], axis: int) -> Axes:
    """A copy of nested axes with another entry; an entry that stands for a whole tree is exchanged as one."""
    if not path or axes is None or type(axes) is int:
        return axis
    try:
        inner = _exchanged(axes[path[0]], path[1:], axis)
    except (KeyError, IndexError, TypeError):
        return MISSING
    if inner is MISSING:
        return MISSING
    if isinstance(axes, dict):
        return {**cast("dict[Any, Axes]", axes), path[0]: inner}
    return type(axes)(inner if number == path[0] else one for number, one in enumerate(axes))


def _tree_at(found: Found, node: ast.expr) -> Tree:
    """The tree of an argument: a name's value, or a display of trees."""
    if isinstance(node, ast.Tuple | ast.List):
        parts = [_tree_at(found, one) for one in node.elts]
        return tuple(parts) if isinstance(node, ast.Tuple) else parts
    if isinstance(node, ast.Dict):
        keys = [one.value if isinstance(one, ast.Constant) else MISSING for one in node.keys]
        return dict(zip(keys, (_tree_at(found, one) for one in node.values), strict=True))
    value = node.value if isinstance(node, ast.Constant) else found.spot.names.value(node)
    return None if value is MISSING else _tree(value)


def _tree(value: object, depth: int = _DEPTH) -> Tree:
    cls = type(value)
    if not depth:
        return None
    if cls is dict:
        return {key: _tree(one, depth - 1) for key, one in cast("dict[Any, Any]", value).items()}
    if cls is tuple or cls is list:
        parts = [_tree(one, depth - 1) for one in cast("list[Any]", value)]
        return tuple(parts) if cls is tuple else parts
    shape = shape_of(value)
    if shape and is_key(value) and not _is_typed_key(value):  # the words of a key are no axis of the user's
        shape = shape[:-1]
    return None if shape is None else _Shape(shape)


def _is_typed_key(value: object) -> bool:
    text = describe(value)
    return text is None or text.startswith("key<")


class _Shape(tuple[int, ...]):
    """An array's shape, told from a tuple of trees."""

    __slots__ = ()


def _leaves(tree: Tree) -> list[_Shape | None]:
    if tree is None or isinstance(tree, _Shape):
        return [tree]
    parts: list[Tree] = list(cast("dict[Any, Tree]", tree).values() if isinstance(tree, dict) else tree)
    return [leaf for part in parts for leaf in _leaves(part)]


def _fitting(found: Found, tree: Tree, length: int) -> list[Axes]:
    """The axes along which a tree has a length: one for all its arrays, else one for each that has it.

    The latter names the keys of the user's dicts, so it is left out where no values are told.
    """
    leaves = _leaves(tree)
    known = [leaf for leaf in leaves if leaf is not None]
    if not leaves or len(known) != len(leaves):
        return []
    every = [axis for axis in range(min(map(len, known))) if all(leaf[axis] == length for leaf in known)]
    if every or isinstance(tree, _Shape) or not found.spots.tells_values:
        return every
    nested = _each(tree, length)
    return [nested] if any(axis is not None for axis in _entries(nested)) else []


def _each(tree: Tree, length: int) -> Axes:
    if isinstance(tree, _Shape):
        return 0 if tree[:1] == (length,) else None
    if isinstance(tree, dict):
        return {key: _each(one, length) for key, one in cast("dict[Any, Tree]", tree).items()}
    parts = [_each(one, length) for one in tree]
    return tuple(parts) if isinstance(tree, tuple) else parts


def _entries(axes: Axes) -> list[int | None]:
    if isinstance(axes, dict):
        axes = list(cast("dict[Any, Axes]", axes).values())
    if isinstance(axes, list | tuple):
        return [entry for one in cast("list[Axes]", axes) for entry in _entries(one)]
    return [axes]


def _reason(
    found: Found, arguments: list[ast.expr], axes: tuple[Axes, ...], changed: list[int], length: int
) -> str:
    parts: list[str] = []
    for number in changed:
        name = found.text(arguments[number])
        axis = axes[number]
        if axis is None:
            parts.append(say("shared", name=name))
        elif type(axis) is int:
            parts.append(say("axis_length", axis=axis, name=name, length=length))
        else:
            parts.append(say("parts_shared", name=name))
    return say("and").join(parts)


def _upside_down(trees: list[Tree], axes: tuple[Axes, ...]) -> int:
    """How many arrays are shared that have more axes than one that is mapped: rarely what is meant."""
    ranks = [len(tree) if isinstance(tree, _Shape) else 0 for tree in trees]
    least = min((rank for rank, axis in zip(ranks, axes, strict=True) if axis is not None), default=0)
    return sum(axis is None and rank > least > 0 for rank, axis in zip(ranks, axes, strict=True))


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


def _present_axes(node: ast.AST | None, count: int) -> list[Axes]:
    try:
        value: Any = ast.literal_eval(node) if isinstance(node, ast.expr) else 0
    except ValueError:
        value = 0
    if isinstance(value, tuple | list):
        entries = list(cast("tuple[Axes, ...]", value))[:count]
        return entries + [0] * (count - len(entries))
    return [value if isinstance(value, int) or value is None else 0] * count

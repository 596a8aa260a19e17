"""Finders for what says how arrays lie on devices: PartitionSpecs and the axes of meshes."""

from __future__ import annotations

import ast
import itertools
import math
import re
from typing import TYPE_CHECKING, cast

from jax_nbhelp.fixes.fix import Candidate, tuple_of
from jax_nbhelp.fixes.names import MISSING, dotted
from jax_nbhelp.operands import shape_of
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")


def specs(found: Found) -> list[Candidate]:
    """PartitionSpecs over the axes of the mesh in the hole `mesh`; `prefer = "replicated"` puts P() first.

    With `of`, a variable that caught a function, P() is first where that function returns a reduction over
    devices, which is the same on each of them.
    """
    mesh = found.spot.names.get(found.values.get(found.option("mesh", "mesh"), ""))
    axes: list[str] = list(getattr(mesh, "axis_names", ())) if type(mesh).__name__ == "Mesh" else []
    wanted = found.captures.get(found.option("prefer_axis", "axis"), "")
    axes = sorted(axes, key=lambda axis: axis != wanted) or ([wanted] if wanted else [])
    spec = found.spell("jax.sharding.PartitionSpec")
    split = [Candidate(f"{spec}({axis!r})", say("split_over", axis=repr(axis))) for axis in axes]
    whole = [Candidate(f"{spec}()", say("whole_on_each"))]
    same = found.option("prefer") == "replicated" or (found.option("of") and _returns_reduction(found))
    return whole + split if same else split + whole


_REDUCTIONS = frozenset({"psum", "pmean", "pmax", "pmin"})


def _returns_reduction(found: Found) -> bool:
    function = found.function()
    if function is None:
        return False
    node = function[0]
    if isinstance(node, ast.Lambda):
        results: list[ast.expr | None] = [node.body]
    else:
        results = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    names = [dotted(one.func).rpartition(".")[2] if isinstance(one, ast.Call) else "" for one in results]
    return bool(names) and _REDUCTIONS.issuperset(names)


def mesh_axes(found: Found) -> list[Candidate]:
    """Names of mesh axes that live meshes have; `group` is the one that was asked for."""
    wrong = found.captures.get(found.option("group"), "")
    axes: dict[str, str] = {}
    for scope in found.spot.names.scopes:
        for name, value in list(scope.items()):
            if type(value).__name__ == "Mesh" and type(value).__module__.startswith("jax"):
                for axis in value.axis_names:
                    axes.setdefault(axis, say("axis_of", name=name))
    ranked = sorted(axes, key=lambda axis: (axis[:1] != wrong[:1], axis))
    return [Candidate(repr(axis), axes[axis]) for axis in ranked if axis != wrong]


def fitting_specs(found: Found) -> list[Candidate]:
    """For a matched `P(...)` that splits an axis into parts that are not equal: specs that fit the shape.

    Options: `shape` and `sharding` are groups of the message; the second holds a sharding as JAX prints it. A
    `P(...)` that is not the one of the message gets none.
    """
    shape = [int(n) for n in re.findall(r"\d+", found.captures.get(found.option("shape", "shape"), ""))]
    printed = found.captures.get(found.option("sharding", "sharding"), "")
    sizes = {name: int(size) for name, size in re.findall(r"'(\w+)': (\d+)", printed)}
    entries = _matched(found, printed)
    if entries is None or not shape:
        return []
    entries += [None] * (len(shape) - len(entries))
    parts = [math.prod(sizes.get(name, 1) for name in _names_of(entry)) for entry in entries]
    wrong = [axis for axis, (size, count) in enumerate(zip(shape, parts, strict=False)) if size % count]
    if not wrong:
        return []
    out: list[Candidate] = []
    for axis, size in enumerate(shape):
        if entries[axis] is None and len(wrong) == 1 and size and size % parts[wrong[0]] == 0:
            moved = [*entries]
            moved[axis], moved[wrong[0]] = entries[wrong[0]], None
            out.append(_spec(found, moved, say("splits_instead", axis=axis, length=size)))
    kept = [None if axis in wrong else entry for axis, entry in enumerate(entries)]
    whole = ", ".join(map(str, wrong))
    return [*out, _spec(found, kept, say("does_not_split", axes=whole))]


def single_specs(found: Found) -> list[Candidate]:
    """For a matched `P(...)` that names a mesh axis twice (`axis`, of the spec in `spec`): each name once."""
    entries = _matched(found, found.captures.get(found.option("spec", "spec"), ""))
    axis = found.captures.get(found.option("axis", "axis"), "")
    out: list[Candidate] = []
    for kept in range(len(entries or ())):
        new = [
            entry if number == kept else _without(entry, axis) for number, entry in enumerate(entries or ())
        ]
        if axis in _names_of(new[kept]) and new != entries:
            out.append(_spec(found, new, say("splits_only", axis=kept)))
    return out


def shorter_specs(found: Found) -> list[Candidate]:
    """For a matched `P(...)` with more entries than the array has axes (`rank`): the entries that fit."""
    entries = _matched(found, found.captures.get(found.option("sharding", "sharding"), ""))
    rank = found.captures.get(found.option("rank", "rank"), "")
    if entries is None or not rank.isdigit():
        return []
    first, dropped = entries[: int(rank)], entries[int(rank) :]
    out = [_spec(found, first, say("entry_for_each"))]
    moved = [entry for entry in dropped if entry is not None]
    if len(moved) == 1 and first and first[0] is None:
        out.insert(0, _spec(found, [moved[0], *first[1:]], say("splits_first")))
    return out


def mesh_shapes(found: Found) -> list[Candidate]:
    """Shapes like the one that `now` caught whose product is the number of devices (`count`)."""
    node, count = found.caught("now"), found.captures.get(found.option("count", "count"), "")
    if not isinstance(node, ast.Tuple | ast.List) or not count.isdigit():
        return []
    now = [one.value if isinstance(one, ast.Constant) else None for one in node.elts]
    devices, shapes = int(count), list[tuple[int, ...]]()
    for shape in itertools.product(_divisors(devices), repeat=min(len(now), 4)):
        if math.prod(shape) == devices:
            shapes.append(shape)
    same = [sum(size == old for size, old in zip(shape, now, strict=False)) for shape in shapes]
    ranked = sorted(zip(same, shapes, strict=True), key=lambda one: (-one[0], 1 in one[1], -one[1][0]))
    return [Candidate(tuple_of(shape), say("uses_all", count=devices)) for _, shape in ranked]


def fewer_devices(found: Found) -> list[Candidate]:
    """Numbers of devices up to `count` that divide an axis of length `size` evenly; both are groups."""
    size, count = (found.captures.get(found.option(key, key), "") for key in ("size", "count"))
    if not size.isdigit() or not count.isdigit():
        return []
    fitting = [number for number in _divisors(int(size)) if 1 < number <= int(count)]
    return [
        Candidate(str(one), say("divides", size=size, count=one, each=int(size) // one))
        for one in reversed(fitting)
    ]


def specs_for_each(found: Found) -> list[Candidate]:
    """The tuple of specs `of` with as many entries as `wanted`, a group of the message, says."""
    node, wanted = found.caught("of"), found.captures.get(found.option("wanted", "wanted"), "")
    if not isinstance(node, ast.Tuple) or not node.elts or not wanted.isdigit():
        return []
    entries, count = [found.spot.source.segment(one) for one in node.elts], int(wanted)
    more = count - len(entries)
    if more < 0:
        return [Candidate(tuple_of(entries[:count]), say("first", count=count))] if count else []
    spec = found.spell("jax.sharding.PartitionSpec")
    return [
        Candidate(tuple_of([*entries, *[entries[-1]] * more]), say("last_again")),
        Candidate(tuple_of([*entries, *[f"{spec}()"] * more]), say("added_is_whole")),
    ]


def padded(found: Found) -> list[Candidate]:
    """The array `of` with zeros added behind an axis, so that its length `size` is a multiple of `count`.

    Options: `size` and `count` are groups; `axis` is the variable that caught the axis, axis 0 without one.
    """
    node, axis_node = found.caught("of"), found.caught("axis")
    size, count = (found.captures.get(found.option(key, key), "") for key in ("size", "count"))
    shape = shape_of(found.spot.names.value(node)) if node is not None else None
    axis = axis_node.value if isinstance(axis_node, ast.Constant) else 0
    if node is None or not shape or type(axis) is not int or not (size.isdigit() and count.isdigit()):
        return []
    if not -len(shape) <= axis < len(shape) or shape[axis] != int(size) or not int(count):
        return []
    extra = -int(size) % int(count)
    widths = ["(0, 0)"] * len(shape)
    widths[axis] = f"(0, {extra})"
    text = found.text(node)
    width = tuple_of(widths)
    reason = say("multiple", size=size, extra=extra, count=count)
    return [Candidate(f"{found.spell('jax.numpy.pad')}({text}, {width})", reason)]


def axis_types(found: Found) -> list[Candidate]:
    """The types of a mesh's axes, all of the `kind` (Auto or Explicit); `names` caught the axes' names."""
    node, kind = found.caught("names"), found.option("kind", "Auto")
    names = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    one = f"{found.spell('jax.sharding.AxisType')}.{kind}"
    return [Candidate(f"({one},)" if len(names) == 1 else f"({one},) * {len(names)}")]


def _divisors(number: int) -> list[int]:
    return [one for one in range(1, min(number, 4096) + 1) if number % one == 0]


def _without(entry: object, axis: str) -> object:
    """An entry of a spec without one mesh axis."""
    names = tuple(name for name in _names_of(entry) if name != axis)
    return names if len(names) > 1 else names[0] if names else None


def _matched(found: Found, printed: str) -> list[object] | None:
    """The entries of the matched `P(...)`, where it is the one that JAX printed."""
    node, text = found.spot.node, re.search(r"\bP(?:artitionSpec)?(\((?:[^()]|\([^()]*\))*\))", printed)
    try:
        said = list(ast.literal_eval(text[1])) if text else None
    except (ValueError, SyntaxError, TypeError):
        return None
    if said is None or not isinstance(node, ast.Call):
        return None
    entries = [_entry(found, one) for one in node.args]
    return entries if _trimmed(entries) == _trimmed(said) else None


def _entry(found: Found, node: ast.expr) -> object:
    """What one argument of a PartitionSpec says; MISSING where only running it would tell."""
    if isinstance(node, ast.Tuple):
        return tuple(_entry(found, one) for one in node.elts)
    value = node.value if isinstance(node, ast.Constant) else found.spot.names.value(node)
    return value if value is None or type(value) is str else MISSING


def _trimmed(entries: Iterable[object]) -> list[object]:
    """A spec without the None at its end, which say nothing."""
    out = list(entries)
    while out and out[-1] is None:
        out.pop()
    return out


def _names_of(entry: object) -> tuple[str, ...]:
    if entry is None:
        return ()
    return cast("tuple[str, ...]", entry) if isinstance(entry, tuple) else (str(entry),)


def _spec(found: Found, entries: list[object], reason: str) -> Candidate:
    node = found.spot.node
    spelled = found.spot.source.segment(node.func) if isinstance(node, ast.Call) else ""
    return Candidate(f"{spelled}({', '.join(map(repr, _trimmed(entries)))})", reason)

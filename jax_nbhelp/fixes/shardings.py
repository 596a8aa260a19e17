"""Finders for what says how arrays lie on devices: PartitionSpecs and the axes of meshes."""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.fixes.names import MISSING, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.fixes.holes import Found


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
    split = [Candidate(f"{spec}({axis!r})", f"axis 0 is split over {axis!r}") for axis in axes]
    whole = [Candidate(f"{spec}()", "every device holds all of it")]
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
                    axes.setdefault(axis, f"an axis of `{name}`")
    ranked = sorted(axes, key=lambda axis: (axis[:1] != wrong[:1], axis))
    return [Candidate(repr(axis), axes[axis]) for axis in ranked if axis != wrong]


def fitting_specs(found: Found) -> list[Candidate]:
    """For a matched `P(...)` that splits an axis into parts that are not equal: specs that fit the shape.

    Options: `shape` and `sharding` are groups of the message; the second holds a sharding as JAX prints it. A
    `P(...)` that is not the one of the message gets none.
    """
    try:
        shape = [int(n) for n in re.findall(r"\d+", found.captures[found.option("shape", "shape")])]
        printed = found.captures[found.option("sharding", "sharding")]
        sizes = {name: int(size) for name, size in re.findall(r"'(\w+)': (\d+)", printed)}
        entries = list(
            ast.literal_eval(re.findall(r"spec=(?:P|PartitionSpec)(\((?:[^()]|\([^()]*\))*\))", printed)[0])
        )
    except (KeyError, IndexError, ValueError, SyntaxError, TypeError):
        return []
    node = found.spot.node
    if not isinstance(node, ast.Call) or _trimmed(_entry(found, one) for one in node.args) != _trimmed(
        entries
    ):
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
            out.append(_spec(found, moved, f"splits axis {axis}, of length {size}, instead"))
    kept = [None if axis in wrong else entry for axis, entry in enumerate(entries)]
    whole = ", ".join(map(str, wrong))
    return [*out, _spec(found, kept, f"does not split axis {whole}: every device holds all of it")]


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

"""Finders for Pallas: block shapes that a TPU takes, and the grid that then covers the array."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.fix import Candidate, tuple_of
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")

_INDICES = ["i", "j", "k", "m"]
_NAMED: Mapping[tuple[int, ...], str] = {
    (-1,): "last_axis",
    (-2,): "next_to_last_axis",
    (-2, -1): "last_two_axes",
}
_TILE = (8, 128)  # the last two axes of a block are multiples of these, or as long as the array's


def blocks(found: Found) -> list[Candidate]:
    """Block shapes like the one of the message (`block`, of an array of `shape`) that fill whole tiles."""
    sizes = _sizes(found.captures)
    node = found.caught("of") if found.option("of") else None
    if sizes is None or (node is not None and _literal(node) != sizes[0]):
        return []
    block, shape = sizes
    out: list[Candidate] = []
    for new in dict.fromkeys((_rounded(block, shape), _whole(block, shape))):
        if new != block:
            changed = tuple(axis for axis in range(-len(shape), 0) if new[axis] != block[axis])
            full = all(new[axis] in (block[axis], shape[axis]) for axis in range(len(shape)))
            reason = say("whole_axes" if full else "whole_tiles", axes=say(_NAMED[changed]))
            out.append(Candidate(tuple_of(new), reason))
    return out


def grids(found: Found) -> list[Candidate]:
    """The grid that covers the array with blocks as in the hole `block`; `now` caught the present one."""
    sizes, node = _sizes(found.captures), found.caught("now")
    new = _literal(ast.parse(found.values.get(found.option("block", "block"), "") or "0", mode="eval").body)
    if sizes is None or node is None or new is None:
        return []
    _, shape = sizes
    grid = _literal(node) or (
        (node.value,) if isinstance(node, ast.Constant) and type(node.value) is int else None
    )
    arguments, results = _index_map(found.captures.get("index_map", ""))
    if grid is None or len(arguments) != len(grid) or len(results) != len(shape):
        return []
    out = list(grid)
    for axis, result in enumerate(results):
        if result in arguments:
            out[arguments.index(result)] = -(-shape[axis] // new[axis])
    return [Candidate(tuple_of(tuple(out)), say("blocks_cover"))]


def index_maps(found: Found) -> list[Candidate]:
    """For a matched `BlockSpec(shape, map)` whose map takes another number of indices than the grid has axes.

    Options: `map` and `block` are the variables that caught them; `given` is a group of the message, or
    `count` how many are missing.
    """
    node, block = found.caught("map"), found.caught("block")
    given, count = (found.captures.get(found.option(key, key), "") for key in ("given", "count"))
    if isinstance(node, ast.Lambda) and not given and count.isdigit():
        given = str(len(node.args.args) - int(count))
    if not isinstance(node, ast.Lambda) or not given.isdigit() or not 0 < int(given) <= len(_INDICES):
        return []
    names, rank = _INDICES[: int(given)], len(block.elts) if isinstance(block, ast.Tuple) else 0
    if len(node.args.args) == len(names) or not rank:
        return []
    in_order = [*names, *["0"] * rank][:rank]
    maps = {
        tuple(in_order): say("grid_in_order"),
        (names[0], *["0"] * (rank - 1)): say("grid_first"),
        (names[-1], *["0"] * (rank - 1)): say("grid_last"),
    }
    head = f"lambda {', '.join(names)}: "
    return [Candidate(head + tuple_of(one), why) for one, why in maps.items()]


def _sizes(captures: Mapping[str, str]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    block = tuple(int(size) for size in re.findall(r"block_size=(\d+)", captures.get("block", "")))
    shape = tuple(int(size) for size in re.findall(r"\d+", captures.get("shape", "")))
    return (block, shape) if len(block) == len(shape) >= 2 else None


def _index_map(text: str) -> tuple[list[str], list[str]]:
    """The variables and the results of `{ lambda ; a:i32[] b:i32[]. let in (a, 0:i32[]) }`."""
    found = re.match(r"\{ lambda ; (.*?)\. let\s+in \((.*)\) \}", " ".join(text.split()))
    if found is None:
        return [], []
    return [one.split(":")[0] for one in found[1].split()], [
        one.split(":")[0].strip() for one in found[2].split(",") if one.strip()
    ]


def _rounded(block: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The last two axes rounded up to whole tiles, at most the array's own length."""
    last = [
        min(-(-size // tile) * tile, length)
        for size, length, tile in zip(block[-2:], shape[-2:], _TILE, strict=True)
    ]
    return (*block[:-2], *last)


def _whole(block: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    last = [
        size if size % tile == 0 else length
        for size, length, tile in zip(block[-2:], shape[-2:], _TILE, strict=True)
    ]
    return (*block[:-2], *last)


def _literal(node: ast.AST) -> tuple[int, ...] | None:
    if not isinstance(node, ast.Tuple | ast.List):
        return None
    sizes = [one.value for one in node.elts if isinstance(one, ast.Constant) and type(one.value) is int]
    return tuple(sizes) if len(sizes) == len(node.elts) else None

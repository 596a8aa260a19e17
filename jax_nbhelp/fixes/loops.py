"""Finders for loops and branches: the variables that they change, and their tests on whole arrays."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.phrases import sayer
from jax_nbhelp.source import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")


def carried(found: Found) -> list[Candidate]:
    """The variables that the matched `if`, `for` or `while` changes and that were there before, as a tuple.

    Nothing where a part of it leaves early, for then it is no plain step.
    """
    node = found.spot.node
    if not isinstance(node, ast.If | ast.For | ast.While):
        return []
    parts = [one for part in (*node.body, *node.orelse) for one in _own_nodes(part)]
    if any(isinstance(one, ast.Return | ast.Break | ast.Continue | ast.Yield) for one in parts):
        return []
    changed = dict.fromkeys(
        one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )
    before = found.spot.names.scopes[0]
    names = [name for name in changed if name in before and _is_there_before(found, node, name)]
    if not names:
        return []
    text = names[0] if len(names) == 1 else f"({', '.join(names)})"
    return [Candidate(text, say("what_it_changes"))]


def _is_there_before(found: Found, node: ast.If | ast.For | ast.While, name: str) -> bool:
    """Whether a variable has a value before a loop: it is bound above, or read in it before it is bound.

    A loop that stopped in its second round has bound all its variables by then.
    """
    source, (start, _) = found.spot.source, found.spot.source.span(node)
    owner = source.function(node) or source.tree
    for one in ast.walk(owner):
        if isinstance(one, ast.arg) and one.arg == name:
            return True
        bound = isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
        if bound and source.span(one)[0] < start:
            return True
    first = next((one for one in _in_order(node) if isinstance(one, ast.Name) and one.id == name), None)
    return isinstance(getattr(first, "ctx", None), ast.Load)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a piece of code as Python comes to them: a value before what it is assigned to."""
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
        children.sort(key=lambda one: isinstance(getattr(one, "ctx", None), ast.Store))
    if isinstance(node, ast.For):
        children.sort(key=lambda one: one in node.body)
    for child in children:
        yield child
        yield from _in_order(child)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what stands in it, but not the insides of functions and comprehensions."""
    yield node
    if not isinstance(node, (*FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def array_test(found: Found) -> list[Candidate]:
    """The test that `of` caught, or the matched one, with `&`, `|` and `~` for `and`, `or` and `not`."""
    node = found.caught("of") or found.spot.node
    return [Candidate(_as_array_test(found, node))] if isinstance(node, ast.expr) else []


def _as_array_test(found: Found, node: ast.expr) -> str:
    source = found.spot.source
    if isinstance(node, ast.BoolOp):
        both = isinstance(node.op, ast.And)
        parts = [_as_array_test(found, one) for one in node.values]
        if all(_is_test(one) for one in node.values):
            return (" & " if both else " | ").join(f"({part})" for part in parts)
        name = found.spell("jax.numpy.logical_and" if both else "jax.numpy.logical_or")
        return functools.reduce(lambda one, other: f"{name}({one}, {other})", parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        part = _as_array_test(found, node.operand)
        return f"~({part})" if _is_test(node.operand) else f"{found.spell('jax.numpy.logical_not')}({part})"
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        return " & ".join(
            "(" + ast.unparse(ast.Compare(left, [op], [right])) + ")"
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        )
    return " ".join(source.segment(node).split())


def _is_test(node: ast.expr) -> bool:
    """Whether an expression gives truth values, on which `&` and `and` agree."""
    if isinstance(node, ast.BoolOp):
        return all(map(_is_test, node.values))
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare) or negated

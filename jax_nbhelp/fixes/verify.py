"""The check that stands between a rewrite and the screen."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.patterns import dump
from jax_nbhelp.phrases import sayer
from jax_nbhelp.source import module_of, parse

if TYPE_CHECKING:
    from collections.abc import Collection

    from jax_nbhelp.source import Source

refuse = sayer("refusal")


def fault(source: Source, node: ast.AST, new: str, text: str, imports: Collection[str], rest: int = 0) -> str:
    """Says what is wrong with an edit; empty where it does exactly what was meant.

    Args:
      source: the cell as it was.
      node: the node that was to be replaced.
      new: the code that was to stand there.
      text: the cell's text after the edit.
      imports: import statements that were to be added.
      rest: how many of the statements after the node were to be replaced with it.
    """
    after = parse(text)
    if after is None:
        return refuse("not_python")
    if text == source.text:
        return refuse("no_change")
    wanted = _replaced(source, node, module_of(new).body, rest)
    got = [dump(statement) for statement in after.body]
    for statement in imports:
        added = dump(module_of(statement).body[0])
        if added not in got:
            return refuse("import_lost")
        got.remove(added)
    if got != wanted:
        return refuse("more_would_change")
    if Counter(source.comments) - Counter(after.comments):
        return refuse("comment_lost")
    return ""


def _replaced(source: Source, node: ast.AST, body: list[ast.stmt], rest: int) -> list[str]:
    """The dump of the cell's statements with one node exchanged, without touching the shared tree."""
    new: list[ast.AST] = list(body)
    if not isinstance(node, ast.stmt):
        first = body[0]
        assert isinstance(first, ast.Expr)
        new = [first.value]
    parent, child = source.parent(node), node
    path: list[tuple[ast.AST, ast.AST]] = []
    while parent is not None:
        path.append((parent, child))
        parent, child = source.parent(parent), parent
    for parent, child in path:
        new = [_exchanged(parent, child, new, rest if child is node else 0)]
    module = new[0]
    assert isinstance(module, ast.Module)
    wrapper = module.body[0] if source.body is not source.tree.body else None
    body = wrapper.body if isinstance(wrapper, ast.If) else module.body
    return [dump(statement) for statement in body]


def _exchanged(parent: ast.AST, child: ast.AST, new: list[ast.AST], rest: int = 0) -> ast.AST:
    """A shallow copy of a node with one child (in a list, `rest` more) exchanged for one node or several."""
    fields: dict[str, object] = {}
    for name, value in ast.iter_fields(parent):
        if value is child:
            fields[name] = new[0]
        elif isinstance(value, list) and any(one is child for one in value):  # pyright: ignore[reportUnknownVariableType]
            at = next(number for number, one in enumerate(value) if one is child)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            fields[name] = [*value[:at], *new, *value[at + 1 + rest :]]
        else:
            fields[name] = value
    return type(parent)(**fields)

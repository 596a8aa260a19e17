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


_IMPORTS = (ast.Import, ast.ImportFrom)


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
    got = list(after.body)
    for statement in imports:
        added = dump(module_of(statement).body[0])
        found = next((one for one in got if type(one) in _IMPORTS and dump(one) == added), None)
        if found is None:
            return refuse("import_lost")
        got.remove(found)
    kept = set(source.body)
    if len(got) != len(wanted) or any(
        not (one in kept and source.code(one) == after.code(other)) and dump(one) != dump(other)
        for one, other in zip(wanted, got, strict=True)
    ):
        return refuse("more_would_change")
    # In the same tree, a line that is still there still has its comment: most cells need no closer look.
    if _lines_with_comments(source) - _lines_with_comments(after) and (
        Counter(source.comments) - Counter(after.comments)
    ):
        return refuse("comment_lost")
    return ""


def _lines_with_comments(source: Source) -> Counter[str]:
    """The lines that may have a comment, notebook commands among them."""
    return Counter(line for line in source.masked.split("\n") if "#" in line)


def _replaced(source: Source, node: ast.AST, body: list[ast.stmt], rest: int) -> list[ast.stmt]:
    """The cell's statements with one node exchanged, without touching the shared tree."""
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
    return wrapper.body if isinstance(wrapper, ast.If) else module.body


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

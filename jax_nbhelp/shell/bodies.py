"""The code that IPython's timing magics compile by themselves, under names that stand for no file."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

MAGICS = {"<timed exec>": "time", "<timed eval>": "time", "<magic-timeit>": "timeit", "<string>": "prun"}
"""Which magic compiles under a name. `exec` uses `<string>` too: it counts where the cell has a `%prun`."""

_OPTIONS = {
    "time": re.compile(r"(?:--no-raise-error(?:\s+|$))*"),
    "timeit": re.compile(r"(?:-(?:[nrp]\s*\d+|v\s*\w+|[tcqo]+)(?:\s+|$))*"),
    "prun": re.compile(r"(?:-(?:[DlsT]\s*\S+|[rq]+)(?:\s+|$))*"),
}
_MAX_DEPTH = 4


def body_of(source: str, filename: str, code: CodeType | None, transform: Callable[[str], str]) -> str | None:
    """Finds the text that a magic of a cell compiled.

    Args:
      source: the cell as Python source, its magics turned into calls.
      filename: a name in `MAGICS`.
      code: the code object that failed there, which tells several magics of one cell apart.
      transform: turns notebook syntax into Python (`shell.transform_cell`).

    Returns:
      The body as Python source, or None where the cell has no such magic.
    """
    found = list(_bodies(source, MAGICS[filename], transform))
    if filename.startswith("<timed"):
        found = [body for body in found if _is_expression(body) == (filename == "<timed eval>")]
    if len(found) > 1 and code is not None:
        found = [body for body in found if _may_hold(body, code)] or found
    return found[0] if found else None


def _bodies(source: str, magic: str, transform: Callable[[str], str], depth: int = 0) -> Iterator[str]:
    """Yields the bodies of a magic in a source, also those in the body of another timing magic."""
    tree = _parsed(source)
    if tree is None or depth == _MAX_DEPTH:
        return
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="run_line_magic" | "run_cell_magic"),
                args=[ast.Constant(value=str(name)), ast.Constant(value=str(line)), *rest],
            ) if name in _OPTIONS:
                line = _OPTIONS[name].sub("", line.lstrip(), count=1)
                match rest:
                    case [ast.Constant(value=str(cell))]:
                        body = transform(f"{line}\n{cell}" if name == "prun" else cell)
                    case _:
                        body = transform(line)
                if name == magic:
                    yield body
                yield from _bodies(body, magic, transform, depth + 1)
            case _:
                pass


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_expression(body: str) -> bool:
    tree = _parsed(body)
    return tree is not None and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)


def _may_hold(body: str, code: CodeType) -> bool:
    """Tells whether a code object may come from a body: `%%time` compiles the last expression apart."""
    tree = _parsed(body)
    if tree is None:
        return False
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return names.issuperset(code.co_names) and all(
        value in values for value in code.co_consts if isinstance(value, (str, int, float))
    )

"""The finder for prints: a `print` of traced values as the `jax.debug.print` that shows them at run time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.fix import Candidate

if TYPE_CHECKING:
    from jax_nbhelp.fixes.holes import Found

_NUMBERS = frozenset({"float", "int", "bool", "str"})  # what Python needs no longer, once JAX formats


def debug_print(found: Found) -> list[Candidate]:
    """The matched `print(...)` as `jax.debug.print(text, values)`, its f-strings as one text with braces."""
    node = found.spot.node
    if not isinstance(node, ast.Call) or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return []
    texts: list[str] = []
    values: list[ast.expr] = []
    for one in node.args:
        text = _text(one, values)
        if text is None:
            return []
        texts.append(text)
    if not values:
        return []
    arguments = [repr(" ".join(texts)), *(ast.unparse(value) for value in values)]
    return [Candidate(f"{found.spell('jax.debug.print')}({', '.join(arguments)})", "prints when it runs")]


def _text(node: ast.expr, values: list[ast.expr]) -> str | None:
    """An argument of `print` as part of a format text; what stands in its braces is appended to `values`."""
    if isinstance(node, ast.Constant):
        return str(node.value).replace("{", "{{").replace("}", "}}")
    if not isinstance(node, ast.JoinedStr):
        values.append(_bare(node))
        return "{}"
    out = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            out += str(part.value).replace("{", "{{").replace("}", "}}")
            continue
        assert isinstance(part, ast.FormattedValue)
        spec = "" if part.format_spec is None else _spec(part.format_spec)
        if spec is None or part.conversion != -1:
            return None
        values.append(_bare(part.value))
        out += f"{{:{spec}}}" if spec else "{}"
    return out


def _spec(node: ast.expr) -> str | None:
    """A format such as `.3f`; None where values stand in it too."""
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return "".join(map(str, texts)) if len(texts) == len(parts) else None


def _bare(node: ast.expr) -> ast.expr:
    """A value without the conversion to a Python number: `float(x)`, `x.item()`."""
    if isinstance(node, ast.Call) and not node.keywords:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _NUMBERS and len(node.args) == 1:
            return _bare(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not node.args:
            return _bare(node.func.value)
    return node

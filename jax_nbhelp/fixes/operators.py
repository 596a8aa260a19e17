"""Finder for comparisons that lack their brackets: `x > 0 & x < 2`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")

_COMPARES: Mapping[type[ast.cmpop], str] = {
    ast.Gt: ">",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_JOINS: Mapping[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|"}


def bracketed(found: Found) -> list[Candidate]:
    """The matched chain of comparisons with a bracket around each, where `&` or `|` stands between them.

    Python reads `x > 0 & x < 2` as `x > (0 & x) < 2`.
    """
    node = found.spot.node
    if not isinstance(node, ast.Compare) or any(type(op) not in _COMPARES for op in node.ops):
        return []
    parts, joined = [""], False
    for number, operand in enumerate((node.left, *node.comparators)):
        if number:
            parts[-1] += f" {_COMPARES[type(node.ops[number - 1])]} "
        for term in _terms(operand, found):
            if isinstance(term, str):
                parts += [term, ""]
                joined = True
            else:
                parts[-1] += found.text(term)
    if not joined:
        return []
    compared = [part if part in _JOINS.values() or not _is_compared(part) else f"({part})" for part in parts]
    return [Candidate(" ".join(compared), say("binds_tighter"))]


def _terms(node: ast.expr, found: Found) -> list[ast.expr | str]:
    """The operands of `&` and `|` with these between them; what stands in brackets is one operand."""
    begin, _ = found.spot.source.span(node)
    in_brackets = found.spot.source.text[:begin].rstrip().endswith("(")
    if isinstance(node, ast.BinOp) and type(node.op) in _JOINS and not in_brackets:
        return [*_terms(node.left, found), _JOINS[type(node.op)], *_terms(node.right, found)]
    return [node]


def _is_compared(text: str) -> bool:
    return isinstance(ast.parse(text, mode="eval").body, ast.Compare)

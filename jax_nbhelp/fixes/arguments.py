"""The values that a failing call was given, read from the frame of JAX's that received them.

A name's value stands in the user's namespace; that of `jnp.ones(3)` or `x[None]` inside the failing call
stands nowhere but there. Nothing is evaluated again.
"""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

from jax_nbhelp.operands import is_jax_array

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

# What is written out says by itself what it is; JAX may have made an array of it by now.
_WRITTEN_OUT = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp | ast.GeneratorExp


def arguments_of(node: ast.AST, frame: FrameType) -> dict[ast.AST, Any]:
    """Returns the values of a call's arguments, or of a binary operation's sides, by their node.

    Args:
      node: the failing expression.
      frame: the frame that it entered, one of JAX's. A parameter that is deleted by now is left out.
    """
    scope, code = frame.f_locals, frame.f_code
    names = code.co_varnames[: code.co_argcount]
    if isinstance(node, ast.BinOp):
        found = {}
        if len(names) == 2 and all(
            is_jax_array(scope.get(name)) for name in names
        ):  # else it may be `__radd__`
            found = dict(zip((node.left, node.right), (scope[name] for name in names), strict=True))
    elif isinstance(node, ast.Call) and not any(isinstance(one, ast.Starred) for one in node.args):
        found = _of_call(
            node, names, scope, code.co_flags, code.co_varnames[len(names) + code.co_kwonlyargcount :]
        )
    else:
        found = {}
    return {one: value for one, value in found.items() if not isinstance(one, _WRITTEN_OUT)}


def _of_call(
    node: ast.Call, names: tuple[str, ...], scope: Mapping[str, Any], flags: int, rest: tuple[str, ...]
) -> dict[ast.AST, Any]:
    """The arguments of a call; `rest` begins with the names of `*args` and `**kwargs`, if there are any."""
    receivers: list[ast.AST] = list(node.args)
    if names[:1] == ("self",) and isinstance(node.func, ast.Attribute):
        receivers.insert(0, node.func.value)
    found: dict[ast.AST, Any] = {
        one: scope[name] for one, name in zip(receivers, names, strict=False) if name in scope
    }
    given: dict[str, Any] = {name: scope[name] for name in scope if name in names}
    if flags & inspect.CO_VARARGS:
        found |= zip(receivers[len(names) :], scope.get(rest[0], ()), strict=False)
        rest = rest[1:]
    if flags & inspect.CO_VARKEYWORDS:
        given |= scope.get(rest[0], {})
    return found | {one.value: given[one.arg] for one in node.keywords if one.arg in given}

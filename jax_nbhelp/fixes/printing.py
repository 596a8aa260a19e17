"""Finders for prints: a `print` as the `jax.debug.print` that shows values at run time, and its values."""

from __future__ import annotations

import ast
import re
import string
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.template import as_literal
from jax_nbhelp.fixes.fix import Candidate
from jax_nbhelp.fixes.names import MISSING
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.fixes.holes import Found

say = sayer("reason")

_OPTIONS = frozenset({"ordered", "partitioned", "skip_format_check"})  # of jax.debug.print itself
_NUMBERS = frozenset({"float", "int", "bool", "str"})  # what Python needs no longer, once JAX formats


def debug_print(found: Found) -> list[Candidate]:
    """The matched `print(...)` as `jax.debug.print(text, values)`.

    f-strings, and texts joined by `+`, become one text with braces. With `group`, only where the message has
    that group, by which it tells of a tracer; with `joined`, only for one argument that is such a sum.
    """
    node = found.spot.node
    if found.option("group") and found.option("group") not in found.captures:
        return []
    if not isinstance(node, ast.Call) or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return []
    if found.option("joined") and not (len(node.args) == 1 and _is_joined(node.args[0])):
        return []
    format_text = _Format(found)
    texts = [format_text.of(one) for one in node.args]
    if None in texts or not format_text.values:
        return []
    arguments = ", ".join([repr(" ".join(map(str, texts))), *format_text.values])
    return [Candidate(f"{found.spell('jax.debug.print')}({arguments})", say("prints_when_run"))]


def print_values(found: Found) -> list[Candidate]:
    """The matched `jax.debug.print(text, values)` with a value for each brace, and a brace for each value.

    A name in braces takes the value of that name: one that the call gives otherwise, else a variable's.
    """
    node = found.spot.node
    if not isinstance(node, ast.Call) or not node.args or any(one.arg is None for one in node.keywords):
        return []
    if any(isinstance(one, ast.Starred) for one in node.args):
        return []
    options = [found.text(one) for one in node.keywords if one.arg in _OPTIONS]
    by_name = {str(one.arg): found.text(one.value) for one in node.keywords if one.arg not in _OPTIONS}
    by_place = [found.text(one) for one in node.args[1:]]
    text = node.args[0]
    if isinstance(text, ast.JoinedStr):  # its braces are filled already, with tracers
        filled = _Format(found)
        new = filled.of(text)
        given = [one for one in (*by_place, *by_name.values()) if one not in filled.values]
        by_place, by_name = [*filled.values, *given], {}
    else:
        new = text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else None
    asked = _braces(new) if new is not None else None
    if new is None or asked is None:
        return []
    count, names = asked
    by_place, extra = by_place[:count], by_place[count:]
    unused = _name_values(names, by_name, extra, found)
    if unused is None:
        return []
    if count > len(by_place):  # values that were named, for braces without a name
        if count - len(by_place) != len(unused):
            return []
        by_place += [by_name.pop(name) for name in unused]
        unused = []
    more = [*("{}" for _ in extra), *(f"{{{name}}}" for name in unused)]
    if more:
        new = " ".join([new.removesuffix(" "), *more])
    written = repr(new) if more or isinstance(text, ast.JoinedStr) else found.text(text)
    arguments = [*by_place, *extra, *(f"{name}={value}" for name, value in by_name.items()), *options]
    return [Candidate(f"{found.text(node.func)}({', '.join([written, *arguments])})")]


def _name_values(
    names: list[str], by_name: dict[str, str], extra: list[str], found: Found
) -> list[str] | None:
    """Gives each name in braces its value in `by_name`, from `extra` or another keyword where it is there.

    Returns the keywords that no brace asks for; None where a name has no value.
    """
    unused = [name for name in by_name if name not in names]
    for name in names:
        if name in by_name:
            continue
        if name in extra:
            extra.remove(name)
        elif other := next((one for one in unused if by_name[one] == name), ""):
            unused.remove(other)
            del by_name[other]
        elif found.spot.names.get(name) is MISSING:
            return None
        by_name[name] = name
    return unused


def _braces(text: str) -> tuple[int, list[str]] | None:
    """How many braces of a format text have no name, and the others' names; None where they are numbered."""
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field is not None]
    except ValueError:
        return None
    tops = [re.split(r"[.\[]", field, maxsplit=1)[0] for field in fields]
    names = list(dict.fromkeys(filter(None, tops)))
    return (tops.count(""), names) if all(map(str.isidentifier, names)) else None


class _Format:
    """Makes format texts of what `print` was given.

    Attributes:
      values: what stands in their braces, as source.
    """

    def __init__(self, found: Found) -> None:
        self._source = found.spot.source
        self.values: list[str] = []

    def of(self, node: ast.expr) -> str | None:
        """An argument of `print` as part of a format text; None where it cannot be one."""
        if isinstance(node, ast.Constant):
            return as_literal(str(node.value))
        if isinstance(node, ast.JoinedStr):
            parts = [self._part(part) for part in node.values]
            return None if None in parts else "".join(map(str, parts))
        if _is_joined(node):
            parts = [self.of(term) for term in _terms(node)]
            return None if None in parts else "".join(map(str, parts))
        self.values.append(self._source.segment(_bare(node)))
        return "{}"

    def _part(self, part: ast.expr) -> str | None:
        """A part of an f-string, in which nodes have no place in the source that could be relied on."""
        if isinstance(part, ast.Constant):
            return as_literal(str(part.value))
        assert isinstance(part, ast.FormattedValue)
        spec = "" if part.format_spec is None else _spec(part.format_spec)
        if spec is None or part.conversion != -1:
            return None
        self.values.append(ast.unparse(_bare(part.value)))
        return f"{{:{spec}}}" if spec else "{}"


def _terms(node: ast.expr) -> list[ast.expr]:
    """The terms of a sum."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_terms(node.left), *_terms(node.right)]
    return [node]


def _is_joined(node: ast.expr) -> bool:
    terms = _terms(node)
    return len(terms) > 1 and any(map(_is_text, terms))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _spec(node: ast.expr) -> str | None:
    """A format such as `.3f`; None where values stand in it too."""
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return "".join(map(str, texts)) if len(texts) == len(parts) else None


def _bare(node: ast.expr) -> ast.expr:
    """A value without the conversion to a Python number or text: `float(x)`, `x.item()`, `str(x)`."""
    if isinstance(node, ast.Call) and not node.keywords:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _NUMBERS and len(node.args) == 1:
            return _bare(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not node.args:
            return _bare(node.func.value)
    return node

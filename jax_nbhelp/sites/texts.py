"""The texts that an expression of JAX's may give, as message templates.

Read are f-strings, `format`, `%`, `+`, joined lists, local names and constants, and functions that return a
text. What cannot be read is a hole, named after the expression that stands there.
"""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.template import as_literal
from jax_nbhelp.sites.flow import (
    Either,
    Held,
    Longer,
    Parameter,
    Scope,
    Unknown,
    Walk,
    bound_call,
    bound_parameters,
    lookup,
)
from jax_nbhelp.sites.source import Function, Module, owner_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jax_nbhelp.sites.flow import Env, Value
    from jax_nbhelp.sites.source import Source

_DEPTH = 12  # names and calls that are followed from one text to another
_TEXTS = 8  # wordings of one text that are kept
_LETTERS = 4  # letters from which what a called function returns counts as a text
_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ #0]*(?:\*|\d+)?(?:\.\d+)?([srdifgxeaoXGEFc%])")
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}!:]*)(![rsa])?(:[^{}]*(?:\{[^{}]*\}[^{}]*)*)?\}")
_SAME_TEXT = ("strip", "rstrip", "lstrip", "dedent", "cleandoc", "fill", "str", "expandtabs")


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in a text that varies.

    Attributes:
      name: a name for it.
      what: the expression; the same one says the same twice.
      parameter: the function's parameter that stands there alone, where it does.
    """

    name: str
    what: str
    parameter: str = ""


Text = tuple["str | Gap", ...]


def letters(text: Text) -> int:
    """Returns the number of literal characters of a text, blanks left out."""
    return sum(len(piece) - piece.count(" ") - piece.count("\n") for piece in text if isinstance(piece, str))


def template_of(text: Text) -> str:
    """Returns a text as a message template, e.g. `axis {axis} is out of bounds`.

    Gaps side by side are one hole; different gaps of one name are numbered.
    """
    out: list[str] = []
    names: dict[str, str] = {}  # hole's name → its expression
    after_gap = False
    for piece in text:
        if isinstance(piece, str):
            out.append(as_literal(piece))
            after_gap = after_gap and not piece.strip()
            if after_gap:  # two holes with nothing but a blank between them: one
                out.pop()
            continue
        if not after_gap:
            name = piece.name
            for number in itertools.count(2):
                if names.setdefault(name, piece.what) == piece.what:
                    break
                name = f"{piece.name}{number}"
            out.append(f"{{{name}}}")
        after_gap = True
    return "".join(out)


class Texts:
    """Reads the texts of expressions.

    Args:
      source: the JAX that they stand in.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._walks: dict[int, Walk] = {}

    def walk(self, function: Function) -> Walk:
        """Returns the walk over a function, made once."""
        found = self._walks.get(id(function))
        if found is None:
            scope = Scope(function.module, function)
            env = bound_parameters(function.node, scope, self.around(function))
            found = self._walks[id(function)] = Walk(scope, env)
        return found

    def around(self, function: Function) -> Env:
        """Returns the names around an inner function at its definition."""
        return self.walk(function.parent).inner.get(function.node) if function.parent else None

    def of(self, node: ast.expr, env: Env, scope: Scope, depth: int = _DEPTH) -> list[Text]:
        """Returns the texts that an expression may give; each at least a gap.

        Args:
          node: the expression.
          env: the names around it.
          scope: where it stands.
          depth: how many further names and calls are followed.
        """
        if depth <= 0:
            return [_gap(node)]
        found = self._of(node, env, scope, depth - 1)
        return [_joined(text) for text in found[:_TEXTS]] or [_gap(node)]

    def _of(self, node: ast.expr, env: Env, scope: Scope, depth: int) -> list[Text]:
        if isinstance(node, ast.Constant):
            return [(node.value if isinstance(node.value, str) else str(node.value),)]
        if isinstance(node, ast.JoinedStr):
            return _product(self._part(part, env, scope, depth) for part in node.values)
        if isinstance(node, ast.BinOp):
            return self._operation(node, env, scope, depth)
        if isinstance(node, ast.IfExp):
            return [*self.of(node.body, env, scope, depth), *self.of(node.orelse, env, scope, depth)]
        if isinstance(node, ast.BoolOp):
            return [text for one in node.values for text in self.of(one, env, scope, depth)]
        if isinstance(node, ast.NamedExpr):
            return self.of(node.value, env, scope, depth)
        if isinstance(node, ast.Subscript) and isinstance(
            node.slice, ast.Slice
        ):  # `text[:-2]`: its end is cut
            return [(*text[:-1], _last_gap(text, node)) for text in self.of(node.value, env, scope, depth)]
        if isinstance(node, ast.Call):
            return self._call(node, env, scope, depth)
        if isinstance(node, ast.Name):
            return self._name(node, env, scope, depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, scope, depth)
        return [_gap(node)]

    def _part(self, part: ast.expr, env: Env, scope: Scope, depth: int) -> list[Text]:
        """A part of an f-string; a value that is written as such, not by `!r` or a format, may be a text."""
        if not isinstance(part, ast.FormattedValue):
            return self.of(part, env, scope, depth)
        if part.conversion not in (-1, ord("s")) or part.format_spec is not None:
            return [_gap(part.value, f"!{part.conversion}")]
        return self.of(part.value, env, scope, depth)

    def _operation(self, node: ast.BinOp, env: Env, scope: Scope, depth: int) -> list[Text]:
        if _is_number(node.left) or _is_number(node.right):
            return [_gap(node)]
        left = self.of(node.left, env, scope, depth)
        if isinstance(node.op, ast.Add):
            return _product([left, self.of(node.right, env, scope, depth)])
        if isinstance(node.op, ast.Mod) and any(map(letters, left)):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return [_with_percent(text, values) for text in left]
        return [_gap(node)]

    def _name(self, node: ast.Name, env: Env, scope: Scope, depth: int) -> list[Text]:
        value = lookup(env, node.id)
        if value is not None:
            return self._value(value, node, depth)
        constant = scope.module.values.get(node.id)
        if constant is not None:
            return self._named(self.of(constant, None, Scope(scope.module), depth), node)
        return [_gap(node)]

    def _value(self, value: Value, node: ast.Name, depth: int) -> list[Text]:
        """The texts that a local name holds; where one is a gap only, the gap has the name's own name."""
        if isinstance(value, Parameter):
            return [(Gap(_plain(value.name), value.name, value.name),)]
        if isinstance(value, Unknown) or depth <= 0:
            return [_gap(node)]
        if isinstance(value, Either):
            return [text for one in value.values for text in self._value(one, node, depth - 1)]
        if isinstance(value, Longer):
            before = self._value(value.before, node, depth - 1)
            if _is_number(value.added.node):
                return [_gap(node)]
            added = self.of(value.added.node, value.added.env, value.added.scope, depth - 1)
            return _product([before, added])
        if _is_number(value.node):  # it counts something
            return [_gap(node)]
        return self._named(self.of(value.node, value.env, value.scope, depth), node)

    def _named(self, texts: list[Text], node: ast.Name) -> list[Text]:
        return [text if letters(text) or _parameter(text) else _gap(node) for text in texts]

    def _attribute(self, node: ast.Attribute, scope: Scope, depth: int) -> list[Text]:
        """A constant of the class around, `self._message`, or of another module."""
        base = node.value
        if isinstance(base, ast.Name) and base.id in ("self", "cls") and scope.function is not None:
            owner = owner_of(scope.function)
            found = self.source.class_value(owner, node.attr) if owner else None
            if found is not None:
                texts = self.of(found[0], None, Scope(found[1]), depth)
                return [text if letters(text) else _gap(node) for text in texts]
            return [_gap(node)]
        module = self.source.resolve(base, scope.module, scope.function)
        value = module.values.get(node.attr) if isinstance(module, Module) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return [(value.value,)]
        return [_gap(node)]

    def _call(self, node: ast.Call, env: Env, scope: Scope, depth: int) -> list[Text]:
        func = node.func
        if isinstance(func, ast.Attribute):
            if func.attr == "format":
                texts = self.of(func.value, env, scope, depth)
                return (
                    [_with_fields(text, node) for text in texts] if any(map(letters, texts)) else [_gap(node)]
                )
            if func.attr == "join" and len(node.args) == 1:
                return self._join(func.value, node.args[0], env, scope, depth)
            if func.attr in _SAME_TEXT and not node.args:
                return self.of(func.value, env, scope, depth)
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name in _SAME_TEXT and len(node.args) == 1:
            return self.of(node.args[0], env, scope, depth)
        found = self._held_function(node, env, scope, depth)
        for value, inner, where in [] if found else self.return_values(node, env, scope, depth):
            found += self.of(value, inner, where, depth - 1)
        said = [text for text in found if letters(text) >= _LETTERS]
        return said if said and len(said) == len(found) else [_gap(node)]

    def _held_function(self, node: ast.Call, env: Env, scope: Scope, depth: int) -> list[Text]:
        """The texts of a call of a local name: `message = "… {}".format`, or a lambda."""
        value = lookup(env, node.func.id) if isinstance(node.func, ast.Name) else None
        if not isinstance(value, Held):
            return []
        held = value.node
        if isinstance(held, ast.Attribute) and held.attr == "format":
            return [
                self._filled(text, node, env, scope, depth)
                for text in self.of(held.value, value.env, value.scope, depth)
            ]
        if isinstance(held, ast.Lambda):
            inner = bound_call(held, value.scope, value.env, node, (env, scope), method=False)
            return self.of(held.body, inner, value.scope, depth)
        return []

    def _filled(self, text: Text, call: ast.Call, env: Env, scope: Scope, depth: int) -> Text:
        """A format whose one field is given a text."""
        filled = _with_fields(text, call)
        gaps = [number for number, piece in enumerate(filled) if isinstance(piece, Gap)]
        if len(gaps) != 1 or len(call.args) != 1:
            return filled
        value = self.of(call.args[0], env, scope, depth)[0]
        return (*filled[: gaps[0]], *value, *filled[gaps[0] + 1 :])

    def return_values(
        self, node: ast.Call, env: Env, scope: Scope, depth: int
    ) -> list[tuple[ast.expr, Env, Scope]]:
        """Returns the expressions that a called function of the source returns, each with the names there."""
        if depth <= 0:
            return []
        function = self.source.resolve(node.func, scope.module, scope.function)
        if not isinstance(function, Function):
            return []
        inner = self.bound_walk(function, node, env, scope)
        found: list[tuple[ast.expr, Env, Scope]] = []
        for point in inner.returns:
            assert isinstance(point.node, ast.Return)
            if point.node.value is not None:
                found.append((point.node.value, point.env, inner.scope))
        return found if len(found) <= _TEXTS else []

    def bound_walk(self, function: Function, call: ast.Call, env: Env, scope: Scope) -> Walk:
        """Returns the walk over a function whose parameters are what a call gives."""
        method = function.owner is not None and not any(
            isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.node.decorator_list
        )
        where = Scope(function.module, function)
        bound = bound_call(function.node, where, self.around(function), call, (env, scope), method=method)
        return Walk(where, bound)

    def _join(self, blank: ast.expr, items: ast.expr, env: Env, scope: Scope, depth: int) -> list[Text]:
        between = self.of(blank, env, scope, depth)[0]
        found = self._items(items, env, scope, depth)
        if found is None:
            return [_gap(items)]
        parts, is_open = found
        texts: list[list[Text]] = []
        for number, part in enumerate(parts):
            texts += ([[between]] if number else []) + [part]
        if is_open:
            texts.append([_gap(items, " rest")])
        return _product(texts)

    def _items(
        self, node: ast.expr, env: Env, scope: Scope, depth: int
    ) -> tuple[list[list[Text]], bool] | None:
        """The texts of a list's items; True: more may follow. None where nothing of it is known."""
        if depth <= 0:
            return None
        if isinstance(node, ast.List | ast.Tuple):
            return [self.of(one, env, scope, depth) for one in node.elts], False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            first = self._items(node.left, env, scope, depth - 1)
            return (first[0], True) if first else None
        value = lookup(env, node.id) if isinstance(node, ast.Name) else None
        return self._held_items(value, depth - 1) if value is not None else None

    def _held_items(self, value: Value, depth: int) -> tuple[list[list[Text]], bool] | None:
        if depth <= 0:
            return None
        if isinstance(value, Held):
            return self._items(value.node, value.env, value.scope, depth)
        if isinstance(value, Longer):
            before = self._held_items(value.before, depth - 1)
            if before is None or before[1] or not value.append:
                return (before[0], True) if before else None
            added = self.of(value.added.node, value.added.env, value.added.scope, depth - 1)
            return [*before[0], added], False
        if isinstance(value, Either):
            found = [self._held_items(one, depth - 1) for one in value.values]
            known = [one for one in found if one is not None]
            if len(known) < len(found) or not known:
                return None
            same = itertools.takewhile(
                lambda ones: all(one == ones[0] for one in ones),
                zip(*(one[0] for one in known), strict=False),
            )
            return [ones[0] for ones in same], True
        return None


def _gap(node: ast.expr, detail: str = "") -> Text:
    return (Gap(_name_for(node), ast.unparse(node) + detail),)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)


def _parameter(text: Text) -> bool:
    return any(isinstance(piece, Gap) and piece.parameter for piece in text)


def _name_for(node: ast.AST) -> str:
    """A name for what an expression says, made of its own names."""
    if isinstance(node, ast.Name):
        return _plain(node.id)
    if isinstance(node, ast.Attribute):
        base = node.value
        of_object = isinstance(base, ast.Name) and base.id not in ("self", "cls") and len(base.id) > 1
        return _plain(f"{_name_for(base)}_{node.attr}" if of_object else node.attr)
    if isinstance(node, ast.Call):
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if function == "join" and node.args:
            return _name_for(node.args[0])
        inner = (
            node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
        )
        if inner is None:
            return _plain(function)
        ending = {"len": "_length", "type": "_type"}.get(function, "")
        return _name_for(inner) + ending
    if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp):
        return _name_for(node.generators[0].iter)
    inner = next(iter(ast.iter_child_nodes(node)), None)
    if isinstance(node, ast.Constant) or inner is None or isinstance(inner, ast.expr_context):
        return "value"
    return _name_for(inner)


def _plain(name: str) -> str:
    name = re.sub(r"\W", "_", name).strip("_")
    return name if name and not name[0].isdigit() else "value"


def _last_gap(text: Text, node: ast.expr) -> str | Gap:
    return text[-1] if text and isinstance(text[-1], Gap) else _gap(node)[0]


def _joined(text: Text) -> Text:
    """A text whose literals that follow each other are one."""
    out: list[str | Gap] = []
    for piece in text:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        elif piece != "":
            out.append(piece)
    return tuple(out)


def _product(parts: Iterable[list[Text]]) -> list[Text]:
    """Every way to put one text of each part after the other, a few of them."""
    found: list[Text] = [()]
    for texts in parts:
        found = [before + text for before in found for text in texts][:_TEXTS]
    return found


def _with_percent(text: Text, values: list[ast.expr]) -> Text:
    """A text with what `%` puts into it."""
    rest = iter(values)

    def value_of(field: re.Match[str]) -> str | Gap:
        if field[2] == "%":
            return "%"
        if field[1]:
            return Gap(_plain(field[1]), f"%{field[1]}")
        value = next(rest, None)
        return _gap(value)[0] if value is not None else Gap("value", f"%{field.end()}")

    return _exchanged(text, _PERCENT, value_of)


def _with_fields(text: Text, call: ast.Call) -> Text:
    """A text with what `format` puts into it."""
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    unnumbered = itertools.count()

    def value_of(field: re.Match[str]) -> str | Gap:
        if field[0] in ("{{", "}}"):
            return field[0][0]
        name = re.split(r"[.\[]", field[1])[0]
        value = named.get(name)
        if name == "" or name.isdecimal():
            number = int(name) if name else next(unnumbered)
            value = call.args[number] if number < len(call.args) else None
        return _gap(value, field[1])[0] if value is not None else Gap(_plain(name), field[0])

    return _exchanged(text, _FIELD, value_of)


def _exchanged(text: Text, fields: re.Pattern[str], value_of: Callable[[re.Match[str]], str | Gap]) -> Text:
    """A text with the fields of its literals exchanged for what stands there."""
    out: list[str | Gap] = []
    for piece in text:
        if isinstance(piece, Gap):
            out.append(piece)
            continue
        at = 0
        for field in fields.finditer(piece):
            out += [piece[at : field.start()], value_of(field)]
            at = field.end()
        out.append(piece[at:])
    return _joined(tuple(out))

"""Raise sites: every place in JAX's source that raises an error, with its class and its words.

Read are `raise` statements; calls of functions that raise what they are given (`check(ok, "…")`); exceptions
whose text is made in their `__init__`; functions that return an exception (`raise unimplemented(…)`); and
lambdas that make one, for `raise e(…)` elsewhere. `assert`, re-raised exceptions and what JAX's compiled part
raises are not.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.template import TemplateError, compile_template
from jax_nbhelp.sites.flow import (
    Either,
    Held,
    Parameter,
    Scope,
    Unknown,
    Walk,
    bound_call,
    bound_parameters,
    lookup,
)
from jax_nbhelp.sites.source import AnyFunction, Class, Function
from jax_nbhelp.sites.texts import Gap, Texts, letters, template_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from jax_nbhelp.sites.flow import Env, Point, Test, Value
    from jax_nbhelp.sites.source import Source
    from jax_nbhelp.sites.texts import Text

_DEPTH = 6  # names and calls that are followed from a `raise` to its exception
_ENOUGH = 8  # literal characters from which a function's own words say more than what it is given
_LONG = 160  # characters of a check that are shown
UNKNOWN_CLASS = "?"
# A lambda that may make an exception: a look at the text spares a walk over most modules.
_MAKES = re.compile(r"\blambda\b[^:]*:[\s(]*[\w.]*(?:Error|Exception)\b")


@dataclass(frozen=True, slots=True)
class Site:
    """A place that raises.

    Attributes:
      file: where it raises, from the package on.
      qualname: the function that raises, e.g. `vmap.<locals>.vmap_f`; empty at a module's level.
      error_class: the class's own name, or `?` where the source does not tell.
      templates: its wordings; none where it raises without words.
      line: the line; for people, never compared.
      check: the test around it, e.g. `if x.ndim != 2`, which explains an error without a record.
      caller_file: for a function that raises what it is given: who gives it; else `file`.
      caller: likewise; else `qualname`.
    """

    file: str
    qualname: str
    error_class: str
    templates: tuple[str, ...]
    line: int
    check: str
    caller_file: str
    caller: str

    @property
    def function(self) -> str:
        """The last name of the function that raises, as a record's `qualname` has it."""
        return self.qualname.rsplit(".", 1)[-1]

    @property
    def place(self) -> str:
        """How the site is named in a report."""
        return f"{self.file} {self.qualname or '<module>'}"


def read_sites(source: Source) -> list[Site]:
    """Returns all raise sites of a source, in the order of files and lines."""
    reader = _Reader(source)
    return sorted(reader.sites(), key=lambda site: (site.file, site.line, site.caller_file, site.caller))


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a `raise` gives: a class and texts; `parameters`: what of it a caller decides."""

    error_class: str
    texts: tuple[Text, ...]
    parameters: frozenset[str] = frozenset()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.texts = Texts(source)
        self.helpers: dict[str, list[Function]] = {}
        self.given: set[ast.Raise] = set()  # the helpers' statements that raise what they are given
        self.unsaid: dict[Function, list[Site]] = {}  # what they raise, in case nobody gives them words

    def sites(self) -> Iterator[Site]:
        for module in self.source.modules.values():
            walk = Walk(Scope(module))
            yield from self._sites(walk)
            if _MAKES.search(module.text):
                yield from self._made(module.tree, Scope(module))
        for function in self.source.functions():
            yield from self._sites(self.texts.walk(function))
        yield from self._given()

    def _sites(self, walk: Walk) -> Iterator[Site]:
        for point in walk.raises:
            assert isinstance(point.node, ast.Raise)
            if point.node.exc is None:
                continue
            raised = self.raised(point.node.exc, point.env, walk.scope, _DEPTH)
            function = walk.scope.function
            if function is not None and any(_is_given(one) for one in raised):
                helpers = self.helpers.setdefault(function.node.name, [])
                if function not in helpers:
                    helpers.append(function)
                given = [one for one in raised if _is_given(one)]
                self.given.add(point.node)
                self.unsaid.setdefault(function, []).extend(_as_sites(given, point, walk.scope, walk.scope))
                raised = [one for one in raised if not _is_given(one)]
            yield from _as_sites(raised, point, walk.scope, walk.scope)

    def _given(self) -> Iterator[Site]:
        """The sites of functions that raise what they are given, one for each call that gives words."""
        wanted = frozenset(self.helpers)
        calls = re.compile(rf"\b(?:{'|'.join(map(re.escape, wanted)) or '$^'})\(")
        for function in _calling(self.source, calls):
            scope = Scope(function.module, function)
            walk = Walk(scope, bound_parameters(function.node, scope, self.texts.around(function)), wanted)
            for point in walk.calls:
                assert isinstance(point.node, ast.Call)
                helper = self.source.resolve(point.node.func, function.module, function)
                if isinstance(helper, Function) and helper in self.helpers.get(helper.node.name, ()):
                    given = list(self._given_at(helper, point.node, point.env, walk.scope))
                    if given:
                        self.unsaid.pop(helper, None)
                    yield from given
        for sites in self.unsaid.values():
            yield from sites

    def _given_at(self, helper: Function, call: ast.Call, env: Env, scope: Scope) -> Iterator[Site]:
        bound = self.texts.bound_walk(helper, call, env, scope)
        for point in bound.raises:
            if point.node not in self.given:
                continue
            assert isinstance(point.node, ast.Raise)
            assert point.node.exc is not None
            raised = self.raised(point.node.exc, point.env, bound.scope, _DEPTH)
            said = [one for one in raised if any(letters(text) >= _ENOUGH for text in one.texts)]
            yield from _as_sites(said, point, bound.scope, scope, line=call.lineno)

    def _made(self, tree: ast.Module, scope: Scope) -> Iterator[Site]:
        """Lambdas that make an exception, which is raised elsewhere by `raise e(…)`."""
        functions = {one.node: one for one in scope.module.functions.values()}
        for node, function in _lambdas(tree, functions, None):
            if isinstance(node.body, ast.Call) and self._class(node.body.func, None, scope):
                inner = Scope(scope.module, function)
                env = bound_parameters(node, inner, self.texts.walk(function).end if function else None)
                for one in self.raised(node.body, env, inner, _DEPTH):
                    if any(letters(text) >= _ENOUGH for text in one.texts):
                        yield _site(one, inner, inner, node.lineno, "")

    def raised(self, node: ast.expr, env: Env, scope: Scope, depth: int) -> list[_Raised]:
        """Returns the exceptions that an expression may give to `raise`; none for one that was caught."""
        if depth <= 0:
            return [_Raised(UNKNOWN_CLASS, ())]
        if isinstance(node, ast.IfExp):
            return [
                *self.raised(node.body, env, scope, depth - 1),
                *self.raised(node.orelse, env, scope, depth - 1),
            ]
        if isinstance(node, ast.Call):
            return self._called(node, env, scope, depth)
        if isinstance(node, ast.Name):
            value = lookup(env, node.id)
            if value is not None:
                return self._held(value, depth - 1)
            constant = scope.module.values.get(node.id)
            if constant is not None:  # an exception made once, at the module's level
                return self.raised(constant, None, Scope(scope.module), depth - 1)
        return [_Raised(self._class(node, env, scope) or UNKNOWN_CLASS, ())]

    def _held(self, value: Value, depth: int) -> list[_Raised]:
        if isinstance(value, Held):
            return self.raised(value.node, value.env, value.scope, depth)
        if isinstance(value, Either):
            return [one for each in value.values for one in self._held(each, depth - 1)] if depth > 0 else []
        if isinstance(value, Unknown) and value.caught:
            return []
        if isinstance(value, Parameter):
            return [_Raised(UNKNOWN_CLASS, (), frozenset([value.name]))]
        return [_Raised(UNKNOWN_CLASS, ())]

    def _called(self, node: ast.Call, env: Env, scope: Scope, depth: int) -> list[_Raised]:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "with_traceback":
            return self.raised(func.value, env, scope, depth - 1)
        name = self._class(func, env, scope)
        if name:
            return [self._made_of(name, node, env, scope)]
        value = lookup(env, func.id) if isinstance(func, ast.Name) else None
        if isinstance(value, Held) and isinstance(value.node, ast.Lambda):
            inner = bound_call(value.node, value.scope, value.env, node, (env, scope), method=False)
            return self.raised(value.node.body, inner, value.scope, depth - 1)
        if isinstance(value, Parameter):  # the class is given: `raise error(message)`
            default = value.default
            name = self._class(default.node, None, default.scope) if default else ""
            made = self._made_of(name or UNKNOWN_CLASS, node, env, scope)
            return [_Raised(made.error_class, made.texts, made.parameters | {value.name})]
        if isinstance(value, Held) and (name := self._class(value.node, value.env, value.scope)):
            return [self._made_of(name, node, env, scope)]
        if isinstance(value, Unknown):  # what it makes of its arguments is not told
            return [_Raised(UNKNOWN_CLASS, ())]
        found: list[_Raised] = []
        for returned, inner, where in self.texts.return_values(node, env, scope, depth):
            found += self.raised(returned, inner, where, depth - 1)
        if found:
            return found
        return [self._made_of(UNKNOWN_CLASS, node, env, scope)]

    def _made_of(self, name: str, call: ast.Call, env: Env, scope: Scope) -> _Raised:
        """The exception that a call of a class makes, with the text of its `__init__` where it has one."""
        cls = self.source.resolve(call.func, scope.module, scope.function)
        init = self.source.method(cls, "__init__") if isinstance(cls, Class) else None
        texts = self._texts_of_init(init, call, env, scope) if init else None
        if texts is None:
            texts = self._argument_texts(name, call, env, scope)
        given = {piece.parameter for text in texts for piece in text if isinstance(piece, Gap)} - {""}
        return _Raised(name, tuple(texts), frozenset(given))

    def _argument_texts(self, name: str, call: ast.Call, env: Env, scope: Scope) -> list[Text]:
        arguments = [one for one in call.args if not isinstance(one, ast.Starred)]
        if not arguments:
            return []
        texts = self.texts.of(arguments[0], env, scope)
        if len(call.args) > 1 and name in vars(builtins) and name not in ("OSError", "UnicodeDecodeError"):
            return [("('", *text, "', ", Gap("rest", "rest"), ")") for text in texts]
        if name == "KeyError":  # its text is the repr of what it is given
            return [("'", *text, "'") for text in texts]
        return texts

    def _texts_of_init(self, init: Function, call: ast.Call, env: Env, scope: Scope) -> list[Text] | None:
        """The texts that an exception's `__init__` gives to the one above; None where that is not told."""
        walk = self.texts.bound_walk(init, call, env, scope)
        for node in ast.walk(init.node):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "__init__"
            ):
                arguments = node.args
                if not isinstance(node.func.value, ast.Call):  # `ValueError.__init__(self, text)`
                    arguments = arguments[1:]
                if not arguments:
                    return []
                return self.texts.of(arguments[0], walk.end, walk.scope)
        return None

    def _class(self, node: ast.expr, env: Env, scope: Scope) -> str:
        """The name of the exception class that an expression names, or an empty text."""
        if isinstance(node, ast.Name):
            if lookup(env, node.id) is not None:
                return ""
            named = getattr(builtins, node.id, None)
            if isinstance(named, type) and issubclass(named, BaseException):
                return node.id
        found = self.source.resolve(node, scope.module, scope.function)
        if isinstance(found, Class):
            return found.name
        last = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        return last if found is None and last.endswith(("Error", "Exception", "Warning")) else ""


def _calling(source: Source, calls: re.Pattern[str]) -> Iterator[Function]:
    """Yields the functions in whose lines a pattern is found."""
    for module in source.modules.values():
        lines = [number for number, line in enumerate(module.text.split("\n"), 1) if calls.search(line)]
        for function in module.functions.values() if lines else ():
            end = function.node.end_lineno or function.node.lineno
            if any(function.node.lineno <= line <= end for line in lines):
                yield function


def _is_given(raised: _Raised) -> bool:
    """Whether a function raises what it is given: its own words say too little to recognise it."""
    return bool(raised.parameters) and all(letters(text) < _ENOUGH for text in raised.texts)


def _as_sites(
    raised: Iterable[_Raised], point: Point, scope: Scope, caller: Scope, line: int = 0
) -> Iterator[Site]:
    """The sites of one `raise`: one for each class, with all its wordings."""
    by_class: dict[str, list[Text]] = {}
    for one in raised:
        by_class.setdefault(one.error_class, []).extend(one.texts)
    for name, texts in by_class.items():
        number = line or getattr(point.node, "lineno", 0)
        yield _site(_Raised(name, tuple(texts)), scope, caller, number, _check(point.test))


def _site(raised: _Raised, scope: Scope, caller: Scope, line: int, check: str) -> Site:
    templates = dict.fromkeys(
        template for text in raised.texts if letters(text) and _usable(template := template_of(text))
    )
    return Site(
        file=scope.module.file,
        qualname=scope.function.qualname if scope.function else "",
        error_class=raised.error_class,
        templates=tuple(templates),
        line=line,
        check=check,
        caller_file=caller.module.file,
        caller=caller.function.qualname if caller.function else "",
    )


def _usable(template: str) -> bool:
    try:
        return bool(compile_template(template).weight)
    except TemplateError:
        return False


def _check(test: Test | None) -> str:
    if test is None:
        return ""
    text = " ".join(ast.unparse(test[0]).split())
    text = f"if not ({text})" if test[1] else f"if {text}"
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _lambdas(
    node: ast.AST, functions: Mapping[AnyFunction, Function], around: Function | None
) -> Iterator[tuple[ast.Lambda, Function | None]]:
    """Yields the lambdas under a node, each with the function around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda):
            yield child, around
        inner = functions.get(child, around) if isinstance(child, AnyFunction) else around
        yield from _lambdas(child, functions, inner)

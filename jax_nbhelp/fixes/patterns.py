"""Code patterns: Python with `$X` for one expression or statement and `$$$X` for any number of them.

A dotted name that begins with a known package (`jax.numpy.dot`) matches whatever the user calls that thing.
Everything else matches by structure, keywords in any order; `**$$$X` is the keywords that are left.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.names import MISSING, canonical, dotted, is_canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jax_nbhelp.fixes.names import Names

ONE, MANY, HOLE = "_one_", "_many_", "_hole_"
_VARIABLE = re.compile(r"\$\$\$([A-Z][A-Z0-9_]*)|\$([A-Z][A-Z0-9_]*)|\$\{([a-z_][a-z0-9_]*)\}")
_LAYOUT_FIELDS = {"ctx", "type_comment", "kind"}
_SKIPPED_FIELDS = {*_LAYOUT_FIELDS, "type_params"}


class PatternError(ValueError):
    """A pattern or a rewrite that is not one; the message says why."""


# What a variable caught: a node, a run of nodes (arguments, keywords, statements), or an identifier.
Caught = ast.AST | list[ast.AST] | str


@dataclass(slots=True)
class Bindings:
    """What a match caught.

    Attributes:
      variables: by the variable's name.
      spelled: the user's own node for each canonical name of the pattern.
    """

    variables: dict[str, Caught] = field(default_factory=dict[str, Caught])
    spelled: dict[str, ast.AST] = field(default_factory=dict[str, ast.AST])

    def copy(self) -> Bindings:
        """Returns an independent copy."""
        return Bindings(dict(self.variables), dict(self.spelled))


def encode(text: str) -> str:
    """Writes a pattern as plain Python: its variables become names no user has."""

    def name(found: re.Match[str]) -> str:
        many, one, hole = found.groups()
        return f"{MANY}{many}" if many else f"{ONE}{one}" if one else f"{HOLE}{hole}"

    return _VARIABLE.sub(name, text.strip("\n"))


def variable(node: object) -> tuple[str, str] | None:
    """Returns (`ONE`, `MANY` or `HOLE`; name) for a node that is a variable alone, else None."""
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Starred):
        node = node.value
    if isinstance(node, ast.arg):  # lambda $$$PARAMETERS: ...; a single $X catches the parameter's name
        found = variable_name(node.arg)
        return found if found and found[0] == MANY else None
    if isinstance(node, ast.alias):  # from jax import $$$REST, tree_map
        return variable_name(node.name)
    if isinstance(node, ast.keyword):  # f($$$ARGUMENTS, **$$$KEYWORDS)
        found = variable(node.value) if node.arg is None else None
        return found if found and found[0] == MANY else None
    return variable_name(node.id) if isinstance(node, ast.Name) else None


def is_run(node: object) -> bool:
    """Whether a part of a pattern is a `$$$X`, which stands for any number of parts."""
    found = variable(node)
    return found is not None and found[0] == MANY


def variable_name(identifier: str) -> tuple[str, str] | None:
    """Splits an encoded identifier into its kind and its name."""
    for kind in (ONE, MANY, HOLE):
        if identifier.startswith(kind):
            return kind, identifier[len(kind) :]
    return None


@functools.lru_cache(maxsize=2048)
def parse_pattern(text: str) -> list[ast.stmt]:
    """Parses a pattern into its statements; a pattern that is one expression is one `ast.Expr`.

    Raises:
      PatternError: it is not Python.
    """
    try:
        body = ast.parse(encode(text)).body
    except SyntaxError as error:
        raise PatternError(f"is not Python ({error.msg}): {text.strip()!r}") from error
    except (ValueError, RecursionError, MemoryError) as error:  # a null character, or nested too deeply
        raise PatternError(f"is not Python ({error})") from error
    if not body:
        raise PatternError("is empty")
    return body


@functools.lru_cache(maxsize=256)
def node_types(text: str) -> frozenset[type[ast.AST]] | None:
    """Returns the types of the nodes that a pattern can match or begin to match; None for any."""
    first = parse_pattern(text)[0]
    if not isinstance(first, ast.Expr):
        return frozenset([type(first)])
    root = first.value
    if variable(root) or (isinstance(root, ast.Name | ast.Attribute) and is_canonical(dotted(root))):
        return None
    return frozenset([type(root), ast.Expr])


@functools.lru_cache(maxsize=256)
def literal_words(text: str) -> frozenset[str]:
    """Returns the identifiers that code must hold to match a pattern: `defvjp` for `$F.defvjp($$$ARGS)`."""
    words: set[str] = set()
    queue: list[ast.AST] = list(parse_pattern(text))
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Name | ast.Attribute):
            if is_canonical(dotted(node)):  # the user may call it anything
                continue
            words.add(node.id if isinstance(node, ast.Name) else node.attr)
        queue += ast.iter_child_nodes(node)
    return frozenset(word for word in words if variable_name(word) is None)


def match_node(text: str, node: ast.AST, names: Names, bindings: Bindings | None = None) -> Bindings | None:
    """Matches a pattern of one expression or one statement against a node.

    Args:
      text: the pattern.
      node: the user's node.
      names: what the names at that place refer to.
      bindings: variables that are bound already; they must catch the same code again.

    Returns:
      The bindings, or None.
    """
    body = parse_pattern(text)
    if len(body) != 1:
        return None
    pattern: ast.AST = body[0]
    if isinstance(pattern, ast.Expr) and not isinstance(node, ast.stmt):
        pattern = pattern.value
    found = bindings.copy() if bindings else Bindings()
    return found if _Matcher(names, found).match(pattern, node) else None


def match_run(
    text: str, nodes: Sequence[ast.AST], names: Names, bindings: Bindings | None = None
) -> Bindings | None:
    """Matches a pattern of several statements against statements that follow each other."""
    body = parse_pattern(text)
    if len(body) != len(nodes):
        return None
    found = bindings.copy() if bindings else Bindings()
    matcher = _Matcher(names, found)
    return found if all(map(matcher.match, body, nodes)) else None


# A pattern is tried on many nodes, and lives on in `parse_pattern`; the parts of a rewrite are new each time.
_variable = functools.lru_cache(maxsize=4096)(variable)


@functools.lru_cache(maxsize=4096)
def _canonical_name(pattern: ast.AST) -> str:
    """The canonical name that a part of a pattern stands for, or an empty text."""
    name = dotted(pattern)
    return name if is_canonical(name) else ""


class _Matcher:
    def __init__(self, names: Names, found: Bindings) -> None:
        self.names, self.found = names, found

    def match(self, pattern: ast.AST, node: ast.AST) -> bool:
        var = _variable(pattern)
        if var and var[0] == ONE:
            if isinstance(pattern, ast.Expr) and isinstance(node, ast.Expr):
                node = node.value
            return self._bind(var[1], node)
        if name := _canonical_name(pattern):
            return self._match_canonical(name, node)
        if type(pattern) is not type(node):
            return False
        if isinstance(pattern, ast.Call):
            call = cast("ast.Call", node)
            return self.match(pattern.func, call.func) and self._match_arguments(pattern, call)
        return all(
            self._match_field(getattr(pattern, name, None), getattr(node, name, None))
            for name in pattern._fields
            if name not in _SKIPPED_FIELDS
        )

    def _match_field(self, pattern: Any, value: Any) -> bool:
        if isinstance(pattern, list):
            return isinstance(value, list) and self._match_sequence(
                cast("list[ast.AST]", pattern), cast("list[ast.AST]", value)
            )
        if isinstance(pattern, ast.AST):
            return isinstance(value, ast.AST) and self.match(pattern, value)
        if isinstance(pattern, str):
            var = variable_name(pattern)
            return self._bind(var[1], value) if var and isinstance(value, str) else pattern == value
        return type(pattern) is type(value) and pattern == value

    def _match_canonical(self, name: str, node: ast.AST) -> bool:
        base, _, last = name.rpartition(".")
        var = variable_name(last)
        if var is None:
            if self.names.refers(node, name):
                self.found.spelled[name] = node
                return True
            return False
        # jax.numpy.$FN matches every member of the module, also `from jax.numpy import stack as st`
        module, value = canonical(base), self.names.value(node)
        if not isinstance(module, types.ModuleType):
            return False
        member = node.attr if isinstance(node, ast.Attribute) else ""
        if value is MISSING or vars(module).get(member, MISSING) is not value:
            member = next((key for key, one in vars(module).items() if one is value), "")
        if not member:
            return False
        self.found.spelled[name] = node
        return self._bind(var[1], member)

    def _match_sequence(self, patterns: Sequence[ast.AST], nodes: Sequence[ast.AST]) -> bool:
        for number, pattern in enumerate(patterns):
            var = _variable(pattern)
            if var and var[0] == MANY:
                rest = patterns[number + 1 :]
                last = len(nodes) - sum(not is_run(one) for one in rest)
                first = (
                    number if any(map(is_run, rest)) else last
                )  # with another `$$$X` behind, the shortest run that fits
                before = dict(self.found.variables)
                for end in range(max(first, number), last + 1):
                    if self._bind(var[1], list(nodes[number:end])) and self._match_sequence(
                        rest, nodes[end:]
                    ):
                        return True
                    self.found.variables = dict(before)
                return False
            if number >= len(nodes) or not self.match(pattern, nodes[number]):
                return False
        return len(patterns) == len(nodes)

    def _match_arguments(self, pattern: ast.Call, call: ast.Call) -> bool:
        """Arguments in order, keywords in any order; `$$$X` takes what is left of both.

        With `**$$$Y` the keywords that are left, at least one, are that one's.
        """
        many = _many(pattern.args)
        named = _many(pattern.keywords)
        keywords = {keyword.arg: keyword for keyword in call.keywords}
        arguments = list(call.args)
        taken: set[str | None] = set()
        for keyword in pattern.keywords:
            if variable(keyword):
                continue
            if keyword.arg in keywords:
                if not self.match(keyword.value, keywords[keyword.arg].value):
                    return False
                taken.add(keyword.arg)
            elif not (
                many is not None
                and arguments
                and self._position(call, keyword.arg) == len(arguments) - 1
                and self.match(keyword.value, arguments.pop())
            ):
                return False
        left = [keyword for keyword in call.keywords if keyword.arg not in taken]
        if named is not None:
            if not left or not self._bind(named, list[ast.AST](left)):
                return False
            left = []
        if left and many is None:
            return False
        if many is None:
            return self._match_sequence(pattern.args, arguments)
        earlier = self.found.variables.pop(many, None)
        if not self._match_sequence(pattern.args, arguments):
            return False
        caught = self.found.variables[many]
        assert isinstance(caught, list)
        self.found.variables[many] = [*caught, *left]
        return earlier is None or same_code(earlier, self.found.variables[many])

    def _position(self, call: ast.Call, keyword: str | None) -> int | None:
        """Where a parameter stands when it is given by position, read from JAX's own signature."""
        name = next((name for name, node in self.found.spelled.items() if node is call.func), None)
        if keyword is None or name is None:  # a function of the user's is not asked for anything
            return None
        base, _, last = name.rpartition(".")
        var = variable_name(last)  # jax.numpy.$FN: the member that it caught
        return _positions(f"{base}.{self.found.variables[var[1]]}" if var else name).get(keyword)

    def _bind(self, name: str, caught: Caught) -> bool:
        earlier = self.found.variables.get(name)
        if earlier is not None and not same_code(earlier, caught):
            return False
        self.found.variables[name] = caught  # the latest: an edit before may have caught it in another cell
        return True


def _many(nodes: Sequence[ast.AST]) -> str | None:
    """The name of the `$$$X` among arguments or keywords."""
    return next((var[1] for node in nodes if (var := variable(node)) and var[0] == MANY), None)


@functools.lru_cache(maxsize=256)
def _positions(name: str) -> Mapping[str, int]:
    try:
        parameters = inspect.signature(canonical(name)).parameters.values()
    except (TypeError, ValueError):
        return {}
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return {p.name: number for number, p in enumerate(parameters) if p.kind in kinds}


def same_code(one: Caught, other: Caught) -> bool:
    """Whether two pieces of code are the same but for layout; a parameter's name is the same as its use."""
    if isinstance(one, str) or isinstance(other, str):
        name, use = (one, other) if isinstance(one, str) else (other, one)
        return name == (use.id if isinstance(use, ast.Name) else use)
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(map(same_code, one, other))
        )
    return dump(one) == dump(other)


def dump(node: ast.AST, *, any_order: bool = False) -> str:
    """Returns a node's structure as text, the same for a name that is read and one that is assigned.

    Args:
      node: the node.
      any_order: the order of keywords makes no difference.
    """
    parts: list[str] = []
    _dump(node, parts, any_order)
    return "".join(parts)


def _dump(value: object, parts: list[str], any_order: bool) -> None:
    if isinstance(value, ast.AST):
        parts.append(f"{type(value).__name__}(")
        for name in value._fields:
            if name not in _LAYOUT_FIELDS:
                _dump(getattr(value, name, None), parts, any_order)
        parts.append(")")
    elif isinstance(value, list):
        entries = cast("list[object]", value)
        if any_order and entries and isinstance(entries[0], ast.keyword):
            entries = sorted(cast("list[ast.AST]", entries), key=lambda one: dump(one, any_order=True))
        parts.append("[")
        for one in entries:
            _dump(one, parts, any_order)
        parts.append("]")
    else:
        parts.append(f"{value!r},")

"""What local names hold at each `raise` of a function, as far as it can be read: a walk over its statements.

A name's value is an expression with the names as they stood when it was assigned; where branches meet, it is
either of several. Loops are walked once: what they add to a text may be there or not.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jax_nbhelp.sites.source import AnyFunction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.sites.source import Function, Module

_BRANCHES = 6  # values of one name that are kept where branches meet


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where an expression stands: by it, names that are not local are looked up."""

    module: Module
    function: Function | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """An expression, and the names it may use."""

    node: ast.expr
    env: Env
    scope: Scope


@dataclass(frozen=True, slots=True, eq=False)
class Longer:
    """A text or a list to which something was added: `x += node`, `x.append(node)`."""

    before: Value
    added: Held
    append: bool


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """One of several values, by the branch that was taken."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """What a caller gives: `default` where it gives nothing."""

    name: str
    default: Held | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """Something that cannot be read; `caught`: an exception that an `except` took, to be raised again."""

    caught: bool = False


Value = Held | Longer | Either | Parameter | Unknown
# Names and their values, the latest first: a chain that branches share.
Env = tuple[str, "Value", "Env"] | None
# A test around a statement; True: its `else` was taken.
Test = tuple[ast.expr, bool]

UNKNOWN = Unknown()


def lookup(env: Env, name: str) -> Value | None:
    """Returns what a name holds, or None where it is not local."""
    while env is not None:
        if env[0] == name:
            return env[1]
        env = env[2]
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A statement of interest: the node, the names there, and the innermost test around it."""

    node: ast.AST
    env: Env
    test: Test | None


class Walk:
    """The walk over one function or one module.

    Args:
      scope: where it stands.
      env: the names at its beginning, a function's parameters among them.
      wanted: the last names of functions whose calls are noted.

    Attributes:
      raises: each `raise`.
      returns: each `return` of a value.
      calls: each call of a wanted function.
      inner: the names around each inner function.
      end: the names at its end.
    """

    def __init__(self, scope: Scope, env: Env = None, wanted: frozenset[str] = frozenset()) -> None:
        self.scope = scope
        self.wanted = wanted
        self.raises: list[Point] = []
        self.returns: list[Point] = []
        self.calls: list[Point] = []
        self.inner: dict[AnyFunction, Env] = {}
        self._tests: list[Test] = []
        node = scope.function.node if scope.function is not None else scope.module.tree
        self.end = self._block(node.body, env)[0]

    def _block(self, body: list[ast.stmt], env: Env) -> tuple[Env, bool]:
        """Walks statements; returns the names after them, and whether what follows is reached."""
        for node in body:
            env, goes_on = self._statement(node, env)
            if not goes_on:
                return env, False
        return env, True

    def _statement(self, node: ast.stmt, env: Env) -> tuple[Env, bool]:
        if self.wanted:
            self._note_calls(node, env)
        test = self._tests[-1] if self._tests else None
        if isinstance(node, ast.Raise):
            self.raises.append(Point(node, env, test))
            return env, False
        if isinstance(node, ast.Return):
            self.returns.append(Point(node, env, test))
            return env, False
        if isinstance(node, ast.Continue | ast.Break):
            return env, False
        if isinstance(node, ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.TryStar | ast.Match):
            return self._branches(node, env)
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                env = _forget(item.optional_vars, env)
            return self._block(node.body, env)
        if isinstance(node, AnyFunction):
            self.inner[node] = env
        elif isinstance(node, ast.ClassDef):
            if self.scope.function is not None:  # methods of a local class see the names around it
                self._block(node.body, env)
        else:
            env = self._assignment(node, env)
        return env, True

    def _branches(self, node: ast.stmt, env: Env) -> tuple[Env, bool]:
        ends: list[tuple[Env, bool]] = []
        if isinstance(node, ast.If):
            for body, negated in ((node.body, False), (node.orelse, True)):
                self._tests.append((node.test, negated))
                ends.append(self._block(body, env))
                self._tests.pop()
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            inside = env if isinstance(node, ast.While) else _forget(node.target, env)
            after, _ = self._block(node.body, inside)
            ends = [(env, True), (after, True)]
            ends.append(self._block(node.orelse, after))
        elif isinstance(node, ast.Match):
            ends = [self._block(case.body, env) for case in node.cases] + [(env, True)]
        elif isinstance(node, ast.Try | ast.TryStar):
            after, goes_on = self._block(node.body, env)
            ends = [self._block(node.orelse, after) if goes_on else (after, False)]
            for handler in node.handlers:
                inside = (handler.name, Unknown(caught=True), env) if handler.name else env
                ends.append(self._block(handler.body, inside))
            merged, goes_on = _merged(env, ends)
            after, ended = self._block(node.finalbody, merged)
            return after, goes_on and ended
        return _merged(env, ends)

    def _assignment(self, node: ast.stmt, env: Env) -> Env:
        if isinstance(node, ast.Assign):
            if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                return node.targets[0].id, Held(node.value, env, self.scope), env
            for target in node.targets:
                env = _forget(target, env)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = Held(node.value, env, self.scope) if node.value else UNKNOWN
            return node.target.id, value, env
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return self._longer(node.target.id, node.value, env, append=False)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if (
                isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and call.func.attr in ("append", "extend")
                and call.args
            ):
                append = call.func.attr == "append"
                return self._longer(call.func.value.id, call.args[0], env, append=append)
        return env

    def _longer(self, name: str, added: ast.expr, env: Env, *, append: bool) -> Env:
        before = lookup(env, name)
        if before is None:
            return env
        return name, Longer(before, Held(added, env, self.scope), append), env

    def _note_calls(self, node: ast.stmt, env: Env) -> None:
        """Notes calls in a statement's own expressions, not in the statements inside it."""
        test = self._tests[-1] if self._tests else None
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr | ast.withitem):
                continue
            for one in ast.walk(child):
                if isinstance(one, ast.Call) and _last_name(one.func) in self.wanted:
                    self.calls.append(Point(one, env, test))


def bound_parameters(node: AnyFunction | ast.Lambda, scope: Scope, env: Env) -> Env:
    """Returns an environment in which a function's parameters are what callers give."""
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(named) - len(arguments.defaults))
    pairs = [*zip(named, [*defaults, *arguments.defaults], strict=True)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for argument, default in pairs:
        held = Held(default, None, scope) if default is not None else None
        env = argument.arg, Parameter(argument.arg, held), env
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            env = argument.arg, UNKNOWN, env
    return env


def bound_call(
    node: AnyFunction | ast.Lambda,
    scope: Scope,
    env: Env,
    call: ast.Call,
    caller: tuple[Env, Scope],
    *,
    method: bool,
) -> Env:
    """Returns an environment in which a function's parameters are what one call gives.

    Args:
      node: the function.
      scope: where it stands.
      env: the names around it.
      call: the call.
      caller: the names at the call, and where it stands.
      method: the first parameter is the object, which the call does not name.
    """
    env = bound_parameters(node, scope, env)
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)][1 if method else 0 :]
    for name, value in zip(names, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        env = name, Held(value, *caller), env
    for keyword in call.keywords:
        if keyword.arg is not None:
            env = keyword.arg, Held(keyword.value, *caller), env
    return env


def _merged(base: Env, ends: list[tuple[Env, bool]]) -> tuple[Env, bool]:
    """The names where branches meet: what a name may hold after any of them."""
    going = [env for env, goes_on in ends if goes_on]
    if not going:
        return base, False
    env = base
    changed = dict.fromkeys(name for one in going for name in _names_since(one, base))
    for name in changed:
        values: list[Value] = []
        for one in going:
            value = lookup(one, name) or UNKNOWN
            values += value.values if isinstance(value, Either) else (value,)
        unique = list({id(value): value for value in values}.values())[:_BRANCHES]
        env = name, unique[0] if len(unique) == 1 else Either(tuple(unique)), env
    return env, True


def _names_since(env: Env, base: Env) -> Iterator[str]:
    while env is not None and env is not base:
        yield env[0]
        env = env[2]


def _forget(target: ast.expr | None, env: Env) -> Env:
    """The names of an assignment's target hold something that is not looked into."""
    if target is not None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                env = node.id, UNKNOWN, env
    return env


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""

"""The static check of a rule when it is loaded: a rewrite may hold only what curing an error needs.

Nothing is evaluated. A hostile rule is code that the user does not read before clicking, so what hides it
(width, length, `;`, other alphabets) is refused as well as what it could do.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.fixes.holes import FINDERS
from jax_nbhelp.fixes.names import ROOTS, dotted
from jax_nbhelp.fixes.patterns import HOLE, MANY, ONE, PatternError, parse_pattern, variable, variable_name
from jax_nbhelp.fixes.propose import CONDITIONS, KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jax_nbhelp.catalog.record import EditRule, Rule

_WIDTH, _LINES, _STRING = 160, 12, 40
_CALLABLE = frozenset(
    "abs all any bool dict enumerate float frozenset int isinstance len list max min "
    "print range reversed round set slice sorted str sum tuple zip".split()
)
_BANNED = (
    ast.Import
    | ast.ImportFrom
    | ast.Global
    | ast.Nonlocal
    | ast.Delete
    | ast.Try
    | ast.TryStar
    | ast.While
    | ast.NamedExpr
    | ast.Yield
    | ast.YieldFrom
)
# For packs from elsewhere: statements that run later or elsewhere, packages and parts of names that reach
# outside the computation, or that reach anything by a text.
_FOREIGN_STATEMENTS = ast.Await | ast.ClassDef | ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith
_FOREIGN_ROOTS = frozenset({"os", "jaxlib"})
_FOREIGN = re.compile(
    r"attrgetter|breakpoint|cache|callback|config|ctypes|datasource|distributed|dump|environ|export|f2py|(?:^|_)ffi(?:_|$)"
    r"|from(?:file|regex|txt)|host_call|load|make_dataclass|memmap|methodcaller|profiler|save|system|testing"
    r"|tofile",
    re.IGNORECASE,
)


def rule_complaints(rule: Rule, *, own: bool) -> Iterator[str]:
    """Yields what is wrong with a rule, each beginning with the field.

    Args:
      rule: the rule.
      own: it is this project's and reviewed, so it may use any API of JAX's.
    """
    for name, hole in rule.holes.items():
        if hole.source not in FINDERS:
            yield f"holes.{name}.from: {hole.source!r} is no finder; use one of {', '.join(sorted(FINDERS))}"
        if not hole.label:
            yield f"holes.{name}.label: is missing; the user chooses by it"
    for number, alternative in enumerate(rule.alternatives):
        bound: set[str] = set()
        imported = {name for edit in alternative for name in _imported(edit.rewrite)}
        for position, edit in enumerate(alternative):
            place = f"alternatives[{number}].edits[{position}]"
            for complaint in _edit_complaints(edit, rule, bound, imported, own=own):
                yield f"{place}.{complaint}"
        if not any(edit.rewrite for edit in alternative):
            yield f"alternatives[{number}]: has no rewrite, so it changes nothing"


def _imported(rewrite: str) -> Iterator[str]:
    """The names that a rewrite imports."""
    try:
        body = parse_pattern(rewrite) if rewrite else []
    except PatternError:  # has its own complaint
        return
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.alias):
            yield node.asname or node.name


def _edit_complaints(
    edit: EditRule, rule: Rule, bound: set[str], imported: set[str], *, own: bool
) -> Iterator[str]:
    try:
        match = parse_pattern(edit.match)
        rewrite = parse_pattern(edit.rewrite) if edit.rewrite else []
        for text in (edit.unless, edit.unless_inside):
            if text:
                parse_pattern(text)
    except PatternError as error:
        yield f"match or rewrite: {error}"
        return
    if len(match) != 1 and not edit.as_statement:
        yield 'match: is several statements; write as = "stmt"'
    alone = variable(match[0])
    if alone and not {"type", "says", "is"} & set(edit.where.get(alone[1], {})):
        yield "match: is a variable alone, which matches anything; write the code that is wrong"
    if edit.of and edit.of not in bound:
        yield f"of: no earlier edit binds ${edit.of}; name a variable of an edit that stands before"
    bound |= _variables(match, (ONE, MANY))
    unbound = _variables(rewrite, (ONE, MANY)) - bound
    if unbound:
        yield f"rewrite: uses ${', $'.join(sorted(unbound))}, which no match binds"
    missing = _variables(rewrite, (HOLE,)) - set(rule.holes)
    if missing:
        yield f"rewrite: has the hole {', '.join(sorted(missing))}, which [fixes.holes] does not describe"
    for name, condition in edit.where.items():
        if name not in bound:
            yield f"where.{name}: is no variable of the match"
        for key, value in condition.items():
            remedy = _condition_fault(key, value)
            if remedy:
                yield f"where.{name}.{key}: {remedy}"
    yield from _hidden(edit.rewrite)
    yield from _dangerous(match, rewrite, imported, own=own)


def _condition_fault(key: str, value: Any) -> str:
    """What is wrong with a condition; empty where nothing is."""
    if key not in CONDITIONS:
        return f"is no condition; use one of {', '.join(sorted(CONDITIONS))}"
    if key == "ndim":
        return "" if type(value) is int else "write a number of axes"
    if key in ("in", "type"):
        texts = isinstance(value, list) and all(type(one) is str for one in cast("list[object]", value))
        return "" if texts else "write a list of texts"
    if key == "lacks":
        patterns = cast("list[object]", value) if isinstance(value, list) else [None]
        return next((fault for one in patterns if (fault := _pattern_fault(one))), "")
    if not isinstance(value, str):
        return "write a text"
    if key in ("is", "not"):
        return "" if value in KINDS else f"is {value!r}; use one of {', '.join(sorted(KINDS))}"
    return _pattern_fault(value)


def _pattern_fault(value: object) -> str:
    """What is wrong with a pattern of a condition; empty where nothing is."""
    if not isinstance(value, str):
        return "write a list of patterns"
    try:
        parse_pattern(value)
    except PatternError as error:
        return str(error)
    return ""


def _hidden(text: str) -> Iterator[str]:
    lines = text.split("\n")
    if not text.isascii():
        yield "rewrite: holds other than ASCII characters, which may look like what they are not"
    if max(map(len, lines)) > _WIDTH or len(lines) > _LINES:
        yield f"rewrite: is over {_LINES} lines of {_WIDTH} characters, too long to be read before a click"
    if ";" in text or re.search(r"\S {9,}\S|[\x00-\x09\x0b-\x1f\x7f]", text):
        yield "rewrite: holds a tab, another control character, a `;` or a wide gap, which hide code"


def _dangerous(
    match: Sequence[ast.stmt], rewrite: Sequence[ast.stmt], imported: set[str], *, own: bool
) -> Iterator[str]:
    nodes = [node for statement in rewrite for node in ast.walk(statement)]
    known = {node.id for statement in match for node in ast.walk(statement) if isinstance(node, ast.Name)}
    known |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    known |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    known |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    known |= _CALLABLE | ROOTS | imported
    for node in nodes:
        allowed = own and _imports_known(node)
        foreign = isinstance(node, _FOREIGN_STATEMENTS) and not own
        if foreign or (isinstance(node, _BANNED) and not allowed):
            yield f"rewrite: holds `{type(node).__name__}`, which no cure needs"
        if isinstance(node, ast.Name) and not (variable_name(node.id) or node.id in known):
            yield f"rewrite: uses the name {node.id!r}, which the user may not have"
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not variable_name(node.attr):
            yield f"rewrite: reaches for the private {node.attr!r}"
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str | bytes)
            and len(node.value) > _STRING
        ):
            yield f"rewrite: holds a text of over {_STRING} characters"
        if not own and isinstance(node, ast.Attribute | ast.Name):
            name = dotted(node) or getattr(node, "attr", "")
            if name.split(".")[0] in _FOREIGN_ROOTS or _FOREIGN.search(name.rsplit(".", 1)[-1]):
                yield f"rewrite: uses {name}, which reaches outside the computation"


def _imports_known(node: ast.AST) -> bool:
    """Whether a statement imports from known packages only, or what the match imports anyway."""
    if isinstance(node, ast.ImportFrom):
        return str(node.module).split(".")[0] in ROOTS
    names = [one.name for one in node.names] if isinstance(node, ast.Import) else [""]
    return all(variable_name(name) or name.split(".")[0] in ROOTS for name in names)


def _variables(body: Sequence[ast.stmt], kinds: tuple[str, ...]) -> set[str]:
    names: set[str] = set()
    for node in (node for statement in body for node in ast.walk(statement)):
        for field in ("id", "attr", "arg", "name"):
            identifier = getattr(node, field, None)
            var = variable_name(identifier) if isinstance(identifier, str) else None
            if var and var[0] in kinds:
                names.add(var[1])
    return names

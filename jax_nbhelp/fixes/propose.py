"""From a record's rules to fixes of the user's own cells, each verified before it is shown."""

from __future__ import annotations

import ast
import copy
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jax_nbhelp.catalog.match import in_release
from jax_nbhelp.catalog.template import compile_text
from jax_nbhelp.fixes import holes as hole_finders
from jax_nbhelp.fixes.edits import Edit, apply, expression_edits, import_edit, keep_comments, statement_edits
from jax_nbhelp.fixes.fix import CellEdit, Fix, Hole
from jax_nbhelp.fixes.names import class_name
from jax_nbhelp.fixes.patterns import (
    Bindings,
    literal_words,
    match_node,
    match_run,
    node_types,
    parse_pattern,
)
from jax_nbhelp.fixes.rewrite import rewrite
from jax_nbhelp.fixes.spots import is_own_function
from jax_nbhelp.fixes.stale import cells_left_stale, cells_to_run
from jax_nbhelp.fixes.verify import fault
from jax_nbhelp.operands import (
    elements_of,
    is_array,
    is_complex,
    is_integer,
    is_key,
    is_sparse,
    is_tracer,
    shape_of,
)
from jax_nbhelp.phrases import sayer, speaking
from jax_nbhelp.source import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jax_nbhelp.catalog.record import EditRule, HoleRule, Record, Rule
    from jax_nbhelp.cell import Cell, CellBook
    from jax_nbhelp.failure import Failure
    from jax_nbhelp.fixes.fix import Applicability, Candidate
    from jax_nbhelp.fixes.spots import Spot, Spots

refuse = sayer("refusal")

_LEVELS: tuple[Applicability, ...] = (
    "machine-applicable",
    "maybe-incorrect",
    "has-placeholders",
    "display-only",
)
_MOST = 6  # fixes shown for one failure
_TRIES = 40  # matches of one alternative that are tried


def propose(
    record: Record,
    failure: Failure,
    spots: Spots,
    book: CellBook,
    facts: Mapping[str, str],
    release: str = "",
) -> tuple[Fix, ...]:
    """Applies the rules of a recognised record.

    Args:
      record: the record; a draft's rules are not applied.
      failure: the failure.
      spots: the code around the link of its chain that was recognised.
      book: the cells that ran.
      facts: what the message and the explanation know, for titles and holes.
      release: JAX's version.

    Returns:
      The fixes in the record's order; those that keep the program's meaning come first.
    """
    if not record.reviewed or record.retired:
        return ()
    fixes: list[Fix] = []
    seen: set[tuple[CellEdit, ...]] = set()
    for rule in record.fixes:
        if in_release(rule.jax, release):
            fix = _Proposer(rule, spots, failure, book, facts, record.language).first()
            if fix is not None and not (fix.edits and fix.edits in seen):
                seen.add(fix.edits)
                fixes.append(fix)
    fixes.sort(key=_readiness)  # stable: the record's own order is kept
    return tuple(fixes[:_MOST])


def _readiness(fix: Fix) -> int:
    """Fixes that can be applied come before those that lack a value, and those before mere advice."""
    return max(0, _LEVELS.index(fix.applicability) - 1)


def lower(one: Applicability, other: Applicability) -> Applicability:
    """Returns the less sure of two levels."""
    return _LEVELS[max(_LEVELS.index(one), _LEVELS.index(other))]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A matched edit rule.

    Attributes:
      rest: the further statements that a pattern of several matched.
    """

    rule: EditRule
    spot: Spot
    bindings: Bindings
    rest: tuple[ast.stmt, ...] = ()

    def without_values(self) -> _Hit:
        """Returns the hit with names that keep nothing of the user's alive, for as long as a fix is shown."""
        return replace(self, spot=replace(self.spot, names=self.spot.names.spellings()))


@dataclass(frozen=True, slots=True)
class _Change:
    """Everything that one hit does to its cell."""

    cell: Cell
    edits: tuple[Edit, ...]
    imports: tuple[str, ...]


class _Proposer:
    def __init__(
        self,
        rule: Rule,
        spots: Spots,
        failure: Failure,
        book: CellBook,
        facts: Mapping[str, str],
        language: str,
    ) -> None:
        self.rule, self.spots, self.failure, self.book, self.facts = rule, spots, failure, book, facts
        self.language = language  # of the rule's words: the reasons of values stand in its title

    def first(self) -> Fix | None:
        """The first alternative whose every edit matches and verifies, if possible with all its values."""
        refused: Fix | None = None
        for alternative in self.rule.alternatives:
            for hits in itertools.islice(self._hits(alternative, Bindings()), _TRIES):
                fix = self._fix(hits)
                if fix is not None and _readiness(fix) == 0:
                    return fix
                if fix is not None and (refused is None or _readiness(fix) < _readiness(refused)):
                    refused = fix
        if refused is None and not self.rule.alternatives:
            return Fix(self.rule.id, self._title(self.facts), "display-only", self.rule.why, self.rule.needs)
        return refused

    def _hits(self, alternative: tuple[EditRule, ...], bound: Bindings) -> Iterator[tuple[_Hit, ...]]:
        """Every way to match all edits of an alternative; later edits see what earlier ones caught."""
        if not alternative:
            yield ()
            return
        rule, rest = alternative[0], alternative[1:]
        for hit in self._match(rule, bound):
            for others in self._hits(rest, hit.bindings):
                yield (hit, *others)

    def _match(self, rule: EditRule, bound: Bindings) -> Iterator[_Hit]:
        of = bound.variables.get(rule.of)
        anchor = self.spots.failing
        of_node = of if isinstance(of, ast.AST) else None
        kinds = node_types(rule.match)
        for spot in self.spots.at(rule.at, of_node, anchor, literal_words(rule.match)):
            if kinds is not None and type(spot.node) not in kinds:
                continue  # a cheap test before the dear one: there are many nodes
            hit = self._hit(rule, spot, bound)
            if hit is not None:
                yield hit

    def _hit(self, rule: EditRule, spot: Spot, bound: Bindings) -> _Hit | None:
        node: ast.AST = spot.node
        if not isinstance(node, ast.stmt if rule.as_statement else ast.stmt | ast.expr):
            return None
        variables = Bindings(dict(bound.variables))
        run: list[ast.stmt] = []
        if isinstance(node, ast.stmt) and len(parse_pattern(rule.match)) > 1:
            run = spot.source.run(node, len(parse_pattern(rule.match)))
            found = match_run(rule.match, run, spot.names, variables)
        else:
            found = match_node(rule.match, node, spot.names, variables)
        if found and self._holds(rule, spot, found) and not _excluded(rule, spot, found):
            return _Hit(rule, spot, found, tuple(run[1:]))
        return None

    def _everywhere(self, hits: tuple[_Hit, ...]) -> tuple[_Hit, ...]:
        """The hits, and for rules that mean every match the others in the same cells."""
        more: list[_Hit] = []
        for hit in hits:
            if hit.rule.everywhere:
                others = (node for node in ast.walk(hit.spot.source.tree) if node is not hit.spot.node)
                found = (self._hit(hit.rule, replace(hit.spot, node=node), Bindings()) for node in others)
                more += [one for one in found if one is not None]
        return (*hits, *more)

    def _holds(self, rule: EditRule, spot: Spot, found: Bindings) -> bool:
        """Whether what the variables caught is what the rule asks for."""
        for name, condition in rule.where.items():
            caught = found.variables.get(name)
            if not _holds(condition, caught, spot):
                return False
            node = caught if isinstance(caught, ast.AST) else None
            if "says" in condition and not _says(node, self.facts.get(condition["says"], "")):
                return False
            if "contains" in condition and not self._contains(condition["contains"], node, spot):
                return False
            if any(self._contains(one, node, spot) for one in condition.get("lacks", ())):
                return False
        return True

    def _contains(self, pattern: str, node: ast.AST | None, spot: Spot) -> bool:
        """Whether a pattern stands in a piece of code, or in the definition of the function that it names."""
        if isinstance(node, ast.Name):
            inside = self.spots.at("definition", node, spot)
        else:
            inside = (replace(spot, node=one) for one in ast.walk(node or ast.Pass()))
        return any(match_node(pattern, one.node, one.names) for one in inside)

    def _fix(self, hits: tuple[_Hit, ...]) -> Fix | None:
        hits = tuple(
            sorted(self._everywhere(hits), key=lambda hit: not hit.rule.rewrite)
        )  # what changes comes first
        options = self._candidates(hits)
        if any(
            hole.options.get("required") and not options[name] for name, hole in self._holes(hits).items()
        ):
            return None
        values = {name: ones[0].value if ones else "" for name, ones in options.items()}
        return self._filled(hits, options, values)

    def _holes(self, hits: tuple[_Hit, ...]) -> dict[str, HoleRule]:
        """The holes that these edits have: each alternative may use some of the rule's."""
        texts = [hit.rule.rewrite for hit in hits]
        used = {name for name in self.rule.holes if any(f"${{{name}}}" in text for text in texts)}
        used |= {
            self.rule.holes[name].options.get("mesh", "") for name in used
        }  # one hole's values follow another's
        return {name: hole for name, hole in self.rule.holes.items() if name in used}

    def _candidates(self, hits: tuple[_Hit, ...]) -> dict[str, list[Candidate]]:
        hit = hits[0]
        options: dict[str, list[Candidate]] = {}
        values: dict[str, str] = {}
        for name, rule in self._holes(hits).items():
            found = hole_finders.Found(rule, self.facts, hit.spot, hit.bindings, self.spots, values)
            with speaking(self.language):
                options[name] = hole_finders.candidates(found)
            values[name] = options[name][0].value if options[name] else ""
        return options

    def _filled(
        self, hits: tuple[_Hit, ...], options: Mapping[str, list[Candidate]], values: Mapping[str, str]
    ) -> Fix | None:
        """The fix with values in its holes; None where an edit would be wrong whatever the values are."""
        filled = {name: value or "..." for name, value in values.items()}
        level = self.rule.applicability
        if not all(values.values()):
            level = lower(level, "has-placeholders")
        elif level == "has-placeholders" and values:
            level = "maybe-incorrect"  # every hole has a likely value by now
        if not all(hit.spot.exact for hit in hits):
            level = lower(level, "maybe-incorrect")
        changes: list[_Change] = []
        reason = ""
        for hit in hits:
            if not hit.rule.rewrite:
                continue
            change = self._change(hit, filled)
            if isinstance(change, str):
                reason = reason or change
            else:
                changes.append(change)
        edits = _merged(changes)
        if edits is None or (reason and not changes):
            edits, reason = (), reason or refuse("parts_overlap")
        if reason or level == "display-only":
            return Fix(
                self.rule.id,
                self._title(values),
                "display-only",
                self.rule.why,
                self.rule.needs,
                reason=reason,
            )
        if not edits:
            return None

        kept = tuple(hit.without_values() for hit in hits) if values else ()
        later = copy.copy(self)
        vars(later).pop("spots", None)  # the frames; what is refilled has found its code already

        def refill(new: Mapping[str, str]) -> Fix:
            checked = {name: hole_finders.check(later.rule.holes[name], text) for name, text in new.items()}
            fix = later._filled(kept, options, checked)
            if fix is None or fix.reason:
                raise hole_finders.HoleError(fix.reason if fix else refuse("no_change"))
            return fix

        run = cells_to_run(edits, self.failure.cell, self.book)
        return Fix(
            id=self.rule.id,
            title=self._title(values, options),
            applicability=level,
            why=self.rule.why,
            needs=self.rule.needs,
            edits=edits,
            run=run,
            stale=cells_left_stale(run, self.book),
            seconds=sum(map(self.book.seconds, run)),
            holes=tuple(
                Hole(name, rule.label or name, values[name], tuple(options[name]))
                for name, rule in self._holes(hits).items()
            ),
            refill=refill if values else None,
        )

    def _change(self, hit: _Hit, values: Mapping[str, str]) -> _Change | str:
        """The edits of one hit, verified; a text says why there are none."""
        source, node = hit.spot.source, hit.spot.node
        new = rewrite(hit.rule.rewrite, source, node, hit.bindings, hit.spot.names, values)
        if new is None:
            return refuse("meaning_lost")
        imports = tuple(statement for statement in new.imports if statement not in source.text.split("\n"))
        extra = [import_edit(source, statement) for statement in imports]
        why = refuse("shares_its_line")
        for edits in _ways(source, node, new.text, hit.rest):
            text = apply(source.text, [*edits, *extra])
            why = fault(source, node, new.text, text, imports, len(hit.rest))
            if not why:
                return _Change(hit.spot.cell, tuple(edits), imports)
        return why

    def _title(self, values: Mapping[str, str], options: Mapping[str, list[Candidate]] | None = None) -> str:
        known = dict(self.facts)
        for name, value in values.items():
            known[name] = value.strip("'\"")
            for one in (options or {}).get(name, ()):
                if one.value == value and one.reason:
                    known[f"{name}_reason"] = one.reason
        template = compile_text(self.rule.title)
        if all(known.get(name) for name in template.holes):
            return template.fill(known)
        return self.rule.title_plain or compile_text(self.rule.title).fill(
            {name: known.get(name) or "…" for name in template.holes}
        )


def _ways(source: Any, node: ast.AST, new: str, rest: tuple[ast.stmt, ...]) -> Iterator[list[Edit]]:
    """The edits that touch least, then the exchange of the whole node, then that in brackets."""
    if isinstance(node, ast.stmt):
        edits = statement_edits(source, node, new, rest[-1] if rest else None)
        if edits is not None:
            yield edits
        return
    start, end = source.span(node)
    yield keep_comments(source, node, expression_edits(source.text[start:end], new, start))
    yield keep_comments(source, node, [Edit(start, end, new)])
    yield keep_comments(source, node, [Edit(start, end, f"({new})")])  # an operation inside another


def _merged(changes: list[_Change]) -> tuple[CellEdit, ...] | None:
    """One new text a cell; None where two edits overlap or spoil each other."""
    by_cell: dict[Cell, list[_Change]] = {}
    for change in changes:
        by_cell.setdefault(change.cell, []).append(change)
    out: list[CellEdit] = []
    for cell, ones in by_cell.items():
        source = parse(cell.text)
        assert source is not None
        imports = dict.fromkeys(statement for one in ones for statement in one.imports)
        edits = sorted(
            {edit for one in ones for edit in one.edits} | {import_edit(source, s) for s in imports}
        )
        if any(after.start < before.end for before, after in itertools.pairwise(edits)):
            return None
        text = apply(cell.text, edits)
        if parse(text) is None:
            return None
        if text != cell.text:
            out.append(CellEdit(cell, text))
    return tuple(out)


# ---------------------------------------------------------------- conditions

_KINDS: Mapping[str, Callable[[ast.AST], bool]] = {
    "int": lambda node: isinstance(node, ast.Constant) and type(node.value) is int,
    "number": lambda node: isinstance(node, ast.Constant) and type(node.value) in (int, float),
    "str": lambda node: isinstance(node, ast.Constant) and type(node.value) is str,
    "tuple": lambda node: isinstance(node, ast.Tuple),
    "list": lambda node: isinstance(node, ast.List),
    "dict": lambda node: isinstance(node, ast.Dict),
    "name": lambda node: isinstance(node, ast.Name),
    "lambda": lambda node: isinstance(node, ast.Lambda),
    "call": lambda node: isinstance(node, ast.Call),
    "comparison": lambda node: isinstance(node, ast.Compare),
}


def _holds(condition: Mapping[str, Any], caught: Any, spot: Spot) -> bool:
    """`in`, `is`, `not`, `like`, `not_like`, `ndim`, `type`: what a variable caught must be."""
    node = caught if isinstance(caught, ast.AST) else None
    text = caught if isinstance(caught, str) else spot.source.segment(node) if node is not None else ""
    if "in" in condition and text not in condition["in"]:
        return False
    if "is" in condition and not _is_kind(condition["is"], node, spot):
        return False
    if "not" in condition and _is_kind(condition["not"], node, spot):
        return False
    if "like" in condition and (node is None or not match_node(condition["like"], node, spot.names)):
        return False
    if "not_like" in condition and node is not None and match_node(condition["not_like"], node, spot.names):
        return False
    if "type" in condition and (node is None or _type_of(spot.names.value(node)) not in condition["type"]):
        return False
    if "ndim" in condition:
        shape = shape_of(spot.names.value(node)) if node is not None else None
        return shape is not None and len(shape) == condition["ndim"]
    return True


def _type_of(value: object) -> str:
    """A value's class, a builtin's by its bare name."""
    return class_name(type(value)).removeprefix("builtins.")


def _says(node: ast.AST | None, text: str) -> bool:
    """Whether a piece of code is the very text that the message names."""
    return bool(text) and isinstance(node, ast.Constant) and node.value == text


def _is_kind(kind: str, node: ast.AST | None, spot: Spot) -> bool:
    if node is None:
        return False
    if kind == "array":
        return is_array(spot.names.value(node))
    if kind == "sparse":
        return is_sparse(spot.names.value(node))
    if kind == "integer":
        return is_integer(_value_of(node, spot))
    if kind == "complex":
        return is_complex(_value_of(node, spot))
    if kind == "square":
        *_, rows, columns = (0, 1, *(shape_of(spot.names.value(node)) or ()))
        return rows == columns
    if kind == "key":
        return is_key(spot.names.value(node))
    if kind == "numpy":
        return _type_of(spot.names.value(node)) == "numpy.ndarray"
    if kind in _ELEMENTS:
        return elements_of(spot.names.value(node)) in _ELEMENTS[kind]
    if kind == "tracer":
        return is_tracer(spot.names.value(node))
    if kind == "function":
        return is_own_function(spot.names.value(node))
    return _KINDS[kind](node)


def _value_of(node: ast.AST, spot: Spot) -> object:
    """A constant's value, a name's, or that of constants that Python adds up, such as `1 + 2j`."""
    try:
        return (
            ast.literal_eval(node)
            if isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp)
            else spot.names.value(node)
        )
    except ValueError:
        return spot.names.value(node)


def _excluded(rule: EditRule, spot: Spot, found: Bindings) -> bool:
    """Whether a guard of the rule says that this code is cured already."""
    node = spot.node
    if rule.unless and match_node(rule.unless, node, spot.names, found):
        return True
    if rule.unless_inside:
        around = list(spot.source.ancestors(spot.source.parent(node)))
        if any(match_node(rule.unless_inside, one, spot.names, found) for one in around):
            return True
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else node
    return isinstance(call, ast.Call) and any(one.arg in rule.unless_kwarg for one in call.keywords)


# Kinds of numpy arrays that JAX does not take, by the kind of their elements.
_ELEMENTS: Mapping[str, str] = {"texts": "US", "objects": "O"}
KINDS = frozenset(
    {*_KINDS, *_ELEMENTS, *"array integer complex square sparse key numpy tracer function".split()}
)
CONDITIONS = frozenset({"in", "is", "not", "like", "not_like", "contains", "lacks", "says", "ndim", "type"})

"""Rewrites: the new code of a matched node, in the user's own spelling.

The text is built by filling a template; what it must mean is built a second time as a tree. Only where both
agree is the text used, so a missing parenthesis can never slip through.
"""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from jax_nbhelp.fixes.names import MISSING, canonical, dotted, is_canonical
from jax_nbhelp.fixes.patterns import (
    HOLE,
    MANY,
    ONE,
    PatternError,
    dump,
    encode,
    is_run,
    variable,
    variable_name,
)
from jax_nbhelp.source import Source, expression_of, identifiers, module_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.fixes.names import Names
    from jax_nbhelp.fixes.patterns import Bindings, Caught

_EMPTY = "\0"  # stands for a run of nothing until its comma is gone too
_NO_LINE = "\1"  # likewise for a run of no statements, until its line is gone
# Expressions that need no parentheses anywhere.
_ATOMS = (
    ast.Name
    | ast.Attribute
    | ast.Call
    | ast.Subscript
    | ast.List
    | ast.Dict
    | ast.Set
    | ast.ListComp
    | ast.DictComp
    | ast.SetComp
    | ast.JoinedStr
    | ast.GeneratorExp
)
# Parents that bind their parts tightly.
_TIGHT = (
    ast.Attribute
    | ast.BinOp
    | ast.UnaryOp
    | ast.Compare
    | ast.BoolOp
    | ast.Await
    | ast.Starred
    | ast.IfExp
    | ast.Subscript
)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """New code.

    Attributes:
      text: its source, statements indented by 4 from column 0.
      imports: import statements that the user does not have yet.
    """

    text: str
    imports: tuple[str, ...]


def rewrite(
    template: str, source: Source, node: ast.AST, found: Bindings, names: Names, holes: Mapping[str, str]
) -> Rewritten | None:
    """Fills a rewrite.

    Args:
      template: the rule's rewrite.
      source: the cell the match stands in.
      node: the matched node; its keywords keep their order.
      found: what the match caught.
      names: what the names at that place refer to.
      holes: Python source by the hole's name.

    Returns:
      The new code, or None where its text would not mean what the rule says.

    Raises:
      PatternError: the template itself is wrong.
    """
    pattern = _template(encode(template), template)
    renamed = _fresh(pattern, source, node, found, names, holes)
    if renamed:
        pattern = _template(renamed, template)
    filler = _Filler(pattern, source, found, names, holes)
    text = filler.text()
    if not filler.complete:
        return None
    wanted = _Meaning(filler).of(pattern.tree)
    text = _keep_keyword_order(text, node)
    try:
        got = module_of(text)
    except SyntaxError:
        return None
    return Rewritten(text, tuple(filler.imports)) if _same_meaning(got, wanted) else None


def _template(encoded: str, template: str) -> Source:
    try:
        return Source(encoded, encoded)
    except SyntaxError as error:
        raise PatternError(f"is not Python ({error.msg}): {template.strip()!r}") from error


def _fresh(
    pattern: Source, source: Source, node: ast.AST, found: Bindings, names: Names, holes: Mapping[str, str]
) -> str:
    """A template whose own names are none of the user's; empty where they are none already.

    A parameter must not stand in what was caught, or it would capture it; a function or a variable nowhere in
    the cell, and at the top of a cell nowhere in the notebook, or it would take the place of the user's.
    """
    caught = [
        one for group in found.variables.values() for one in (group if isinstance(group, list) else [group])
    ]
    pieces = [one for one in caught if isinstance(one, ast.AST)]
    pieces += [expression_of(text) for text in holes.values() if text != "..."]
    inside = identifiers(node for piece in pieces for node in ast.walk(piece))
    around = source.identifiers
    top = source.function(node) is None
    text = pattern.text
    for name, is_parameter in _introduced(pattern.tree).items():
        taken = inside if is_parameter else around
        if name in taken or (top and not is_parameter and names.get(name) is not MISSING):
            number = next(n for n in itertools.count(2) if f"{name}_{n}" not in around | inside)
            text = re.sub(rf"\b{name}\b", f"{name}_{number}", text)
    return text if text != pattern.text else ""


def _introduced(tree: ast.AST) -> dict[str, bool]:
    """The names that a template binds by itself, and whether they are only parameters."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        name = ""
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.FunctionDef):
            name = node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        if name and variable_name(name) is None:
            found[name] = found.get(name, True) and isinstance(node, ast.arg)
    return found


class _Filler:
    """Fills the variables, holes and canonical names of one template."""

    def __init__(
        self, pattern: Source, source: Source, found: Bindings, names: Names, holes: Mapping[str, str]
    ) -> None:
        self.pattern, self.source, self.found, self.names, self.holes = pattern, source, found, names, holes
        self.imports: dict[str, None] = {}
        self.complete = True

    def text(self) -> str:
        changes: list[tuple[int, int, str]] = []
        for node in ast.walk(self.pattern.tree):
            changes += self._change(node)
        out = self.pattern.text
        for start, end, text in sorted(changes, reverse=True):
            out = out[:start] + text + out[end:]
        out = re.sub(rf"\n *{_NO_LINE}|^{_NO_LINE}\n", "", out)
        return re.sub(rf",\s*{_EMPTY}|{_EMPTY}\s*,\s*|{_EMPTY}", "", out)

    def _change(self, node: ast.AST) -> list[tuple[int, int, str]]:
        parent = self.pattern.parent(node)
        if isinstance(node, ast.Name | ast.Attribute):
            name = dotted(node)
            if name and is_canonical(name):
                whole = not isinstance(parent, ast.Attribute)
                return [(*self.pattern.span(node), self.spelling(name))] if whole else []
            if isinstance(node, ast.Name):
                var = variable_name(node.id)
                return [(*self._place(node), self._piece(node, *var))] if var else []
            var = variable_name(node.attr)
            if var:
                end = self.pattern.span(node)[1]
                return [(end - len(node.attr), end, self._identifier(var[1]))]
        for attribute in ("name", "arg", "asname"):  # def $F, $K=..., lambda $A: ..., import x as $N
            identifier = getattr(node, attribute, None)
            var = variable_name(identifier) if isinstance(identifier, str) else None
            if var and var[0] == MANY and isinstance(node, ast.arg | ast.alias):
                return [(*self.pattern.span(node), self._run(node, self._several(var[1])))]
            if var and isinstance(node, ast.stmt | ast.keyword | ast.arg | ast.alias):
                start = self.pattern.text.index(str(identifier), self.pattern.span(node)[0])
                return [(start, start + len(str(identifier)), self._identifier(var[1]))]
        return []

    def _place(self, node: ast.Name) -> tuple[int, int]:
        """What a variable's text takes the place of: its name, in `**$$$KEYWORDS` the stars too."""
        parent = self.pattern.parent(node)
        return self.pattern.span(parent if isinstance(parent, ast.keyword) and variable(parent) else node)

    def spelling(self, name: str) -> str:
        """The user's way to write a canonical name: the node the match saw, or a binding, or an import."""
        if name in self.found.spelled:
            return self.source.segment(self.found.spelled[name])
        base, _, last = name.rpartition(".")
        var = variable_name(last)
        if var:
            text = self.holes[var[1]] if var[0] == HOLE else self._identifier(var[1])
            name = f"{base}.{text}"
            self.complete = (
                self.complete and canonical(name) is not MISSING
            )  # e.g. jax.numpy has no busday_count
        spelled, needed = self.names.spell(name)
        if needed:
            self.imports[needed] = None
        return spelled

    def _identifier(self, name: str) -> str:
        caught = self.found.variables[name]
        if isinstance(caught, ast.Name):
            return caught.id
        if isinstance(caught, ast.alias):
            return self.source.segment(caught)
        assert isinstance(caught, str)
        return caught

    def _piece(self, node: ast.Name, kind: str, name: str) -> str:
        if kind == HOLE:
            return self._parenthesised(node, _parsed(self.holes[name]), self.holes[name])
        caught = self.found.variables[name]
        if kind == MANY:
            return self._run(node, self._several(name))
        assert not isinstance(caught, list)
        if isinstance(caught, str):
            return caught
        return self._parenthesised(node, caught, self._segment(node, caught))

    def _several(self, name: str) -> list[ast.AST]:
        caught = self.found.variables[name]
        assert isinstance(caught, list)
        return caught

    def _run(self, node: ast.Name | ast.arg | ast.alias, caught: list[ast.AST]) -> str:
        if not caught:
            statement = self.pattern.parent(node)
            if not isinstance(statement, ast.Expr):
                return _EMPTY
            return _NO_LINE if _has_others(self.pattern.parent(statement), statement) else "pass"
        if self.source.parent(caught[0]) is None:  # an edit of the same rule caught them in another cell
            return ", ".join(map(ast.unparse, caught))
        if isinstance(caught[0], ast.stmt):
            start = self.source.span(caught[0])[0]
            end = self.source.span(caught[-1])[1]
            return self._reindented(node, start, end)
        ordered = sorted(caught, key=self.source.span)
        return ", ".join(self.source.segment(one) for one in ordered)

    def _segment(self, node: ast.Name, caught: ast.AST) -> str:
        if self.source.parent(caught) is None:  # an edit of the same rule caught it in another cell
            return ast.unparse(caught)
        start, end = self.source.span(caught)
        if isinstance(caught, ast.stmt):
            return self._reindented(node, start, end)
        return self.source.text[start:end]

    def _reindented(self, node: ast.Name | ast.arg | ast.alias, start: int, end: int) -> str:
        """The user's statements at the template's indentation, with the lines' own comments."""
        text = self.source.text
        before = text[text.rfind("\n", 0, start) + 1 : start]
        block = textwrap.dedent((before if not before.strip() else " " * len(before)) + text[start:end])
        return block.replace("\n", "\n" + " " * node.col_offset)

    def _parenthesised(self, place: ast.Name, value: ast.AST, text: str) -> str:
        parent = self.pattern.parent(place)
        if not isinstance(value, ast.expr) or isinstance(value, _ATOMS):
            return text
        bare_tuple = isinstance(value, ast.Tuple) and not text.startswith("(")
        in_slice = isinstance(parent, ast.Subscript) and parent.slice is place
        number = isinstance(value, ast.Constant) and not isinstance(parent, ast.Attribute)
        tight = isinstance(parent, _TIGHT) and not in_slice and not number
        called = isinstance(parent, ast.Call) and parent.func is place
        whole_tuple = isinstance(value, ast.Tuple) and not bare_tuple
        if (tight or called) and not whole_tuple:
            return f"({text})"
        loose = bare_tuple and not in_slice
        awkward = isinstance(value, ast.NamedExpr | ast.Yield | ast.YieldFrom)
        spread = "\n" in text and not whole_tuple and not isinstance(value, ast.Constant)
        return f"({text})" if loose or awkward or spread else text


def _has_others(owner: ast.AST | None, statement: ast.stmt) -> bool:
    """Whether a block of a template has a statement that stays, whatever its runs caught."""
    for _, value in ast.iter_fields(owner or ast.Module([], [])):
        block = cast("list[object]", value) if isinstance(value, list) else []
        if any(one is statement for one in block):
            return not all(map(is_run, block))
    return False


class _Meaning(ast.NodeTransformer):
    """Builds the tree that a filled template must have, in the template's own tree.

    What was caught is put in as it is. It is not copied: `copy.deepcopy` would follow the `parent` that the
    package executing, which IPython's tracebacks use, sets on the one `ast.Load()` that all trees share.
    """

    def __init__(self, filler: _Filler) -> None:
        self.filler = filler

    def of(self, tree: ast.Module) -> ast.Module:
        """Returns the module of a template with everything put in."""
        return self.visit(tree)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, self._sequence(value))  # pyright: ignore[reportUnknownArgumentType]
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
            elif isinstance(value, str):
                var = variable_name(value)
                if var and var[0] == ONE:
                    caught = self.filler.found.variables[var[1]]
                    setattr(node, name, caught.id if isinstance(caught, ast.Name) else caught)
        if isinstance(node, ast.Call):  # `$$$REST` caught keywords too
            keywords = [one for one in node.args if isinstance(one, ast.keyword)]
            node.args = [one for one in node.args if not isinstance(one, ast.keyword)]
            node.keywords += keywords
        return node

    def _sequence(self, values: list[object]) -> list[object]:
        out: list[object] = []
        for value in values:
            var = variable(value)
            if var and var[0] == MANY:
                caught = self.filler.found.variables[var[1]]
                assert isinstance(caught, list)
                alone = isinstance(value, ast.Expr) and all(is_run(one) for one in values)
                out += caught or ([ast.Pass()] if alone else [])
            elif isinstance(value, ast.AST):
                out.append(self.visit(value))
            else:
                out.append(value)
        return out

    def visit_alias(self, node: ast.alias) -> ast.AST:
        """An imported name, with its `as`."""
        var = variable(node)
        caught = self.filler.found.variables.get(var[1]) if var and var[0] == ONE else None
        return caught if isinstance(caught, ast.alias) else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A variable that stands alone on a line may have caught a statement."""
        var = variable(node)
        caught = self.filler.found.variables.get(var[1]) if var and var[0] == ONE else None
        return caught if isinstance(caught, ast.stmt) else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable, a hole, or a canonical name of one part."""
        var = variable_name(node.id)
        if var and var[0] == HOLE:
            return _parsed(self.filler.holes[var[1]])
        if var and var[0] == ONE:
            return _node(self.filler.found.variables[var[1]])
        return _parsed(self.filler.spelling(node.id)) if is_canonical(node.id) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A canonical dotted name becomes the user's spelling."""
        name = dotted(node)
        return (
            _parsed(self.filler.spelling(name)) if name and is_canonical(name) else self.generic_visit(node)
        )


def _node(caught: Caught) -> ast.AST:
    assert not isinstance(caught, list)
    return ast.Name(caught) if isinstance(caught, str) else caught


def _parsed(text: str) -> ast.expr:
    return expression_of(text)


def _keep_keyword_order(text: str, node: ast.AST) -> str:
    """Puts the keywords of a rewritten call into the order in which the user wrote them."""
    if not isinstance(node, ast.Call):
        return text
    try:
        new = Source(text, text)
    except SyntaxError:
        return text
    statement = new.tree.body[0]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return text
    order = {keyword.arg: number for number, keyword in enumerate(node.keywords)}
    spans = [new.span(keyword) for keyword in call.keywords]
    ranked = sorted(
        range(len(spans)), key=lambda number: (order.get(call.keywords[number].arg, len(order)), number)
    )
    for (start, end), source in reversed(list(zip(spans, ranked, strict=True))):
        text = text[:start] + new.segment(call.keywords[source]) + text[end:]
    return text


def _same_meaning(one: ast.Module, other: ast.Module) -> bool:
    """Whether two modules are equal but for the order of keywords."""
    return dump(one, any_order=True) == dump(other, any_order=True)

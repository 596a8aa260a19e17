"""Holes: where the values come from that a rewrite needs and no record can know.

A record names a finder of the fixed list here; it is never an expression to evaluate. A finder looks at the
message, at the code, and at live objects of exactly known types, and runs nothing of the user's.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.catalog.template import compile_text
from jax_nbhelp.fixes.fix import Candidate, HoleError
from jax_nbhelp.fixes.names import MISSING, canonical
from jax_nbhelp.operands import is_array, is_key
from jax_nbhelp.phrases import sayer
from jax_nbhelp.source import FUNCTIONS, expression_of

if TYPE_CHECKING:
    from jax_nbhelp.catalog.record import HoleRule
    from jax_nbhelp.fixes.patterns import Bindings
    from jax_nbhelp.fixes.spots import Spot, Spots

say = sayer("reason")
refuse = sayer("refusal")

_ATOMS = ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant
_MOST = 6  # candidates offered for one hole


@dataclass(slots=True)
class Found:
    """What a finder may look at.

    Attributes:
      rule: the hole.
      captures: what the message's holes caught, and what the explanation found.
      spot: the matched node.
      bindings: what the pattern caught.
      spots: the pieces of code around the failure.
      values: the values of the holes before this one.
    """

    rule: HoleRule
    captures: Mapping[str, str]
    spot: Spot
    bindings: Bindings
    spots: Spots
    values: Mapping[str, str] = field(default_factory=dict[str, str])

    def option(self, name: str, default: Any = "") -> Any:
        """Returns one of the finder's keys in the record."""
        return self.rule.options.get(name, default)

    def caught(self, key: str) -> ast.AST | None:
        """Returns the node that the variable named by an option caught."""
        node = self.bindings.variables.get(self.option(key))
        return node if isinstance(node, ast.AST) else None

    def text(self, node: ast.AST) -> str:
        """Returns the user's source of a node, on one line."""
        return " ".join(self.spot.source.segment(node).split())

    def tight(self, node: ast.AST) -> str:
        """Returns it as it may stand beside an operator: in brackets where it is an operation itself."""
        text = self.text(node)
        return text if isinstance(node, _ATOMS) else f"({text})"

    def spell(self, name: str) -> str:
        """Returns the user's spelling of a canonical name."""
        return self.spot.names.spell(name)[0]

    def function(self) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, list[str]] | None:
        """Returns the function that `of` caught or a matched decorator stands on, and its parameters."""
        node = self.caught("of") or self.spot.node
        parent = self.spot.source.parent(node)
        if isinstance(node, FUNCTIONS):
            target = node
        elif isinstance(parent, FUNCTIONS):  # a decorator
            target = parent
        else:
            nodes = (spot.node for spot in self.spots.at("definition", node, self.spot))
            target = next((one for one in nodes if isinstance(one, FUNCTIONS)), None)
        if target is None:
            return None
        return target, [
            arg.arg for arg in (*target.args.posonlyargs, *target.args.args, *target.args.kwonlyargs)
        ]


Finder = Callable[[Found], list[Candidate]]


def candidates(found: Found) -> list[Candidate]:
    """Returns the values a hole may take, the best first, each once."""
    unique: dict[str, Candidate] = {}
    for one in _finder(found.rule.source)(found):
        if not found.spots.tells_values and found.rule.source in _OF_OBJECTS:
            if found.rule.source in _OF_CONTENTS:
                continue
            one = replace(one, reason="")  # noqa: PLW2901
        if _fits(found.rule, one.value):  # what a message says may be anything
            unique.setdefault(one.value, one)
    return list(unique.values())[:_MOST]


def _fits(rule: HoleRule, text: str) -> bool:
    try:
        check(rule, text)
    except HoleError:
        return False
    return True


def check(rule: HoleRule, text: str) -> str:
    """Returns a value for a hole as it will stand in the code.

    Raises:
      HoleError: it is not what the hole takes.
    """
    text = text.strip()
    if not text:
        raise HoleError(refuse("value_needed"))
    try:
        expression_of(f"[{text}\n]")  # in two kinds of brackets: `1) + (1` would close one
        node = expression_of(text)
    except SyntaxError as error:
        raise HoleError(refuse("not_an_expression", text=repr(text), fault=error.msg)) from None
    except (ValueError, RecursionError, MemoryError):  # a null character, or nested too deeply
        raise HoleError(refuse("no_expression")) from None
    constant = node.value if isinstance(node, ast.Constant) else None
    if rule.type == "name" and (not text.isidentifier() or keyword.iskeyword(text)):
        raise HoleError(refuse("not_a_name", text=repr(text)))
    if rule.type == "int":
        number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
        if not (isinstance(number, ast.Constant) and type(number.value) is int):
            raise HoleError(refuse("not_whole", text=repr(text)))
    if rule.type == "str" and not isinstance(constant, str):
        raise HoleError(refuse("not_in_quotes", text=repr(text)))
    return text


# ---------------------------------------------------------------- from the record and the message


def _literal(found: Found) -> list[Candidate]:
    """`values`: fixed texts, each plain or with a `reason`."""
    out: list[Candidate] = []
    for one in found.option("values", []):
        if isinstance(one, dict):
            entry = cast("dict[str, str]", one)
            out.append(Candidate(str(entry["value"]), str(entry.get("reason", ""))))
        else:
            out.append(Candidate(str(one)))
    return out


def _message(found: Found) -> list[Candidate]:
    """`group`: what a hole of the message caught; or `text`: a text filled with what several caught."""
    text = found.captures.get(found.option("group"), "")
    if found.option("text"):
        template = compile_text(found.option("text"))
        known = all(name in found.captures for name in template.holes)
        text = template.fill(found.captures) if known else ""
    if not text:
        return []
    return [Candidate(repr(text) if found.rule.type == "str" else text, say("named"))]


def _listed(found: Found) -> list[Candidate]:
    """`group`: the names of a list in the message, `('rows', 'columns')`; most like `wrong` come first."""
    wrong = found.captures.get(found.option("wrong"), "")
    names = re.findall(r"[\w.-]+", found.captures.get(found.option("group"), ""))
    names.sort(key=lambda name: -difflib.SequenceMatcher(None, name, wrong).ratio())
    return [Candidate(repr(name) if found.rule.type == "str" else name) for name in names if name != wrong]


# ---------------------------------------------------------------- the live namespace


def _namespace(found: Found) -> list[Candidate]:
    """`isinstance`: names of live objects of exactly that class; `prefer_axis` names the wanted mesh axis.

    With `only = true`, only meshes that have that axis.
    """
    cls = canonical(found.option("isinstance"))
    axis = found.captures.get(found.option("prefer_axis"), "")
    hits: list[tuple[bool, Candidate]] = []
    for scope in found.spot.names.scopes:
        for name, value in list(scope.items()):
            if not name.startswith("_") and type(value) is cls and cls is not MISSING:
                has = bool(axis) and axis in getattr(value, "axis_names", ())
                if found.option("only") and not has:
                    continue
                reason = say("has_axis", axis=repr(axis)) if has else ""
                hits.append((not has, Candidate(name, reason)))
    return [candidate for _, candidate in sorted(hits, key=lambda hit: hit[0])]


def _array_names(found: Found) -> list[Candidate]:
    """Names of live arrays."""
    return [
        Candidate(name)
        for scope in found.spot.names.scopes
        for name, value in list(scope.items())
        if not name.startswith("_") and is_array(value)
    ]


def _keys(found: Found) -> list[Candidate]:
    """Names of live PRNG keys, then a new key from a seed."""
    live = [
        Candidate(name, say("your_key"))
        for scope in found.spot.names.scopes
        for name, value in list(scope.items())
        if not name.startswith("_") and is_key(value)
    ]
    return [*live, Candidate(f"{found.spell('jax.random.key')}(0)", say("new_key"))]


# Finders that look at live objects: why a value is likely is told by what the objects are. Those in the
# second set also write what the objects hold into the code: lengths, names of mesh axes.
_OF_OBJECTS = frozenset(
    """array_size fewer_devices fitting joining_axes keys mapped_axes mask mask_place mesh_axes namespace
    pair_axes padded shorter specs""".split()
)
_OF_CONTENTS = frozenset({"array_size", "mesh_axes", "padded", "shorter", "specs"})

_HERE: Mapping[str, Finder] = {
    "array_names": _array_names,
    "keys": _keys,
    "listed": _listed,
    "literal": _literal,
    "message": _message,
    "namespace": _namespace,
}
# The modules of the others' functions, imported when a record asks: a help needs few of them.
_ELSEWHERE: Mapping[str, str] = {
    "alike": "parameters",
    "alike_attribute": "similar",
    "alike_name": "similar",
    "array_size": "types",
    "array_test": "loops",
    "as_arrays": "similar",
    "as_table": "similar",
    "axis_at": "mapping",
    "axis_types": "shardings",
    "blocks": "blocks",
    "bracketed": "operators",
    "branch_value": "types",
    "carried": "loops",
    "carry_start": "types",
    "common_keys": "parameters",
    "config_option": "parameters",
    "debug_print": "printing",
    "decimal": "types",
    "derivative": "derivatives",
    "elsewhere": "similar",
    "fewer_devices": "shardings",
    "fitting": "sizes",
    "fitting_specs": "shardings",
    "grids": "blocks",
    "hashable": "parameters",
    "index_maps": "blocks",
    "joining_axes": "sizes",
    "known_keywords": "similar",
    "mapped_axes": "mapping",
    "mask": "sizes",
    "mask_place": "sizes",
    "mesh_axes": "shardings",
    "mesh_shapes": "shardings",
    "method": "similar",
    "padded": "shardings",
    "pair_axes": "mapping",
    "parameter": "parameters",
    "positional": "parameters",
    "print_values": "printing",
    "product": "types",
    "receiver": "similar",
    "reshape": "sizes",
    "shorter": "mapping",
    "shorter_specs": "shardings",
    "single_specs": "shardings",
    "specs": "shardings",
    "specs_for_each": "shardings",
    "static_arguments": "parameters",
    "text_keys": "parameters",
    "where_told": "similar",
}
FINDERS = frozenset({*_HERE, *_ELSEWHERE})
"""The names of all finders."""


def _finder(name: str) -> Finder:
    if name in _HERE:
        return _HERE[name]
    return getattr(importlib.import_module(f"jax_nbhelp.fixes.{_ELSEWHERE[name]}"), name)

"""Holes: where the values come from that a rewrite needs and no record can know.

A record names a finder of the fixed list here; it is never an expression to evaluate. A finder looks at the
message, at the code, and at live objects of exactly known types, and runs nothing of the user's.
"""

from __future__ import annotations

import ast
import difflib
import functools
import keyword
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.catalog.template import compile_text
from jax_nbhelp.fixes import blocks, derivatives, mapping, printing, shardings, similar, types
from jax_nbhelp.fixes.broadcast import forms, shapes_in
from jax_nbhelp.fixes.fix import Candidate, HoleError
from jax_nbhelp.fixes.names import MISSING, canonical, dotted
from jax_nbhelp.operands import is_array, is_integer, is_key, shape_of
from jax_nbhelp.source import FUNCTIONS, expression_of

if TYPE_CHECKING:
    from jax_nbhelp.catalog.record import HoleRule
    from jax_nbhelp.fixes.patterns import Bindings
    from jax_nbhelp.fixes.spots import Spot, Spots

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
    for one in FINDERS[found.rule.source](found):
        unique.setdefault(one.value, one)
    return list(unique.values())[:_MOST]


def check(rule: HoleRule, text: str) -> str:
    """Returns a value for a hole as it will stand in the code.

    Raises:
      HoleError: it is not what the hole takes.
    """
    text = text.strip()
    if not text:
        raise HoleError("a value is needed here")
    try:
        expression_of(f"[{text}\n]")  # in two kinds of brackets: `1) + (1` would close one
        node = expression_of(text)
    except SyntaxError as error:
        raise HoleError(f"{text!r} is not a Python expression ({error.msg})") from None
    constant = node.value if isinstance(node, ast.Constant) else None
    if rule.type == "name" and (not text.isidentifier() or keyword.iskeyword(text)):
        raise HoleError(f"{text!r} is not a name")
    if rule.type == "int":
        number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
        if not (isinstance(number, ast.Constant) and type(number.value) is int):
            raise HoleError(f"{text!r} is not a whole number")
    if rule.type == "str" and not isinstance(constant, str):
        raise HoleError(f"write a text in quotes, e.g. {text!r}")
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
    return [Candidate(repr(text) if found.rule.type == "str" else text, "named in the error")]


def _listed(found: Found) -> list[Candidate]:
    """`group`: the names of a list in the message, `('rows', 'columns')`; most like `wrong` come first."""
    wrong = found.captures.get(found.option("wrong"), "")
    names = re.findall(r"[\w.-]+", found.captures.get(found.option("group"), ""))
    names.sort(key=lambda name: -difflib.SequenceMatcher(None, name, wrong).ratio())
    return [Candidate(repr(name) if found.rule.type == "str" else name) for name in names if name != wrong]


# ---------------------------------------------------------------- functions and their parameters


def _parameter(found: Found) -> list[Candidate]:
    """A parameter of the function `of`; those that `group` of the message names come first.

    With `used_in = "condition"`, those that an `if`, a `while`, a `range` or a slice looks at come first;
    with `only`, no others are offered; with `bare`, only one that itself is what failed, or `not` of it; with
    `whole`, only one that the group names alone, not a part of it such as `cfg['lr']`; with `integers`, only
    one that is a whole number. A hole of type `int` takes the parameter's position.
    """
    function = found.function()
    text = found.captures.get(found.option("group"), "")
    if function is None:
        return _message(found) if text.isidentifier() and found.rule.type != "int" else []
    node, parameters = function
    named = set(re.findall(r"[A-Za-z_]\w*", text)) - {"and"}  # "x, y, and n"
    if found.option("whole") and text not in parameters:
        named = set[str]()
    if found.option("integers"):
        named = {name for name in named if is_integer(found.spots.value_of(name))}
    first = sorted(
        (name for name in parameters if name in named), key=lambda name: name not in _steering(node)
    )
    first += [name for name in parameters if found.option("used_in") and name in _steering(node)]
    rest = [name for name in parameters if name not in ("self", "cls")]
    if found.option("only"):
        rest = []
    if found.option("bare"):
        failing = found.spots.failing.node if found.spots.failing else None
        failing = failing.operand if isinstance(failing, ast.UnaryOp) else failing
        first = [name for name in first if isinstance(failing, ast.Name) and name == failing.id]
    out: list[Candidate] = []
    for name in dict.fromkeys([*first, *rest]):
        reason = (
            "named in the error" if name in named else "decides a branch or a length" if name in first else ""
        )
        if found.rule.type == "int":
            out.append(Candidate(str(parameters.index(name)), f"the position of `{name}`"))
        else:
            out.append(Candidate(repr(name) if found.rule.type == "str" else name, reason))
    return out


def _positional(found: Found) -> list[Candidate]:
    """The matched call with every argument given by position, in the order of the function's parameters.

    `of` names the variable that caught the function.
    """
    function, call = found.function(), found.spot.node
    if function is None or not isinstance(call, ast.Call):
        return []
    node, parameters = function
    source = found.spot.source
    given = {
        parameters[number]: source.segment(one) for number, one in enumerate(call.args[: len(parameters)])
    }
    given |= {one.arg: source.segment(one.value) for one in call.keywords if one.arg}
    if len(given) != len(call.args) + len(call.keywords) or node.args.kwonlyargs:
        return []
    ordered = [given[name] for name in parameters if name in given]
    if list(given) and set(parameters[: len(ordered)]) != set(given):
        return []  # one in the middle is left out
    return [Candidate(f"{source.segment(call.func)}({', '.join(ordered)})")]


def _steering(function: ast.AST) -> set[str]:
    """Names that a branch, a loop's length or a shape depends on."""
    names: set[str] = set()
    for node in ast.walk(function):
        parts: list[ast.AST] = []
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            parts = [node.test]
        elif isinstance(node, ast.Call) and dotted(node.func) == "range":
            parts = list(node.args)
        elif isinstance(node, ast.Call) and dotted(node.func).endswith("fori_loop"):
            parts = list(node.args[:2])
        elif isinstance(node, ast.Slice):
            parts = [one for one in (node.lower, node.upper, node.step) if one is not None]
        for part in parts:
            names |= {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
    return names


def _static_arguments(found: Found) -> list[Candidate]:
    """What `now` caught, with positions or names that the function `of` has not exchanged for some it has.

    The likeliest first: the position before (counted from 1), the name most alike, what decides a branch.
    """
    node, function = found.caught("now"), found.function()
    if function is None or not isinstance(node, ast.expr):
        return []
    try:
        value: Any = ast.literal_eval(node)
    except ValueError:
        return []
    definition, parameters = function
    entries = list(cast("list[Any]", value)) if isinstance(value, list | tuple) else [value]
    wrong = [number for number, one in enumerate(entries) if _parameter_of(one, parameters) is None]
    steering = [name for name in parameters if name in _steering(definition)]
    out: list[Candidate] = []
    for number in wrong[:1]:
        taken = {_parameter_of(one, parameters) for one in entries}
        for name in dict.fromkeys([*_alike(entries[number], parameters), *steering, *reversed(parameters)]):
            if name not in taken:
                new: object = parameters.index(name) if type(entries[number]) is int else name
                kept: list[object] = [one for at, one in enumerate(entries) if at not in wrong]
                changed = [*kept[:number], new, *kept[number:]]
                whole = changed if isinstance(value, list) else tuple(changed) if len(entries) > 1 else new
                owner = getattr(definition, "name", "the lambda")
                out.append(Candidate(repr(whole), f"`{name}` of `{owner}`"))
    return out


def _parameter_of(entry: object, parameters: list[str]) -> str | None:
    """The parameter that a position or a name stands for."""
    if type(entry) is int and -len(parameters) <= entry < len(parameters):
        return parameters[entry]
    return entry if isinstance(entry, str) and entry in parameters else None


def _alike(entry: object, parameters: list[str]) -> list[str]:
    if type(entry) is int:
        return parameters[entry - 1 : entry] if entry > 0 else []
    return difflib.get_close_matches(str(entry), parameters, n=2, cutoff=0.5)


def _alike_texts(found: Found) -> list[Candidate]:
    """The texts of `among` that are most like what `group` of the message caught."""
    text = found.captures.get(found.option("group"), "")
    known = cast("list[str]", found.option("among", []))
    hits = difflib.get_close_matches(text, known, n=3, cutoff=0.5)
    return [Candidate(repr(hit), f"is most like {text!r}") for hit in hits]


def _common_keys(found: Found) -> list[Candidate]:
    """The live dict `of` with only the keys of the dict `other`, where it has them all and more."""
    node, other = found.caught("of"), found.caught("other")
    values = [found.spot.names.value(one) for one in (node, other) if one is not None]
    if len(values) != 2 or any(type(one) is not dict for one in values):
        return []
    keys = [[key for key in cast("dict[object, object]", one) if type(key) is str] for one in values]
    if not set(keys[0]) > set(keys[1]) or not all(map(len, keys)):
        return []
    text, names = (found.spot.source.segment(one) for one in (node, other) if one is not None)
    return [Candidate(f"{{key: {text}[key] for key in {names}}}", "without the other entries")]


def _text_keys(found: Found) -> list[Candidate]:
    """The matched dict with texts for keys, where some of its keys are texts and others are numbers."""
    node = found.spot.node
    keys = [one.value for one in getattr(node, "keys", ()) if isinstance(one, ast.Constant)]
    if not isinstance(node, ast.Dict) or len(keys) != len(node.keys) or len(set(map(type, keys))) < 2:
        return []
    parts = [
        f"{str(key)!r}: {found.spot.source.segment(one)}" for key, one in zip(keys, node.values, strict=True)
    ]
    return [Candidate(f"{{{', '.join(parts)}}}", "all keys are texts")]


def _hashable(found: Found) -> list[Candidate]:
    """The matched list as a tuple, lists in it too; only one that the group `value` of the message shows."""
    node = found.spot.node
    try:
        value: object = ast.literal_eval(cast("ast.expr", node))
    except (ValueError, TypeError):
        value = None
    shown = found.captures.get(found.option("value", "value"), "")
    if value is not None and repr(value) != shown:  # another list of the same statement
        return []
    return [Candidate(_as_tuple(found, node))]


def _as_tuple(found: Found, node: ast.AST) -> str:
    if isinstance(node, ast.List | ast.Tuple):
        parts = [_as_tuple(found, one) for one in node.elts]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return " ".join(found.spot.source.segment(node).split())


def _carried(found: Found) -> list[Candidate]:
    """The variables that the matched `if`, `for` or `while` changes and that were there before, as a tuple.

    Nothing where a part of it leaves early, for then it is no plain step.
    """
    node = found.spot.node
    if not isinstance(node, ast.If | ast.For | ast.While):
        return []
    parts = [one for part in (*node.body, *node.orelse) for one in _own_nodes(part)]
    if any(isinstance(one, ast.Return | ast.Break | ast.Continue | ast.Yield) for one in parts):
        return []
    changed = dict.fromkeys(
        one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )
    before = found.spot.names.scopes[0]
    names = [name for name in changed if name in before and _is_there_before(found, node, name)]
    if not names:
        return []
    text = names[0] if len(names) == 1 else f"({', '.join(names)})"
    return [Candidate(text, "what it changes")]


def _is_there_before(found: Found, node: ast.If | ast.For | ast.While, name: str) -> bool:
    """Whether a variable has a value before a loop: it is bound above, or read in it before it is bound.

    A loop that stopped in its second round has bound all its variables by then.
    """
    source, (start, _) = found.spot.source, found.spot.source.span(node)
    owner = source.function(node) or source.tree
    for one in ast.walk(owner):
        if isinstance(one, ast.arg) and one.arg == name:
            return True
        bound = isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
        if bound and source.span(one)[0] < start:
            return True
    first = next((one for one in _in_order(node) if isinstance(one, ast.Name) and one.id == name), None)
    return isinstance(getattr(first, "ctx", None), ast.Load)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a piece of code as Python comes to them: a value before what it is assigned to."""
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
        children.sort(key=lambda one: isinstance(getattr(one, "ctx", None), ast.Store))
    if isinstance(node, ast.For):
        children.sort(key=lambda one: one in node.body)
    for child in children:
        yield child
        yield from _in_order(child)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what stands in it, but not the insides of functions and comprehensions."""
    yield node
    if not isinstance(node, (*FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def _array_test(found: Found) -> list[Candidate]:
    """The test that `of` caught, or the matched one, with `&`, `|` and `~` for `and`, `or` and `not`."""
    node = found.caught("of") or found.spot.node
    return [Candidate(_as_array_test(found, node))] if isinstance(node, ast.expr) else []


def _as_array_test(found: Found, node: ast.expr) -> str:
    source = found.spot.source
    if isinstance(node, ast.BoolOp):
        both = isinstance(node.op, ast.And)
        parts = [_as_array_test(found, one) for one in node.values]
        if all(_is_test(one) for one in node.values):
            return (" & " if both else " | ").join(f"({part})" for part in parts)
        name = found.spell("jax.numpy.logical_and" if both else "jax.numpy.logical_or")
        return functools.reduce(lambda one, other: f"{name}({one}, {other})", parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        part = _as_array_test(found, node.operand)
        return f"~({part})" if _is_test(node.operand) else f"{found.spell('jax.numpy.logical_not')}({part})"
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        return " & ".join(
            "(" + ast.unparse(ast.Compare(left, [op], [right])) + ")"
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        )
    return " ".join(source.segment(node).split())


def _is_test(node: ast.expr) -> bool:
    """Whether an expression gives truth values, on which `&` and `and` agree."""
    if isinstance(node, ast.BoolOp):
        return all(map(_is_test, node.values))
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare) or negated


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
                reason = f"has the axis {axis!r}" if has else ""
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
        Candidate(name, "a random key you have")
        for scope in found.spot.names.scopes
        for name, value in list(scope.items())
        if not name.startswith("_") and is_key(value)
    ]
    return [*live, Candidate(f"{found.spell('jax.random.key')}(0)", "a new key from the seed 0")]


# ---------------------------------------------------------------- shapes


def _shape(found: Found, node: ast.AST | None) -> tuple[int, ...] | None:
    """The shape of what an expression names, where it can be read without running anything."""
    if node is None:
        return None
    value = found.spot.names.value(node)
    return shape_of(value) if value is not MISSING else None


def _fitting(found: Found) -> list[Candidate]:
    """Forms of the operand `of` that broadcast with the operand `other`.

    The group `shapes` of the message names the shapes of all operands; `at` is the place of `of` among them.
    """
    node, other = found.caught("of"), found.caught("other")
    shapes = shapes_in(found.captures.get(found.option("shapes", "shapes"), "")) or [
        *shapes_in(found.captures.get("have", "")),
        *shapes_in(found.captures.get("want", "")),
    ]
    at = int(found.option("at", 0))
    if len(shapes) != 2 or not isinstance(node, ast.expr):
        return []
    own = _shape(found, node)
    if own is not None and own != shapes[at]:  # the words are about other values than these
        return []
    text = " ".join(found.spot.source.segment(node).split())
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    partner = " ".join(found.spot.source.segment(other).split()) if isinstance(other, ast.expr) else ""
    return forms(
        text if plain else f"({text})", shapes[at], shapes[1 - at], partner if len(partner) < 24 else ""
    )


def _mask(found: Found) -> list[Candidate]:
    """The mask `mask` as it stands beside the array `of`: with a last axis of length one for rows.

    The group `type` of the message names the mask's type.
    """
    node, array = found.caught("mask"), found.caught("of")
    shapes, shape = shapes_in(found.captures.get(found.option("type", "type"), "")), _shape(found, array)
    if not isinstance(node, ast.expr) or len(shapes) != 1:
        return []
    text = " ".join(found.spot.source.segment(node).split())
    extra = len(shape) - len(shapes[0]) if shape is not None else 0
    if extra <= 0:
        return [Candidate(text)]
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return [
        Candidate((text if plain else f"({text})") + "[:" + ", None" * extra + "]", "one value for each row")
    ]


def _reshape(found: Found) -> list[Candidate]:
    """Shapes of the right size: `size`, `shape` and, for the present one, `old` are groups of the message."""
    try:
        size = int(found.captures[found.option("size", "size")])
        wanted = [int(n) for n in re.findall(r"-?\d+", found.captures[found.option("shape", "shape")])]
    except (KeyError, ValueError):
        return []
    out: list[Candidate] = []
    whole = math.prod(wanted)
    if whole > 0 and size % whole == 0:  # what was meant for one element of a batch
        out.append(_shape_of([-1, *wanted], f"a new first axis gets length {size // whole}"))
    for free in range(len(wanted)):
        others = math.prod(n for number, n in enumerate(wanted) if number != free)
        if others > 0 and size % others == 0:
            new = [-1 if number == free else n for number, n in enumerate(wanted)]
            out.append(_shape_of(new, f"axis {free} gets length {size // others}"))
    old = [int(n) for n in re.findall(r"\d+", found.captures.get(found.option("old", "old"), ""))]
    if len(old) > 1 and wanted[-1:] == [-1]:
        out.append(_shape_of([old[0], -1], f"keeps axis 0, of length {old[0]}"))
    return [*out, Candidate("(-1,)", "one axis with all elements")]


def _joining_axes(found: Found) -> list[Candidate]:
    """The axes along which arrays of the `shapes` of the message can be joined."""
    shapes = shapes_in(found.captures.get(found.option("shapes", "shapes"), ""))
    return [
        Candidate(str(axis), "they agree in all others")
        for axis in range(len(shapes[0]) if shapes else 0)
        if len({(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}) == 1
    ]


def _shape_of(sizes: list[int], reason: str) -> Candidate:
    return Candidate(f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})", reason)


FINDERS: Mapping[str, Finder] = {
    "alike": _alike_texts,
    "alike_attribute": similar.alike_attribute,
    "alike_name": similar.alike_name,
    "as_arrays": similar.as_arrays,
    "as_table": similar.as_table,
    "array_names": _array_names,
    "axis_types": shardings.axis_types,
    "blocks": blocks.blocks,
    "fewer_devices": shardings.fewer_devices,
    "fitting_specs": shardings.fitting_specs,
    "array_test": _array_test,
    "array_size": types.array_size,
    "axis_at": mapping.axis_at,
    "branch_value": types.branch_value,
    "carried": _carried,
    "carry_start": types.carry_start,
    "common_keys": _common_keys,
    "debug_print": printing.debug_print,
    "decimal": types.decimal,
    "derivative": derivatives.derivative,
    "elsewhere": similar.elsewhere,
    "fitting": _fitting,
    "hashable": _hashable,
    "mask": _mask,
    "grids": blocks.grids,
    "joining_axes": _joining_axes,
    "joined_print": similar.joined_print,
    "keys": _keys,
    "known_keywords": similar.known_keywords,
    "index_maps": blocks.index_maps,
    "listed": _listed,
    "literal": _literal,
    "mapped_axes": mapping.mapped_axes,
    "padded": shardings.padded,
    "pair_axes": mapping.pair_axes,
    "mesh_axes": shardings.mesh_axes,
    "mesh_shapes": shardings.mesh_shapes,
    "message": _message,
    "method": similar.method,
    "namespace": _namespace,
    "parameter": _parameter,
    "positional": _positional,
    "product": types.product,
    "receiver": similar.receiver,
    "reshape": _reshape,
    "shorter_specs": shardings.shorter_specs,
    "single_specs": shardings.single_specs,
    "shorter": mapping.shorter,
    "specs": shardings.specs,
    "specs_for_each": shardings.specs_for_each,
    "static_arguments": _static_arguments,
    "text_keys": _text_keys,
    "where_told": similar.where_told,
}

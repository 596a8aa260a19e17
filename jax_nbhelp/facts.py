"""Facts: what a record's sentences may name besides the words of the message.

A record's cause and titles are texts with holes. A hole is filled from what the message's template caught,
or from one of the facts here, in the user's own names. A fact that cannot be found is missing; the record's
plain sentence is used then.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from jax_nbhelp.fixes.broadcast import mismatch, shapes_in
from jax_nbhelp.fixes.names import dotted
from jax_nbhelp.operands import operands
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.explanation import Operand
    from jax_nbhelp.failure import Failure, Live
    from jax_nbhelp.fixes.spots import Spot, Spots

say = sayer("fact")

_LONG = 4096  # characters of a message that a regular expression may see
_SHORT = 60  # characters of the user's code that are quoted in a sentence


def facts(
    failure: Failure, live: Live, link: int, spots: Spots, captures: Mapping[str, str]
) -> dict[str, str]:
    """Returns everything that a record's sentences may name.

    `call`: the function that was called, as the user spells it. `expression`: the failing expression.
    `statement`: the failing statement's first line. `function`: the user's function around it.
    `target`: what a failing assignment assigns to. `operands`: the values there, in a sentence.
    `operand`: the first of them, `operand_type` its type. `lengths`: vmap's mapped axes and their lengths.
    `mismatch`: where the `shapes` of the message part.

    They are parts of the record's sentences, so they are asked for while `speaking` its language.
    """
    known = dict(captures)
    shapes = shapes_in(" ".join(captures.get(name, "") for name in ("shapes", "have", "want")))
    where = mismatch(shapes)
    if where:
        known.setdefault("mismatch", where)
    spot = spots.failing
    if spot is not None:
        _add(known, _code_facts(spot))
        values = operands_at(spots)
        if values:
            known.setdefault("operands", in_words(values))
            known.setdefault("operand", values[0].name)
            known.setdefault("operand_type", values[0].type)
    function = _function(failure, link)
    if function:
        known.setdefault("function", function)
    for find in (_mapped_lengths,):
        _add(known, find(failure, live, link, spots))
    return known


def _add(known: dict[str, str], more: Mapping[str, str]) -> None:
    """The message's own words win."""
    for name, value in more.items():
        known.setdefault(name, value)


def operands_at(spots: Spots) -> tuple[Operand, ...]:
    """The named values of the failing expression, or of its statement where that names none."""
    if not spots.tells_values:
        return ()
    for spot in spots.at("failing"):
        if spot.exact or isinstance(spot.node, ast.stmt):
            node = spot.node
            if isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.With | ast.For | ast.Try
            ):
                return ()
            found = operands(node, spot.names)
            if found:
                return found
    return ()


def in_words(values: tuple[Operand, ...]) -> str:
    """`x` is float32[3] and `y` is float32[4]."""
    return _enumerated([say("operand", name=one.name, type=one.type) for one in values[:4]])


def _enumerated(parts: list[str]) -> str:
    return say("and").join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _code_facts(spot: Spot) -> dict[str, str]:
    found: dict[str, str] = {}
    source, node = spot.source, spot.node
    text = " ".join(source.segment(node).split())
    if spot.exact:
        found["expression"] = text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"
    call = next((one for one in source.ancestors(node) if isinstance(one, ast.Call)), None)
    name = dotted(call.func) if call is not None and spot.exact else ""
    if name:
        found["call"] = name
    statement = source.statement(node)
    if statement is not None:
        found["statement"] = source.segment(statement).split("\n")[0].strip()
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        target = targets[0]
        if isinstance(target, ast.Subscript):
            found["target"] = source.segment(target.value)
        elif isinstance(target, ast.Name):
            found["target"] = target.id
    return found


def _function(failure: Failure, link: int) -> str:
    """The user's function that was running, as they call it."""
    for _, frame in failure.links[link].cell_frames:
        name = frame.function.rsplit(".", 1)[-1]
        if name == "<lambda>":
            return say("lambda")
        if not name.startswith("<"):
            return name
    return ""


# "axis 0 of argument p['w'] of type float32[3,4]" in vmap's message
_MAPPED = re.compile(
    r"\* (?:one axis|(?P<most>most|some) axes(?: \(\d+ of them\))?) had size (?P<size>\d+)(?:: |, e\.g\. )"
    r"axis (?P<axis>-?\d+) of (?:argument (?P<name>.+?)|(?P<kind>kwargs\[.+?\])) "
    r"of type (?P<type>[^\s;]+?)[;.]?(?=\s*(?:\*|$))"
)


def _mapped_lengths(failure: Failure, live: Live, link: int, spots: Spots) -> dict[str, str]:
    """From "vmap got inconsistent sizes": the axes that differ, under the names of the user's own call."""
    message = failure.links[link].message
    if "inconsistent sizes for array axes" not in message:
        return {}
    parameters = _mapped_parameters(failure, live, link)
    call = _call_of(spots)
    parts: list[str] = []
    for found in _MAPPED.finditer(message[:_LONG]):
        name = _own_name(found["name"] or found["kind"] or "", parameters, call)
        phrase = "axis_length_and_others" if found["most"] else "axis_length"
        parts.append(say(phrase, axis=found["axis"], name=name, length=found["size"]))
    if len(parts) < 2:
        return {}
    return {"lengths": _enumerated(parts)}


def _mapped_parameters(failure: Failure, live: Live, link: int) -> list[str]:
    """The parameters of the mapped function, read from JAX's own frame."""
    for index, frame in enumerate(failure.links[link].frames):
        if frame.kind == "jax" and frame.function.endswith("vmap_f"):
            for scope in live.scopes(link, index)[:1]:
                code = getattr(scope.get("fun"), "__code__", None)
                if code is not None:
                    return list(code.co_varnames[: code.co_argcount])
    return []


def _call_of(spots: Spots) -> tuple[ast.Call, Spot] | None:
    spot = spots.failing
    return (spot.node, spot) if spot is not None and isinstance(spot.node, ast.Call) else None


def _own_name(name: str, parameters: list[str], call: tuple[ast.Call, Spot] | None) -> str:
    """`b` or `args[1]` of the mapped function -> what the user passed there; a path into it stays."""
    found = re.match(r"(?:args\[(\d+)\]|(\w+))(.*)", name, re.DOTALL)
    if not found or call is None:
        return name
    node, spot = call
    if found[1] is not None:
        number = int(found[1])
    elif found[2] in parameters:
        number = parameters.index(found[2])
    else:
        return name
    if number >= len(node.args) or any(isinstance(one, ast.Starred) for one in node.args):
        return name
    text = " ".join(spot.source.segment(node.args[number]).split())
    return (text if len(text) <= _SHORT else name) + found[3]

"""Writes a record as the TOML file that a person goes on with; `load` reads back the same record."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from jax_nbhelp.catalog.record import (
        EditRule,
        ExampleFix,
        FixWords,
        HoleRule,
        Occurrence,
        Record,
        RecordExample,
        Rule,
        Translation,
    )

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # what a literal text may not hold, and \r, which it loses
_ALWAYS = ("reviewed", "proof")  # fields that a reader looks for
_SHORT_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def to_toml(record: Record, *, remarks: Mapping[str, str] | None = None) -> str:
    """Returns a record as the text of a TOML file.

    Args:
      record: the record; a field that holds its default is left out.
      remarks: comments by field, e.g. what is still to be written there.

    Raises:
      ValueError: a text holds half of a surrogate pair, which no file can hold.
    """
    remarks = remarks or {}
    lines: list[str] = []
    for name, value in _values(record, ("occurrences", "fixes", "examples", "translations", "provenance")):
        if name in remarks:
            lines.append(f"# {remarks[name]}")
        lines.append(f"{name} = {_value(value, pretty=True)}")
    for one in record.occurrences:
        lines += ["", *_remark(remarks, "occurrences"), "[[occurrences]]", *_pairs(_values(one))]
    for rule in record.fixes:
        lines += ["", "[[fixes]]", *_pairs(_values(rule, ("alternatives", "holes")))]
        alternatives = [{"edits": [_edit(edit) for edit in one]} for one in rule.alternatives]
        lines += [f"alternatives = {_value(alternatives)}"] if alternatives else []
        for hole, source in rule.holes.items():
            lines += [f"[fixes.holes.{_key(hole)}]", *_pairs(_hole(source).items())]
    for example in record.examples:
        lines += ["", *_remark(remarks, "examples"), "[[examples]]", *_pairs(_example(example).items())]
    for code, words in record.translations.items():
        lines += ["", f"[translations.{_key(code)}]", *_pairs(_values(words, ("fixes",)))]
        for rule, named in words.fixes.items():
            lines += [f"[translations.{_key(code)}.fixes.{_key(rule)}]", *_pairs(_values(named))]
    if record.provenance:
        lines += ["", "[provenance]"]
        lines += [
            f"{_key(key)} = {_value(value)}" for key, value in record.provenance.items() if value is not None
        ]
    text = "\n".join(lines) + "\n"
    text.encode()
    return text


def _remark(remarks: Mapping[str, str], name: str) -> list[str]:
    return [f"# {remarks[name]}"] if name in remarks else []


def _values(
    one: Record | Occurrence | Rule | RecordExample | EditRule | Translation | FixWords,
    apart: Iterable[str] = (),
) -> Iterator[tuple[str, Any]]:
    """The fields that do not hold their default, in the order of the class."""
    for field in fields(one):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        value: Any = getattr(one, field.name)
        if field.name not in apart and (default is MISSING or value != default or field.name in _ALWAYS):
            yield field.name, value


def _pairs(values: Iterable[tuple[str, Any]]) -> list[str]:
    return [f"{_key(name)} = {_value(value, pretty=True)}" for name, value in values]


def _edit(edit: EditRule) -> dict[str, Any]:
    values = dict(_values(edit, ("as_statement",)))
    return {**values, "as": "stmt"} if edit.as_statement else values


def _hole(hole: HoleRule) -> dict[str, Any]:
    return {"type": hole.type, "from": hole.source, "label": hole.label, **hole.options}


def _example(example: RecordExample) -> dict[str, Any]:
    values = dict(_values(example, ("fix",)))
    fix: ExampleFix | None = example.fix
    if fix is not None:
        values["fix"] = {"id": fix.id, **({"holes": dict(fix.holes)} if fix.holes else {})}
    return values


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _basic(name)


def _value(value: Any, *, pretty: bool = False) -> str:
    """A value of TOML; `pretty` puts the end of a long text on a line of its own, which `load` cuts off."""
    if isinstance(value, str):
        return _text(value, pretty=pretty)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inside = cast("dict[str, Any]", value)
        pairs = (f"{_key(key)} = {_value(one)}" for key, one in inside.items() if one is not None)
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        items = [_value(one, pretty=pretty) for one in cast("list[Any]", value) if one is not None]
        return "[" + ", ".join(items) + "]"
    return repr(value)  # a number: JSON and TOML write them as Python does


def _text(text: str, *, pretty: bool) -> str:
    if "\n" not in text or "'''" in text or text.endswith("'") or _CONTROL.search(text):
        return _basic(text)
    end = "\n'''" if pretty and not text.endswith("\n") else "'''"
    return f"'''\n{text}{end}"


def _basic(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"

"""Reads back a record that `index.build` compiled: plain values become the frozen dataclasses again."""

from __future__ import annotations

from typing import Any

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


def record_from_json(values: dict[str, Any]) -> Record:
    """Makes a record of what `dataclasses.asdict` made of one."""
    fields = _tuples(values)
    fields["occurrences"] = tuple(Occurrence(**one) for one in values["occurrences"])
    fields["fixes"] = tuple(_rule(one) for one in values["fixes"])
    fields["examples"] = tuple(_example(one) for one in values["examples"])
    fields["translations"] = {code: _translation(one) for code, one in values["translations"].items()}
    return Record(**fields)


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has one kind of sequence; our dataclasses hold tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _rule(values: dict[str, Any]) -> Rule:
    fields = dict(values)
    fields["alternatives"] = tuple(
        tuple(EditRule(**_tuples(edit)) for edit in one) for one in values["alternatives"]
    )
    fields["holes"] = {name: HoleRule(**hole) for name, hole in values["holes"].items()}
    return Rule(**fields)


def _translation(values: dict[str, Any]) -> Translation:
    fields = _tuples(values)
    fields["fixes"] = {name: FixWords(**words) for name, words in values["fixes"].items()}
    return Translation(**fields)


def _example(values: dict[str, Any]) -> RecordExample:
    fields = _tuples(values)
    fields["fix"] = ExampleFix(**values["fix"]) if values["fix"] else None
    return RecordExample(**fields)

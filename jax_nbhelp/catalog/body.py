"""Reads back a record that `index.build` compiled: plain values become the frozen dataclasses again."""

from __future__ import annotations

from typing import Any

from jax_nbhelp.catalog.record import (
    EditRule,
    ExampleFix,
    HoleRule,
    Occurrence,
    Record,
    RecordExample,
    Rule,
)


def record_from_json(values: dict[str, Any]) -> Record:
    """Makes a record of what `dataclasses.asdict` made of one."""
    return Record(
        **{
            **_tuples(values),
            "occurrences": tuple(Occurrence(**one) for one in values["occurrences"]),
            "fixes": tuple(_rule(one) for one in values["fixes"]),
            "examples": tuple(_example(one) for one in values["examples"]),
        }
    )


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has one kind of sequence; our dataclasses hold tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _rule(values: dict[str, Any]) -> Rule:
    alternatives = tuple(tuple(EditRule(**_tuples(edit)) for edit in one) for one in values["alternatives"])
    holes = {name: HoleRule(**hole) for name, hole in values["holes"].items()}
    return Rule(**{**values, "alternatives": alternatives, "holes": holes})


def _example(values: dict[str, Any]) -> RecordExample:
    fix = ExampleFix(**values["fix"]) if values["fix"] else None
    return RecordExample(**{**_tuples(values), "fix": fix})

"""A record in another language: its own translation in place of its English words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.catalog.record import FixWords, HoleRule, Record, Rule


def translated(record: Record, language: str) -> Record:
    """Returns a record in a language, as far as it is translated; the record itself where it is not.

    Args:
      record: the record.
      language: the code of the language.
    """
    words = record.translations.get(language)
    if words is None:
        return record
    # A sentence with holes and its plain variant belong together: they are never mixed.
    return replace(
        record,
        language=language,
        title=words.title,
        title_plain=words.title_plain,
        cause=words.cause,
        cause_plain=words.cause_plain,
        documentation=words.documentation,
        solutions=words.solutions,
        avoid=words.avoid,
        no_fix=words.no_fix,
        fixes=tuple(_rule(rule, words.fixes.get(rule.id)) for rule in record.fixes),
    )


def _rule(rule: Rule, words: FixWords | None) -> Rule:
    if words is None:
        return rule
    holes = {name: _hole(name, hole, words) for name, hole in rule.holes.items()}
    return replace(rule, title=words.title, title_plain=words.title_plain, why=words.why, holes=holes)


def _hole(name: str, hole: HoleRule, words: FixWords) -> HoleRule:
    label, reasons = words.labels.get(name, hole.label), words.reasons.get(name)
    if not reasons:
        return replace(hole, label=label)
    values = [_listed(one, reasons) for one in cast("list[object]", hole.options.get("values", []))]
    return replace(hole, label=label, options={**hole.options, "values": values})


def _listed(value: object, reasons: Mapping[str, str]) -> object:
    """A value that the record lists for a hole, with its reason translated; a bare value has none."""
    if not isinstance(value, dict):
        return value
    entry = cast("dict[str, str]", value)
    return {**entry, "reason": reasons.get(entry["value"], entry["reason"])}

"""A record in another language: its own translation in place of its English words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jax_nbhelp.catalog.record import FixWords, Record, Rule


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
    holes = {
        name: replace(hole, label=words.labels.get(name, hole.label)) for name, hole in rule.holes.items()
    }
    return replace(rule, title=words.title, title_plain=words.title_plain, why=words.why, holes=holes)

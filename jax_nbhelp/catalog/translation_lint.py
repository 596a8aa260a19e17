"""Checks a record's translations: they say all that the English text says, with the same values in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from jax_nbhelp.catalog.template import TemplateError, compile_text
from jax_nbhelp.phrases import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.catalog.record import HoleRule, Record, Rule, Translation

_WITH_HOLES = ("title", "title_plain", "cause", "cause_plain")
_WITHOUT = ("documentation", "solutions", "avoid", "no_fix")


def translation_complaints(record: Record) -> Iterator[str]:
    """Yields what is wrong with a record's translations, each with its field and the remedy."""
    for code, words in record.translations.items():
        place = f"translations.{code}"
        if code not in LANGUAGES or code == "en":
            yield f"{place}: is no language of ours; write one of {', '.join(sorted({*LANGUAGES} - {'en'}))}"
        for field in _WITH_HOLES:
            yield from _sentence(f"{place}.{field}", getattr(words, field), getattr(record, field))
        for field in _WITHOUT:
            yield from _both(f"{place}.{field}", getattr(words, field), getattr(record, field))
        yield from _fixes(f"{place}.fixes", words, {rule.id: rule for rule in record.fixes})


def _fixes(place: str, words: Translation, rules: dict[str, Rule]) -> Iterator[str]:
    if missing := set(rules) - set(words.fixes):
        yield f"{place}: {', '.join(sorted(missing))} is not translated"
    for name, named in words.fixes.items():
        rule = rules.get(name)
        if rule is None:
            yield f"{place}.{name}: there is no such fix"
            continue
        yield from _sentence(f"{place}.{name}.title", named.title, rule.title)
        yield from _sentence(f"{place}.{name}.title_plain", named.title_plain, rule.title_plain)
        yield from _both(f"{place}.{name}.why", named.why, rule.why)
        for hole in sorted(set(named.labels) ^ set(rule.holes)):
            yield f"{place}.{name}.labels.{hole}: the fix has this hole in one language only"
        for hole in sorted({*named.reasons, *rule.holes}):
            for value in sorted(set(named.reasons.get(hole, ())) ^ _with_reasons(rule.holes.get(hole))):
                yield f"{place}.{name}.reasons.{hole}: gives a reason for {value} in one language only"


def _with_reasons(hole: HoleRule | None) -> set[str]:
    """The values for which a record itself gives a reason."""
    listed = cast("list[object]", hole.options.get("values", [])) if hole is not None else []
    return {cast("dict[str, str]", one)["value"] for one in listed if isinstance(one, dict)}


def _sentence(place: str, text: str, english: str) -> Iterator[str]:
    yield from _both(place, text, english)
    try:
        apart = set(compile_text(text).holes) ^ set(compile_text(english).holes)
    except TemplateError as error:
        yield f"{place}: {error}"
        return
    if text and english and apart:
        yield f"{place}: names {{{', '.join(sorted(apart))}}} in one language only"


def _both(place: str, text: object, english: object) -> Iterator[str]:
    if bool(text) != bool(english):
        yield f"{place}: stands in one language only; write both"

"""The sentences of an explanation that stand in no record, in one place, so that they can be translated."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = {
    "source_label": "Where JAX raises",
    "not_known_title": "Not an error that JAX raised, or not a known one",
    "not_known": "No record knows this message, and no frame of JAX raised it.",
    "similar_title": "Not a known error; the nearest is below",
    "similar_cause": "No record knows this wording. The nearest known error of the same function is "
    "“{title}” (`{slug}`); it may or may not be yours.",
    "from_elsewhere": "The record comes from elsewhere: check that the change is what you mean.",
    "no_fix": "this code has none of the forms that the known cures can change safely.",
    "unknown_title": "JAX stopped here",
    "unknown_title_call": "{call} stopped here",
    "unknown": "JAX refused this, in its own words above. No record knows this error yet.",
    "unknown_call": "`{call}` refused this, in JAX's own words above. No record knows this error yet.",
    "unknown_guard": "JAX refused this because of the check below. No record knows this error yet.",
    "unknown_guard_call": "`{call}` refused this because of the check below. No record knows this error yet.",
}


def say(phrase: str, **values: str) -> str:
    """Returns a sentence by its name, with values in its braces."""
    return _ENGLISH[phrase].format(**values)

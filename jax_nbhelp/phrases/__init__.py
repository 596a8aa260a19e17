"""The words on screen, in the language that the user chose: one catalogue, so that they can be translated.

What a record says is its own; these are the words around it.
"""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import Protocol

    class Say(Protocol):
        """Says the phrases of one group."""

        def __call__(self, phrase: str, /, **values: object) -> str:
            """Returns a phrase by its name, with values in its braces."""
            ...


LANGUAGES: Final = {"en": "english", "fr": "french"}
"""The languages by their codes, and the module of each."""

VARIABLE: Final = "JAX_NBHELP_LANGUAGE"
"""The environment variable that names the language."""

_chosen: str | None = None
_of_a_text: ContextVar[str | None] = ContextVar("language of a text", default=None)


def language() -> str:
    """Returns the code of the language in use: the chosen one, else the environment's, else English."""
    named = _of_a_text.get() or _chosen or os.environ.get(VARIABLE)
    return named if named in LANGUAGES else "en"


def choose(code: str | None) -> None:
    """Chooses the language by its code; None leaves it to the environment.

    Raises:
      ValueError: there is no such language.
    """
    global _chosen  # noqa: PLW0603 - the one choice that every view follows
    if code is not None and code not in LANGUAGES:
        raise ValueError(f"{code!r} is none of the languages {', '.join(LANGUAGES)}")
    _chosen = code


@contextmanager
def speaking(code: str) -> Generator[None]:
    """Says what becomes part of a text in that text's own language, whatever language is in use around it.

    A record that is not translated keeps its English sentences on a French page, and what is filled into them
    or stands beside them is English too.

    Args:
      code: the code of the text's language.
    """
    before = _of_a_text.set(code)
    try:
        yield
    finally:
        _of_a_text.reset(before)


def phrases(group: str) -> Mapping[str, str]:
    """Returns the phrases of a group in the language in use."""
    return _catalogue(language())[group]


@functools.cache
def _catalogue(code: str) -> Mapping[str, Mapping[str, str]]:
    """The phrases of a language by their group; found again in no time, for one help says hundreds."""
    return import_module(f"{__name__}.{LANGUAGES[code]}").PHRASES


def sayer(group: str) -> Say:
    """Returns the function that says the phrases of a group in the language in use."""

    def say(phrase: str, /, **values: object) -> str:
        return phrases(group)[phrase].format(**values)

    return say

"""Message templates, e.g. `add got incompatible shapes for broadcasting: {a}, {b}.`.

A template is matched against a whole message, white space made equal on both sides, by looking for its
literal pieces one after the other; beside a blank, a hole holds at least one character. No regular expression
is involved: a message is read once from left to right, whatever it and the template hold.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 8  # literal characters without which a template matches by accident
_HOLE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}|[{}]")
_WORD = re.compile(r"[^\W_]{3,}")
# jax.errors appends this to its messages; it is a pointer to documentation, not part of what happened.
_TAIL = re.compile(r"See https?://(?:docs\.jax\.dev|jax\.readthedocs\.io)\S*\s*$")


class TemplateError(ValueError):
    """A template that cannot be used; the message says why."""


def normalise(message: str) -> str:
    """Cuts JAX's "See https://docs.jax.dev…" tail and makes every run of white space one blank."""
    at = message.rfind("See http")  # tried at one place only: a search would try every blank and every "See"
    if at >= 0 and _TAIL.match(message, at):
        message = message[:at]
    return " ".join(message.split())


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template.

    Attributes:
      literals: the texts around the holes, one more than there are holes; the outer two may be empty.
      holes: the holes' names in order.
    """

    literals: tuple[str, ...]
    holes: tuple[str, ...]

    @property
    def weight(self) -> int:
        """The number of literal characters: of two templates that match, the heavier says more."""
        return sum(len(literal.replace(" ", "")) for literal in self.literals)

    @property
    def words(self) -> frozenset[str]:
        """Words that every matching message holds; a word that touches a hole may be longer there."""
        found: set[str] = set()
        last = len(self.literals) - 1
        for number, literal in enumerate(self.literals):
            for word in _WORD.finditer(literal):
                open_left = number > 0 and word.start() == 0
                open_right = number < last and word.end() == len(literal)
                if not (open_left or open_right):
                    found.add(word[0])
        return frozenset(found)

    def match(self, message: str) -> Mapping[str, str] | None:
        """Returns what the holes caught in a normalised message, or None.

        Literals are found from left to right, each as early as possible, the last one at the end. A name
        that stands twice must catch the same text.
        """
        first, *rest = self.literals
        if not message.startswith(first):
            return None
        if not rest:
            return {} if message == first else None
        at, caught = len(first), dict[str, str]()
        for number, (hole, literal) in enumerate(zip(self.holes, rest, strict=True)):
            if number == len(rest) - 1:
                start = len(message) - len(literal)
                if start < at or not message.endswith(literal):
                    return None
            else:
                start = message.find(literal, at)
                if start < 0:
                    return None
            text = message[at:start]
            if caught.setdefault(hole, text) != text:
                return None
            at = start + len(literal)
        return caught

    def fill(self, values: Mapping[str, str]) -> str:
        """Returns the text with values in its holes."""
        out = [self.literals[0]]
        for hole, literal in zip(self.holes, self.literals[1:], strict=True):
            out += [values[hole], literal]
        return "".join(out)


def as_literal(text: str) -> str:
    """Returns a text as it stands in a template or a format: its braces doubled.

    >>> as_literal("{x}")
    '{{x}}'
    """
    return text.replace("{", "{{").replace("}", "}}")


def words_of(message: str) -> set[str]:
    """The words of a message by which templates are looked up."""
    return set(_WORD.findall(message))


def hole_names(text: str) -> tuple[str, ...]:
    """The names of the holes in a text such as a cause or a title."""
    return _compile(text).holes


@functools.lru_cache(maxsize=4096)
def compile_template(text: str) -> Template:
    """Compiles a message template.

    Raises:
      TemplateError: a lone brace, or two holes without a text between them.
    """
    template = _compile(normalise(text))
    for literal in template.literals[1:-1]:
        if not literal:
            raise TemplateError("two holes stand side by side: put the text between them, or make them one")
    return template


@functools.lru_cache(maxsize=4096)
def compile_text(text: str) -> Template:
    """Compiles a sentence with holes, e.g. a record's cause.

    Raises:
      TemplateError: a lone brace.
    """
    return _compile(text)


def _compile(text: str) -> Template:
    literals, holes, at = [""], list[str](), 0
    for token in _HOLE.finditer(text):
        literals[-1] += text[at : token.start()]
        at = token.end()
        if token[0] in ("{{", "}}"):
            literals[-1] += token[0][0]
        elif token[1] is not None:
            holes.append(token[1])
            literals.append("")
        else:
            raise TemplateError(f"a lone {token[0]} : write {token[0] * 2} for a brace, {{name}} for a hole")
    literals[-1] += text[at:]
    return Template(tuple(literals), tuple(holes))

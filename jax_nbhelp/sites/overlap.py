"""Whether two templates speak of the same error, where each has holes at words of the other."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax_nbhelp.catalog.template import Template

_ALIKE = 0.6  # share of the shorter one's words that both have, without which they only have holes in common
_HOLE = ""


def overlap(one: Template, other: Template) -> bool:
    """Tells whether two templates are the same words but for what a hole of the other stands for.

    Their words are laid side by side; where they differ, the one without the words must have a hole. That a
    message exists which both match says too little: of two templates with holes at both ends it always does.

    >>> from jax_nbhelp.catalog.template import compile_template
    >>> site = compile_template("{name} must be a tree prefix of the value; {hint} Wrap it.")
    >>> overlap(site, compile_template("vmap in_axes must be a tree prefix of the value; {more}"))
    True
    >>> overlap(site, compile_template("vmap in_axes must be a prefix of the value; {more}"))
    False
    """
    words, others = _words(one), _words(other)
    matcher = difflib.SequenceMatcher(None, words, others, autojunk=False)
    common = sum(_said(words[block.a : block.a + block.size]) for block in matcher.get_matching_blocks())
    if common < _ALIKE * max(1, min(_said(words), _said(others))):
        return False
    return all(
        _absorbed(words, (a, b), others, (c, d)) and _absorbed(others, (c, d), words, (a, b))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    )


def _absorbed(words: list[str], part: tuple[int, int], others: list[str], there: tuple[int, int]) -> bool:
    """Whether a part of the words is said by the other too: by a hole in its own part, or at its edge."""
    if not _said(words[part[0] : part[1]]):
        return True
    return _HOLE in others[max(0, there[0] - 1) : there[1] + 1]


def _words(template: Template) -> list[str]:
    words = template.literals[0].split()
    for literal in template.literals[1:]:
        words += [_HOLE, *literal.split()]
    return words


def _said(words: Sequence[str]) -> int:
    return sum(word != _HOLE for word in words)

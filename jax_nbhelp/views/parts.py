"""Pieces that the text and the HTML view share."""

from __future__ import annotations

import re
import unicodedata
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.explain import Where
    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.phrases import Phrases

_CODE = re.compile(r"`([^`\n]+)`")


def code_spans(text: str) -> Iterator[tuple[str, bool]]:
    """Yields a text in pieces, with True for those that stood in backticks.

    >>> list(code_spans("axis 0 of `x`"))
    [('axis 0 of ', False), ('x', True)]
    """
    for number, piece in enumerate(_CODE.split(text)):
        if piece:
            yield piece, number % 2 == 1


def paragraphs(text: str) -> list[str]:
    """Returns a text's paragraphs, each on one line."""
    return [" ".join(piece.split()) for piece in re.split(r"\n\s*\n", text.strip()) if piece.strip()]


def carets(where: Where) -> str:
    """Returns the line of `^` that stands below a failing line; empty where nothing is marked."""
    if where.end <= where.start:
        return ""
    before, marked = where.source[: where.start], where.source[where.start : where.end]
    return "".join("\t" if c == "\t" else " " * _width(c) for c in before) + "^" * sum(map(_width, marked))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def edit_label(help: Help, fix: Fix, index: int) -> str:  # noqa: A002
    """Returns the name of the cell that an edit changes; empty where it is plainly the cell in view."""
    edited = fix.edits[index].cell
    in_view = help.where is not None and help.where.cell == edited
    return "" if in_view and len(fix.edits) == 1 else edited.label


def fix_notes(fix: Fix, phrases: Phrases) -> list[str]:
    """Returns what to know before a fix is applied, a sentence each."""
    blocked = f"{phrases.not_applied}: {fix.reason}" if fix.reason else ""
    return [note for note in (fix.why, phrases.needs[fix.needs], blocked) if note]


def version(distribution: str) -> str | None:
    """Returns the installed release of a distribution, without importing it."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def source_url(raised_in: str) -> str | None:
    """Returns the page of the JAX source file that raised, in the installed release; None for others."""
    file = raised_in.partition(" ")[0]
    if not re.fullmatch(r"jax/[\w/.]+\.py", file):
        return None
    release = version("jax")
    tag = f"jax-v{release}" if release and re.fullmatch(r"\d+\.\d+\.\d+", release) else "main"
    return f"https://github.com/jax-ml/jax/blob/{tag}/{file}"

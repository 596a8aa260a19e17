"""Lines of styled pieces, measured in a terminal's columns and fitted to a number of them.

The text view composes lines; what a style looks like is the terminal's business.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Style = Literal["plain", "title", "label", "muted", "mark", "caret", "gone", "come", "gone-word", "come-word"]

TAB = 4
"""Columns between tab stops, as on a page."""

NEAR = 20
"""Columns that are kept before the part of a line that must be seen; up to twice that for a whole word."""

# Control characters act on a terminal; what changes the direction of writing, or takes no room, makes code
# look like other code; half of a surrogate pair cannot be printed at all.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]"
)

_BLANKS = re.compile(r"[ \t-\r]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a line, in one style."""

    text: str
    style: Style = "plain"


Line = tuple[Segment, ...]


def printable(text: str) -> str:
    r"""Returns a line's text with a harmless sign, one column wide, for each character that is none.

    >>> printable("\x1b[31mred\x9b")
    '␛[31mred�'
    """
    return _UNSAFE.sub(lambda found: _sign(ord(found[0])), text)


def printable_lines(text: str) -> str:
    """Returns the same of a text of several lines."""
    return "\n".join(map(printable, text.split("\n")))


def _sign(code: int) -> str:
    return chr(0x2400 + code) if code < 32 else "␡" if code == 127 else "�"


def width(text: str) -> int:
    """Returns how many columns a terminal gives a text without tabs.

    >>> width("x = 面积"), width("e\u0301")
    (8, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if character.isascii() or _UNSAFE.match(character):
        return 1  # its own, or its sign's
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def blank(text: str) -> str:
    """Returns blanks as wide as a text; its tabs stay, so that what follows stands where it would."""
    return "".join("\t" if character == "\t" else " " * _columns(character) for character in text)


def plain(lines: Iterable[Line]) -> str:
    """Returns lines as text without styles."""
    return "\n".join(printable("".join(segment.text for segment in line)).rstrip() for line in lines)


def words(text: str) -> list[str]:
    r"""Returns the words of a text; a no-break space, as French has before a colon, holds one together.

    >>> words(" Cause\u00a0: deux\n axes ")
    ['Cause\xa0:', 'deux', 'axes']
    """
    return _BLANKS.sub(" ", text).strip(" ").split(" ") if text.strip() else []


def wrapped(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    """Breaks prose into lines, one at least.

    Args:
      text: the prose; any white space in it is one blank.
      columns: the most that a line takes; a word that takes more is broken.
      first: what the first line begins with.
      rest: what the others begin with.
    """
    lines: list[str] = []
    line, used, gap = first, width(first), ""
    for word in words(text):
        if gap and used + 1 + width(word) > columns:
            lines.append(line)
            line, used, gap = rest, width(rest), ""
        line, used = line + gap, used + len(gap)
        gap = " "
        for piece in [word] if used + width(word) <= columns else word:
            used += width(piece)
            if used > columns:
                lines.append(line)
                line, used = rest, width(rest) + width(piece)
            line += piece
    return [*lines, line]


class _Glyph(NamedTuple):
    text: str
    style: Style
    columns: int


def fitted(line: Line, kept: tuple[int, int], columns: int) -> list[Line]:
    """Fits a line of code into columns: cut where it may be, broken where it may not.

    Args:
      line: the code.
      kept: the first segment that must be seen, and one past the last; equal for a place between segments.
      columns: the most that a line takes.

    Returns:
      One line, unless what must be seen takes more. Tabs are blanks in it.
    """
    glyphs, ends = _glyphs(line)
    start, end = ends[kept[0]], ends[kept[1]]
    near = min(NEAR, columns // 3)
    # Where a cut line begins depends on what stands before the change and on nothing else, so that the old
    # and the new line are cut alike.
    if _columns_of(glyphs) > columns and _columns_of(glyphs[:start]) + near > columns:
        first = start
        while (before := _columns_of(glyphs[first - 1 : start])) <= 2 * near:
            if before > near and not _in_word(glyphs, first):
                break
            first -= 1
        glyphs, end = [_CUT, *glyphs[first:]], end - first + 1
    rows: list[Line] = []
    while (fit := _fit(glyphs, columns)) < len(glyphs):
        short = _fit(glyphs, columns - 1)
        if short >= end:
            return [*rows, _joined([*glyphs[:short], _CUT])]
        blanks = (at for at in range(fit, fit - near, -1) if glyphs[at - 1].text == " ")
        fit = next(blanks, fit)
        rows.append(_joined(glyphs[:fit]))
        glyphs, end = glyphs[fit:], end - fit
    return [*rows, _joined(glyphs)]


_CUT = _Glyph("…", "muted", 1)


def _glyphs(line: Line) -> tuple[list[_Glyph], list[int]]:
    """The characters of a line, and how many stand before each segment and after the last."""
    glyphs: list[_Glyph] = []
    ends, used = [0], 0
    for segment in line:
        for character in segment.text:
            if character == "\t":
                blanks = TAB - used % TAB
                glyphs += [_Glyph(" ", segment.style, 1)] * blanks
                used += blanks
            else:
                glyphs.append(_Glyph(character, segment.style, _columns(character)))
                used += glyphs[-1].columns
        ends.append(len(glyphs))
    return glyphs, ends


def _columns_of(glyphs: list[_Glyph]) -> int:
    return sum(glyph.columns for glyph in glyphs)


def _in_word(glyphs: list[_Glyph], at: int) -> bool:
    """Whether a word goes on from one glyph to the next."""
    return all(glyph.text.isalnum() or glyph.text == "_" for glyph in glyphs[at - 1 : at + 1])


def _fit(glyphs: list[_Glyph], columns: int) -> int:
    """How many of the first glyphs fit; one at least."""
    used = 0
    for number, glyph in enumerate(glyphs):
        used += glyph.columns
        if used > columns:
            return max(1, number)
    return len(glyphs)


def _joined(glyphs: list[_Glyph]) -> Line:
    groups = itertools.groupby(glyphs, _style_of)
    return tuple(Segment("".join(glyph.text for glyph in group), style) for style, group in groups)


def _style_of(glyph: _Glyph) -> Style:
    return glyph.style

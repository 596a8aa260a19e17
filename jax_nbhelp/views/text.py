"""The help as plain text, 80 columns wide; only code runs over."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.parts import carets, edit_label, fix_notes, paragraphs
from jax_nbhelp.views.phrases import ENGLISH, Phrases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.explain import Explanation, Where
    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help

WIDTH = 80


def render(help: Help, *, full: bool = False, phrases: Phrases = ENGLISH) -> str:  # noqa: A002
    """Returns the help as text.

    Args:
      help: what to show.
      full: whether the longer text and the example follow; on a page they can be opened, here not.
      phrases: the words around it.
    """
    said = help.explanation
    known = help.confidence != "similar"
    blocks = [_head(help), *_middle(help, phrases)]
    if known and help.fixes:
        blocks.append(_first_fix(help, phrases))
        if len(help.fixes) > 1:
            blocks.append(_others(help.fixes[1:], phrases))
    blocks.extend(_advice(said, phrases))
    if full and known:
        blocks.extend(_more(said, phrases))
    links = [f"{link.label}: {link.url}" for link in said.links]
    if said.raised_in:
        links.append(f"{phrases.raised_in}: {said.raised_in}")
    blocks.append("\n".join(links))
    return "\n\n".join(block for block in blocks if block)


def _head(help: Help) -> str:  # noqa: A002
    said = help.explanation
    gap = WIDTH - len(said.title) - len(help.error_class)
    title = f"{said.title}{' ' * gap}{help.error_class}" if gap > 1 else f"{said.title}\n{help.error_class}"
    return "\n".join([title, *_wrapped([said.cause])])


def _middle(help: Help, phrases: Phrases) -> Iterable[str]:  # noqa: A002
    said = help.explanation
    if help.confidence == "similar" and help.record:
        yield _paragraphs(phrases.similar.format(record=help.record))
    if said.unverified:
        yield _paragraphs(phrases.unverified)
    if said.where is not None:
        yield _place(said.where, phrases)
    if said.operands:
        wide = max(len(operand.name) for operand in said.operands)
        yield "\n".join(f"  {operand.name:<{wide}}  {operand.type}" for operand in said.operands)
    if said.guard:
        yield f"{phrases.check_failed}:\n{textwrap.indent(said.guard.strip(), '  ')}"


def _place(where: Where, phrases: Phrases) -> str:
    number = str(where.line)
    lines = [
        f"  {phrases.place.format(cell=where.cell.label, line=where.line)}",
        f"  {number} | {where.source}",
    ]
    if marks := carets(where):
        lines.append(f"  {' ' * len(number)} | {marks}")
    return "\n".join(lines)


def _first_fix(help: Help, phrases: Phrases) -> str:  # noqa: A002
    fix = help.fixes[0]
    notes = fix_notes(fix, phrases)
    lines = [f"{phrases.fix}: {fix.title}", *_wrapped([" ".join(notes)] if notes else [], "  ")]
    for index, edit in enumerate(fix.edits):
        changes = hunks(edit.cell.text, edit.new)
        wide = max((len(str(row.line)) for hunk in changes for row in hunk.rows), default=1)
        if label := edit_label(help, fix, index):
            lines.append(f"  {label}")
        for number, hunk in enumerate(changes):
            lines += ["  …"] if number else []
            lines += [f"  {row.line:>{wide}} {row.mark} {row.text}".rstrip() for row in hunk.rows]
    return "\n".join(lines)


def _others(fixes: tuple[Fix, ...], phrases: Phrases) -> str:
    count = phrases.other_fix if len(fixes) == 1 else phrases.other_fixes.format(count=len(fixes))
    return "\n".join([f"{count}:", *(f"  {number}. {fix.title}" for number, fix in enumerate(fixes, 2))])


def _advice(said: Explanation, phrases: Phrases) -> Iterable[str]:
    if said.way_on:
        points = (
            textwrap.fill(point, WIDTH, initial_indent="  - ", subsequent_indent="    ")
            for point in said.way_on
        )
        yield "\n".join([f"{phrases.way_on}:", *points])
    if said.avoid:
        yield _paragraphs(f"{phrases.avoid}: {said.avoid}")


def _more(said: Explanation, phrases: Phrases) -> Iterable[str]:
    if said.details:
        yield f"{phrases.why}:\n{_paragraphs(said.details)}"
    if said.example is not None:
        for name, cells in ((phrases.broken, said.example.broken), (phrases.fixed, said.example.fixed)):
            if cells:
                code = "\n\n".join(cell.strip() for cell in cells)
                yield f"{phrases.example} ({name.lower()}):\n{textwrap.indent(code, '  ')}"


def _paragraphs(text: str) -> str:
    return "\n\n".join(_wrapped(paragraphs(text)))


def _wrapped(lines: list[str], indent: str = "") -> list[str]:
    return [
        textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
        for line in lines
    ]

"""A session's errors, their causes and cures, as Markdown or as a notebook."""

# nbformat's functions have no full types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jax_nbhelp.phrases import sayer
from jax_nbhelp.redact import redacted
from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.manner import steps_of
from jax_nbhelp.views.parts import carets, code_spans, notes_of, paragraphs, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jax_nbhelp.explanation import Explanation
    from jax_nbhelp.fixes.fix import CellEdit
    from jax_nbhelp.help import Help
    from jax_nbhelp.shell.log import Entry

say = sayer("view")

_SPECIAL = re.compile(r"[\\<>*_\[\]#]")


def markdown(entries: Sequence[Entry], *, steps: bool = False) -> str:
    """Returns the errors of a session as a Markdown page; secrets in sources are left out.

    Args:
      entries: the errors.
      steps: of each only what was opened, and its cure.
    """
    sections = (section for entry in entries for section in _sections(entry, steps=steps))
    return "\n\n".join([f"# {say('notes_title')}", *sections]) + "\n"


def notebook(entries: Sequence[Entry], *, steps: bool = False) -> str:
    """Returns the same as the JSON of a notebook, in which the cured cells stand as code."""
    from nbformat import v4, writes

    cells = [v4.new_markdown_cell(f"# {say('notes_title')}")]
    for entry in entries:
        cells.append(v4.new_markdown_cell("\n\n".join(_sections(entry, steps=steps))))
        cells.extend(v4.new_code_cell(redacted(edit.new)) for edit in entry.cure or ())
    return writes(v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})) + "\n"


def _sections(entry: Entry, *, steps: bool) -> Iterable[str]:
    help, said = entry.help, entry.help.explanation  # noqa: A001
    shown = steps_of(help)[: entry.opened] if steps else steps_of(help)
    yield f"## {_prose(said.title) if 'cause' in shown else help.error_class}"
    if entry.times > 1:
        yield say("met", times=entry.times)
    if help.message:
        yield _fenced(f"{help.error_class}: {shortened(help.message)}", "text")
    if "cause" in shown:
        yield from map(_prose, (*paragraphs(said.cause), *paragraphs(said.details)))
    if "where" in shown:
        yield from _where(said)
    if "hint" in shown:
        yield from _advice(said)
    if "fix" in shown:
        yield from _fix(help)
    yield from _cure(entry)
    if links := [f"- [{link.label}]({link.url})" for link in said.links]:
        yield "\n".join(links)


def _where(said: Explanation) -> Iterable[str]:
    if said.where is not None:
        yield say("label", text=say("place", cell=said.where.cell.label, line=said.where.line))
        marks = carets(said.where)
        yield _fenced(said.where.source + (f"\n{marks}" if marks else ""), "python")
    if said.operands:
        yield "\n".join(f"- `{one.name}`: {one.type}" for one in said.operands)
    if said.guard:
        yield _label("check_failed")
        yield _fenced(said.guard, "text")


def _advice(said: Explanation) -> Iterable[str]:
    if said.way_on:
        yield _label("way_on")
        yield "\n".join(f"- {_prose(point)}" for point in said.way_on)
    if said.avoid:
        yield f"**{_label('avoid')}** {_prose(said.avoid)}"


def _fix(help: Help) -> Iterable[str]:  # noqa: A002
    if help.fixes:
        first = help.fixes[0]
        yield f"**{_label('fix')}** {_prose(' '.join([first.title + '.', *notes_of(first)]))}"
        yield from map(_diff, first.edits)


def _cure(entry: Entry) -> Iterable[str]:
    """What was changed before the cell ran well, unless that is the fix above."""
    if entry.cure is None:
        yield f"*{say('not_cured')}*"
        return
    same = any(set(entry.cure) == set(fix.edits) for fix in entry.help.fixes[:1])
    if same or not entry.cure:
        yield f"*{say('cured_by_fix' if same else 'cured_elsewhere')}*"
        return
    yield f"**{_label('cured_by')}**"
    yield from map(_diff, entry.cure)


def _diff(edit: CellEdit) -> str:
    parts = (
        "\n".join(f"{row.mark} {row.text}" for row in hunk.rows) for hunk in hunks(edit.cell.text, edit.new)
    )
    return _fenced("\n…\n".join(parts), "diff")


def _label(phrase: str) -> str:
    return say("label", text=say(phrase))


def _prose(text: str) -> str:
    """Returns a text in which nothing but its code in backticks means anything to Markdown."""
    pieces = code_spans(redacted(text))
    return "".join(f"`{piece}`" if is_code else _SPECIAL.sub(r"\\\g<0>", piece) for piece, is_code in pieces)


def _fenced(text: str, language: str) -> str:
    """Returns a block of code, in a fence that is longer than any in the text."""
    text, fence = redacted(text.strip("\n")), "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"

"""The help as plain text, 80 columns wide; only code runs over."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from jax_nbhelp.phrases import sayer
from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.manner import AT_ONCE, steps_of
from jax_nbhelp.views.parts import (
    can_act,
    carets,
    count_of_others,
    folded_line,
    label_of,
    notes_of,
    paragraphs,
    raised_in,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.explanation import Explanation, Where
    from jax_nbhelp.fixes.fix import CellEdit, Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.manner import Manner, Step

say = sayer("view")

WIDTH = 80


def render(help: Help, manner: Manner = AT_ONCE, *, full: bool = False) -> str:  # noqa: A002
    """Returns the help as text.

    Args:
      help: what to show.
      manner: how it is shown; of a help that opens step by step it is the first step.
      full: whether the longer text and the example follow; on a page they can be opened, here not.
    """
    said = help.explanation
    if manner.folded:
        return "\n".join(_wrapped([f"{folded_line(help, manner)} {say('again_how')}"]))
    if manner.steps:
        return render_step(help, 0)
    blocks = [_head(help), *_middle(said), *_cures(help)]
    if full or not can_act(help):
        blocks.extend(_advice(said))
    if full:
        blocks.extend(_more(said))
    blocks.append(_links(said))
    return "\n\n".join(block for block in blocks if block)


def render_step(help: Help, number: int) -> str:  # noqa: A002
    """Returns one of the steps of a help, and how the next is opened.

    Args:
      help: what to show.
      number: the step's place in `steps_of`.
    """
    said = help.explanation
    steps = steps_of(help)
    blocks: dict[Step, Iterable[str]] = {
        "message": (f"{help.error_class}: {shortened(help.message)}",),
        "cause": (_head(help), "\n\n".join(_wrapped(paragraphs(said.details)))),
        "where": _middle(said),
        "hint": _advice(said),
        "fix": (*_cures(help), *_more(replace(said, details="")), _links(said)),
    }
    shown = [block for block in blocks[steps[number]] if block]
    if number + 1 < len(steps):
        shown.append(say("next_step", step=say(f"step_{steps[number + 1]}")))
    return "\n\n".join(shown)


def render_explanation(help: Help) -> str:  # noqa: A002
    """Returns what is said about the error, without its fixes."""
    said = help.explanation
    return "\n\n".join(block for block in (_head(help), *_middle(said), *_advice(said)) if block)


def _head(help: Help) -> str:  # noqa: A002
    said = help.explanation
    gap = WIDTH - len(said.title) - len(help.error_class)
    title = f"{said.title}{' ' * gap}{help.error_class}" if gap > 1 else f"{said.title}\n{help.error_class}"
    return "\n".join([title.rstrip(), *_wrapped(paragraphs(said.cause))])


def _middle(said: Explanation) -> Iterable[str]:
    if said.unverified:
        yield say("unverified")
    if said.where is not None:
        yield _place(said.where)
    if said.operands:
        wide = max(len(operand.name) for operand in said.operands)
        yield "\n".join(f"  {operand.name:<{wide}}  {operand.type}" for operand in said.operands)
    if said.guard:
        yield f"{say('check_failed')}:\n{textwrap.indent(said.guard.strip(), '  ')}"


def _place(where: Where) -> str:
    number = str(where.line)
    lines = [
        f"  {say('place', cell=where.cell.label, line=where.line)}",
        f"  {number} | {where.source}",
    ]
    if marks := carets(where):
        lines.append(f"  {' ' * len(number)} | {marks}")
    return "\n".join(lines)


def _cures(help: Help) -> Iterable[str]:  # noqa: A002
    if help.fixes:
        yield _first_fix(help)
        yield _others(help.fixes[1:])


def _links(said: Explanation) -> str:
    links = [f"{link.label}: {link.url}" for link in said.links]
    if place := raised_in(said):
        links.append(f"{say('raised_in')}: {place}")
    return "\n".join(links)


def _first_fix(help: Help) -> str:  # noqa: A002
    fix = help.fixes[0]
    lines = [f"{say('fix')}: {fix.title}"]
    if notes := notes_of(fix):
        lines += _wrapped([" ".join(notes)], "  ")
    for edit in fix.edits:
        lines += _edit(edit, label_of(edit, fix, help))
    return "\n".join(lines)


def _edit(edit: CellEdit, label: str) -> Iterable[str]:
    changes = hunks(edit.cell.text, edit.new)
    wide = max((len(str(row.line)) for hunk in changes for row in hunk.rows), default=1)
    if label:
        yield f"  {label}"
    for number, hunk in enumerate(changes):
        if number:
            yield "  …"
        for row in hunk.rows:
            yield f"  {row.line:>{wide}} {row.mark} {row.text}".rstrip()


def _others(fixes: tuple[Fix, ...]) -> str:
    titles = [f"  {number}. {fix.title}" for number, fix in enumerate(fixes, 2)]
    return "\n".join([f"{count_of_others(len(fixes))}:", *titles]) if fixes else ""


def _advice(said: Explanation) -> Iterable[str]:
    if said.way_on:
        points = (_wrapped([point], "  - ", "    ")[0] for point in said.way_on)
        yield "\n".join([f"{say('way_on')}:", *points])
    if said.no_fix:
        yield "\n".join(_wrapped([f"{say('no_fix')}: {said.no_fix}"]))
    if said.avoid:
        yield "\n".join(_wrapped([f"{say('avoid')}: {said.avoid}"]))


def _more(said: Explanation) -> Iterable[str]:
    if said.details:
        text = "\n\n".join(_wrapped(paragraphs(said.details)))
        yield f"{say('why')}:\n{text}"
    if said.example is not None:
        for name, cells in (("broken", said.example.broken), ("fixed", said.example.fixed)):
            if cells:
                code = textwrap.indent("\n\n".join(cell.strip() for cell in cells), "  ")
                yield f"{say('example')} ({say(name).lower()}):\n{code}"


def _wrapped(lines: list[str], first: str = "", rest: str | None = None) -> list[str]:
    rest = first if rest is None else rest
    return [
        textwrap.fill(
            line,
            WIDTH,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines
    ]

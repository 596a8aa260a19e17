"""The help as text: its words and their order, as lines that a terminal or a plain text takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jax_nbhelp.phrases import sayer
from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.lines import Segment, blank, plain, width, wrapped
from jax_nbhelp.views.manner import AT_ONCE, steps_of
from jax_nbhelp.views.page import INDENT, Page, line_of, spaced
from jax_nbhelp.views.parts import (
    applicable,
    can_act,
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
    from jax_nbhelp.views.diff import Row
    from jax_nbhelp.views.lines import Line, Style
    from jax_nbhelp.views.manner import Manner, Step

say = sayer("view")


def render(help: Help, manner: Manner = AT_ONCE) -> str:  # noqa: A002
    """Returns the help as plain text, 80 columns wide; only code and links run over.

    The text of a notebook's output is not cut as in a terminal: pages and exported documents scroll or break
    long lines themselves, and people copy from them.
    """
    return plain(compose(help, manner))


def render_step(help: Help, number: int) -> str:  # noqa: A002
    """Returns one of the steps of a help as plain text."""
    return plain(compose_step(help, number))


def render_explanation(help: Help) -> str:  # noqa: A002
    """Returns what is said about the error, without its fixes, as plain text."""
    page, said = Page.of(None), help.explanation
    return plain(spaced([_head(help, page), *_middle(said, page), *_advice(said, page)]))


def compose(
    help: Help,  # noqa: A002
    manner: Manner = AT_ONCE,
    columns: int | None = None,
    *,
    full: bool = False,
) -> list[Line]:
    """Returns the help as lines.

    Args:
      help: what to show.
      manner: how it is shown; of a help that opens step by step it is the first step.
      columns: the most that a line takes in a terminal, code included. Links alone are left whole, since a
        terminal breaks them and yet opens them, which it does not when they are cut. None: the text is for
        no terminal; prose takes 80 columns, and code is left whole too.
      full: whether the longer text and the example follow; on a page they can be opened, here not.
    """
    page, said = Page.of(columns), help.explanation
    if manner.folded:
        return page.prose(f"{folded_line(help, manner)} {say('again_how')}")
    if manner.steps:
        return compose_step(help, 0, columns)
    blocks = [_head(help, page), *_middle(said, page), *_cures(help, page)]
    if full or not can_act(help):
        blocks += _advice(said, page)
    if full:
        blocks += _more(said, page)
    return spaced([*blocks, _links(said, page)])


def compose_step(help: Help, number: int, columns: int | None = None) -> list[Line]:  # noqa: A002
    """Returns one of the steps of a help as lines, and how the next is opened.

    Args:
      help: what to show.
      number: the step's place in `steps_of`.
      columns: as for `compose`.
    """
    page, said = Page.of(columns), help.explanation
    steps = steps_of(help)
    blocks: dict[Step, Iterable[list[Line]]] = {
        "message": [page.listing(f"{help.error_class}: {shortened(help.message)}", Segment(""))],
        "cause": [_head(help, page), *_paragraphs(said.details, page)],
        "where": _middle(said, page),
        "hint": _advice(said, page),
        "fix": [*_cures(help, page), *_example(said, page), _links(said, page)],
    }
    shown = [*blocks[steps[number]]]
    if number + 1 < len(steps):
        shown.append(page.prose(say("next_step", step=say(f"step_{steps[number + 1]}"))))
    return spaced(shown)


def _head(help: Help, page: Page) -> list[Line]:  # noqa: A002
    said = help.explanation
    *titles, last = wrapped(said.title, page.columns)
    lines = [line_of(title, "title") for title in (*titles, last)]
    gap = page.columns - width(last) - width(help.error_class)
    if not titles and gap > 1:
        lines = [(*lines[0], Segment(" " * gap), Segment(help.error_class, "muted"))]
    elif help.error_class:
        lines += [line_of(text, "muted") for text in wrapped(help.error_class, page.columns)]
    return [*lines, *(line for paragraph in _paragraphs(said.cause, page) for line in paragraph)]


def _middle(said: Explanation, page: Page) -> Iterable[list[Line]]:
    if said.unverified:
        yield page.prose(say("unverified"))
    if said.where is not None:
        yield _place(said.where, page)
    if said.operands:
        wide = max(width(operand.name) for operand in said.operands)
        names = [operand.name + " " * (wide - width(operand.name)) for operand in said.operands]
        pairs = zip(names, said.operands, strict=True)
        yield [row for name, one in pairs for row in page.listing(f"{name}  {one.type}")]
    if said.guard:
        yield [*page.heading(say("check_failed")), *page.listing(said.guard.strip())]


def _place(where: Where, page: Page) -> list[Line]:
    number = str(where.line)
    source, start, end = where.source, where.start, max(where.start, where.end)
    code = (Segment(source[:start]), Segment(source[start:end], "mark"), Segment(source[end:]))
    gutter, below = Segment(f"  {number} | ", "muted"), Segment(f"  {' ' * len(number)} | ", "muted")
    lines = page.prose(say("place", cell=where.cell.label, line=where.line), "  ")
    for row in page.source(code, (1, 2), (gutter,), below):
        lines.append(row)
        if marks := _carets(row[1:]):
            lines.append((below, *marks))
    return lines


def _carets(row: Line) -> Line:
    """The line of `^` below a row of code; empty where nothing is marked."""
    marked = [number for number, segment in enumerate(row) if segment.style == "mark" and segment.text]
    if not marked:
        return ()
    before = "".join(segment.text for segment in row[: marked[0]])
    return (Segment(blank(before)), Segment("^" * width(row[marked[0]].text.rstrip()), "caret"))


def _cures(help: Help, page: Page) -> Iterable[list[Line]]:  # noqa: A002
    if help.fixes:
        yield _first_fix(help, page)
        yield _others(help.fixes[1:], page)
    if page.code and (choices := applicable(help)):
        yield page.prose(say("prefill" if len(choices) == 1 else "prefill_others"))


def _first_fix(help: Help, page: Page) -> list[Line]:  # noqa: A002
    fix = help.fixes[0]
    lines = page.prose(fix.title, label=say("fix"))
    if notes := notes_of(fix):
        lines += page.prose(" ".join(notes), "  ")
    for edit in fix.edits:
        lines += _edit(edit, label_of(edit, fix, help), page)
    return lines


def _edit(edit: CellEdit, label: str, page: Page) -> Iterable[Line]:
    changes = hunks(edit.cell.text, edit.new)
    wide = max((len(str(row.line)) for hunk in changes for row in hunk.rows), default=1)
    if label:
        yield from page.prose(label, "  ")
    for number, hunk in enumerate(changes):
        if number:
            yield line_of("  …", "muted")
        for row in hunk.rows:
            yield from _row(row, wide, page)


def _row(row: Row, wide: int, page: Page) -> list[Line]:
    number = Segment(f"  {row.line:>{wide}} ", "muted")
    below = Segment(" " * (wide + 5))
    if row.mark == " ":
        return page.source(line_of(row.text), (0, 0), (number, INDENT), below)
    style: Style = "gone" if row.mark == "-" else "come"
    word: Style = "gone-word" if row.mark == "-" else "come-word"
    code = tuple(Segment(part.text, word if part.changed else style) for part in row.parts)
    # What comes before the first change and after the last may be cut. A line in two unchanged pieces is
    # one into which something is put between them; a line in one piece is gone or new as a whole.
    first, last = (1, len(code) - 1) if len(code) > 1 else (0, len(code))
    if row.parts[0].changed:
        first = 0
    if row.parts[-1].changed:
        last = len(code)
    return page.source(code, (first, last), (number, Segment(f"{row.mark} ", style)), below)


def _others(fixes: tuple[Fix, ...], page: Page) -> list[Line]:
    if not fixes:
        return []
    lines = page.heading(count_of_others(len(fixes)))
    for number, fix in enumerate(fixes, 2):
        lines += page.prose(fix.title, f"  {number}. ", " " * len(f"  {number}. "))
    return lines


def _advice(said: Explanation, page: Page) -> Iterable[list[Line]]:
    if said.way_on:
        points = (line for point in said.way_on for line in page.prose(point, "  - ", "    "))
        yield [*page.heading(say("way_on")), *points]
    if said.no_fix:
        yield page.prose(said.no_fix, label=say("no_fix"))
    if said.avoid:
        yield page.prose(said.avoid, label=say("avoid"))


def _more(said: Explanation, page: Page) -> Iterable[list[Line]]:
    if said.details:
        first, *others = _paragraphs(said.details, page)
        yield [*page.heading(say("why")), *first]
        yield from others
    yield from _example(said, page)


def _paragraphs(text: str, page: Page) -> list[list[Line]]:
    return [page.prose(paragraph) for paragraph in paragraphs(text)]


def _example(said: Explanation, page: Page) -> Iterable[list[Line]]:
    if said.example is None:
        return
    for name, cells in (("broken", said.example.broken), ("fixed", said.example.fixed)):
        if cells:
            heading = page.heading(f"{say('example')} ({say(name).lower()})")
            yield [*heading, *page.listing("\n\n".join(cell.strip() for cell in cells))]


def _links(said: Explanation, page: Page) -> list[Line]:
    lines: list[Line] = []
    for link in said.links:
        heading, url = page.heading(link.label), Segment(link.url)
        whole = f"{say('label', text=link.label)} {link.url}"
        if len(heading) > 1 or (page.code and width(whole) > page.columns):
            lines += [*heading, (url,)]
        else:
            lines.append((*heading[0], Segment(" "), url))
    if place := raised_in(said):
        lines += page.prose(place, label=say("raised_in"))
    return lines

"""The help as HTML that needs no script.

Sites like GitHub take styles and classes away, so the order, `<pre>`, `<b>` and `<details>` carry the
meaning, and `+`, `-` and `^` say what the colours say. There is no heading element: JupyterLab would
list it in the notebook's table of contents.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jax_nbhelp.glossary import linked
from jax_nbhelp.phrases import language, sayer
from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.lines import printable_lines
from jax_nbhelp.views.manner import AT_ONCE, steps_of
from jax_nbhelp.views.parts import (
    can_act,
    carets,
    code_spans,
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
    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.diff import Hunk, Row
    from jax_nbhelp.views.manner import Manner, Step


say = sayer("view")


def render(help: Help, manner: Manner = AT_ONCE) -> str:  # noqa: A002
    """Returns the help as one self-contained element; everything that is not ours is escaped.

    Steps that open one after the other are `<details>` in one another: they need no script, and hold in a
    saved notebook too.
    """
    body = _steps(help) if manner.steps else "".join(_whole(help))
    if manner.folded:
        body = _details(folded_line(help, manner), body, "nbh-again nbh-gate")
    known = f' data-help="{escape(manner.id)}"' if manner.id else ""
    # The style is a comment, and last: where a site shows its text the help comes first, and Markdown's sites
    # hide the text. CSS takes no notice of the comment's signs.
    style = f"<style><!-- {_style()} --></style>"
    page = f'<div class="jax-nbhelp" lang="{language()}"{known}>{body}{style}</div>'
    return re.sub(r"\n(?=[ \t]*\n)", "&#10;", page)  # in Markdown an empty line would end the HTML


def _whole(help: Help) -> Iterable[str]:  # noqa: A002
    said = help.explanation
    act = can_act(help)
    yield from _head(help)
    yield from _middle(said)
    yield from _cures(help)
    if not act:
        yield from _advice(said)
    yield from _more_of(said, advice=act)


def _steps(help: Help) -> str:  # noqa: A002
    said = help.explanation
    bodies: dict[Step, Iterable[str]] = {
        "message": _message(help),
        "cause": (*_head(help), *_reasons(said)),
        "where": _middle(said),
        "hint": _advice(said),
        "fix": (*_cures(help), *_more_of(said, advice=False, reasons=False)),
    }
    steps = steps_of(help)
    inner = ""
    for step in reversed(steps):
        inner = "".join(bodies[step]) + inner
        if step != steps[0]:
            gate = " nbh-gate" if step == "fix" else ""
            inner = _details(say(f"step_{step}"), inner, f"nbh-step{gate}")
    return inner


@cache
def _style() -> str:
    text = (Path(__file__).parent / "frontend" / "static.css").read_text(encoding="utf-8")
    return " ".join(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split())  # every help carries it


def escape(text: str) -> str:
    """Returns a text without markup, and without what would make it look like another."""
    return html.escape(printable_lines(text))


def rich(text: str) -> str:
    """Returns a text escaped, with what stands in backticks as code."""
    pieces = ((escape(piece), is_code) for piece, is_code in code_spans(text))
    return "".join(f"<code>{piece}</code>" if is_code else piece for piece, is_code in pieces)


def explained(text: str) -> str:
    """Returns a text like `rich`, with a link at each term of JAX's that its documentation explains."""
    out: list[str] = []
    seen: set[str] = set()
    for piece, is_code in code_spans(text):
        for part, page in [(piece, None)] if is_code else linked(piece, seen):
            shown = f"<code>{escape(part)}</code>" if is_code else escape(part)
            out.append(
                f'<a href="{escape(page)}" target="_blank" rel="noopener noreferrer">{shown}</a>'
                if page
                else shown
            )
    return "".join(out)


def _paragraph(kind: str, markup: str, lang: str = "") -> str:
    return f'<p class="nbh-{kind}"{lang}>{markup}</p>'


def _label(phrase: str) -> str:
    return escape(say("label", text=say(phrase)))


def _lang(said: Explanation) -> str:
    """The attribute for a record's own text, where it is in another language than the words around it."""
    return f' lang="{escape(said.language)}"' if said.language != language() else ""


def _head(help: Help) -> Iterable[str]:  # noqa: A002
    said = help.explanation
    name = f" <code>{escape(help.error_class)}</code>" if help.error_class else ""
    yield _paragraph("title", f"<b{_lang(said)}>{rich(said.title)}</b>{name}")
    if language() != "en":
        yield from _message(help)  # what one finds in a search is JAX's own wording
    for line in paragraphs(said.cause):
        yield _paragraph("cause", explained(line), _lang(said))


def _message(help: Help) -> Iterable[str]:  # noqa: A002
    if help.message:
        text = f"{help.error_class}: {shortened(help.message)}" if help.error_class else help.message
        yield f'<pre class="nbh-code nbh-plain nbh-message" lang="en">{escape(text)}</pre>'


def _middle(said: Explanation) -> Iterable[str]:
    if said.unverified:
        yield _paragraph("note", rich(say("unverified")))
    if said.where is not None:
        yield from _place(said.where)
    if said.operands:
        pairs = ((escape(operand.name), escape(operand.type)) for operand in said.operands)
        items = "".join(f"<li><code>{name}</code> {kind}</li>" for name, kind in pairs)
        yield f'<ul class="nbh-operands">{items}</ul>'
    if said.guard:
        yield _paragraph("label", escape(say("check_failed")))
        yield _code(said.guard)


def _code(text: str) -> str:
    return _pre(escape(text.strip()), "nbh-plain")


def _pre(code: str, kind: str = "") -> str:
    """Returns code as markup in a box that the keyboard can reach, since a long line scrolls there."""
    return f'<pre class="{f"nbh-code {kind}".strip()}" tabindex="0">{code}</pre>'


def _place(where: Where) -> Iterable[str]:
    yield _paragraph("label", escape(say("place", cell=where.cell.label, line=where.line)))
    number = str(where.line)
    marked = (
        f"<mark>{escape(where.source[where.start : where.end])}</mark>" if where.start < where.end else ""
    )
    line = escape(where.source[: where.start]) + marked + escape(where.source[max(where.start, where.end) :])
    code = f'<span class="nbh-gutter">{number} │ </span>{line}'
    if marks := carets(where):
        gutter = f'<span class="nbh-gutter">{" " * len(number)} │ </span>'
        code += f'\n<span aria-hidden="true">{gutter}<span class="nbh-caret">{marks}</span></span>'
    yield _pre(code)


def _cures(help: Help) -> Iterable[str]:  # noqa: A002
    if help.fixes:
        yield f'<div class="nbh-fixes">{"".join(_fixes(help))}</div>'


def _fixes(help: Help) -> Iterable[str]:  # noqa: A002
    first, *others = help.fixes
    lang = _lang(help.explanation)
    yield _paragraph("fix", f"{_label('fix')} <b{lang}>{rich(first.title)}</b>")
    if notes := notes_of(first):
        yield _paragraph("note", rich(" ".join(notes)))
    for edit in first.edits:
        if label := label_of(edit, first, help):
            yield _paragraph("label", escape(label))
        yield _diff(hunks(edit.cell.text, edit.new))
    if others:
        yield _others(others)


def _others(fixes: list[Fix]) -> str:
    items = "".join(f"<li>{rich(fix.title)}</li>" for fix in fixes)
    return _details(count_of_others(len(fixes)), f'<ol start="2">{items}</ol>')


def _diff(changes: tuple[Hunk, ...]) -> str:
    wide = max((len(str(row.line)) for hunk in changes for row in hunk.rows), default=1)
    gap = '\n<span class="nbh-gutter">…</span>\n'
    code = gap.join("\n".join(_row(row, wide) for row in hunk.rows) for hunk in changes)
    return _pre(code, "nbh-diff")


def _row(row: Row, wide: int) -> str:
    kind = {"-": "gone", "+": "come", " ": "same"}[row.mark]
    tag = "del" if row.mark == "-" else "ins"
    parts = ((escape(part.text), part.changed) for part in row.parts)
    text = "".join(f"<{tag}>{part}</{tag}>" if changed else part for part, changed in parts)
    gutter = f'<span class="nbh-gutter">{row.line:>{wide}} {row.mark} </span>'
    return f'<span class="nbh-{kind}">{gutter}{text}</span>'


def _advice(said: Explanation) -> Iterable[str]:
    lang = _lang(said)
    if said.way_on:
        yield _paragraph("label", escape(say("way_on")))
        points = "".join(f"<li>{rich(point)}</li>" for point in said.way_on)
        yield f'<ul class="nbh-points"{lang}>{points}</ul>'
    if said.no_fix:
        yield _paragraph("note", f"<b>{_label('no_fix')}</b> {rich(said.no_fix)}")
    if said.avoid:
        yield _paragraph("note", f"<b>{_label('avoid')}</b> <span{lang}>{rich(said.avoid)}</span>")


def _reasons(said: Explanation) -> Iterable[str]:
    return (_paragraph("text", rich(line), _lang(said)) for line in paragraphs(said.details))


def _more_of(said: Explanation, *, advice: bool, reasons: bool = True) -> Iterable[str]:
    if more := "".join(_more(said, advice=advice, reasons=reasons)):
        yield f'<div class="nbh-more">{more}</div>'


def _more(said: Explanation, *, advice: bool, reasons: bool) -> Iterable[str]:
    why = list(_reasons(said)) if reasons else []
    if advice:
        why.extend(_advice(said))
    if why:
        yield _details(say("why"), "".join(why))
    if said.example is not None:
        shown = (("broken", said.example.broken), ("fixed", said.example.fixed))
        yield _details(say("example"), "".join(_cells(name, cells) for name, cells in shown))
    for link in said.links:
        yield f"<span>{_link(link.label, link.url)}</span> "
    if place := raised_in(said):
        label = escape(say("raised_in"))
        yield f'<span class="nbh-note">{label} <code>{escape(place)}</code></span>'


def _details(summary: str, body: str, kind: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    return f"<details{kind}><summary>{escape(summary)}</summary>{body}</details>"


def _cells(name: str, cells: tuple[str, ...]) -> str:
    if not cells:
        return ""
    return _paragraph("label", escape(say(name))) + _code("\n\n".join(cell.strip() for cell in cells))


def _link(label: str, url: str) -> str:
    if not url.startswith(("https://", "http://")):
        return rich(label)
    return f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer">{rich(label)} ↗</a>'

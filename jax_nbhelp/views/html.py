"""The help as HTML that needs no script.

Sites like GitHub take styles and classes away, so the order, `<pre>`, `<b>` and `<details>` carry the
meaning, and `+`, `-` and `^` say what the colours say. There is no heading element: JupyterLab would
list it in the notebook's table of contents.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from jax_nbhelp.views.diff import hunks
from jax_nbhelp.views.parts import carets, code_spans, edit_label, fix_notes, paragraphs, source_url
from jax_nbhelp.views.phrases import ENGLISH, Phrases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.explain import Explanation, Where
    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.diff import Hunk, Part


def render(help: Help, *, phrases: Phrases = ENGLISH) -> str:  # noqa: A002
    """Returns the help as one self-contained element; everything that is not ours is escaped."""
    said = help.explanation
    known = help.confidence != "similar"
    body = [_head(help), *_middle(help, phrases)]
    if known and help.fixes:
        body.append(_fixes(help, phrases))
    body.extend(_advice(said, phrases))
    body.append(_more(said, phrases, known=known))
    return f'<div class="jax-nbhelp"><style>{_style()}</style>{"".join(body)}</div>'


@cache
def _style() -> str:
    return (files("jax_nbhelp.views") / "frontend" / "static.css").read_text(encoding="utf-8")


def rich(text: str) -> str:
    """Returns a text escaped, with what stands in backticks as code."""
    return "".join(
        f"<code>{escape(part)}</code>" if code else escape(part) for part, code in code_spans(text)
    )


def _paragraph(text: str, kind: str) -> str:
    return f'<p class="nbh-{kind}">{rich(text)}</p>'


def _head(help: Help) -> str:  # noqa: A002
    title = f"<b>{rich(help.explanation.title)}</b>"
    return (
        f'<p class="nbh-title">{title} <code>{escape(help.error_class)}</code></p>'
        f"{''.join(_paragraph(line, 'cause') for line in paragraphs(help.explanation.cause))}"
    )


def _middle(help: Help, phrases: Phrases) -> Iterable[str]:  # noqa: A002
    said = help.explanation
    if help.confidence == "similar" and help.record:
        yield _paragraph(phrases.similar.format(record=help.record), "note")
    if said.unverified:
        yield _paragraph(phrases.unverified, "note")
    if said.where is not None:
        yield _place(said.where, phrases)
    if said.operands:
        items = (
            f"<li><code>{escape(operand.name)}</code> {escape(operand.type)}</li>"
            for operand in said.operands
        )
        yield f'<ul class="nbh-operands">{"".join(items)}</ul>'
    if said.guard:
        yield f'<p class="nbh-label">{escape(phrases.check_failed)}</p>'
        yield f'<pre class="nbh-code">{escape(said.guard)}</pre>'


def _place(where: Where, phrases: Phrases) -> str:
    number = str(where.line)
    start, end = where.start, max(where.start, where.end)
    before, marked, after = where.source[:start], where.source[start:end], where.source[end:]
    line = escape(before) + (f"<mark>{escape(marked)}</mark>" if marked else "") + escape(after)
    rows = [f'<span class="nbh-gutter">{number} │ </span>{line}']
    if marks := carets(where):
        blank = f'<span class="nbh-gutter">{" " * len(number)} │ </span>'
        rows.append(f'<span aria-hidden="true">{blank}<span class="nbh-caret">{marks}</span></span>')
    place = escape(phrases.place.format(cell=where.cell.label, line=where.line))
    code = "\n".join(rows)
    return f'<p class="nbh-label">{place}</p><pre class="nbh-code">{code}</pre>'


def _fixes(help: Help, phrases: Phrases) -> str:  # noqa: A002
    first, *others = help.fixes
    body = [f'<p class="nbh-fix">{escape(phrases.fix)}: <b>{rich(first.title)}</b></p>']
    body += [_paragraph(" ".join(notes), "note") for notes in [fix_notes(first, phrases)] if notes]
    for index, edit in enumerate(first.edits):
        if label := edit_label(help, first, index):
            body.append(f'<p class="nbh-label">{escape(label)}</p>')
        body.append(_diff(hunks(edit.cell.text, edit.new)))
    if others:
        body.append(_others(others, phrases))
    return f'<div class="nbh-fixes">{"".join(body)}</div>'


def _others(fixes: list[Fix], phrases: Phrases) -> str:
    count = phrases.other_fix if len(fixes) == 1 else phrases.other_fixes.format(count=len(fixes))
    items = "".join(f"<li>{rich(fix.title)}</li>" for fix in fixes)
    return f'<details><summary>{escape(count)}</summary><ol start="2">{items}</ol></details>'


def _diff(changes: tuple[Hunk, ...]) -> str:
    wide = max((len(str(row.line)) for hunk in changes for row in hunk.rows), default=1)
    rows: list[str] = []
    for number, hunk in enumerate(changes):
        rows += ['<span class="nbh-gutter">…</span>'] if number else []
        for row in hunk.rows:
            kind = {"-": "gone", "+": "come", " ": "same"}[row.mark]
            gutter = f'<span class="nbh-gutter">{row.line:>{wide}} {row.mark} </span>'
            rows.append(f'<span class="nbh-{kind}">{gutter}{_parts(row.parts, row.mark)}</span>')
    code = "\n".join(rows)
    return f'<pre class="nbh-code nbh-diff">{code}</pre>'


def _parts(parts: tuple[Part, ...], mark: str) -> str:
    tag = "del" if mark == "-" else "ins"
    return "".join(f"<{tag}>{escape(p.text)}</{tag}>" if p.changed else escape(p.text) for p in parts)


def _advice(said: Explanation, phrases: Phrases) -> Iterable[str]:
    if said.way_on:
        points = "".join(f"<li>{rich(point)}</li>" for point in said.way_on)
        yield f'<p class="nbh-label">{escape(phrases.way_on)}</p><ul class="nbh-points">{points}</ul>'
    if said.avoid:
        yield f'<p class="nbh-note"><b>{escape(phrases.avoid)}:</b> {rich(said.avoid)}</p>'


def _more(said: Explanation, phrases: Phrases, *, known: bool) -> str:
    parts: list[str] = []
    if known and said.details:
        parts.append(
            _details(phrases.why, "".join(_paragraph(line, "text") for line in paragraphs(said.details)))
        )
    if known and said.example is not None:
        shown = ((phrases.broken, said.example.broken), (phrases.fixed, said.example.fixed))
        parts.append(
            _details(phrases.example, "".join(_cells(name, cells) for name, cells in shown if cells))
        )
    links = [_link(link.label, link.url) for link in said.links]
    if said.raised_in:
        links.append(_raised_in(said.raised_in, phrases))
    if links:
        parts.append(f'<p class="nbh-links">{" · ".join(links)}</p>')
    return f'<div class="nbh-more">{"".join(parts)}</div>' if parts else ""


def _details(summary: str, body: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def _cells(name: str, cells: tuple[str, ...]) -> str:
    code = "\n\n".join(cell.strip() for cell in cells)
    return f'<p class="nbh-label">{escape(name)}</p><pre class="nbh-code">{escape(code)}</pre>'


def _link(label: str, url: str, hint: str = "") -> str:
    if not url.startswith(("https://", "http://")):
        return rich(label)
    title = f' title="{escape(hint)}"' if hint else ""
    return f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer"{title}>{rich(label)}</a>'


def _raised_in(raised_in: str, phrases: Phrases) -> str:
    url = source_url(raised_in)
    if url is None:
        return escape(f"{phrases.raised_in}: {raised_in}")
    return _link(phrases.raised_in, url, raised_in)

"""Edits: the smallest change of a text that turns one node into new code.

Only tokens that differ are touched; the layout and the comments between kept tokens are the user's own.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jax_nbhelp.source import equal_runs, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jax_nbhelp.source import Source

_INSIGNIFICANT = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.COMMENT,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A range of a text and what takes its place."""

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Returns the text with edits that do not overlap."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token] | None:
    """The significant tokens of an expression or of statements; None where it cannot be split."""
    for prefix in ("(", ""):  # in brackets, a line break of an expression is mere layout
        code = prefix + text + ("\n)" if prefix else "\n")
        starts = [0]
        for line in lines_of(code):
            starts.append(starts[-1] + len(line))
        try:
            found = [
                _Token(
                    token.string,
                    starts[token.start[0] - 1] + token.start[1] - len(prefix),
                    starts[token.end[0] - 1] + token.end[1] - len(prefix),
                )
                for token in tokenize.generate_tokens(io.StringIO(code).readline)
                if token.type not in _INSIGNIFICANT
            ]
        except (tokenize.TokenError, SyntaxError):
            continue
        return [token for token in found if token.start >= 0 and token.end <= len(text)]
    return None


def expression_edits(old: str, new: str, base: int) -> list[Edit]:
    """Returns the edits from one expression's text to another's.

    Args:
      old: the text that stands at offset `base`.
      new: the text that shall stand there.
      base: added to every offset.
    """
    before, after = _tokens(old), _tokens(new)
    if before is None or after is None:
        return [Edit(base, base + len(old), new)]
    edits: list[Edit] = []
    for i, i_end, j, j_end in _differences([t.text for t in before], [t.text for t in after]):
        # Where the gap to a kept neighbour is plain blanks, it follows the new code; a gap with a line break
        # or a comment is the user's layout and stays.
        left = old[before[i - 1].end : before[i].start] if 0 < i < len(before) else ""
        right = old[before[i_end - 1].end : before[i_end].start] if 0 < i_end < len(before) else ""
        if i == i_end and 0 < i < len(before):
            edits.append(_insertion(old, before, i, new, after, j, j_end, base))
            continue
        start, new_start = (
            before[i].start if i < len(before) else len(old),
            after[j].start if j < len(after) else len(new),
        )
        if i > 0 and j > 0 and not left.strip() and "\n" not in left:
            start, new_start = before[i - 1].end, after[j - 1].end
        end, new_end = (
            (before[i_end - 1].end if i_end > i else start),
            (after[j_end - 1].end if j_end > j else new_start),
        )
        if i_end < len(before) and j_end < len(after) and not right.strip() and "\n" not in right:
            end, new_end = before[i_end].start, after[j_end].start
        edits.append(Edit(base + start, base + max(start, end), new[new_start : max(new_start, new_end)]))
    return edits


def _differences(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yields the ranges that differ."""
    i = j = 0
    for begin, new_begin, size in (*equal_runs(old, new), (len(old), len(new), 0)):
        if i < begin or j < new_begin:
            yield i, begin, j, new_begin
        i, j = begin + size, new_begin + size


def _insertion(
    old: str, before: list[_Token], i: int, new: str, after: list[_Token], j: int, j_end: int, base: int
) -> Edit:
    """Inserts tokens between two that stay."""
    text, gap = new[after[j].start : after[j_end - 1].end], old[before[i - 1].end : before[i].start]
    closes = before[i].text in ")]}"
    if "\n" in gap and (text[0] == "," or text[-1] == "," or (closes and before[i - 1].text in ",([{")):
        return _on_own_line(old, before, i, text, base)
    ahead, behind = new[after[j - 1].end : after[j].start], new[after[j_end - 1].end : after[j_end].start]
    if before[i - 1].text in "([{":  # what comes first in brackets stands at its neighbour
        return Edit(base + before[i].start, base + before[i].start, text + behind)
    # an added argument leaves the gap after it to the user; what wraps code stands as in the new code
    start, end = before[i - 1].end, before[i].start
    if text[0] == "," or gap.strip() or "\n" in gap:
        return Edit(base + start, base + start, ahead + text + ("" if gap else behind))
    return Edit(base + start, base + end, ahead + text + behind)


def _on_own_line(old: str, before: list[_Token], i: int, text: str, base: int) -> Edit:
    """Inserts into code of one item a line: on a line of its own, with the comma its neighbours have."""
    at = old.find("\n", before[i - 1].end)
    line_start = old.rfind("\n", 0, before[i - 1].start) + 1
    indent = re.match(r"[ \t]*", old[line_start:])
    comma = "" if text.startswith(",") or before[i - 1].text not in ",(" else ","
    if text.startswith(","):  # the last item had no comma: it gets one, and the new item is the last
        first = base + before[i - 1].end
        gap = old[before[i - 1].end : at]
        return Edit(first, base + at, "," + gap + "\n" + (indent[0] if indent else "") + text[1:].lstrip())
    return Edit(base + at, base + at, "\n" + (indent[0] if indent else "") + text.rstrip(", ") + comma)


def indent_unit(text: str) -> str:
    """The user's step of indentation: a tab, or the smallest number of blanks after a colon."""
    if re.search(r"(?m)^\t", text):
        return "\t"
    steps = [len(found[1]) for found in re.finditer(r":[ \t]*(?:#[^\n]*)?\n([ ]+)\S", text)]
    return " " * (min(steps) if steps else 4)


def statement_edits(
    source: Source, node: ast.stmt, new: str, last: ast.stmt | None = None
) -> list[Edit] | None:
    """Returns the edits that put new statements in the place of one, or of several.

    Args:
      source: the cell.
      node: the statement.
      new: statements at column 0, indented by 4.
      last: the last statement to be replaced, where there are several.

    Returns:
      The edits; None where the statement shares its line with a magic or another suite's header.
    """
    text = source.text
    start, end = source.span(node)[0], source.span(last or node)[1]
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start]
    unit = indent_unit(text)
    edits: list[Edit] = []
    if before.strip().startswith("%"):
        return None
    indent = before
    lead = ""
    if before.strip():  # `a(); b()` or `for d in ds: d.go()`: from here on, one statement a line
        header = before.rstrip().endswith(":")
        margin = re.match(r"[ \t]*", before)
        indent = (margin[0] if margin else "") + (unit if header else "")
        lead = "\n" + indent
        start = line_start + len(before.rstrip().rstrip(";").rstrip())
    following = re.compile(r"[ \t]*;[ \t]*(?=[^\s#])").match(text, end)
    if following:
        edits.append(Edit(end, following.end(), "\n" + indent))
    lines = [_indented(line, indent, unit) for line in new.split("\n")]
    lines[0] = lines[0][len(indent) :]
    homeless = [one for one in comments(text[start:end]) if one not in new]
    body = ("\n" + indent).join([*homeless, "\n".join(lines)])
    if lead or "\n" in body or isinstance(node, ast.If | ast.For | ast.With | ast.While | ast.FunctionDef):
        edits.append(Edit(start, end, lead + body))
    else:
        edits += expression_edits(text[start:end], body, start)
    return edits


def keep_comments(source: Source, node: ast.AST, edits: list[Edit]) -> list[Edit]:
    """Adds an edit that puts the comments which others take away on lines above the statement."""
    start, end = source.span(node)
    inside = [Edit(one.start - start, one.end - start, one.text) for one in edits]
    kept = Counter(comments(apply(source.text[start:end], inside)))
    lost: list[str] = []
    for one in comments(source.text[start:end]):
        kept[one] -= 1
        if kept[one] < 0:
            lost.append(one)
    statement = source.statement(node)
    if not lost or statement is None:
        return edits
    at = source.text.rfind("\n", 0, source.span(statement)[0]) + 1
    margin = re.match(r"[ \t]*", source.text[at:])
    lines = "".join(f"{margin[0] if margin else ''}{one}\n" for one in lost)
    return [Edit(at, at, lines), *edits]


def comments(text: str) -> list[str]:
    """Returns the comments in an expression or in statements."""
    for code in (f"({text}\n)", text):  # in brackets, an expression's lines need no indentation
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
        except (tokenize.TokenError, SyntaxError):
            continue
        return [token.string for token in tokens if token.type == tokenize.COMMENT]
    return []


def _indented(line: str, indent: str, unit: str) -> str:
    """A line of new code, indented by 4 a level, at the user's indentation."""
    code = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(code), 4)
    return indent + unit * levels + " " * rest + code if code else ""


def import_edit(source: Source, statement: str) -> Edit:
    """Returns the edit that adds an import: after the cell's last leading import, else above its first line.

    Leading magics, comments and a docstring stay on top.
    """
    text, at, line_end = source.text, 0, 0
    for node in source.body:
        start, end = source.span(node)
        if start >= line_end:  # not after a `;`
            at = line_end
        # `!ls`, masked by a number, or a docstring; `%time x = f()` is masked by an `if`
        passive = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (passive or isinstance(node, ast.Import | ast.ImportFrom)):
            break
        line_end = text.find("\n", end)
        line_end = len(text) if line_end < 0 else line_end + 1
    else:
        at = line_end
    if at == 0:
        head = re.match(r"(?:[ \t]*(?:#[^\n]*|%%[^\n]*)?\n)*", text)
        at = head.end() if head else 0
    margin = re.match(r"[ \t]*", text[at:])
    before = "" if at == 0 or text[at - 1] == "\n" else "\n"
    return Edit(at, at, before + (margin[0] if margin else "") + statement + "\n")

"""A cell's text as Python: an `ast` tree whose every node is a range of characters in that text.

Notebook syntax is masked by Python of equal length (`!ls` becomes `0##`), so an offset in the tree is an
offset in the cell and a magic can never be rewritten by accident.
"""

from __future__ import annotations

import ast
import bisect
import difflib
import functools
import io
import itertools
import re
import tokenize
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from jax_nbhelp.collector import held_off

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jax_nbhelp.cell import Cell, Compiled

# Cell magics whose body is the user's Python. Any other (%%bash, %%writefile) makes the cell unreadable.
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun"}
# Line magics followed by a Python statement.
_STATEMENT_MAGIC = re.compile(r"%(?:time|timeit|prun)\s+(?:-\w+\s*\d*\s+)*(?=\S)")
_ESCAPED_LINE = re.compile(r"[%!?]|[,;/](?=\w)")
_ASSIGNED_MAGIC = re.compile(r"([\w.,\s\[\]'\"*()]+?=\s*)([%!].*)$")
_HELP_LINE = re.compile(r"[%!]?[\w.*%]+\?\??\s*$")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SIGN = re.compile(r"[\r\n\\#!%'\"()\[\]{}]")  # begins or ends a string, a bracket, a comment or a line
_WRAPPER = "if 1:\n"  # IPython dedents an indented cell; we parse it one level down instead


class Source:
    """A parsed cell.

    Attributes:
      text: the cell's own text.
      masked: the same, notebook syntax masked.
      tree: its module, with top-level await allowed.
    """

    def __init__(self, text: str, masked: str) -> None:
        self.text, self.masked = text, masked
        indented = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]+[^\s#]", masked)
        self._shift = len(_WRAPPER) if indented else 0
        self._code = _WRAPPER + masked if indented else masked
        self.tree = module_of(self._code)
        self._lines = lines_of(self._code) or [""]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._innermost: dict[tuple[int, int], ast.expr | ast.stmt | None] = {}

    @functools.cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        parents: dict[ast.AST, ast.AST] = {}
        waiting: list[ast.AST] = [self.tree]
        for node in waiting:
            for child in ast.iter_child_nodes(node):
                if child not in parents:  # `Load()` and the like are one object everywhere
                    parents[child] = node
                    waiting.append(child)
        return parents

    @functools.cached_property
    def nodes(self) -> list[ast.AST]:
        """The nodes of the tree, outer before inner."""
        return [self.tree, *self._parents]

    @functools.cached_property
    def loads(self) -> frozenset[str]:
        """The names that the cell reads."""
        return self._names(ast.Load)

    @functools.cached_property
    def stores(self) -> frozenset[str]:
        """The names that the cell assigns, at its top or inside a function."""
        return self._names(ast.Store)

    @functools.cached_property
    def bindings(self) -> dict[str, list[ast.AST]]:
        """The statements that bind each name, see `bound_by`, outer before inner."""
        found: dict[str, list[ast.AST]] = {}
        for node in self.nodes:
            for name in bound_by(node) if isinstance(node, ast.stmt) else ():
                found.setdefault(name, []).append(node)
        return found

    @functools.cached_property
    def identifiers(self) -> frozenset[str]:
        """The names that stand anywhere in the cell."""
        return identifiers(self.nodes)

    def _names(self, context: type[ast.expr_context]) -> frozenset[str]:
        names = (node for node in self.nodes if isinstance(node, ast.Name))
        return frozenset(name.id for name in names if isinstance(name.ctx, context))

    @functools.cached_property
    def _line_ends(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self.text)]

    @property
    def body(self) -> list[ast.stmt]:
        """The cell's statements."""
        first = self.tree.body[0] if self._shift else None
        return first.body if isinstance(first, ast.If) else self.tree.body

    @functools.cached_property
    def _body_ends(self) -> list[int]:
        """The last line of each of the cell's statements, in the parsed code."""
        return [node.end_lineno or node.lineno for node in self.body]

    @functools.cached_property
    def comments(self) -> list[str]:
        """The cell's comments; a notebook command counts as one."""
        lines = io.StringIO(self._code).readline
        try:
            return [one.string for one in tokenize.generate_tokens(lines) if one.type == tokenize.COMMENT]
        except (tokenize.TokenError, SyntaxError):  # stricter than the parser about what follows the end
            return []

    def _offset(self, line: int, byte: int) -> int:
        """From ast's position (line from 1, UTF-8 column) to an offset in the cell's text."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        column = byte if text.isascii() else len(text.encode()[:byte].decode(errors="replace"))
        return self._starts[line - 1] + column - self._shift

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Returns the first offset of a node, decorators included, and the one past its last."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.arg | ast.alias | ast.excepthandler)
        start = self._offset(node.lineno, node.col_offset)
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        if decorators:
            first = self._offset(decorators[0].lineno, decorators[0].col_offset)
            start = self.text.rfind("@", 0, first)
        return start, self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def code(self, node: ast.AST) -> str:
        """Returns the Python that was parsed for a node: its text, notebook syntax masked."""
        start, end = self.span(node)
        return self._code[start + self._shift : end + self._shift]

    def segment(self, node: ast.AST) -> str:
        """Returns a node's text as the user wrote it."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, offset: int) -> int:
        """Returns the line, counted from 1, that an offset of the text stands in."""
        return bisect.bisect_left(self._line_ends, offset) + 1

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Returns the node around a node."""
        return self._parents.get(node)

    def ancestors(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """Yields a node and all around it, outward."""
        while node is not None:
            yield node
            node = self._parents.get(node)

    def located(self) -> Iterator[ast.expr | ast.stmt]:
        """Yields the tree's expressions and statements, outer before inner; not the parser's wrapper."""
        for top in self.body:
            for node in ast.walk(top):
                if isinstance(node, ast.expr | ast.stmt):
                    yield node

    def _touching(self, start: int, end: int) -> Iterator[ast.expr | ast.stmt]:
        """Yields what `located` does, without the statements that are wholly before or after a range."""
        first = bisect.bisect_right(self._starts, start + self._shift)
        last = bisect.bisect_right(self._starts, end + self._shift)
        for top in itertools.islice(self.body, bisect.bisect_left(self._body_ends, first), None):
            if not _touches(top, first, last):
                return
            waiting: list[ast.AST] = [top]
            for node in waiting:
                if isinstance(node, ast.stmt) and not _touches(node, first, last):
                    continue
                if isinstance(node, ast.expr | ast.stmt):
                    yield node
                waiting.extend(ast.iter_child_nodes(node))

    def smallest(self, start: int, end: int) -> ast.expr | ast.stmt | None:
        """Returns the innermost node that covers a range of the text."""
        if (start, end) not in self._innermost:  # every error at one place asks several times
            self._innermost[start, end] = self._find_smallest(start, end)
        return self._innermost[start, end]

    def _find_smallest(self, start: int, end: int) -> ast.expr | ast.stmt | None:
        best: ast.expr | ast.stmt | None = None
        size = len(self._code) + 1
        for node in self._touching(start, end):
            first, last = self.span(node)
            # <=: of an expression statement and its value, which cover the same range, take the value
            if first <= start and end <= last and last - first <= size:
                best, size = node, last - first
        return best

    def on_line(self, line: int) -> list[ast.expr | ast.stmt]:
        """Returns the nodes that touch a line of the text, the smallest first."""
        ends = [-1, *self._line_ends, len(self.text)]
        if not 0 < line < len(ends):
            return []
        found = [
            (last - first, order, node)
            for order, node in enumerate(self._touching(ends[line - 1] + 1, ends[line]))
            for first, last in [self.span(node)]
            if self.line_of(first) <= line <= self.line_of(last)
        ]
        return [node for *_, node in sorted(found, key=lambda item: item[:2])]

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Returns the statement a node stands in, or is."""
        return next((n for n in self.ancestors(node) if isinstance(n, ast.stmt)), None)

    def run(self, node: ast.AST, length: int) -> list[ast.stmt]:
        """Returns a statement and those that follow it in its block: `length` in all, or what there is."""
        parent = self.parent(node)
        for field in ("body", "orelse", "finalbody"):
            block: object = getattr(parent, field, None)
            if isinstance(block, list) and node in block:
                at = block.index(node)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
                return block[at : at + length]  # pyright: ignore[reportUnknownVariableType]
        return []

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        """Returns the innermost function a node stands in."""
        return next((n for n in self.ancestors(self.parent(node)) if isinstance(n, FUNCTIONS)), None)


def bound_by(node: ast.AST) -> frozenset[str]:
    """Returns the names that a statement assigns, or defines under a decorator, which may wrap them."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return frozenset([node.name] if node.decorator_list else [])
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        for target in node.targets:
            targets += target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def identifiers(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Returns the names that nodes read, bind or have; not the keywords of calls."""
    found: set[str] = set()
    for node in nodes:
        for attribute in ("id", "arg", "name"):
            if isinstance(name := getattr(node, attribute, None), str) and not isinstance(node, ast.keyword):
                found.add(name)
    return frozenset(found)


def _touches(node: ast.stmt, first: int, last: int) -> bool:
    """Whether a statement, decorators included, touches lines of the parsed code, counted from 1."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    begins = decorators[0].lineno if decorators else node.lineno
    return begins <= last and (node.end_lineno or node.lineno) >= first


class _Kept:
    """Cells that were parsed lately: a tree takes a hundred bytes for each character of its cell."""

    MOST = 64  # cells
    LENGTH = 20_000  # characters in all, but for the last cells
    LAST = 4  # cells that are kept whatever their length: an edited one is compared with what it was

    def __init__(self) -> None:
        self._sources: dict[str, Source | None] = {}  # the last used on the right
        self._length = 0

    def parse(self, text: str) -> Source | None:
        if text in self._sources:
            self._sources[text] = self._sources.pop(text)
            return self._sources[text]
        source = self._sources[text] = parse_once(text)
        self._length += len(text)
        while len(self._sources) > self.MOST or (
            self._length > self.LENGTH and len(self._sources) > self.LAST
        ):
            oldest = next(iter(self._sources))
            del self._sources[oldest]
            self._length -= len(oldest)
        return source

    def __len__(self) -> int:
        return len(self._sources)


_kept = _Kept()


def parse(text: str) -> Source | None:
    """Parses a cell; None where it is not Python, or not complete. The last cells are kept."""
    return _kept.parse(text)


def parse_once(text: str) -> Source | None:
    """Parses a cell as `parse` does, and does not keep it."""
    try:
        masked = mask(text)
        return None if masked is None else Source(text, masked)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class CellNames(NamedTuple):
    """The names that a cell reads, and those that it binds at its top; imports never go stale."""

    loads: frozenset[str]
    binds: frozenset[str]


# Every cell of a notebook is asked again for each fix: with less room than a shell keeps cells
# (`shell.cells.MAX_CELLS`), each would be gone again when its turn comes.
@functools.lru_cache(maxsize=3_000)
def names_of(text: str) -> CellNames:
    """Returns the names of a cell, whose tree is not kept; none where it is not Python."""
    source = parse_once(text)
    if source is None:
        return CellNames(frozenset(), frozenset())
    at_top = {node.name for node in source.body if isinstance(node, DEFINITIONS)}
    return CellNames(source.loads, source.stores | at_top)


def binds(text: str, name: str) -> bool:
    """Whether a cell binds a name; one that cannot hold it is not parsed."""
    # Python takes `ﬁt` for `fit`
    return (name in text or not text.isascii()) and name in names_of(text).binds


def module_of(code: str) -> ast.Module:
    """Parses Python, with top-level await allowed, without the warnings that the user has seen already."""
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings(), held_off():
        warnings.simplefilter("ignore")
        return compile(code, "<cell>", "exec", flags, dont_inherit=True)


def expression_of(code: str) -> ast.expr:
    """Parses an expression, likewise.

    Raises:
      SyntaxError: it is none.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(f"({code}\n)", mode="eval").body


def silencers(text: str) -> int:
    """Counts what in a cell may swallow an error: `try`, `except`, `suppress`. No cure adds one."""
    source = parse(text)
    nodes = ast.walk(source.tree) if source else ()
    return sum(
        isinstance(node, ast.Try | ast.ExceptHandler)
        or "suppress" in (getattr(node, "attr", None), getattr(node, "id", None))
        for node in nodes
    )


def lines_of(text: str) -> list[str]:
    """Returns the lines of a text with their ends, as Python counts them.

    `str.splitlines` also breaks at a form feed or U+2028, which may stand in a string or a comment.
    """
    return _LINE.findall(text)


def _bare_lines(text: str) -> list[str]:
    return [line.rstrip("\r\n") for line in lines_of(text)]


def mask(text: str) -> str | None:
    """Replaces notebook-only syntax by Python of the same length; None for a cell in another language."""
    out: list[str] = []
    inside = _continued_lines(text)
    continued = seen_code = False
    for number, line in enumerate(lines_of(text)):
        body = line.rstrip("\r\n")
        code = body.lstrip()
        indent, ending = body[: len(body) - len(code)], line[len(body) :]
        if continued:  # a shell command goes on after a backslash
            continued = body.endswith("\\")
            body = indent + "#" * len(code)
        elif code.startswith("%%") and not seen_code:
            words = code[2:].split()
            if words and words[0] not in _PYTHON_CELL_MAGICS:
                return None
            body = "#" * len(body)
        elif number not in inside:
            masked = _mask_line(code)
            if masked is not None:
                continued = body.endswith("\\") and masked.endswith("#")
                body = indent + masked
        seen_code = seen_code or bool(code)
        out.append(body + ending)
    return "".join(out)


def _mask_line(code: str) -> str | None:
    """Masks one line (without its indentation); None where it is plain Python."""
    timed = _STATEMENT_MAGIC.match(code)
    if timed and len(timed[0]) >= len("if 1: "):
        return "if " + "1" * (len(timed[0]) - 5) + ": " + code[len(timed[0]) :]
    if _ESCAPED_LINE.match(code) or _HELP_LINE.match(code):
        return "0" + "#" * (len(code) - 1)
    assigned = _ASSIGNED_MAGIC.match(code)
    if assigned:
        return assigned[1] + "0" + "#" * (len(assigned[2]) - 1)
    return None


def _continued_lines(text: str) -> set[int]:
    """Numbers, from 0, of lines that begin inside a string or a bracket; tolerant of any text."""
    inside: set[int] = set()
    depth = line = at = 0
    quote = ""
    while sign := _SIGN.search(text, at):
        at, char = sign.start(), sign[0]
        if char == "\n" or (char == "\r" and text[at + 1 : at + 2] != "\n"):
            line += 1
            if len(quote) == 3 or depth:
                inside.add(line)
            else:
                quote = ""
        elif quote:
            if char == "\\":
                at += 1
                line += text[at : at + 1] == "\n"
            elif text.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
        elif char == "#" or (
            char in "!%" and not depth and not text[text.rfind("\n", 0, at) + 1 : at].strip()
        ):
            # a comment, or a magic line, whose quotes and brackets do not count
            end = text.find("\n", at)
            at = (end if end >= 0 else len(text)) - 1
        elif char in "\"'":
            quote = text[at : at + 3] if text[at : at + 3] in ('"""', "'''") else char
            at += len(quote) - 1
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(0, depth - 1)
        at += 1
    return inside


@dataclass(frozen=True, slots=True)
class Place:
    """A range of characters in a cell.

    Attributes:
      cell: the cell.
      start: the first character; `end` is one past the last.
      exact: the range is the failing expression's; otherwise it is only its line.
    """

    cell: Cell
    start: int
    end: int
    exact: bool

    @property
    def line(self) -> int:
        """The line of the cell, counted from 1."""
        return self.cell.text.count("\n", 0, self.start) + 1

    @property
    def text(self) -> str:
        """The marked characters."""
        return self.cell.text[self.start : self.end]


Position = tuple[int | None, int | None, int | None, int | None]  # line, end line, column, end column


def locate(compiled: Compiled, line: int, position: Position | None = None) -> Place | None:
    """Maps a position in compiled source to the user's cell.

    IPython drops leading blank lines, dedents, and rewrites magics, so line numbers of a traceback are
    not the cell's; equal lines are paired instead.

    Args:
      compiled: the source that was compiled and its cell.
      line: the line, from 1, in the compiled source.
      position: what `co_positions` gives for the instruction, columns in UTF-8 bytes.

    Returns:
      The place; only the whole line where columns are missing, and None where the line is not found.
    """
    raw, code, starts, pairs = _pair_lines(compiled.cell.text, compiled.text)

    def offset(number: int, byte: int) -> int | None:
        if number not in pairs or number > len(code):
            return None
        row, shift = pairs[number]
        column = len(code[number - 1].encode()[:byte].decode(errors="replace")) + shift
        return starts[row - 1] + max(0, min(column, len(raw[row - 1])))

    if position is not None:
        first, last, column, end_column = position
        if first and last and column is not None and end_column is not None:
            start, end = offset(first, column), offset(last, end_column)
            if start is not None and end is not None and start < end:
                return Place(compiled.cell, start, end, exact=True)
    if line not in pairs:
        return None
    row, _ = pairs[line]
    text = raw[row - 1]
    indent = len(text) - len(text.lstrip())
    return Place(compiled.cell, starts[row - 1] + indent, starts[row - 1] + len(text), exact=False)


class _Lines(NamedTuple):
    """The lines of a cell beside those that were compiled, without their ends.

    Attributes:
      raw: the cell's lines.
      code: the compiled ones.
      starts: the offset in the cell at which each of its lines begins.
      pairs: compiled line to (line of the cell, columns to add), both lines counted from 1.
    """

    raw: list[str]
    code: list[str]
    starts: list[int]
    pairs: dict[int, tuple[int, int]]


@functools.lru_cache(maxsize=16)  # each frame of a recursion asks again
def _pair_lines(raw_text: str, code_text: str) -> _Lines:
    raw, code = _bare_lines(raw_text), _bare_lines(code_text)
    starts = [0, *itertools.accumulate(map(len, lines_of(raw_text)))]
    return _Lines(raw, code, starts, _pairs(raw, code))


def _pairs(raw: list[str], code: list[str]) -> dict[int, tuple[int, int]]:
    if raw == code:
        return {number: (number, 0) for number in range(1, len(raw) + 1)}
    pairs: dict[int, tuple[int, int]] = {}
    for i, j, size in equal_runs([text.strip() for text in raw], [text.strip() for text in code]):
        for row, number in zip(range(i, i + size), range(j, j + size), strict=True):
            pairs[number + 1] = (row + 1, _indent(raw[row]) - _indent(code[number]))
    magics = [(row, line) for row, line in enumerate(raw, 1) if line.lstrip().startswith("%")]
    for number, text in enumerate(code, 1):  # `%time y = f(x)`: the statement is the end of a magic line
        if number not in pairs and text.strip() and not text.lstrip().startswith("get_ipython()"):
            ends = [(row, line) for row, line in magics if line.endswith(text)]
            if len(ends) == 1:
                row, line = ends[0]
                pairs[number] = (row, len(line) - len(text))
    known = sorted(pairs)
    taken = {row for row, _ in pairs.values()}
    for number in range(1, len(code) + 1):  # a rewritten line: the next to its neighbour's
        if number not in pairs and known:
            before = known[max(0, bisect.bisect(known, number) - 1)]
            row = pairs[before][0] + number - before
            if 1 <= row <= len(raw) and row not in taken:
                pairs[number] = (row, 0)
                taken.add(row)
    return pairs


def equal_runs(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """Aligns two texts.

    What is equal at either end is kept before the rest is aligned: a long cell of many equal lines that was
    changed in one place would take the square of its lines.

    Args:
      old: the lines, or the words, of one text.
      new: those of the other.

    Returns:
      The runs of equal lines, in their order: where one begins in each text, and its length.

    >>> equal_runs(["a", "b", "c"], ["a", "x", "c"])
    [(0, 0, 1), (2, 2, 1)]
    """
    head, tail = common_ends(old, new)
    inner = difflib.SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    )
    runs = [(head + one.a, head + one.b, one.size) for one in inner.get_matching_blocks()]
    return [one for one in [(0, 0, head), *runs, (len(old) - tail, len(new) - tail, tail)] if one[2]]


def common_ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """Returns how many lines, or words, two texts have in common at the beginning, and then at the end."""
    least = min(len(old), len(new))
    head = next((n for n in range(least) if old[n] != new[n]), least)
    tail = next((n for n in range(least - head) if old[-1 - n] != new[-1 - n]), least - head)
    return head, tail


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

"""A record begun from a failure: what can be read from it is written, what a person must say is marked.

The wording is taken from JAX's own source where it raised, so that what varies is a hole of the right name;
where that cannot be read (JAX's compiled part, Python itself) it is guessed from the message.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.catalog.lint import record_id
from jax_nbhelp.catalog.match import match
from jax_nbhelp.catalog.record import Occurrence, Record, RecordExample
from jax_nbhelp.catalog.template import ENOUGH, as_literal, compile_template, normalise
from jax_nbhelp.catalog.write import to_toml
from jax_nbhelp.source import parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from jax_nbhelp.failure import Failure, Frame, Link
    from jax_nbhelp.sites.source import Source

TODO = "TODO"
_TITLE = 80  # characters of a title
_REMARKS = {
    "title": "TODO: what happens, in a few words of the user's.",
    "cause": "TODO: JAX's rule, and how this code breaks it; the holes of the template may be named.",
    "solutions": "TODO: the ways on, the best first.",
    "occurrences": "TODO: check that every hole holds what varies; one occurrence for each other wording.",
    "examples": "TODO: as few lines as raise it; `fix` and `expect` when there is a cure.",
}
# What varies in a message whose source cannot be read, and a name for it.
_VARIES = (
    ("address", r"0x[0-9a-f]{4,}"),
    ("type", r"\b(?:[a-z]+\d+|bool|key<\w+>)\[[^\]\n]*\]"),
    ("shape", r"\((?:\d+,? ?)+\)|\(\)"),
    ("name", r"'[^'\n]*'"),
    ("number", r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"),
)


class DraftError(ValueError):
    """A failure that no record can be begun from, or a place where none can be written; says the remedy."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A record that was begun.

    Attributes:
      record: the record.
      read: the wording was read from JAX's source; otherwise it was guessed from the message.
    """

    record: Record
    read: bool

    def write(self, folder: Path) -> Path:
        """Writes it into a folder of records, as a new file.

        Raises:
          DraftError: a record of this name is there, or the file cannot be written.
        """
        path = folder / self.record.area / f"{self.record.slug}.toml"
        for other in folder.rglob(f"{self.record.slug}.toml"):
            raise DraftError(f"{other}: is there already; give another slug")
        remarks = dict(_REMARKS)
        if not self.read:
            remarks["occurrences"] = f"{remarks['occurrences']} JAX's source was not found, so it is a guess."
        try:
            if not path.parent.resolve().is_relative_to(folder.resolve()):
                raise DraftError(f"{path.parent}: is a link out of {folder}; give another area")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(to_toml(self.record, remarks=remarks))
        except (OSError, UnicodeEncodeError) as error:
            raise DraftError(f"{path}: cannot be written: {error}") from error
        return path


def named(text: str) -> tuple[str, str]:
    """Returns the area and the slug of `AREA/SLUG`.

    Raises:
      DraftError: it is not of that form.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*", text):
        raise DraftError(f"{text!r}: write AREA/SLUG, each words of a-z and 0-9 joined by `-`")
    area, _, slug = text.partition("/")
    return area, slug


def draft(
    failure: Failure,
    cells: Sequence[str],
    area: str,
    slug: str,
    release: str,
    source: Source | None,
    *,
    compiled: bool,
) -> Draft:
    """Begins a record from a failure.

    Args:
      failure: the failure.
      cells: the cells that raise it, the last one last.
      area: the record's area.
      slug: its name.
      release: JAX's version, e.g. `0.10.2`.
      source: JAX's source, as far as `files_of` asks for it.
      compiled: the error may be of JAX's compiled part, which leaves no frame.

    Raises:
      DraftError: the error is not JAX's, or its words are too few.
    """
    link = _link(failure, compiled=compiled)
    template, frame = _wording(link, source)
    read = template is not None
    template = template or guessed(link.message)
    weight = compile_template(template).weight
    raising = frame or _jax_frame(link)
    if not weight or (weight < ENOUGH and raising is None):
        raise DraftError(f"{link.error_class}: its message has too few words of its own to recognise it by")
    occurrence = Occurrence(
        template,
        link.error_class,
        raising.file if raising else "",
        raising.function.rsplit(".", 1)[-1] if raising else "",
        ">=" + ".".join(release.split(".")[:2]) if release else "",
        needs_frame=weight < ENOUGH,
    )
    title = template.strip().splitlines()[0]
    record = Record(
        id="0" * 16,
        slug=slug,
        area=area,
        title=title if len(title) <= _TITLE else TODO,
        cause=TODO,
        occurrences=(occurrence,),
        proof="run",
        documentation=TODO,
        triggers=(TODO,),
        solutions=(TODO,),
        references=(TODO,),
        tags=(area,),
        examples=(RecordExample(tuple(cell.strip("\n") for cell in cells), needs=_needs()),),
    )
    record = replace(record, id=record_id(record))
    if match(failure, from_records([record]), release) is None:
        raise DraftError(f"{link.error_class}: the wording {template!r} does not match its own message")
    return Draft(record, read)


def files_of(failure: Failure) -> tuple[str, ...]:
    """Returns JAX's files that tell the wording of a failure: those on its way, and its exceptions'."""
    files = [frame.file for link in failure.links for frame in link.frames if frame.file.startswith("jax/")]
    return tuple(dict.fromkeys([*files, "jax/errors.py", "jax/_src/errors.py"]))


def _link(failure: Failure, *, compiled: bool) -> Link:
    """The link of the chain that is JAX's."""
    for owner in ("jax", "library", "other") if compiled else ("jax", "library"):
        for link in failure.links:
            if link.owner == owner:
                return link
    outer = failure.links[0]
    raise DraftError(f"{outer.error_class}: is not an error of JAX's: {outer.message.strip()[:200]}")


def _jax_frame(link: Link) -> Frame | None:
    return next((frame for frame in reversed(link.frames) if frame.kind in ("jax", "library")), None)


def _wording(link: Link, source: Source | None) -> tuple[str | None, Frame | None]:
    """The template of the innermost raise site that gives the message, and its frame."""
    if source is None:
        return None, None
    from jax_nbhelp.sites.site import read_sites

    text = normalise(link.message)
    sites = read_sites(source)
    for frame in reversed(link.frames):
        found = [
            template
            for site in sites
            if (site.file, site.qualname) == (frame.file, frame.function)
            for template in site.templates
            if compile_template(template).match(text) is not None
        ]
        if found:
            return max(found, key=lambda template: compile_template(template).weight), frame
    return None, None


def guessed(message: str) -> str:
    """Returns a template for a message: what looks like a value becomes a hole.

    >>> guessed("size 3 of 'x' is not float32[2]")
    'size {number} of {name} is not {type}'
    """
    pattern = re.compile("|".join(f"(?P<{name}>{one})" for name, one in _VARIES))
    out, at, counts = list[str](), 0, dict[str, int]()
    for found in pattern.finditer(message):
        literal = message[at : found.start()]
        at = found.end()
        if out and not literal.strip():
            continue  # two values with nothing between them are one
        kind = str(found.lastgroup)
        counts[kind] = counts.get(kind, 0) + 1
        out += [as_literal(literal), f"{{{kind}{counts[kind] if counts[kind] > 1 else ''}}}"]
    return "".join([*out, as_literal(message[at:])])


def _needs() -> tuple[str, ...]:
    """What this process was given by its environment, and an example then needs too."""
    devices = re.search(r"xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    wide = os.environ.get("JAX_ENABLE_X64", "").lower() in ("1", "true")
    return ((f"devices:{devices[1]}",) if devices else ()) + (("x64",) if wide else ())


def needed(cells: Sequence[str]) -> list[str]:
    """Returns the cells that the last one needs, by the names that they bind and read.

    >>> needed(["import jax", "x = 1", "y = 2", "jax.grad(x)"])
    ['import jax', 'x = 1', 'jax.grad(x)']
    """
    names = [_names(cell) for cell in cells]
    waiting, kept = [len(cells) - 1] if cells else [], set[int]()
    while waiting:
        at = waiting.pop()
        kept.add(at)
        for name in names[at][1]:
            binding = [
                number for number, (bound, _) in enumerate(names[:-1]) if name in bound and number != at
            ]
            before = [number for number in binding if number < at]
            # a function may read what a later cell binds
            waiting += [one for one in (before or binding)[-1:] if one not in kept]
    return [cells[number] for number in sorted(kept)]


def _names(cell: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, and those that it reads."""
    source = parse(cell)
    bound, read = set[str](), set[str]()
    for node in ast.walk(source.tree) if source is not None else ():
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
    return bound, read - set(dir(builtins))

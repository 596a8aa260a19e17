"""The catalog: all records, looked up by the words of a message or by the function that raised.

An entry is small and holds what recognition needs; a record's body is read when it is recognised. A wheel
ships the entries and the bodies as two files made by `build`; a checkout reads `records/`.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import sys
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jax_nbhelp.catalog.record import Occurrence
from jax_nbhelp.catalog.template import Template, TemplateError, compile_template, words_of
from jax_nbhelp.collector import held_off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jax_nbhelp.catalog.record import Record

_FEW = 8  # entries that are compared one by one
_END = 16  # characters of a template's beginning and of its end by which it is filed
INDEX, BODIES = "index.jsonl", "bodies.jsonl"


class Filed(NamedTuple):
    """What is filed of an occurrence.

    Attributes:
      reviewed: whether its record is reviewed.
      fields: the occurrence's fields in their order.
      words: the template's words, the rarest of all records first.
    """

    reviewed: bool
    fields: Sequence[Any]
    words: Sequence[str]


class Entry:
    """One occurrence of one record; its parts are made when a message first meets it.

    Args:
      slug: the record.
      ends: the beginning and the end of the template's text, as far as no hole stands there.
      filed: what is filed of it, or the JSON that says so.
      native: the record comes with the package; one from elsewhere must match better to win.
    """

    __slots__ = ("_filed", "_occurrence", "_template", "ends", "native", "slug")

    def __init__(
        self, slug: str, ends: tuple[str, str], filed: Filed | bytes, *, native: bool = True
    ) -> None:
        self.slug, self.ends, self.native = slug, ends, native
        self._filed = filed
        self._occurrence: Occurrence | None = None
        self._template: Template | None = None

    def read(self) -> Filed:
        """Returns what is filed, without keeping it: read, the index takes six times its size."""
        return Filed(*json.loads(self._filed)) if isinstance(self._filed, bytes) else self._filed

    @property
    def filed(self) -> Filed:
        """What is filed; kept, since the next message may meet it too."""
        self._filed = self.read()
        return self._filed

    @property
    def reviewed(self) -> bool:
        """Whether the record is reviewed."""
        return self.filed.reviewed

    @property
    def occurrence(self) -> Occurrence:
        """The occurrence."""
        if self._occurrence is None:
            self._occurrence = Occurrence(*self.filed.fields)
        return self._occurrence

    @property
    def template(self) -> Template:
        """Its compiled template."""
        if self._template is None:
            self._template = compile_template(self.occurrence.template)
        return self._template


class _Branch:
    """Entries told apart by one word after the other, the rarest first, as far as there are many of them.

    Args:
      depth: how many words all entries of this branch share.
    """

    __slots__ = ("_depth", "_entries", "_inner")

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self._entries: list[Entry] = []
        self._inner: dict[str, _Branch] | None = None  # made when a message first comes by

    def add(self, entry: Entry) -> None:
        """Puts an entry here, before any message is looked up."""
        self._entries.append(entry)

    def entries(self, words: set[str]) -> Iterator[Entry]:
        """Yields the entries whose words are all among these, and maybe some more."""
        branches = [self]
        while branches:
            branch = branches.pop()
            if len(branch._entries) > _FEW:
                branch._split()
            yield from branch._entries
            if branch._inner:
                branches += [branch._inner[word] for word in sorted(branch._inner.keys() & words)]

    def _split(self) -> None:
        """Hands the entries that have a further word on to further branches; those that have none stay."""
        if self._inner is None:
            self._inner = {}
            stay: list[Entry] = []
            for entry in self._entries:
                words = entry.filed.words
                if len(words) == self._depth:
                    stay.append(entry)
                    continue
                word = words[self._depth]
                if word not in self._inner:
                    self._inner[word] = _Branch(self._depth + 1)
                self._inner[word].add(entry)
            self._entries = stay


class Catalog:
    """The records, indexed.

    Args:
      entries: the occurrences of all records that are not retired.
      body: reads a record by its slug.
      complaints: what could not be read, for `%jaxhelp doctor`.
    """

    def __init__(
        self, entries: Iterable[Entry], body: Callable[[str], Record], complaints: Sequence[str] = ()
    ) -> None:
        self._body = functools.lru_cache(maxsize=256)(body)
        self.complaints = list(complaints)
        self._entries = list(entries)
        self._slugs = {entry.slug for entry in self._entries}
        # A message has one beginning and one end, so it meets few branches whatever else it says.
        self._by_ends: defaultdict[str, defaultdict[str, _Branch]] = defaultdict(lambda: defaultdict(_Branch))
        with held_off():
            for entry in self._entries:
                start, end = entry.ends
                self._by_ends[start][end].add(entry)

    def __len__(self) -> int:
        return len(self._slugs)

    def __contains__(self, slug: str) -> bool:
        return slug in self._slugs

    def slugs(self) -> list[str]:
        """Returns the slugs of all records."""
        return sorted(self._slugs)

    def record(self, slug: str) -> Record:
        """Returns a record.

        Raises:
          KeyError: there is none of this name.
        """
        if slug not in self._slugs:
            raise KeyError(slug)
        return self._body(slug)

    def with_records(self, records: Iterable[Record], complaints: Sequence[str] = ()) -> Catalog:
        """Returns a catalog that has records from elsewhere too; their slugs are not in this one."""
        by_slug = {record.slug: record for record in records if not record.retired}
        entries, unusable = _filed(by_slug.values(), native=False)

        def body(slug: str) -> Record:
            return by_slug[slug] if slug in by_slug else self._body(slug)

        return Catalog([*self._entries, *entries], body, [*self.complaints, *complaints, *unusable])

    def candidates(self, message: str) -> Iterator[Entry]:
        """Yields the entries that may match a normalised message: it begins, ends and speaks as they do."""
        words = words_of(message)
        lengths = range(min(_END, len(message)) + 1)
        for start in lengths:
            by_end = self._by_ends.get(message[:start])
            if by_end is None:
                continue
            for end in lengths:
                branch = by_end.get(message[len(message) - end :])
                if branch is not None:
                    yield from branch.entries(words)

    def sharing(self, text: str) -> list[Entry]:
        """Returns the entries whose rarest word stands in a normalised text, and those that have no words."""
        return [entry for word in ("", *sorted(words_of(text))) for entry in self._by_word.get(word, ())]

    @functools.cached_property
    def _by_word(self) -> dict[str, list[Entry]]:
        found: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in self._entries:
            words = entry.read().words
            found[words[0] if words else ""].append(entry)
        return found

    def raised_by(self, file: str, qualname: str) -> list[Entry]:
        """Returns the entries of a function in JAX, by its file and its last name."""
        return self._by_place.get((file, qualname), [])

    @functools.cached_property
    def _by_place(self) -> dict[tuple[str, str], list[Entry]]:
        places: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in self._entries:
            one = Occurrence(*entry.read().fields)
            places[one.file, one.qualname.rsplit(".", 1)[-1]].append(entry)
        return places


def from_records(records: Iterable[Record], complaints: Sequence[str] = ()) -> Catalog:
    """Makes a catalog of records that are already read."""
    by_slug = {record.slug: record for record in records if not record.retired}
    entries, unusable = _filed(by_slug.values())
    return Catalog(entries, by_slug.__getitem__, [*complaints, *unusable])


def _filed(records: Iterable[Record], *, native: bool = True) -> tuple[list[Entry], list[str]]:
    """The entries of records, and a complaint for each template that cannot be used."""
    found: list[tuple[Record, Occurrence, Template]] = []
    complaints: list[str] = []
    for record in records:
        for one in record.occurrences:
            try:
                found.append((record, one, compile_template(one.template)))
            except TemplateError as error:
                complaints.append(f"{record.slug}: template: {error}")
    counts = Counter(word for *_, template in found for word in template.words)
    entries = [
        Entry(
            record.slug,
            (template.literals[0][:_END], template.literals[-1][-_END:]),
            Filed(
                record.reviewed,
                list(asdict(one).values()),
                sorted(template.words, key=lambda word: (counts[word], word)),
            ),
            native=native,
        )
        for record, one, template in found
    ]
    return entries, complaints


def from_folder(folder: Path) -> Catalog:
    """Makes a catalog of the record files under a folder."""
    from jax_nbhelp.catalog.load import read_folder

    records, errors = read_folder(folder)
    return from_records(records, [str(error) for error in errors])


@functools.cache
def installed() -> Catalog:
    """Returns the catalog that comes with the package, read once."""
    data = importlib.resources.files("jax_nbhelp") / "_data"
    if data.joinpath(INDEX).is_file():
        return from_build(Path(str(data)))
    return from_folder(Path(__file__).parents[2] / "records")


def build(folder: Path, target: Path) -> int:
    """Compiles a folder of records into the files that a wheel ships.

    Returns:
      The number of records.

    Raises:
      RecordError: a record cannot be read; a wheel must not leave one out in silence.
    """
    from jax_nbhelp.catalog.load import RecordError, read_folder

    records, errors = read_folder(folder)
    if errors:
        raise RecordError("\n".join(str(error) for error in errors))
    unusable = write(records, target)
    if unusable:
        raise RecordError("\n".join(unusable))
    return len(records)


def write(records: Iterable[Record], target: Path) -> list[str]:
    """Writes records as the compiled files that `from_build` reads.

    Returns:
      A complaint for each template that cannot be used; its record is not recognised by it.
    """
    records = list(records)
    filed, unusable = _filed(record for record in records if not record.retired)
    target.mkdir(parents=True, exist_ok=True)
    offsets: dict[str, int] = {}
    at = 0
    with (target / BODIES).open("wb") as bodies:
        for record in records:
            offsets[record.slug] = at
            line = json.dumps(asdict(record), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            at += bodies.write(line)
    with (target / INDEX).open("wb") as index:
        for one in filed:
            parts = (one.slug, offsets[one.slug], *one.ends), one.filed
            index.write("\t".join(map(_json, parts)).encode() + b"\n")
    return unusable


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def from_build(folder: Path) -> Catalog:
    """Makes a catalog of compiled files, whose bodies are read one by one when they are asked for."""
    entries: list[Entry] = []
    offsets: dict[str, int] = {}
    with held_off(), (folder / INDEX).open("rb") as index:
        for line in index:
            head, _, filed = line.partition(b"\t")  # which no JSON holds
            slug, offset, start, end = json.loads(head.decode())
            offsets[slug] = offset
            entries.append(Entry(sys.intern(slug), (start, end), filed))

    def body(slug: str) -> Record:
        from jax_nbhelp.catalog.body import record_from_json

        with (folder / BODIES).open("rb") as bodies:
            bodies.seek(offsets[slug])
            return record_from_json(json.loads(bodies.readline()))

    return Catalog(entries, body)

"""The catalog: all records, looked up by the words of a message or by the function that raised.

An entry is small and holds what recognition needs; a record's body is read when it is recognised. A wheel
ships the entries and the bodies as two files made by `build`; a checkout reads `records/`.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jax_nbhelp.catalog.record import Occurrence
from jax_nbhelp.catalog.template import Template, TemplateError, compile_template, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jax_nbhelp.catalog.record import Record

_FEW = 8  # entries that are compared one by one
INDEX, BODIES = "index.json", "bodies.jsonl"


class Entry:
    """One occurrence of one record; its parts are made when a message first meets it.

    Args:
      slug: the record.
      reviewed: whether it is reviewed.
      fields: the occurrence's fields in their order.
      words: the template's words, the rarest of all records first.
      native: the record comes with the package; one from elsewhere must match better to win.
    """

    __slots__ = ("_occurrence", "_template", "fields", "native", "reviewed", "slug", "words")

    def __init__(
        self,
        slug: str,
        reviewed: bool,
        fields: Sequence[Any],
        words: Sequence[str],
        *,
        native: bool = True,
    ) -> None:
        self.slug, self.reviewed, self.fields, self.words, self.native = slug, reviewed, fields, words, native
        self._occurrence: Occurrence | None = None
        self._template: Template | None = None

    @property
    def occurrence(self) -> Occurrence:
        """The occurrence."""
        if self._occurrence is None:
            self._occurrence = Occurrence(*self.fields)
        return self._occurrence

    @property
    def template(self) -> Template:
        """Its compiled template."""
        if self._template is None:
            self._template = compile_template(self.occurrence.template)
        return self._template


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
        # Each template is filed under its rarest word: a message then meets only the few that share one.
        # Where they are not few, they are filed by their next word when they are first met.
        self._next: dict[tuple[str, ...], dict[str, list[Entry]]] = {}
        self._by_word: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in self._entries:
            self._by_word[entry.words[0] if entry.words else ""].append(entry)

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
        """Yields the entries that may match a normalised message: it holds their rarest words."""
        words = words_of(message)
        for word in words:
            yield from self._under((word,), self._by_word.get(word, []), words)
        yield from self._by_word.get("", ())

    def _under(self, path: tuple[str, ...], entries: list[Entry], words: set[str]) -> Iterator[Entry]:
        """Yields the entries of one word, or of several, whose further words are in the message too."""
        if len(entries) <= _FEW:
            yield from entries
            return
        inside = self._next.get(path)
        if inside is None:
            inside = self._next[path] = defaultdict(list)
            for entry in entries:
                inside[entry.words[len(path)] if len(entry.words) > len(path) else ""].append(entry)
        yield from inside.get("", ())
        for word in inside.keys() & words:
            yield from self._under((*path, word), inside[word], words)

    def raised_by(self, file: str, qualname: str) -> list[Entry]:
        """Returns the entries of a function in JAX, by its file and its last name."""
        return self._by_place.get((file, qualname), [])

    @functools.cached_property
    def _by_place(self) -> dict[tuple[str, str], list[Entry]]:
        places: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in self._entries:
            one = entry.occurrence
            places[one.file, one.qualname.rsplit(".", 1)[-1]].append(entry)
        return places


def from_records(records: Iterable[Record], complaints: Sequence[str] = ()) -> Catalog:
    """Makes a catalog of records that are already read."""
    by_slug = {record.slug: record for record in records if not record.retired}
    entries, unusable = _filed(by_slug.values())
    return Catalog(entries, by_slug.__getitem__, [*complaints, *unusable])


def _filed(records: Iterable[Record], *, native: bool = True) -> tuple[list[Entry], list[str]]:
    """The entries of records, and a complaint for each template that cannot be used."""
    found: list[tuple[Record, Occurrence, frozenset[str]]] = []
    complaints: list[str] = []
    for record in records:
        for one in record.occurrences:
            try:
                found.append((record, one, compile_template(one.template).words))
            except TemplateError as error:
                complaints.append(f"{record.slug}: template: {error}")
    counts = Counter(word for *_, words in found for word in words)
    entries = [
        Entry(
            record.slug,
            record.reviewed,
            _fields(one),
            sorted(words, key=lambda word: (counts[word], word)),
            native=native,
        )
        for record, one, words in found
    ]
    return entries, complaints


def _fields(one: Occurrence) -> list[Any]:
    return list(asdict(one).values())


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
    entries = [[one.slug, one.reviewed, one.fields, one.words, offsets[one.slug]] for one in filed]
    (target / INDEX).write_text(json.dumps(entries, separators=(",", ":")), encoding="utf-8")
    return unusable


def from_build(folder: Path) -> Catalog:
    """Makes a catalog of compiled files, whose bodies are read one by one when they are asked for."""
    entries: list[list[Any]] = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    offsets = {slug: at for slug, *_, at in entries}

    def body(slug: str) -> Record:
        from jax_nbhelp.catalog.body import record_from_json

        with (folder / BODIES).open("rb") as bodies:
            bodies.seek(offsets[slug])
            return record_from_json(json.loads(bodies.readline()))

    return Catalog((Entry(*one) for *one, _ in entries), body)

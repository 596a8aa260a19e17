"""The catalog: all records, looked up by the words of a message or by the function that raised.

An entry is small and holds what recognition needs; a record's body is read when it is recognised. A wheel
ships the entries and the bodies as two files made by `build`; a checkout reads `records/`.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jax_nbhelp.catalog.record import Occurrence
from jax_nbhelp.catalog.template import Template, TemplateError, compile_template, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jax_nbhelp.catalog.record import Record

_FEW = 8  # entries that are compared one by one
INDEX, BODIES = "index.json", "bodies.jsonl"


@dataclass(frozen=True, slots=True)
class Entry:
    """One occurrence of one record, ready to be compared with a message."""

    slug: str
    occurrence: Occurrence
    template: Template
    reviewed: bool


class Catalog:
    """The records, indexed.

    Args:
      occurrences: slug, whether it is reviewed, and occurrence of every record that is not retired.
      body: reads a record by its slug.
      complaints: what could not be read, for `%jaxhelp doctor`.
    """

    def __init__(
        self,
        occurrences: Iterable[tuple[str, bool, Occurrence]],
        body: Callable[[str], Record],
        complaints: Sequence[str] = (),
    ) -> None:
        self._body = functools.lru_cache(maxsize=256)(body)
        self.complaints = list(complaints)
        self._entries: list[Entry] = []
        for slug, reviewed, occurrence in occurrences:
            try:
                template = compile_template(occurrence.template)
            except TemplateError as error:
                self.complaints.append(f"{slug}: template: {error}")
            else:
                self._entries.append(Entry(slug, occurrence, template, reviewed))
        self._slugs = {entry.slug for entry in self._entries}
        # Each template is filed under its rarest word: a message then meets only the few that share one.
        # Where they are not few, they are filed by their next word when they are first met.
        words = [entry.template.words for entry in self._entries]
        counts = Counter(word for one in words for word in one)
        self._counts = counts
        self._next: dict[tuple[str, ...], dict[str, list[Entry]]] = {}
        self._by_word: defaultdict[str, list[Entry]] = defaultdict(list)
        self._by_place: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
        self._wordless: list[Entry] = []
        for entry, own in zip(self._entries, words, strict=True):
            if own:
                self._by_word[min(own, key=lambda word: (counts[word], word))].append(entry)
            else:
                self._wordless.append(entry)
            place = entry.occurrence.file, entry.occurrence.qualname.rsplit(".", 1)[-1]
            self._by_place[place].append(entry)

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

    def candidates(self, message: str) -> Iterator[Entry]:
        """Yields the entries that may match a normalised message: it holds their rarest words."""
        words = words_of(message)
        for word in words:
            yield from self._under((word,), self._by_word.get(word, []), words)
        yield from self._wordless

    def _under(self, path: tuple[str, ...], entries: list[Entry], words: set[str]) -> Iterator[Entry]:
        """Yields the entries of one word, or of several, whose further words are in the message too."""
        if len(entries) <= _FEW:
            yield from entries
            return
        inside = self._next.get(path)
        if inside is None:
            inside = self._next[path] = defaultdict(list)
            for entry in entries:
                order = sorted(entry.template.words, key=lambda word: (self._counts[word], word))
                inside[order[len(path)] if len(order) > len(path) else ""].append(entry)
        yield from inside.get("", ())
        for word in inside.keys() & words:
            yield from self._under((*path, word), inside[word], words)

    def raised_by(self, file: str, qualname: str) -> list[Entry]:
        """Returns the entries of a function in JAX, by its file and its last name."""
        return self._by_place.get((file, qualname), [])


def from_records(records: Iterable[Record], complaints: Sequence[str] = ()) -> Catalog:
    """Makes a catalog of records that are already read."""
    by_slug = {record.slug: record for record in records if not record.retired}
    occurrences = ((r.slug, r.reviewed, one) for r in by_slug.values() for one in r.occurrences)
    return Catalog(occurrences, by_slug.__getitem__, complaints)


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
    write(records, target)
    return len(records)


def write(records: Iterable[Record], target: Path) -> None:
    """Writes records as the compiled files that `from_build` reads."""
    target.mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, Any]] = []
    at = 0
    with (target / BODIES).open("wb") as bodies:
        for record in records:
            line = json.dumps(asdict(record), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            bodies.write(line)
            if not record.retired:
                occurrences = [list(asdict(one).values()) for one in record.occurrences]
                entries.append(
                    {"slug": record.slug, "reviewed": record.reviewed, "at": at, "occurrences": occurrences}
                )
            at += len(line)
    (target / INDEX).write_text(json.dumps(entries, separators=(",", ":")), encoding="utf-8")


def from_build(folder: Path) -> Catalog:
    """Makes a catalog of compiled files, whose bodies are read one by one when they are asked for."""
    entries: list[dict[str, Any]] = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    offsets = {entry["slug"]: entry["at"] for entry in entries}

    def body(slug: str) -> Record:
        from jax_nbhelp.catalog.body import record_from_json

        with (folder / BODIES).open("rb") as bodies:
            bodies.seek(offsets[slug])
            return record_from_json(json.loads(bodies.readline()))

    occurrences = ((e["slug"], e["reviewed"], Occurrence(*one)) for e in entries for one in e["occurrences"])
    return Catalog(occurrences, body)

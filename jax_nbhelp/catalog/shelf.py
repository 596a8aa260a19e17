"""Records from elsewhere, beside those that come with the package.

They are a user's or a workshop's folder, or what an installed library ships for its own errors.

They are read when the first help is made, never before. What is wrong with one source is a complaint and
concerns it alone: a record that cannot be read is left out, a fix that may not be offered too, and a record
whose slug another has gives way. Nobody has proven that their fixes keep a program's meaning: none says so.

The file of an occurrence says whose error it is: one in `flax/core/scope.py` makes what flax raises
explainable, wherever flax is installed. Nothing else has to be declared.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.catalog.index import Catalog
    from jax_nbhelp.catalog.record import Record

say = sayer("explanation")

VARIABLE = "JAX_NBHELP_RECORDS"
GROUP = "jax_nbhelp.records"

Origin = Literal["environment", "library", "session"]


@dataclass(frozen=True, slots=True)
class Source:
    """Records from one place.

    Attributes:
      origin: how it came here: `VARIABLE`, an entry point of `GROUP`, or `%jaxhelp records`.
      name: the folder, or the entry point's name.
      records: what could be read.
      complaints: what could not, each with its file, its field and the remedy.
    """

    origin: Origin
    name: str
    records: tuple[Record, ...] = ()
    complaints: tuple[str, ...] = ()


class _Shelf:
    """The sources that this process has read."""

    def __init__(self) -> None:
        self.sources: list[Source] | None = None
        self.packages = frozenset[str]()  # whose errors the records explain
        self.catalog: Catalog | None = None


_shelf = _Shelf()


def sources() -> list[Source]:
    """Returns the sources in their order; those of the environment and of libraries are read now, once."""
    if _shelf.sources is None:
        return _keep([*_of_environment(), *_of_libraries()])
    return _shelf.sources


def add(folder: Path) -> Source:
    """Adds a folder of records, or a file of them, for this process; one that is there is read anew."""
    source = read_source("session", str(folder), folder)
    kept = [one for one in sources() if (one.origin, one.name) != ("session", str(folder))]
    _keep([*kept, source])
    return source


def forget() -> None:
    """Forgets all sources: they are read anew when they are next asked for."""
    _shelf.sources = _shelf.catalog = None


def all_records() -> Catalog:
    """Returns the catalog of all records: those of the package, then those from elsewhere."""
    from jax_nbhelp.catalog import index

    built_in = index.installed()
    if not any(source.records for source in sources()):
        return built_in
    if _shelf.catalog is None:
        records: dict[str, Record] = {}
        complaints: list[str] = []
        for source in sources():
            for record in source.records:
                if record.slug in built_in or record.slug in records:
                    complaints.append(
                        f"{source.name}: {record.slug}: slug: another record has it; give a new one"
                    )
                else:
                    records[record.slug] = record
        _shelf.catalog = built_in.with_records(records.values(), complaints)
    return _shelf.catalog


def libraries() -> frozenset[str]:
    """Returns the names of the packages whose errors the records from elsewhere explain."""
    sources()
    return _shelf.packages


def read_source(origin: Origin, name: str, place: Path) -> Source:
    """Reads the records of a folder, or of a file of the dataset's form.

    Args:
      origin: how it came here.
      name: how it is called in complaints.
      place: the folder or the file.
    """
    from jax_nbhelp.catalog.load import RecordError, read_file, read_folder

    try:
        if place.is_dir():
            # An installer may make a library's files links into its own store; anybody else's stay inside.
            records, errors = read_folder(place, links=origin == "library")
        elif place.is_file():
            records, errors = read_file(place), []
        else:
            return Source(
                origin, name, (), (f"{place}: there is no such folder; name one that holds records",)
            )
    except (RecordError, OSError) as error:
        return Source(origin, name, (), (str(error),))
    complaints = [str(error) for error in errors]
    kept: list[Record] = []
    for record in records:
        one, wrong = _admitted(record)
        complaints += [f"{place}: {record.area}/{complaint}" for complaint in wrong]
        kept += [one] if one is not None else []
    return Source(origin, name, tuple(kept), tuple(complaints))


def _admitted(record: Record) -> tuple[Record | None, list[str]]:
    """The record as it may be used, and what is wrong with it; None where it cannot be used at all."""
    from jax_nbhelp.catalog.lint import lint
    from jax_nbhelp.catalog.rule_lint import rule_complaints
    from jax_nbhelp.catalog.template import ENOUGH, TemplateError, compile_template, compile_text

    complaints = [one.partition("/")[2] for one in lint(record, own=False)]
    try:
        for one in record.occurrences:
            weight = compile_template(one.template).weight
            if weight < ENOUGH and not (one.needs_frame and one.file):
                return None, complaints
        for text in (record.title, record.title_plain, record.cause, record.cause_plain):
            compile_text(text)
    except TemplateError:
        return None, complaints
    fixes = [rule for rule in record.fixes if not any(rule_complaints(rule, own=False))]
    capped = tuple(
        replace(rule, applicability="maybe-incorrect", why=rule.why or say("from_elsewhere"))
        if rule.applicability == "machine-applicable"
        else rule
        for rule in fixes
    )
    return replace(record, fixes=capped), complaints


def _of_environment() -> Iterator[Source]:
    for text in os.environ.get(VARIABLE, "").split(os.pathsep):
        if text.strip():
            yield _guarded("environment", text.strip(), lambda text=text: Path(text.strip()).expanduser())


def _of_libraries() -> Iterator[Source]:
    try:
        points = _entry_points()
    except Exception as fault:  # noqa: BLE001  one broken installation must not cost the help
        yield Source("library", GROUP, (), (f"{GROUP}: the entry points cannot be read: {fault!r}",))
        return
    for point in points:
        yield _guarded("library", point.name, lambda point=point: _place_of(point))


def _entry_points() -> list[importlib.metadata.EntryPoint]:
    """Returns the entry points of `GROUP`.

    `importlib.metadata.entry_points` takes everybody's apart to choose among them, and where hundreds of
    packages are installed the first help would wait for that.
    """
    found: dict[importlib.metadata.EntryPoint, None] = {}
    for package in importlib.metadata.distributions():
        if GROUP in (package.read_text("entry_points.txt") or ""):
            found |= dict.fromkeys(package.entry_points.select(group=GROUP))
    return list(found)


def _guarded(origin: Origin, name: str, place: Any) -> Source:
    try:
        return read_source(origin, name, place())
    except Exception as fault:  # noqa: BLE001  it is somebody else's code
        return Source(origin, name, (), (f"{name}: its records cannot be found: {fault!r}",))


def _place_of(point: importlib.metadata.EntryPoint) -> Path:
    """The folder that an entry point means: that of its module or package, or what its function returns.

    A package is found without being imported, where its name has no dots or its folders are plain.
    """
    if point.attr:
        return Path(cast("str | Path", point.load()()))
    top, *inner = point.module.split(".")
    spec = importlib.util.find_spec(top)
    for root in spec.submodule_search_locations or () if spec is not None else ():
        place = Path(root).joinpath(*inner)
        if place.is_dir():
            return place
    spec = importlib.util.find_spec(point.module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"there is no module {point.module}")
    return Path(spec.origin).parent


def _packages(source: Source) -> set[str]:
    files = {one.file for record in source.records for one in record.occurrences if one.file}
    return {file.split("/")[0].removesuffix(".py") for file in files} - {"jax", "jaxlib"}


def _keep(found: list[Source]) -> list[Source]:
    """Puts the sources on the shelf and makes their packages known, once for all errors that follow."""
    _shelf.sources, _shelf.catalog = found, None
    _shelf.packages = frozenset(name for source in found for name in _packages(source))
    if _shelf.packages:  # where there are none, as mostly, the engine is not imported for it
        from jax_nbhelp.failure import count_as_library

        count_as_library(_shelf.packages)
    return found

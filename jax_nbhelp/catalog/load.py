"""Reads records: TOML files that people write, and the public dataset's JSON as drafts.

Every complaint names the file, the field and the remedy.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from jax_nbhelp.catalog.record import (
    At,
    EditRule,
    ExampleFix,
    HoleRule,
    Occurrence,
    Proof,
    Record,
    RecordExample,
    Rule,
)
from jax_nbhelp.fixes.fix import Applicability, Needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


T = TypeVar("T")

# What a value is called in a complaint.
_KINDS: Mapping[type, str] = {
    bool: "true or false",
    dict: "a table",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
}


class RecordError(ValueError):
    """A record that cannot be read; the message names the file, the field and the remedy."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a record file being read: knows its place for complaints, and which keys were asked for."""

    file: str
    place: str
    values: Mapping[str, Any]
    asked: set[str]

    def fail(self, key: str, remedy: str) -> RecordError:
        place = f"{self.place}.{key}" if self.place else key
        return RecordError(f"{self.file}: {place}: {remedy}")

    def text(self, key: str, default: str | None = "") -> str:
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.fail(key, f"is {_kind(value)}; write a text in quotes")
        return value.strip("\n")

    def flag(self, key: str) -> bool:
        value = self._get(key, False)
        if not isinstance(value, bool):
            raise self.fail(key, f"is {_kind(value)}; write true or false")
        return value

    def choice(self, key: str, kind: Any, default: str | None = None) -> Any:
        value = self.text(key, default)
        if value not in get_args(kind):
            raise self.fail(key, f"is {value!r}; write one of {', '.join(get_args(kind))}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value: Any = self._get(key, [])
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
            raise self.fail(key, "write a list of texts")
        return tuple(item.strip("\n") for item in cast("list[str]", value))

    def table(self, key: str) -> _Table:
        value = self._get(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, f"is {_kind(value)}; write a table")
        return _Table(self.file, self._under(key), cast("dict[str, Any]", value), set())

    def tables(self, key: str) -> Iterator[_Table]:
        value = self._get(key, [])
        if not isinstance(value, list):
            raise self.fail(key, f"is {_kind(value)}; write [[{self._under(key)}]] for each")
        for number, item in enumerate(cast("list[Any]", value)):
            if not isinstance(item, dict):
                raise self.fail(f"{key}[{number}]", f"is {_kind(item)}; write a table")
            yield _Table(self.file, f"{self._under(key)}[{number}]", cast("dict[str, Any]", item), set())

    def done(self) -> None:
        """Complains about a key that nobody asked for: a typing error would otherwise be silent."""
        unknown = sorted(set(self.values) - self.asked)
        if unknown:
            known = ", ".join(sorted(self.asked))
            raise self.fail(unknown[0], f"is not a field here; remove it, or did you mean one of: {known}?")

    def rest(self) -> dict[str, Any]:
        """Returns the keys that nobody asked for, to be kept as they are."""
        return {key: value for key, value in self.values.items() if key not in self.asked}

    def _get(self, key: str, default: Any) -> Any:
        self.asked.add(key)
        value = self.values.get(key, default)
        if value is None:
            raise self.fail(key, "is missing; every record needs it")
        return value

    def _under(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key


def _kind(value: object) -> str:
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def read_folder(folder: Path) -> tuple[list[Record], list[RecordError]]:
    """Reads every record under a folder, and goes on after one that cannot be read.

    Returns:
      The records in the order of their slugs, and a complaint for each file that holds none.
    """
    records: list[Record] = []
    errors: list[RecordError] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".toml", ".json", ".jsonl") and path.is_file():
            try:
                records += read_file(path)
            except RecordError as error:
                errors.append(error)
    return sorted(records, key=lambda record: record.slug), errors


def read_file(path: Path) -> list[Record]:
    """Reads the record of a TOML file, or the drafts of a dataset's JSON file.

    Raises:
      RecordError: the file cannot be read, or a field is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error}); a record is a text file in UTF-8") from error
    if path.suffix == ".toml":
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RecordError(f"{path}: is not TOML ({error}); see https://toml.io") from error
        return [from_mapping(values, str(path))]
    return [from_dataset(entry, str(path)) for entry in _entries(path, text)]


def _entries(path: Path, text: str) -> Iterator[dict[str, Any]]:
    """The dataset's forms: one record, `{"record": …}`, an array of either, or one a line."""
    try:
        if path.suffix == ".jsonl":
            found: Any = [json.loads(line) for line in text.split("\n") if line.strip()]
        else:
            found = json.loads(text)
    except ValueError as error:
        raise RecordError(
            f"{path}: is not JSON ({error}); a draft is a file of the dataset, schema 2"
        ) from error
    for entry in cast("list[Any]", found) if isinstance(found, list) else [found]:
        if not isinstance(entry, dict):
            raise RecordError(f"{path}: holds {_kind(entry)} where a record, an object, was expected")
        wrapper = cast("dict[str, Any]", entry)
        record = wrapper.get("record", wrapper)
        if not isinstance(record, dict):
            raise RecordError(f"{path}: record: is {_kind(record)}; a record is an object")
        extra = (
            {key: value for key, value in wrapper.items() if key != "record"} if "record" in wrapper else {}
        )
        yield {**cast("dict[str, Any]", record), **extra}


def from_mapping(values: Mapping[str, Any], file: str) -> Record:
    """Makes a record of a TOML file's content.

    Raises:
      RecordError: a field is missing, of the wrong kind, or unknown.
    """
    top = _Table(file, "", values, set())
    record = Record(
        id=top.text("id", None),
        slug=top.text("slug", None),
        area=top.text("area", None),
        title=top.text("title", None),
        title_plain=top.text("title_plain"),
        repo=top.text("repo", "jax-ml/jax"),
        reviewed=top.flag("reviewed"),
        retired=top.flag("retired"),
        proof=top.choice("proof", Proof),
        reason=top.text("reason"),
        cause=top.text("cause", None),
        cause_plain=top.text("cause_plain"),
        documentation=top.text("documentation"),
        triggers=top.texts("triggers"),
        solutions=top.texts("solutions"),
        avoid=top.text("avoid"),
        references=top.texts("references"),
        tags=top.texts("tags"),
        see=top.texts("see"),
        occurrences=tuple(_all(top.tables("occurrences"), _occurrence)),
        fixes=tuple(_all(top.tables("fixes"), _rule)),
        examples=tuple(_all(top.tables("examples"), _example)),
        provenance=dict(top.table("provenance").values),
    )
    top.done()
    return _checked(record, top)


def _checked(record: Record, top: _Table) -> Record:
    """Complains about what no record can do without, be it ours or a draft."""
    if not re.fullmatch(r"[0-9a-f]{16}", record.id):
        raise top.fail("id", "must be 16 hex digits; `jax-nbhelp records lint` prints the right ones")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", record.slug):
        raise top.fail("slug", "must be words of a-z and 0-9 joined by `-`; people type it")
    if not record.occurrences:
        raise top.fail("occurrences", "is empty; without one the record can never be recognised")
    return record


def _all(tables: Iterator[_Table], read: Callable[[_Table], T]) -> Iterator[T]:
    for table in tables:
        yield read(table)
        table.done()


def _occurrence(table: _Table) -> Occurrence:
    return Occurrence(
        template=table.text("template", None),
        error_class=table.text("error_class"),
        file=table.text("file"),
        qualname=table.text("qualname"),
        jax=table.text("jax"),
        needs_frame=table.flag("needs_frame"),
    )


def _rule(table: _Table) -> Rule:
    holes = table.table("holes")
    return Rule(
        id=table.text("id", None),
        title=table.text("title", None),
        title_plain=table.text("title_plain"),
        applicability=table.choice("applicability", Applicability),
        why=table.text("why"),
        needs=table.choice("needs", Needs, "none"),
        jax=table.text("jax"),
        alternatives=tuple(_all(table.tables("alternatives"), _alternative)),
        holes={name: _hole(holes.table(name)) for name in holes.values},
    )


def _alternative(table: _Table) -> tuple[EditRule, ...]:
    return tuple(_all(table.tables("edits"), _edit_rule))


def _edit_rule(table: _Table) -> EditRule:
    kind = table.text("as")
    if kind not in ("", "stmt"):
        raise table.fail(
            "as", f'is {kind!r}; leave it out, or write "stmt" for a pattern that is a statement'
        )
    where = table.table("where")
    return EditRule(
        at=table.choice("at", At),
        match=table.text("match", None),
        rewrite=table.text("rewrite"),
        as_statement=kind == "stmt",
        where={name: dict(where.table(name).values) for name in where.values},
        unless=table.text("unless"),
        unless_inside=table.text("unless_inside"),
        unless_kwarg=table.texts("unless_kwarg"),
        of=table.text("of"),
        everywhere=table.flag("everywhere"),
    )


def _hole(table: _Table) -> HoleRule:
    kind = table.text("type", None)
    if kind not in ("str", "name", "expr", "int"):
        raise table.fail("type", f"is {kind!r}; write one of str, name, expr, int")
    return HoleRule(kind, table.text("from", None), table.text("label"), table.rest())


def _example(table: _Table) -> RecordExample:
    return RecordExample(
        broken=table.texts("broken"),
        fix=_example_fix(table.table("fix")) if "fix" in table.values else None,
        fixed=table.texts("fixed"),
        expect=table.text("expect"),
        needs=table.texts("needs"),
        env={key: str(value) for key, value in table.table("env").values.items()},
        jax=table.text("jax"),
    )


def _example_fix(table: _Table) -> ExampleFix:
    holes = table.table("holes")
    fix = ExampleFix(table.text("id", None), {name: holes.text(name) for name in holes.values})
    table.done()
    return fix


# Silencing an error is no cure: this is never shown.
_DATASET_DROPPED = ("tryCatchPattern",)


def from_dataset(entry: Mapping[str, Any], file: str) -> Record:
    """Makes a draft of an entry of the public dataset (schema 2).

    Raises:
      RecordError: the entry has no id, slug or message.
    """
    top = _Table(file, "", {key: value for key, value in entry.items() if value is not None}, set())
    message = top.text("errorMessage", None)
    if not message.strip():
        raise top.fail("errorMessage", "is empty; without it the record can never be recognised")
    pattern = top.text("messagePattern")
    solutions, fix = top.texts("solutions"), top.text("exampleFix")
    top.asked.update(_DATASET_DROPPED)
    before, after = _before_after(fix)
    record = Record(
        id=top.text("id", None),
        slug=top.text("slug", None),
        area=_area_of(top.text("filePath")),
        title=_braces(message.strip().splitlines()[0][:120]),
        repo=top.text("repo", "jax-ml/jax"),
        cause=_braces(solutions[0] if solutions else message),
        documentation=top.text("documentation"),
        triggers=tuple(filter(None, (top.text("triggerScenarios"), top.text("commonSituations")))),
        solutions=solutions,
        tags=top.texts("tags"),
        occurrences=(
            Occurrence(
                template=_template_of(pattern, message),
                error_class=top.text("errorClass"),
                file=top.text("filePath"),
                needs_frame=len(pattern or message) < 12,
            ),
        ),
        reason="a draft of the dataset",
        examples=(RecordExample(broken=(before,), fixed=(after,)),) if before and after else (),
        provenance=top.rest(),
    )
    return _checked(record, top)


def _before_after(fix: str) -> tuple[str, str]:
    """The two halves of a dataset example, `# before … # after …`."""
    found = re.match(r"\s*(?:#|//) ?before:?\s*\n(.*?)\n\s*(?:#|//) ?after:?\s*\n(.*)", fix, re.DOTALL)
    return (found[1].strip("\n"), found[2].strip("\n")) if found else ("", "")


def _area_of(file: str) -> str:
    parts = [part for part in file.removesuffix(".py").split("/") if part not in ("jax", "_src", "")]
    return parts[0] if parts else "other"


def _braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _template_of(pattern: str, message: str) -> str:
    """Turns the dataset's regular expression into a template: `(.+?)` is a hole, the rest is literal.

    A pattern that uses anything else gives way to the message, whose `{x}`, `${x}` and `%s` are the holes.
    """
    pieces = pattern.split("(.+?)") if pattern else []
    literals = [re.sub(r"\\(\W)", r"\1", piece) for piece in pieces]
    plain = all(not re.search(r"(?<!\\)[*+?|()\[\]^$]|\\\w", piece) for piece in pieces)
    if not pieces or not plain:
        literals = re.split(r"\$?\{[^{}]*\}|%[sdr]", message)
    parts = [_braces(literal) for literal in literals]
    text = parts[0]
    for number, part in enumerate(parts[1:]):
        joined = number and not parts[number]  # two holes side by side are one
        text += part if joined else f"{{part{number}}}{part}"
    return text

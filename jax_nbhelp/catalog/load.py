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
    FixWords,
    HoleRule,
    Occurrence,
    Proof,
    Record,
    RecordExample,
    Rule,
    Translation,
)
from jax_nbhelp.catalog.template import ENOUGH, as_literal, compile_template
from jax_nbhelp.fixes.fix import Applicability, Needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


_MOST_OF_TOML = 256 * 1024  # bytes of the file of one record; ours have at most 40 kB
_MOST_OF_DRAFTS = 64 * 1024 * 1024  # bytes of a file of the dataset
_WIDEST = 4096  # characters of one line of TOML

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


def read_folder(folder: Path, *, links: bool = True) -> tuple[list[Record], list[RecordError]]:
    """Reads every record under a folder, and goes on after one that cannot be read.

    Args:
      folder: the folder.
      links: whether a link that leads out of the folder is followed.

    Returns:
      The records in the order of their slugs, and a complaint for each file that holds none.
    """
    records: list[Record] = []
    errors: list[RecordError] = []
    root = folder.resolve()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".toml", ".json", ".jsonl") and path.is_file():
            try:
                if not links and not path.resolve().is_relative_to(root):
                    raise RecordError(f"{path}: is a link out of its folder; put the file itself there")
                records += read_file(path)
            except RecordError as error:
                errors.append(error)
    return sorted(records, key=lambda record: record.slug), errors


def read_file(path: Path) -> list[Record]:
    """Reads the record of a TOML file, or the drafts of a dataset's JSON file.

    Raises:
      RecordError: the file cannot be read, or a field is wrong.
    """
    most = _MOST_OF_TOML if path.suffix == ".toml" else _MOST_OF_DRAFTS
    try:
        if path.stat().st_size > most:
            raise RecordError(
                f"{path}: is larger than {most} bytes; a pack has a file for each of its records"
            )
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error}); a record is a text file in UTF-8") from error
    if path.suffix == ".toml":
        return [from_mapping(_toml(text, path), str(path))]
    drafts: list[Record] = []
    for found in read_drafts(path, text):
        if isinstance(found, RecordError):
            raise found
        drafts.append(found)
    return drafts


def _toml(text: str, path: Path) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
      RecordError: it is not TOML, or is made to take long: the parser's time for a dotted key grows with the
        square of its parts, and nested arrays take its stack.
    """
    if re.search(rf"[^\n]{{{_WIDEST + 1}}}", text):
        raise RecordError(
            f"{path}: has a line of over {_WIDEST} characters; write a long text in several lines"
        )
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: is not TOML ({error}); see https://toml.io") from error


def read_drafts(path: Path, text: str) -> Iterator[Record | RecordError]:
    """Reads the entries of a file of the dataset and goes on after one that cannot be read.

    Its forms are one record, `{"record": …}`, an array of either, or one a line.

    Args:
      path: the file, for complaints; `.jsonl` and `.ndjson` hold one entry a line.
      text: its content.

    Yields:
      For each entry the draft, or a complaint that names the file, the place in it, the field and the remedy.
    """
    if path.suffix in (".jsonl", ".ndjson"):
        yield from _drafts_of_lines(path, text)
        return
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):  # one a line after all
            yield from _drafts_of_lines(path, text)
        else:
            yield _no_json(str(path), error)
        return
    if isinstance(found, list):
        for number, entry in enumerate(cast("list[Any]", found)):
            yield _draft(entry, f"{path}: [{number}]")
    else:
        yield _draft(found, str(path))


def _drafts_of_lines(path: Path, text: str) -> Iterator[Record | RecordError]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{path}: line {number}"
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield _no_json(place, error)
        else:
            yield _draft(entry, place)


def _no_json(place: str, error: Exception) -> RecordError:
    return RecordError(f"{place}: is not JSON ({error}); a draft is a file of the dataset, schema 2")


def _draft(entry: Any, place: str) -> Record | RecordError:
    """The draft of an entry, in its wrapper or not."""
    if not isinstance(entry, dict):
        return RecordError(f"{place}: holds {_kind(entry)} where a record, an object, was expected")
    wrapper = cast("dict[str, Any]", entry)
    record = wrapper.get("record", wrapper)
    if not isinstance(record, dict):
        return RecordError(f"{place}: record: is {_kind(record)}; a record is an object")
    extra = {key: value for key, value in wrapper.items() if key != "record"} if "record" in wrapper else {}
    try:
        return from_dataset({**cast("dict[str, Any]", record), **extra}, place)
    except RecordError as error:
        return error


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
        **_words(top),
        repo=top.text("repo", "jax-ml/jax"),
        reviewed=top.flag("reviewed"),
        retired=top.flag("retired"),
        proof=top.choice("proof", Proof),
        reason=top.text("reason"),
        triggers=top.texts("triggers"),
        references=top.texts("references"),
        tags=top.texts("tags"),
        see=top.texts("see"),
        occurrences=tuple(_all(top.tables("occurrences"), _occurrence)),
        fixes=tuple(_all(top.tables("fixes"), _rule)),
        examples=tuple(_all(top.tables("examples"), _example)),
        translations=dict(_named(top.table("translations"), _translation)),
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
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", record.area):
        raise top.fail("area", "must be words of a-z and 0-9 joined by `-`; it is a folder's name")
    if not record.occurrences:
        raise top.fail("occurrences", "is empty; without one the record can never be recognised")
    return record


def _all(tables: Iterator[_Table], read: Callable[[_Table], T]) -> Iterator[T]:
    for table in tables:
        yield read(table)
        table.done()


def _named(tables: _Table, read: Callable[[_Table], T]) -> Iterator[tuple[str, T]]:
    for name in tables.values:
        table = tables.table(name)
        yield name, read(table)
        table.done()


def _translation(table: _Table) -> Translation:
    return Translation(**_words(table), fixes=dict(_named(table.table("fixes"), _fix_words)))


def _words(table: _Table) -> dict[str, Any]:
    """What a record says, in whichever language."""
    return {
        "title": table.text("title", None),
        "title_plain": table.text("title_plain"),
        "cause": table.text("cause", None),
        "cause_plain": table.text("cause_plain"),
        "documentation": table.text("documentation"),
        "solutions": table.texts("solutions"),
        "avoid": table.text("avoid"),
        "no_fix": table.text("no_fix"),
    }


def _fix_words(table: _Table) -> FixWords:
    labels, reasons = table.table("labels"), table.table("reasons")
    by_hole = {name: reasons.table(name) for name in reasons.values}
    return FixWords(
        title=table.text("title", None),
        title_plain=table.text("title_plain"),
        why=table.text("why"),
        labels={name: labels.text(name) for name in labels.values},
        reasons={name: {value: one.text(value) for value in one.values} for name, one in by_hole.items()},
    )


def _occurrence(table: _Table) -> Occurrence:
    return Occurrence(
        template=table.text("template", None),
        error_class=table.text("error_class"),
        file=table.text("file"),
        qualname=table.text("qualname"),
        jax=table.text("jax"),
        needs_frame=table.flag("needs_frame"),
        innermost=table.flag("innermost"),
        calls_jax=table.flag("calls_jax"),
        raised_there=table.flag("raised_there"),
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


_HOLE = "(.+?)"  # how the dataset's regular expressions write what varies
_PLACE = re.compile(r"\$?\{[^{}]*\}|%[sdr]")  # how its messages do
_LONGEST = 10_000  # characters of a message
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
    if len(message) > _LONGEST:
        raise top.fail("errorMessage", f"is longer than {_LONGEST} characters; it is no wording of an error")
    template = _template_of(top.text("messagePattern"), message)
    file, weight = top.text("filePath"), compile_template(template).weight
    if not weight:
        raise top.fail("errorMessage", "has no words of its own; it would match anything")
    solutions, fix = top.texts("solutions"), top.text("exampleFix")
    top.asked.update(_DATASET_DROPPED)
    before, after = _before_after(fix)
    record = Record(
        id=top.text("id", None),
        slug=top.text("slug", None),
        area=_area_of(file),
        title=as_literal(message.strip().splitlines()[0][:120]),
        repo=top.text("repo", "jax-ml/jax"),
        cause=as_literal(solutions[0] if solutions else message),
        documentation=top.text("documentation"),
        triggers=tuple(filter(None, (top.text("triggerScenarios"), top.text("commonSituations")))),
        solutions=solutions,
        tags=top.texts("tags"),
        occurrences=(
            Occurrence(
                template=template,
                error_class=top.text("errorClass"),
                file=file,
                needs_frame=weight < ENOUGH,
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
    area = parts[0].lower().replace("_", "-").strip("-") if parts else ""
    return area if re.fullmatch(r"[a-z0-9-]+", area) else "other"  # it becomes a folder's name


def _template_of(pattern: str, message: str) -> str:
    """Turns the dataset's regular expression into a template: `(.+?)` is a hole, the rest is literal.

    A pattern that uses anything else gives way to the message, whose `{x}`, `${x}` and `%s` are the holes. No
    pattern is ever run. Holes have the names that the message gives them.
    """
    said = list(_PLACE.finditer(message))
    pieces = [_unescaped(piece) for piece in pattern.split(_HOLE)] if 0 < len(pattern) <= _LONGEST else [None]
    literals = [piece for piece in pieces if piece is not None]
    if len(literals) < len(pieces) or not any(literal.strip() for literal in literals):
        literals = _PLACE.split(message)
    names = [found[0].strip("${}") for found in said] if len(said) == len(literals) - 1 else []
    out, used = [as_literal(literals[0])], set[str]()
    for number, literal in enumerate(literals[1:]):
        if literals[number].strip() or not number:  # two holes with nothing between them are one
            name = _hole_name(names[number] if names else "", number, used)
            out.append(f"{{{name}}}")
        else:
            out.pop()
        out.append(as_literal(literal))
    return "".join(out)


def _hole_name(text: str, number: int, used: set[str]) -> str:
    """A name for a hole, which no other has: what stands at two places may differ."""
    name = re.sub(r"\W+", "_", text).strip("_").lower()
    name = name if re.match("[a-z]", name) and not text.startswith("%") else f"part{number}"
    while name in used:
        name += "_"
    used.add(name)
    return name


def _unescaped(piece: str) -> str | None:
    """The text that a piece of a regular expression stands for; None where it stands for more than one."""
    out: list[str] = []
    for token in re.finditer(r"\\(.)|(\\$)|([*+?|()\[\]^$])|[^\\]", piece, re.DOTALL):
        if token[3] or token[2] or (token[1] and token[1].isalnum()):
            return None
        out.append(token[1] or token[0])
    return "".join(out)

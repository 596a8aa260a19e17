"""Lint: what a record must fulfil beyond being readable. Every complaint names file, field and remedy."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.rule_lint import rule_complaints
from jax_nbhelp.catalog.template import ENOUGH, TemplateError, compile_template, compile_text
from jax_nbhelp.catalog.translation_lint import translation_complaints
from jax_nbhelp.glossary import unexplained

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jax_nbhelp.catalog.record import Record

_SENTENCES = 3
_RUN = 6  # words in a row that a cause and a message share only if it repeats the message
_OPERATORS = (">=", "<=", "==", "!=", ">", "<")
_UNSTABLE = re.compile(r"0x[0-9a-f]{4,}|\bid=\d{6,}|JitTracer<|Traced<")
# An abbreviation's full stop does not end a sentence.
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?](?=\s|$)")


def record_id(record: Record) -> str:
    """The id a record must have: the dataset's rule, so that its records and ours meet."""
    first = record.occurrences[0]
    text = f"{record.repo}\x01{first.template}\x01{first.file}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def lint_all(records: Sequence[Record], *, own: bool = True) -> list[str]:
    """Returns the complaints about a set of records.

    Args:
      records: the records.
      own: they are this project's; packs from elsewhere may use fewer names in rewrites.
    """
    out = [complaint for record in records for complaint in lint(record, own=own)]
    for field in ("slug", "id"):
        counts = Counter(getattr(record, field) for record in records)
        out += [
            f"{value}: {field}: is used {n} times; each is unique" for value, n in counts.items() if n > 1
        ]
    return out


def lint(record: Record, *, own: bool = True) -> list[str]:
    """Returns the complaints about one record."""
    return [f"{record.area}/{record.slug}.toml: {complaint}" for complaint in _complaints(record, own=own)]


def _complaints(record: Record, *, own: bool) -> Iterator[str]:
    if record.reviewed and record.id != record_id(record):
        yield f"id: write {record_id(record)!r}, which follows from the first occurrence"
    yield from _occurrences(record)
    yield from _words(record)
    yield from translation_complaints(record)
    yield from _fixes(record, own=own)
    yield from _examples(record)
    if record.reviewed and not record.no_fix and not record.fixes:
        yield "no_fix: is missing; say in one sentence why no fix can be offered"
    if record.proof == "source" and not record.reason:
        yield "reason: is missing; say why the error cannot be raised here"
    if record.proof == "source" and any(rule.applicability != "display-only" for rule in record.fixes):
        yield 'fixes: a record with proof = "source" offers no edit; write applicability = "display-only"'


def _occurrences(record: Record) -> Iterator[str]:
    for number, one in enumerate(record.occurrences):
        place = f"occurrences[{number}]"
        try:
            template = compile_template(one.template)
        except TemplateError as error:
            yield f"{place}.template: {error}"
            continue
        if one.raised_there and not (one.file and one.qualname):
            yield f"{place}.raised_there: needs the file and the qualname of the function that raises"
        if template.weight < ENOUGH and not (one.needs_frame or one.raised_there):
            yield f"{place}.template: has under {ENOUGH} literal characters; set needs_frame = true"
        if one.needs_frame and not one.file:
            yield f"{place}.file: is missing; needs_frame = true looks for it in the traceback"
        if one.innermost and not one.needs_frame:
            yield f"{place}.innermost: goes with needs_frame = true only"
        if _UNSTABLE.search(one.template):
            yield f"{place}.template: holds an address or a tracer's name, which change; make it a hole"
        if one.file.startswith("/") or "site-packages" in one.file:
            yield f"{place}.file: write it from the package on, e.g. jax/_src/api.py"
        yield from _specifier(one.jax, f"{place}.jax")


def _specifier(text: str, place: str) -> Iterator[str]:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        simple = all(one.operator in _OPERATORS and not one.prereleases for one in SpecifierSet(text))
    except InvalidSpecifier:
        simple = False
    if not simple:
        yield f'{place}: {text!r} is not a version specifier; write e.g. ">=0.7"'


def _words(record: Record) -> Iterator[str]:
    for field in ("title", "title_plain", "cause", "cause_plain"):
        try:
            compile_text(getattr(record, field))
        except TemplateError as error:
            yield f"{field}: {error}"
            return
    for field in ("title", "cause"):
        named = set(compile_text(getattr(record, field)).holes)
        for hole in sorted(named & _arbitrary(record)):
            yield f"{field}: names {{{hole}}}, beside which a template has another hole with no text between"
        unsure = named - _always_caught(record)
        if unsure and not getattr(record, f"{field}_plain"):
            yield f"{field}_plain: is missing; write the sentence without holes, which may not be found"
    if not record.reviewed:
        return
    if len(_SENTENCE_END.findall(record.cause)) > _SENTENCES:
        yield f"cause: has more than {_SENTENCES} sentences; move the rest to documentation"
    said = _restated(record)
    if said:
        yield f"cause: restates the message ({said!r}); say what the rule is and how the code breaks it"
    for word in unexplained(record.cause, record.documentation):
        yield f"cause: {word!r} is a word of the trade; explain it in documentation, or use another"
    for field in ("documentation", "references", "solutions", "triggers"):
        if not getattr(record, field):
            yield f"{field}: is missing; a reviewed record has it"
    for field in ("title", "cause", "documentation", "references", "solutions", "triggers"):
        if "TODO" in str(getattr(record, field)):
            yield f"{field}: still says TODO; write it"
    for number, url in enumerate(record.references):
        if not url.startswith("https://"):
            yield f"references[{number}]: {url!r} is not an https address"


def _restated(record: Record) -> str:
    """A run of words that the cause has from the message."""
    cause = _runs(record.cause)
    return next((run for one in record.occurrences for run in _runs(one.template) if run in cause), "")


def _runs(text: str) -> list[str]:
    """Every run of words in a text, without what holes hold."""
    words = re.findall(r"[A-Za-z_]+", re.sub(r"\{\w+\}", " ", text.lower()))
    return [" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]


def _arbitrary(record: Record) -> set[str]:
    """The holes with nothing but a blank before another: where one ends and the other begins says nothing."""
    found: set[str] = set()
    for one in record.occurrences:
        with contextlib.suppress(TemplateError):  # has its own complaint
            template = compile_template(one.template)
            for number, literal in enumerate(template.literals[1:-1]):
                found |= set(template.holes[number : number + 2]) if not literal.strip() else set()
    return found


def _always_caught(record: Record) -> set[str]:
    """The holes that every wording of a record has."""
    caught: list[set[str]] = []
    for one in record.occurrences:
        try:
            caught.append(set(compile_template(one.template).holes))
        except TemplateError:  # has its own complaint
            continue
    return set[str].intersection(*caught) if caught else set()


def _fixes(record: Record, *, own: bool) -> Iterator[str]:
    counts = Counter(rule.id for rule in record.fixes)
    yield from (f"fixes: the id {name!r} is used {n} times" for name, n in counts.items() if n > 1)
    for number, rule in enumerate(record.fixes):
        place = f"fixes[{number}]"
        yield from _specifier(rule.jax, f"{place}.jax")
        if rule.applicability != "display-only" and not rule.alternatives:
            yield f'{place}.alternatives: is missing; write one, or applicability = "display-only"'
        if rule.applicability in ("maybe-incorrect", "has-placeholders") and not rule.why:
            yield f"{place}.why: is missing; say in one sentence what the change means for the program"
        for complaint in rule_complaints(rule, own=own):
            yield f"{place}.{complaint}"


def _examples(record: Record) -> Iterator[str]:
    if not record.reviewed:
        return
    if record.proof != "source" and not record.examples:
        yield 'examples: is empty; a record with proof = "run" or "lower" shows its error'
    ids = {rule.id for rule in record.fixes}
    shown = {example.fix.id for example in record.examples if example.fix}
    for name in sorted(shown - ids):
        yield f"examples: name the fix {name!r}, which the record does not have"
    for rule in record.fixes:
        if rule.applicability != "display-only" and rule.id not in shown:
            yield f"examples: none exercises the fix {rule.id!r}"
    for number, example in enumerate(record.examples):
        if (example.fix or example.fixed) and not _asserts(example.expect):
            yield f"examples[{number}].expect: must assert a value that only a right cure gives"


def _asserts(code: str) -> bool:
    try:
        return any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code)))
    except SyntaxError:
        return False

"""From a recognised failure to words: the cause, the place in the user's cell, and what JAX saw there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jax_nbhelp.catalog.template import compile_text
from jax_nbhelp.explanation import Example, Explanation, Link, Where
from jax_nbhelp.facts import operands_at
from jax_nbhelp.live_site import guard, public_call
from jax_nbhelp.phrases import language, sayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.catalog.match import Match
    from jax_nbhelp.catalog.record import Record
    from jax_nbhelp.failure import Failure, Live
    from jax_nbhelp.failure import Link as FailureLink
    from jax_nbhelp.fixes.spots import Spots

say = sayer("explanation")

_LONG = 300  # characters of one value in a sentence
_SITES = {"docs.jax.dev": "jax_docs", "numpy.org": "numpy_docs", "github.com": "jax_on_github"}
_SOURCE = "https://github.com/jax-ml/jax/blob/jax-v{release}/{file}#L{line}"


def fill(text: str, plain: str, known: Mapping[str, str]) -> str:
    """Fills a sentence of a record; where a value is not known, its plain variant is used."""
    template = compile_text(text)
    values = {name: _shortened(known.get(name, "")) for name in template.holes}
    if plain and not all(values.values()):
        return fill(plain, "", known)
    return template.fill({name: value or "…" for name, value in values.items()})


def _shortened(value: str) -> str:
    """A hole may have caught a whole dump; a sentence is to be read."""
    return value if len(value) <= _LONG else value[: _LONG - 1] + "…"


def explain_record(
    record: Record, found: Match, failure: Failure, spots: Spots, known: Mapping[str, str], release: str
) -> Explanation:
    """Explains a failure that a record knows.

    Args:
      record: the record.
      found: how it was recognised.
      failure: the failure.
      spots: the code around it.
      known: the facts that sentences may name.
      release: JAX's version, for the link to its source.
    """
    link = failure.links[found.link]
    if found.confidence == "similar":
        title = fill(record.title, record.title_plain, known)
        return Explanation(
            title=say("similar_title"),
            cause=say("similar_cause", title=title, slug=record.slug),
            where=_where(spots),
            operands=operands_at(spots),
            links=_references(record),
            raised_in=_raised_in(link),
            language=language(),
        )
    return Explanation(
        title=fill(record.title, record.title_plain, known),
        cause=fill(record.cause, record.cause_plain, known),
        where=_where(spots),
        operands=operands_at(spots),
        way_on=record.solutions,
        avoid=record.avoid,
        details=record.documentation,
        example=_example(record),
        links=(*_references(record), *_raise_link(link, release)),
        raised_in=_raised_in(link),
        unverified=not record.reviewed,
        language=record.language,
    )


def explain_unknown(failure: Failure, live: Live, number: int, spots: Spots, release: str) -> Explanation:
    """Explains an error of JAX's that no record knows: from the check that fired, with its values."""
    link = failure.links[number]
    check, called = guard(link, live, number), public_call(spots)
    if check is not None:
        cause = say("unknown_guard_call", call=called) if called else say("unknown_guard")
    else:
        cause = say("unknown_call", call=called) if called else say("unknown")
    return Explanation(
        title=say("unknown_title_call", call=called) if called else say("unknown_title"),
        cause=cause,
        where=_where(spots),
        operands=operands_at(spots),
        guard=str(check) if check else "",
        language=language(),
        links=_raise_link(link, release),
        raised_in=_raised_in(link),
    )


def explain_message(record: Record, known: Mapping[str, str]) -> Explanation:
    """Explains a record by itself, or a message that came without its traceback."""
    return Explanation(
        title=fill(record.title, record.title_plain, known),
        cause=fill(record.cause, record.cause_plain, known),
        way_on=record.solutions,
        avoid=record.avoid,
        details=record.documentation,
        example=_example(record),
        links=_references(record),
        unverified=not record.reviewed,
        language=record.language,
    )


def _where(spots: Spots) -> Where | None:
    """The line of the failing expression, marked."""
    spot = spots.failing
    if spot is None:
        return None
    source = spot.source
    start, end = source.span(spot.node)
    line_start = source.text.rfind("\n", 0, start) + 1
    line_end = source.text.find("\n", start)
    line = source.text[line_start : line_end if line_end >= 0 else len(source.text)]
    mark = (start - line_start, min(end - line_start, len(line.rstrip()))) if spot.exact else (0, 0)
    return Where(spot.cell, source.line_of(start), line, *mark)


def _example(record: Record) -> Example | None:
    for one in record.examples:
        if one.broken and one.fixed:
            return Example(one.broken, one.fixed)
    return Example(record.examples[0].broken, ()) if record.examples else None


def _references(record: Record) -> tuple[Link, ...]:
    return tuple(Link(page_name(url), url) for url in record.references[:3])


def page_name(url: str) -> str:
    """Returns the name of a page for its link.

    >>> page_name("https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html")
    'jax.vmap'
    >>> page_name("https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError")
    'jax.errors.TracerBoolConversionError'
    >>> page_name("https://docs.jax.dev/en/latest/control-flow.html")
    'JAX docs: control flow'
    """
    address = urlsplit(url)
    parts = [part for part in address.path.split("/") if part not in ("", "index.html")]
    page = address.fragment or (parts[-1].removesuffix(".html") if parts else address.netloc)
    if page.startswith(("jax.", "numpy.")) and " " not in page:
        return page
    site = say(_SITES[address.netloc]) if address.netloc in _SITES else address.netloc
    return say("page", site=site, page=re.sub("[-_]+", " ", page))


def _raised_in(link: FailureLink) -> str:
    frame = next((frame for frame in reversed(link.frames) if frame.kind in ("jax", "library")), None)
    return f"{frame.file} {frame.function.rsplit('.', 1)[-1]}" if frame else ""


def _raise_link(link: FailureLink, release: str) -> tuple[Link, ...]:
    frame = next((frame for frame in reversed(link.frames) if frame.kind == "jax"), None)
    if frame is None or not release:
        return ()
    url = _SOURCE.format(release=release, file=frame.file, line=frame.line)
    return (Link(say("source_label"), url),)

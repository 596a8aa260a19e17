"""From a Failure to the record that knows it."""

from __future__ import annotations

import difflib
import functools
import operator
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from jax_nbhelp.catalog.template import ENOUGH, normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jax_nbhelp.catalog.index import Catalog, Entry
    from jax_nbhelp.catalog.record import Occurrence
    from jax_nbhelp.failure import Failure, Link

_ALIKE = 0.8  # share of a record's words, in order, from which another wording is called similar
_COMPARE: Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_WRAPPER = "jax/_src/traceback_util.py"  # only passes on a call of the user's
_INNERMOST = 2
_LONG = 4096  # characters of a message that are compared for likeness


@dataclass(frozen=True, slots=True)
class Match:
    """A record recognised in a failure.

    Attributes:
      slug: the record.
      occurrence: the wording that matched.
      captures: what the template's holes caught.
      confidence: `exact`, or `similar` for the nearest known error of the same function.
      link: the index of the link of the chain that it was recognised in.
    """

    slug: str
    occurrence: Occurrence
    captures: Mapping[str, str] = field(default_factory=dict[str, str])
    confidence: Literal["exact", "similar"] = "exact"
    link: int = 0


def match(failure: Failure, catalog: Catalog, release: str = "") -> Match | None:
    """Recognises a failure.

    The chain is walked from the exception inward, and the first link that is recognised counts: JAX chains
    its own internal errors, so the root would explain the wrong one.

    Args:
      failure: the failure.
      catalog: the records.
      release: JAX's version, e.g. `0.10.2`; records of other releases lose ties.
    """
    for number, link in enumerate(failure.links):
        if link.owner == "user":
            continue
        found = _exact(link, catalog, release)
        if found:
            entry, captures = found
            return Match(entry.slug, entry.occurrence, captures, "exact", number)
    for number, link in enumerate(failure.links):
        if link.owner == "jax":
            entry = _similar(link, catalog)
            if entry:
                return Match(entry.slug, entry.occurrence, {}, "similar", number)
    return None


def recognise(message: str, catalog: Catalog, release: str = "") -> Match | None:
    """Recognises a bare message, where there is no traceback to look at."""
    text = normalise(message)
    best: tuple[tuple[object, ...], Entry, Mapping[str, str]] | None = None
    for entry in catalog.candidates(text):
        captures = entry.template.match(text)
        one, weight = entry.occurrence, entry.template.weight
        alone = not (one.innermost or one.calls_jax or one.raised_there)
        if captures is None or not alone or (one.needs_frame and weight < ENOUGH):
            continue
        rank = (
            entry.reviewed,
            not one.needs_frame,
            weight,
            _in_release(one.jax, release),
            entry.native,
            entry.slug,
        )
        if best is None or rank > best[0]:
            best = rank, entry, captures
    return Match(best[1].slug, best[1].occurrence, best[2]) if best else None


def _exact(link: Link, catalog: Catalog, release: str) -> tuple[Entry, Mapping[str, str]] | None:
    text = normalise(link.message)
    best: tuple[tuple[object, ...], Entry, Mapping[str, str]] | None = None
    for entry in catalog.candidates(text):
        captures = entry.template.match(text)
        if captures is None or not _allowed(entry.occurrence, link):
            continue
        one = entry.occurrence
        rank = (
            entry.reviewed,
            entry.template.weight,
            one.needs_frame,  # the same words and a frame as a witness: the narrower record
            _raised_there(one, link),
            one.error_class in link.bases,
            _in_release(one.jax, release),
            entry.native,
            entry.slug,
        )
        if best is None or rank > best[0]:
            best = rank, entry, captures
    return best[1:] if best else None


def _allowed(occurrence: Occurrence, link: Link) -> bool:
    """Whether the words may be JAX's: some need a frame of JAX's as a witness."""
    if occurrence.raised_there:
        return _raised_there(occurrence, link) == _INNERMOST
    if occurrence.innermost:
        inner = link.responsible
        return (
            inner is not None
            and inner.kind == "jax"
            and inner.file != _WRAPPER
            and inner.file.startswith(occurrence.file)
        )
    if not occurrence.needs_frame or link.frames_removed:
        return True
    frames = (*link.frames, *link.origin)  # what a jitted part of JAX's did stands in the origin only
    return any(frame.file == occurrence.file for frame in frames if frame.kind in ("jax", "library"))


def _raised_there(occurrence: Occurrence, link: Link) -> int:
    """2 (`_INNERMOST`): the raising function is the occurrence's; 1: it is on the way; 0: neither."""
    places = [(frame.file, frame.function.rsplit(".", 1)[-1]) for frame in link.frames]
    wanted = (occurrence.file, occurrence.qualname.rsplit(".", 1)[-1])
    return _INNERMOST if places[-1:] == [wanted] else int(wanted in places)


def _similar(link: Link, catalog: Catalog) -> Entry | None:
    """The record of the same function whose words are most alike."""
    frame = link.raising
    if frame is None or frame.kind != "jax":
        return None
    words = normalise(link.message)[:_LONG].split()
    best, likeness = None, _ALIKE
    for entry in catalog.raised_by(frame.file, frame.function.rsplit(".", 1)[-1]):
        literal = " ".join(entry.template.literals).split()
        ratio = _likeness(words, literal)
        if ratio >= likeness and entry.template.weight >= ENOUGH:
            best, likeness = entry, ratio
    return best


def _likeness(words: list[str], literal: list[str]) -> float:
    """The share of a template's words that a message holds in their order; what holes caught is left out."""
    whole = sum(map(len, literal))
    common = Counter(words) & Counter(literal)  # an upper bound, before the order is looked at
    if not whole or sum(len(word) * count for word, count in common.items()) < _ALIKE * whole:
        return 0.0
    blocks = difflib.SequenceMatcher(None, words, literal, autojunk=False).get_matching_blocks()
    return sum(sum(map(len, literal[one.b : one.b + one.size])) for one in blocks) / whole


@functools.lru_cache(maxsize=512)
def _in_release(specifier: str, release: str) -> bool:
    return in_release(specifier, release)


def in_release(specifier: str, release: str) -> bool:
    """Whether a release satisfies a specifier such as `>=0.7`; an empty one is satisfied by all."""
    found = re.match(r"\d+(?:\.\d+)*", release)  # a nightly build speaks as the release it leads to
    if not found:
        return True
    ours = _numbers(found[0])
    for one in specifier.split(","):
        bound = re.fullmatch(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)(\.\*)?\s*", one)
        # what the lint of our own records refuses may stand in a pack that was not linted
        if bound and not _COMPARE[bound[1]](
            ours[: bound[2].count(".") + 1] if bound[3] else ours, _numbers(bound[2])
        ):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """A version to compare by; 0.10 is 0.10.0."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)

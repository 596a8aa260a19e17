"""Two releases of JAX compared site by site, and which records each change touches.

Sites are paired from the surest to the least sure: the same words and class at the same place; in another
function; in another file; the same words with another class; words that are alike. What then has no partner
is gone, or new. Holes and white space do not count, nor do lines.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from jax_nbhelp.sites.known import Known
    from jax_nbhelp.sites.site import Site

Change = Literal[
    "same", "moved to a function", "moved to a file", "class changed", "text edited", "gone", "new"
]
CHANGES: tuple[Change, ...] = get_args(Change)
_ALIKE = 0.6  # share of words in their order from which a text counts as edited, not as gone
_HOLE = re.compile(r"(?<!\{)\{\w+\}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A site in two releases.

    Attributes:
      change: what happened to it.
      before: what is known of it in the one release; None for a new one.
      after: in the other; None for one that is gone.
    """

    change: Change
    before: Known | None
    after: Known | None

    @property
    def lost(self) -> bool:
        """Whether a record knew it before and none does after: the record needs another wording."""
        recognised = ("known", "partly")
        return (
            self.before is not None
            and self.after is not None
            and self.before.state in recognised
            and self.after.state not in recognised
        )


def compare(before: Sequence[Known], after: Sequence[Known]) -> list[Pair]:
    """Returns every site of two releases, paired where it is the same one."""
    left, right = list(before), list(after)
    pairs: list[Pair] = []
    steps: tuple[tuple[Callable[[Site], Hashable], Change | None], ...] = (
        (lambda site: (_words(site), site.error_class, site.file, site.qualname, site.caller), "same"),
        (lambda site: (_words(site), site.error_class, site.file, site.function), "same"),
        (lambda site: (_words(site), site.file, site.function), None),
        (lambda site: (_words(site), site.error_class, site.file), "moved to a function"),
        (lambda site: (_words(site), site.error_class), "moved to a file"),
        (_words, None),
    )
    for key, change in steps:
        for one, other in _same(left, right, key):
            pairs.append(Pair(change or _change(one.site, other.site), one, other))
    near: tuple[Callable[[Site], Hashable], ...] = (
        lambda site: (site.file, site.function),
        lambda site: site.file,
        lambda site: (site.file.rsplit("/", 1)[-1], site.function),
    )
    for key in near:
        pairs += [Pair("text edited", one, other) for one, other in _alike(left, right, key)]
    pairs += [Pair("gone", one, None) for one in left]
    pairs += [Pair("new", None, one) for one in right]
    return pairs


def touched(pairs: Iterable[Pair]) -> dict[Change, dict[str, list[Pair]]]:
    """Returns the records that each kind of change touches, each with its pairs; `same` touches none."""
    found: defaultdict[Change, defaultdict[str, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        if pair.change != "same":
            one = pair.before or pair.after
            for slug in one.slugs if one is not None else ():
                found[pair.change][slug].append(pair)
    return {change: dict(found[change]) for change in CHANGES if change in found}


def vanished(pairs: Sequence[Pair]) -> list[str]:
    """Returns the records that recognised a site in the one release and recognise none in the other."""
    before = {slug for pair in pairs if pair.before for slug in pair.before.slugs}
    after = {slug for pair in pairs if pair.after for slug in pair.after.slugs}
    return sorted(before - after)


def counts(pairs: Iterable[Pair]) -> Counter[Change]:
    """Returns how many sites there are of each change."""
    return Counter(pair.change for pair in pairs)


def _change(before: Site, after: Site) -> Change:
    """What differs between two sites of the same words: the class tells more than the place."""
    if before.error_class != after.error_class:
        return "class changed"
    if before.file != after.file:
        return "moved to a file"
    return "same" if before.function == after.function else "moved to a function"


def _words(site: Site) -> tuple[str, ...] | str:
    """The wordings with their holes made equal; a site without words is told by its place alone."""
    if not site.templates:
        return f"{site.file} {site.qualname}"
    return tuple(" ".join(_HOLE.sub("{}", one).split()) for one in site.templates)


def _same(
    left: list[Known], right: list[Known], key: Callable[[Site], Hashable]
) -> Iterator[tuple[Known, Known]]:
    """Takes the sites with the same key out of both lists, each once and in their order."""
    waiting = _grouped(right, key)
    taken: set[int] = set()
    for one in left:
        partners = waiting.get(key(one.site))
        if partners:
            partner = partners.pop(0)
            taken |= {id(one), id(partner)}
            yield one, partner
    _take_out(taken, left, right)


def _grouped(ones: list[Known], key: Callable[[Site], Hashable]) -> dict[Hashable, list[Known]]:
    groups: defaultdict[Hashable, list[Known]] = defaultdict(list)
    for one in ones:
        groups[key(one.site)].append(one)
    return groups


def _take_out(taken: set[int], *lists: list[Known]) -> None:
    for ones in lists:
        ones[:] = [one for one in ones if id(one) not in taken]


def _alike(
    left: list[Known], right: list[Known], key: Callable[[Site], Hashable]
) -> Iterator[tuple[Known, Known]]:
    """Takes the sites of the same key whose words are alike out of both lists, the most alike first."""
    groups = _grouped(right, key)
    found: list[tuple[float, int, int, Known, Known]] = []
    for number, one in enumerate(left):
        words = " ".join(_words(one.site)).split()
        for other in groups.get(key(one.site), ()):
            ratio = _likeness(words, " ".join(_words(other.site)).split())
            if ratio >= _ALIKE:
                found.append((-ratio, number, len(found), one, other))
    taken: set[int] = set()
    for _, _, _, one, other in sorted(found, key=lambda entry: entry[:3]):
        if id(one) not in taken and id(other) not in taken:
            taken |= {id(one), id(other)}
            yield one, other
    _take_out(taken, left, right)


def _likeness(words: list[str], others: list[str]) -> float:
    if not words or not others:
        return 0.0
    common = sum((Counter(words) & Counter(others)).values())  # an upper bound, before the order is looked at
    if 2 * common < _ALIKE * (len(words) + len(others)):
        return 0.0
    return difflib.SequenceMatcher(None, words, others, autojunk=False).ratio()

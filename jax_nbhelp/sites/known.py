"""Which raise sites the records know, by trying each site's words on the catalog's own matcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from jax_nbhelp.catalog.template import ENOUGH, compile_template, normalise
from jax_nbhelp.sites.overlap import overlap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.catalog.index import Catalog, Entry
    from jax_nbhelp.catalog.record import Occurrence
    from jax_nbhelp.catalog.template import Template
    from jax_nbhelp.sites.site import Site

# `known`: a reviewed record recognises every wording; `partly`: some of what is raised there; `draft`: only
# drafts do; `check`: no record, and the help shows the check that fired; `call`: not even that is there, and
# the help names the function that the user called.
State = Literal["known", "partly", "draft", "check", "call"]
STATES: tuple[State, ...] = get_args(State)
# What stands in holes when a site's words are tried. JAX often writes several values into one, where a record
# has a hole for each: the second and the third have something to split.
_FILLINGS = ("q1", "q1, q2", "(q1, q2): q3 and q4")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about one site.

    Attributes:
      site: the site.
      state: how well it is known.
      slugs: the records that recognise its words.
      there: one of them names this function; otherwise it knows the same words from another place.
    """

    site: Site
    state: State
    slugs: tuple[str, ...] = ()
    there: bool = False


def coverage(sites: Iterable[Site], catalog: Catalog) -> list[Known]:
    """Returns what a catalog knows of each site."""
    return [_known(site, catalog) for site in sites]


def _known(site: Site, catalog: Catalog) -> Known:
    found = [_recognising(site, template, catalog) for template in site.templates]
    whole = [entry for one in found for entry in one]
    entries = [*whole, *_of_special_cases(site, catalog)]
    slugs = tuple(dict.fromkeys(entry.slug for entry in entries))
    there = any(_stands_there(entry.occurrence, site) for entry in entries)
    if whole and all(any(entry.reviewed for entry in one) for one in found):
        return Known(site, "known", slugs, there)
    if any(entry.reviewed for entry in entries):
        return Known(site, "partly", slugs, there)
    if entries:
        return Known(site, "draft", slugs, there)
    return Known(site, "check" if site.check else "call")


def _recognising(site: Site, template: str, catalog: Catalog) -> list[Entry]:
    """The entries that recognise one wording of a site: the best first, as the matcher ranks them."""
    compiled = compile_template(template)
    found: dict[int, Entry] = {}
    for filling in _FILLINGS if compiled.holes else _FILLINGS[:1]:
        text = normalise(compiled.fill(dict.fromkeys(compiled.holes, filling)))
        for entry in catalog.candidates(text):
            if _witnessed(entry, site) and entry.template.match(text) is not None:
                found[id(entry)] = entry
    return sorted(
        found.values(),
        key=lambda entry: (entry.reviewed, _stands_there(entry.occurrence, site), entry.template.weight),
        reverse=True,
    )


def _witnessed(entry: Entry, site: Site) -> bool:
    """Whether the entry's words are enough, or the file that they need is on the way to this site."""
    one = entry.occurrence
    if one.innermost:
        return site.file.startswith(one.file)
    if one.needs_frame:
        return one.file in (site.file, site.caller_file)
    return entry.template.weight >= ENOUGH


def _of_special_cases(site: Site, catalog: Catalog) -> list[Entry]:
    """The entries that recognise some of what a site raises: they have words where it has a hole."""
    found: dict[int, Entry] = {}
    near = catalog.raised_by(site.file, site.function)
    for wording in site.templates:
        compiled = compile_template(wording)
        text = normalise(compiled.fill(dict.fromkeys(compiled.holes, _FILLINGS[0])))
        for entry in (*near, *catalog.sharing(text)):
            enough = min(compiled.weight, entry.template.weight) >= ENOUGH
            if enough and _witnessed(entry, site) and _is_case(entry.template, compiled):
                found[id(entry)] = entry
    return list(found.values())


def _is_case(special: Template, general: Template) -> bool:
    example = normalise(special.fill(dict.fromkeys(special.holes, _FILLINGS[0])))
    return general.match(example) is not None or overlap(general, special)


def _stands_there(one: Occurrence, site: Site) -> bool:
    return one.file == site.file and one.qualname.rsplit(".", 1)[-1] == site.function

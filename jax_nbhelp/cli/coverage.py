"""`jax-nbhelp records coverage`: which of JAX's errors the records know, and what a new release changes."""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from jax_nbhelp.catalog.index import Catalog
    from jax_nbhelp.sites.compare import Pair
    from jax_nbhelp.sites.known import Known
    from jax_nbhelp.sites.source import Source

_TEXT = (
    "Reads JAX's source (it is not imported) and says which of the places that raise an error a record "
    "knows, and which are next worth a record. With --against, compares two releases and names the records "
    "that each change touches. Exit code 2: there is no JAX that this Python can read, "
    "or no folder of records."
)
_CLASSES = 14  # classes of error that have a line of their own
_WIDTH = 150  # characters of a wording that are printed
_EACH = 2  # sites of one function that are proposed


def add(actions: Any, folder: Path) -> None:
    """Adds the command to the actions of `jax-nbhelp records`.

    Args:
      actions: the subparsers.
      folder: where records are by default.
    """
    one: argparse.ArgumentParser = actions.add_parser(
        "coverage", help="say which of JAX's errors the records know", description=_TEXT
    )
    one.add_argument(
        "--jax-source",
        type=Path,
        metavar="DIR",
        help="a folder that holds the package jax (default: the installed one)",
    )
    one.add_argument("--against", type=Path, metavar="DIR", help="the folder of another JAX, to compare with")
    one.add_argument("--folder", type=Path, default=folder, help="the records (default: %(default)s)")
    one.add_argument(
        "--area", action="append", default=[], help="only this area's next sites; may be repeated"
    )
    one.add_argument(
        "--top", type=int, default=3, help="next sites of an area that are shown (default: %(default)s)"
    )
    one.add_argument("--json", action="store_true", help="print everything as JSON, every site included")
    one.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from jax_nbhelp.catalog.index import from_folder
    from jax_nbhelp.sites.source import Source, SourceError, installed_root, no_collection

    if not options.folder.is_dir():
        print(f"{options.folder}: is not a folder; give the records' folder with --folder", file=sys.stderr)
        return 2
    catalog = from_folder(options.folder)
    for complaint in catalog.complaints:
        print(complaint, file=sys.stderr)
    try:
        source = Source(options.jax_source or installed_root())
        other = Source(options.against) if options.against else None
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    unread = {**source.unread, **(other.unread if other else {})}
    if unread:
        file, reason = next(iter(unread.items()))
        version = platform.python_version()
        print(
            f"{len(unread)} files cannot be read by Python {version}, e.g. {file} ({reason}); "
            "run the command with the Python of the newer JAX",
            file=sys.stderr,
        )
        return 2
    with no_collection():
        if other is not None:
            _compare(source, other, catalog, as_json=options.json)
        else:
            _cover(source, catalog, options)
    return 0


def _cover(source: Source, catalog: Catalog, options: argparse.Namespace) -> None:
    from jax_nbhelp.sites.reach import Reach, ranked

    known = _known(source, catalog)
    unknown = [one.site for one in known if one.state in ("check", "call")]
    near = ranked(unknown, Reach(source))
    if options.json:
        weights = {site: {"steps": steps, "weight": round(weight, 2)} for site, steps, weight in near}
        sites = [{**_as_json(one), "reach": weights.get(one.site)} for one in known]
        print(json.dumps({"jax": source.release, **_sums(known), "sites": sites}, indent=1))
        return
    _print_tables(source, known, len(catalog))
    _print_next(near, options)


def _known(source: Source, catalog: Catalog) -> list[Known]:
    from jax_nbhelp.sites.known import coverage
    from jax_nbhelp.sites.site import read_sites

    return coverage(read_sites(source), catalog)


def _as_json(one: Known) -> dict[str, Any]:
    from jax_nbhelp.sites.area import area_of

    rest = {
        "area": area_of(one.site.caller_file),
        "state": one.state,
        "records": one.slugs,
        "there": one.there,
    }
    return {**asdict(one.site), **rest}


def _sums(known: Iterable[Known]) -> dict[str, Any]:
    """The counts by state, by class and by area."""
    from jax_nbhelp.sites.area import area_of
    from jax_nbhelp.sites.known import STATES

    whole, classes, areas = (
        Counter[str](),
        defaultdict[str, Counter[str]](Counter),
        defaultdict[str, Counter[str]](Counter),
    )
    for one in known:
        for counter in (whole, classes[one.site.error_class], areas[area_of(one.site.caller_file)]):
            counter["sites"] += 1
            counter[one.state] += 1
    order = ("sites", *STATES)

    def plain(counter: Counter[str]) -> dict[str, int]:
        return {name: counter[name] for name in order}

    def sorted_(counters: Mapping[str, Counter[str]]) -> dict[str, dict[str, int]]:
        names = sorted(counters, key=lambda name: (-counters[name]["sites"], name))
        return {name: plain(counters[name]) for name in names}

    return {"all": plain(whole), "classes": sorted_(classes), "areas": sorted_(areas)}


def _print_tables(source: Source, known: Sequence[Known], records: int) -> None:
    sums = _sums(known)
    there = sum(one.there and one.state in ("known", "partly") for one in known)
    elsewhere = sum(not one.there and one.state in ("known", "partly") for one in known)
    silent = sum(not one.site.templates for one in known)
    print(
        f"JAX {source.release}: {len(known)} raise sites in {len(source.modules)} files; {records} records."
    )
    print(
        f"Known at their own place {there}, by the same words elsewhere {elsewhere}; without words {silent}."
    )
    print("known: a reviewed record; partly: some of what is raised there; draft: drafts only;")
    print("check: no record, the help shows the check that fired; call: only the function that was called.\n")
    _print_table("class", sums["classes"], _CLASSES, sums["all"])
    print()
    _print_table("area", sums["areas"], len(sums["areas"]), sums["all"])


def _print_table(
    name: str, rows: Mapping[str, Mapping[str, int]], most: int, whole: Mapping[str, int]
) -> None:
    print(f"{name:<28}" + "".join(f"{column:>8}" for column in whole) + "   known or partly")
    shown = dict(list(rows.items())[:most])
    rest = list(rows.values())[most:]
    if rest:
        shown[f"{len(rest)} others"] = {column: sum(row[column] for row in rest) for column in whole}
    for label, row in {**shown, "all": whole}.items():
        share = (row["known"] + row["partly"]) / max(1, row["sites"])
        print(f"{label:<28}" + "".join(f"{row[column]:>8}" for column in whole) + f"{share:>12.1%}")


def _print_next(near: Sequence[tuple[Any, int, float]], options: argparse.Namespace) -> None:
    """The sites worth a record next, by area: the areas first that most public functions lead to."""
    from jax_nbhelp.sites.area import area_of

    print("\nNext worth a record (weight: how many public functions lead to it, the near ones more)")
    areas: defaultdict[str, list[tuple[Any, int, float]]] = defaultdict(list)
    for one in near:
        areas[area_of(one[0].caller_file)].append(one)
    for area, found in areas.items():
        if options.area and area not in options.area:
            continue
        print(f"\n{area}: {len(found)}")
        each = Counter[str]()
        worded = [one for one in found if one[0].templates]
        shown = [one for one in worded if (each.update([one[0].place]), each[one[0].place])[1] <= _EACH]
        for site, steps, weight in shown[: options.top]:
            print(
                f"  {weight:7.1f}  {site.place}:{site.line}  {site.error_class}  (calls in between: {steps})"
            )
            print(f"           {_short(site.templates[0])}")


def _compare(source: Source, other: Source, catalog: Catalog, *, as_json: bool) -> None:
    from jax_nbhelp.sites.compare import CHANGES, compare, counts, touched, vanished

    pairs = compare(_known(source, catalog), _known(other, catalog))
    summed, records = counts(pairs), touched(pairs)
    if as_json:
        changed = [
            {
                "change": pair.change,
                "before": _as_json(pair.before) if pair.before else None,
                "after": _as_json(pair.after) if pair.after else None,
                "lost": pair.lost,
            }
            for pair in pairs
            if pair.change != "same"
        ]
        slugs = {change: sorted(found) for change, found in records.items()}
        print(
            json.dumps(
                {
                    "from": source.release,
                    "to": other.release,
                    "counts": {change: summed[change] for change in CHANGES},
                    "records": slugs,
                    "vanished": vanished(pairs),
                    "sites": changed,
                },
                indent=1,
            )
        )
        return
    before = sum(pair.before is not None for pair in pairs)
    print(f"JAX {source.release} ({before} raise sites) → {other.release} ({len(pairs) - summed['gone']})\n")
    for change in CHANGES:
        of = records.get(change, {})
        share = f"{summed[change] / max(1, before):7.1%}" if change != "new" else " " * 7
        print(f"  {change:<20}{summed[change]:>6}{share}   records touched: {len(of)}")
    lost = [pair for pair in pairs if pair.lost]
    print(f"\nNo longer recognised, write an occurrence with the new words: {len(lost)}")
    for pair in lost:
        _print_pair(pair)
    gone = ", ".join(vanished(pairs))
    print(f"\nRecords that recognise no raise site of {other.release}: {gone or 'none'}")
    for change, found in records.items():
        print(f"\n{change}, records:")
        for slug, changed in sorted(found.items()):
            print(f"  {slug}")
            for pair in changed:
                if not pair.lost:
                    _print_pair(pair)


def _print_pair(pair: Pair) -> None:
    for mark, one in (("-", pair.before), ("+", pair.after)):
        if one is not None:
            words = _short("".join(one.site.templates[:1]))
            print(f"    {mark} {one.site.place} {one.site.error_class}: {words}")
    if pair.lost and pair.before is not None:
        print(f"      records: {', '.join(pair.before.slugs)}")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"

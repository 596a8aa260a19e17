"""Two releases compared: each change has its name, and the records that it touches."""

from __future__ import annotations

import pytest
from test_known import record, site

from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.catalog.record import Occurrence
from jax_nbhelp.sites.compare import compare, counts, touched, vanished
from jax_nbhelp.sites.known import coverage

OLD = "the length {n} of the axis {axis} is not what it should be"
NEW = "the length {n} of the mapped axis {axis} is not what it should be"


def compared(before, after, *records):
    catalog = from_records(records or [record("r", Occurrence(OLD, "", "jax/_src/a.py", "f"))])
    return compare(coverage(before, catalog), coverage(after, catalog))


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (site(OLD), "same"),
        (site("the length {m} of the  axis {other}\nis not what it should be"), "same"),
        (site(OLD, qualname="g"), "moved to a function"),
        (site(OLD, file="jax/_src/b.py"), "moved to a file"),
        (site(OLD, error_class="TypeError"), "class changed"),
        (site(OLD, error_class="TypeError", file="jax/_src/b.py"), "class changed"),
        (site(NEW), "text edited"),
        (site(NEW, error_class="TypeError", qualname="g"), "text edited"),
        (site(NEW, file="jax/_src/new/a.py"), "text edited"),
    ],
)
def test_a_change_is_named(after, change):
    (pair,) = compared([site(OLD)], [after])
    assert pair.change == change
    assert (pair.before.site, pair.after.site) == (site(OLD), after)


def test_what_has_no_partner_is_gone_or_new():
    pairs = compared([site(OLD)], [site("something else altogether", qualname="h")])
    assert counts(pairs) == {"gone": 1, "new": 1}


def test_of_equal_sites_each_has_one_partner():
    pairs = compared([site(OLD), site(OLD)], [site(OLD), site(OLD), site(OLD)])
    assert counts(pairs) == {"same": 2, "new": 1}


def test_sites_without_words_are_told_by_their_place():
    pairs = compared([site()], [site(), site(qualname="g")])
    assert counts(pairs) == {"same": 1, "new": 1}


def test_the_records_that_a_change_touches_are_named():
    pairs = compared(
        [site(OLD), site("words of no record, which stay")],
        [site(NEW), site("words of no record, which stay")],
    )
    assert list(touched(pairs)) == ["text edited"]
    assert list(touched(pairs)["text edited"]) == ["r"]
    assert [pair.lost for pair in pairs] == [False, True]
    assert vanished(pairs) == ["r"]


def test_a_record_that_still_recognises_is_not_lost():
    general = record(
        "r", Occurrence("the length {anything} is not what it should be", "", "jax/_src/a.py", "f")
    )
    (pair,) = compared([site(OLD)], [site(NEW)], general)
    assert (pair.change, pair.lost) == ("text edited", False)
    assert vanished([pair]) == []


def test_jax_is_the_same_as_itself(jax_sites, catalog):
    known = coverage(jax_sites, catalog)
    assert set(counts(compare(known, known))) == {"same"}

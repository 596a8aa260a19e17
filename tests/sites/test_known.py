"""Which raise sites the records know: the catalog's own matcher decides."""

from __future__ import annotations

import pytest

from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.catalog.record import Occurrence, Record
from jax_nbhelp.sites.known import coverage
from jax_nbhelp.sites.site import Site


def site(*templates, file="jax/_src/a.py", qualname="f", error_class="ValueError", check="", **rest):
    given = {"caller_file": file, "caller": qualname, **rest}
    return Site(file, qualname, error_class, templates, 1, check, given["caller_file"], given["caller"])


def record(slug, *occurrences, reviewed=True):
    return Record("0" * 16, slug, "a", "t", "c", occurrences, reviewed=reviewed)


def known(one, *records):
    (found,) = coverage([one], from_records(records))
    return found


WORDS = "the axis {axis} is out of bounds for {shapes}"


@pytest.mark.parametrize(
    "template",
    [
        WORDS,
        "the axis {a} is out of bounds for {b}",
        "the axis {a} is out of bounds for {first}, {second}",
        "the axis {a} is out of {everything}",
    ],
)
def test_a_record_knows_a_site_whose_words_it_matches(template):
    found = known(site(WORDS), record("r", Occurrence(template, "", "jax/_src/a.py", "f")))
    assert (found.state, found.slugs, found.there) == ("known", ("r",), True)


def test_the_same_words_elsewhere_are_known_but_not_there():
    found = known(site(WORDS), record("r", Occurrence(WORDS, "", "jax/_src/b.py", "g")))
    assert (found.state, found.there) == ("known", False)


def test_a_record_for_a_case_of_the_site_knows_it_partly():
    special = Occurrence("the axis 3 is out of bounds for scalars", "", "jax/_src/a.py", "f")
    assert known(site(WORDS), record("r", special)).state == "partly"
    elsewhere = Occurrence("the axis 3 is out of bounds for scalars", "", "jax/_src/b.py", "f")
    found = known(site(WORDS), record("r", elsewhere))
    assert (found.state, found.there) == ("partly", False)
    other = Occurrence("the axis 3 is fine", "", "jax/_src/a.py", "f")
    assert known(site(WORDS), record("r", other)).state == "call"


def test_a_record_whose_holes_lie_elsewhere_knows_it_partly():
    crossing = Occurrence("the axis batch is out of bounds {more}", "", "jax/_src/a.py", "f")
    assert known(site(WORDS), record("r", crossing)).state == "partly"
    ends = Occurrence("{any} somewhere else altogether {more}", "", "jax/_src/a.py", "f")
    assert known(site("{one} is out of bounds for {other}"), record("r", ends)).state == "call"


def test_a_record_for_one_of_two_wordings_knows_the_site_partly():
    found = known(
        site(WORDS, "another wording of it"), record("r", Occurrence(WORDS, "", "jax/_src/a.py", "f"))
    )
    assert found.state == "partly"


def test_a_draft_alone_does_not_know():
    assert known(site(WORDS), record("r", Occurrence(WORDS), reviewed=False)).state == "draft"


def test_without_a_record_the_check_is_what_is_left():
    assert known(site(WORDS, check="if axis > 2")).state == "check"
    assert known(site(WORDS)).state == "call"
    assert known(site(check="if axis > 2"), record("r", Occurrence("{anything}"))).state == "check"


def test_words_that_need_a_witness_need_its_file():
    one = Occurrence(WORDS, "", "jax/_src/a.py", "f", needs_frame=True)
    assert known(site(WORDS), record("r", one)).state == "known"
    assert known(site(WORDS, file="jax/_src/b.py"), record("r", one)).state == "call"
    helped = site(WORDS, file="jax/_src/util.py", qualname="check", caller_file="jax/_src/a.py")
    assert known(helped, record("r", one)).state == "known"


def test_words_that_must_be_raised_in_a_folder_are_known_there_alone():
    one = Occurrence(WORDS, "", "jax/_src/numpy/", "", needs_frame=True, innermost=True)
    assert known(site(WORDS, file="jax/_src/numpy/a.py"), record("r", one)).state == "known"
    assert known(site(WORDS), record("r", one)).state == "call"


def test_the_projects_records_know_what_they_were_written_for(catalog, jax_sites):
    found = {slug for one in coverage(jax_sites, catalog) if one.there for slug in one.slugs}
    assert {
        "incompatible-shapes-for-broadcasting",
        "vmap-inconsistent-sizes",
        "tracer-bool-conversion",
    } <= found

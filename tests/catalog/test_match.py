"""Recognition: which record a failure is, how sure we are, and what never decides."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

import jax_nbhelp.catalog.match as module
from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.catalog.match import in_release, match, recognise
from jax_nbhelp.catalog.record import Occurrence, Record
from jax_nbhelp.failure import Failure, Frame, Link

FILE, FUNCTION = "jax/_src/lax/lax.py", "_check_shapes"


def record(slug, *occurrences, reviewed=True, **fields):
    ones = tuple(one if isinstance(one, Occurrence) else Occurrence(one) for one in occurrences)
    return Record("0" * 16, slug, "area", "title", "cause", ones, reviewed=reviewed, **fields)


def frame(file=FILE, function=FUNCTION, kind="jax", line=1):
    return Frame(file, function, kind, line)


def link(message, *frames, error_class="ValueError", bases=(), owner="jax", removed=False):
    return Link(error_class, bases or (error_class, "Exception"), message, frames, (), owner, removed)


def found(*parts, release="0.10.2"):
    """(slug, confidence, link) for links and records given in any order."""
    links = tuple(one for one in parts if isinstance(one, Link))
    catalog = from_records([one for one in parts if isinstance(one, Record)])
    one = match(Failure(links), catalog, release)
    return (one.slug, one.confidence, one.link) if one else None


def test_the_template_with_more_literal_text_wins():
    light, heavy = record("z-light", "size {n} is {rest}"), record("a-heavy", "size {n} is odd, but {rest}")
    assert found(light, heavy, link("size 3 is odd, but 4"))[0] == "a-heavy"


@pytest.mark.parametrize("place", [frame(), frame(function="Outer.<locals>._check_shapes")])
def test_of_equal_templates_the_one_that_raised_there_wins(place):
    there = record("a-there", Occurrence("size {n} is odd", file=FILE, qualname=FUNCTION))
    other = record("z-other", Occurrence("size {n} is odd", file="jax/_src/api.py", qualname="vmap"))
    assert found(there, other, link("size 3 is odd", frame(), place))[0] == "a-there"


def test_the_raising_frame_beats_one_on_the_way():
    inner = record("a-inner", Occurrence("size {n} is odd", file=FILE, qualname=FUNCTION))
    outer = record("z-outer", Occurrence("size {n} is odd", file="jax/_src/api.py", qualname="vmap"))
    assert (
        found(inner, outer, link("size 3 is odd", frame("jax/_src/api.py", "vmap"), frame()))[0] == "a-inner"
    )


def test_of_equal_places_the_class_decides():
    right = record("a-right", Occurrence("size {n} is odd", error_class="TypeError"))
    wrong = record("z-wrong", Occurrence("size {n} is odd", error_class="ValueError"))
    assert found(right, wrong, link("size 3 is odd", error_class="TypeError"))[0] == "a-right"


def test_a_base_class_counts_as_the_class():
    right = record("a-right", Occurrence("size {n} is odd", error_class="TypeError"))
    wrong = record("z-wrong", Occurrence("size {n} is odd", error_class="ValueError"))
    bases = ("jax.errors.TracerBoolConversionError", "TypeError", "Exception")
    assert found(right, wrong, link("size 3 is odd", error_class=bases[0], bases=bases))[0] == "a-right"


def test_a_class_never_filters():
    only = record("a", Occurrence("size {n} is odd", error_class="TypeError"))
    assert found(only, link("size 3 is odd", error_class="RuntimeError")) == ("a", "exact", 0)


def test_the_place_beats_the_class():
    there = record("a-there", Occurrence("size {n} is odd", "TypeError", FILE, FUNCTION))
    classy = record("z-classy", Occurrence("size {n} is odd", "ValueError", "jax/_src/api.py", "vmap"))
    assert found(there, classy, link("size 3 is odd", frame()))[0] == "a-there"


def test_of_equal_classes_the_release_decides():
    now = record("a-now", Occurrence("size {n} is odd", jax=">=0.10"))
    then = record("z-then", Occurrence("size {n} is odd", jax="<0.10"))
    message = link("size 3 is odd")
    assert found(now, then, message, release="0.10.2")[0] == "a-now"
    assert found(now, then, message, release="0.7.2")[0] == "z-then"


def test_a_record_of_another_release_still_matches():
    assert found(record("a", Occurrence("size {n} is odd", jax="<0.1")), link("size 3 is odd"))[0] == "a"


@pytest.mark.parametrize("line", [1, 7, 9999])
def test_line_numbers_never_decide(line):
    one = record("a", Occurrence("size {n} is odd", file=FILE, qualname=FUNCTION))
    assert found(one, link("size 3 is odd", frame(line=line))) == ("a", "exact", 0)


def test_the_outermost_link_that_is_recognised_counts():
    outer, inner = record("outer", "outer words {x}"), record("inner", "inner words {x}")
    assert found(outer, inner, link("outer words 1"), link("inner words 2")) == ("outer", "exact", 0)
    assert found(outer, inner, link("something else"), link("inner words 2")) == ("inner", "exact", 1)


def test_the_users_own_words_are_not_recognised():
    one = record("a", "size {n} is odd")
    assert found(one, link("size 3 is odd", owner="user")) is None
    assert found(one, link("size 3 is odd", owner="user"), link("size 4 is odd")) == ("a", "exact", 1)


@pytest.mark.parametrize("owner", ["jax", "library", "other"])
def test_words_are_recognised_whoever_else_raised(owner):
    assert found(record("a", "size {n} is odd"), link("size 3 is odd", owner=owner)) == ("a", "exact", 0)


def test_common_words_need_their_frame_as_a_witness():
    one = record("a", Occurrence("axis {n}", file=FILE, needs_frame=True))
    assert found(one, link("axis 3")) is None
    assert found(one, link("axis 3", frame("numpy/x.py", kind="machinery"))) is None
    assert found(one, link("axis 3", frame(), frame("numpy/x.py", kind="machinery"))) == ("a", "exact", 0)


@pytest.mark.parametrize(
    ("frames", "owner", "recognised"),
    [
        ([frame("<cell>", "f", "cell"), frame()], "jax", True),
        (
            [frame(), frame("<cell>", "f", "cell")],
            "other",
            False,
        ),  # the user's own call, in a traced function
        ([frame("<cell>", "f", "cell"), frame(), frame("numpy/core.py", "g", "machinery")], "jax", True),
        ([frame("<cell>", "f", "cell"), frame("jax/_src/traceback_util.py", "api_boundary")], "jax", False),
        ([frame("<cell>", "f", "cell"), frame("jax/experimental/x.py")], "jax", False),
        ([frame("<cell>", "f", "cell")], "other", False),
    ],
)
def test_words_of_pythons_own_need_jax_as_the_one_who_raised(frames, owner, recognised):
    one = record("a", Occurrence("{f}() takes {n} given", file="jax/_src/", needs_frame=True, innermost=True))
    assert bool(found(one, link("f() takes 1 given", *frames, owner=owner))) is recognised
    assert recognise("f() takes 1 given", from_records([one])) is None


@pytest.mark.parametrize(
    ("frames", "recognised"),
    [
        ([frame("<cell>", "f", "cell"), frame(FILE, FUNCTION)], True),
        ([frame(FILE, FUNCTION), frame(FILE, "another")], False),
        ([frame(FILE, "another")], False),
        ([frame("jax/_src/elsewhere.py", FUNCTION)], False),
        ([], False),
    ],
)
def test_an_error_without_words_is_known_by_the_function_that_raised(frames, recognised):
    one = record("a", Occurrence("", file=FILE, qualname=FUNCTION, raised_there=True))
    assert bool(found(one, link("", *frames))) is recognised
    assert not found(one, link("with words", *frames))
    assert recognise("", from_records([one])) is None


def test_words_about_a_function_say_nothing_without_the_call():
    one = record("a", Occurrence("{f}() got an unexpected keyword argument '{name}'", calls_jax=True))
    assert recognise("f() got an unexpected keyword argument 'out'", from_records([one])) is None


def test_where_jax_threw_its_frames_away_their_absence_says_nothing():
    one = record("a", Occurrence("axis {n}", file=FILE, needs_frame=True))
    assert found(one, link("axis 3", removed=True)) == ("a", "exact", 0)


def test_a_reviewed_record_beats_a_draft():
    draft, ours = record("z-draft", "size {n} is odd", reviewed=False), record("a-ours", "size {n} is {what}")
    assert found(draft, ours, link("size 3 is odd"))[0] == "a-ours"


def test_what_the_holes_caught_comes_along():
    catalog = from_records([record("a", "got {a}, {b}.")])
    one = match(Failure((link("got (2,),\n (3,).\nSee https://docs.jax.dev/x"),)), catalog)
    assert one.captures == {"a": "(2,)", "b": "(3,)"}


ONE = Occurrence("the shapes of the operands are not the same: {a} and {b}", file=FILE, qualname=FUNCTION)


def test_a_near_wording_of_the_same_function_is_similar():
    near = link("the shapes of the two operands are not the same: (2,) and (3,)", frame())
    assert found(record("a", ONE), near) == ("a", "similar", 0)


@pytest.mark.parametrize(
    ("name", "one"),
    [
        (
            "another function",
            link("the shapes of both operands are not the same: 2 and 3", frame(function="g")),
        ),
        (
            "another file",
            link("the shapes of both operands are not the same: 2 and 3", frame("jax/_src/api.py")),
        ),
        ("no frame", link("the shapes of both operands are not the same: 2 and 3")),
        ("other words", link("something quite different happened here today", frame())),
        (
            "a library's",
            link("the shapes of both operands are not the same: 2 and 3", frame(), owner="library"),
        ),
        (
            "its frame on the way",
            link("the shapes of both operands are not the same: 2 and 3", frame(), frame(function="g")),
        ),
    ],
)
def test_a_near_wording_elsewhere_is_nothing(name, one):
    assert found(record("a", ONE), one) is None


def test_the_nearest_of_several_is_similar():
    other = Occurrence(
        "the shapes of the operands are not the sum: {a} and {b}", file=FILE, qualname=FUNCTION
    )
    near = link("the shapes of both operands are not the sum: (2,) and (3,)", frame())
    assert found(record("a", ONE), record("b", other), near) == ("b", "similar", 0)


def test_an_exact_match_deeper_in_the_chain_beats_a_similar_one():
    near = link("the shapes of both operands are not the same: (2,) and (3,)", frame())
    assert found(record("a", ONE), record("b", "inner words {x}"), near, link("inner words 2")) == (
        "b",
        "exact",
        1,
    )


def test_a_long_capture_does_not_make_the_same_words_unlike():
    near = link("the shapes of both operands are not the same: " + "(2, 3), " * 40 + "and (3,)", frame())
    assert found(record("a", ONE), near) == ("a", "similar", 0)


def test_the_order_of_the_records_never_decides():
    records = [
        record("a", "size {n} is odd"),
        record("b", Occurrence("size {n} is odd", error_class="TypeError")),
        record("c", "size {n} is {x}"),
        record("d", Occurrence("size {n} is odd", file=FILE, qualname=FUNCTION)),
    ]
    failing = link("size 3 is odd", frame())
    assert {found(*order, failing) for order in itertools.permutations(records)} == {("d", "exact", 0)}


def test_a_bare_message_is_recognised():
    catalog = from_records([record("z", "size {n} is {x}"), record("a", "size {n} is odd")])
    assert recognise("size 3\nis odd", catalog).slug == "a"
    assert recognise("another thing", catalog) is None


def test_a_bare_message_is_ranked_without_comparing_the_entries_themselves():
    twice = [record("a", "size {n} is odd", "size {m} is odd"), record("b", "size {n} is odd")]
    assert recognise("size 3 is odd", from_records(twice)).slug == "b"


def test_a_reviewed_record_beats_a_draft_for_a_bare_message_too():
    draft, ours = record("z-draft", "size {n} is odd", reviewed=False), record("a-ours", "size {n} is {what}")
    assert recognise("size 3 is odd", from_records([draft, ours])).slug == "a-ours"


def test_a_bare_message_of_common_words_is_not_recognised_without_its_frame():
    catalog = from_records([record("a", Occurrence("axis {n}", file=FILE, needs_frame=True))])
    assert recognise("axis 3", catalog) is None


def test_of_bare_messages_the_words_that_are_jaxs_alone_win():
    common = record("z", Occurrence("too many indices for {x}", file=FILE, needs_frame=True))
    own = record("a", "too many indices {x}")
    assert recognise("too many indices for array", from_records([common, own])).slug == "a"
    assert recognise("too many indices for array", from_records([common])).slug == "z"


@pytest.mark.parametrize(
    ("specifier", "release", "wanted"),
    [
        ("", "0.7.2", True),
        (">=0.7", "", True),
        (">=0.7", "0.7.2", True),
        (">=0.8", "0.7.2", False),
        (">=0.8,<0.10", "0.9.0", True),
        (">=0.10", "0.10.3.dev20260101", True),
        ("<0.10", "0.10.2", False),
        (">0.10", "0.10.0", False),
        ("<=0.10", "0.10.0", True),
        ("==0.10.*", "0.10.2", True),
        ("==0.10.*", "0.10.0", True),
        ("==0.10.*", "0.9.2", False),
        ("!=0.10.1", "0.10.1", False),
        (">=0.7.2, <1", "0.12.0.1", True),
    ],
)
def test_releases(specifier, release, wanted):
    assert in_release(specifier, release) is wanted


@given(
    st.lists(st.sampled_from([">=", "<=", "==", "!=", ">", "<"]), min_size=1, max_size=2),
    st.lists(
        st.sampled_from(["0.7", "0.7.2", "0.10", "0.10.0", "0.10.2", "1", "0.12.0.1"]), min_size=3, max_size=3
    ),
)
def test_releases_compare_as_packages_do(operators, versions):
    text = ",".join(one + version for one, version in zip(operators, versions, strict=False))
    assert in_release(text, versions[2]) == SpecifierSet(text).contains(versions[2], prereleases=True)


@pytest.mark.parametrize(
    ("specifier", "release"), [("not a specifier", "0.7.2"), (">=0.7", "built from source")]
)
def test_a_release_that_cannot_be_read_excludes_nothing(specifier, release):
    assert in_release(specifier, release) is True


@pytest.mark.parametrize(
    "message", [", " * 50_000, "a" * 100_000, " ".join(map(str, range(20_000))), "\0" * 1000, ""]
)
def test_a_hostile_message_is_only_not_recognised(message, catalog):
    assert match(Failure((link(message, frame(), owner="jax"),)), catalog) is None


@pytest.mark.parametrize(
    "message", [", " * 50_000, "a b c d e f g h , { } " * 5_000, "words words words " * 5_000]
)
def test_of_a_hostile_message_only_a_bounded_part_is_compared_in_order(monkeypatch, message):
    compared = []

    class Counted(module.difflib.SequenceMatcher):
        def find_longest_match(self, *where):
            compared.append(sum(len(self.b2j.get(word, ())) for word in self.a[where[0] : where[1]]))
            return super().find_longest_match(*where)

    monkeypatch.setattr(module.difflib, "SequenceMatcher", Counted)
    texts = [" ".join(["words {x}"] * n) + f" differ, {n}" for n in range(1, 40)]
    records = [
        record(f"r-{n}", Occurrence(text, file=FILE, qualname=FUNCTION)) for n, text in enumerate(texts)
    ]
    assert found(*records, link(message, frame())) in {None, ("r-38", "similar", 0)}
    assert sum(compared) < 3_000_000

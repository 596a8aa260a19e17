"""Proposing fixes: which are offered, how sure, for which cells, and why not."""

from __future__ import annotations

import gc
import warnings
import weakref

import jax
import jax.numpy as jnp
import pytest

from jax_nbhelp.catalog.record import EditRule, Rule
from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.fixes.propose import lower

LEVELS = ["machine-applicable", "maybe-incorrect", "has-placeholders", "display-only"]


def edits_of(fix):
    return {edit.cell.count: edit.new for edit in fix.edits}


def several(*alternatives, **fields):
    """A rule with alternatives of several edits each."""
    ones = tuple(
        tuple(EditRule(*edit[:3], **(edit[3] if len(edit) > 3 else {})) for edit in one)
        for one in alternatives
    )
    return Rule("r", "Cure it", "machine-applicable", alternatives=ones, **fields)


def test_a_name_that_is_gone_leads_nowhere(scene, rule):
    one = scene("g = jax.vmap(h, in_axes=(0, 1))", "y = «g(a, b)»")
    assert one.fixes(rule("jax.vmap($F, in_axes=$A)", "jax.vmap($F, in_axes=0)", at="any-frame")) == ()


def test_a_name_bound_in_another_cell_leads_to_its_definition(scene, rule):
    names = {"jax": jax, "g": jax.vmap(lambda a, b: a)}
    one = scene("g = jax.vmap(h, in_axes=(0, 1))", "y = «g(a, b)»", names=names)
    (fix,) = one.fixes(rule("jax.vmap($F, in_axes=$A)", "jax.vmap($F, in_axes=0)", at="any-frame"))
    assert edits_of(fix) == {1: "g = jax.vmap(h, in_axes=0)"}
    assert [cell.count for cell in fix.run] == [1, 2]


def test_several_edits_over_several_cells_are_one_fix(scene):
    names = {"jax": jax, "jnp": jnp, "g": jax.vmap(lambda a, b: a)}
    one = scene("g = jax.vmap(h, in_axes=(0, 1))", "y = «g(a, b)»", names=names)
    both = several(
        [
            ("failing", "g($A, $B)", "g($A, $B.T)"),
            ("any-frame", "jax.vmap($F, in_axes=$X)", "jax.vmap($F, in_axes=0)"),
        ]
    )
    (fix,) = one.fixes(both)
    assert edits_of(fix) == {1: "g = jax.vmap(h, in_axes=0)", 2: "y = g(a, b.T)"}


def test_a_fix_of_which_one_edit_finds_nothing_is_no_fix(scene):
    both = several([("failing", "f($A)", "f($A.T)"), ("failing", "nothing($A)", "f($A)")])
    assert scene("«f(a)»").fixes(both) == ()


def test_edits_that_overlap_are_shown_with_the_reason_and_not_applied(scene):
    both = several([("failing", "f($A)", "g($A)"), ("within", "f($B)", "h($B)")])
    (fix,) = scene("«f(a)»").fixes(both)
    assert fix.applicability == "display-only"
    assert fix.reason
    assert fix.edits == ()


def test_two_edits_of_one_cell_are_both_made(scene):
    both = several([("failing", "f($A, $B)", "f($A, $B, k=1)"), ("within", "g($C)", "h($C)")])
    (fix,) = scene("x = 0  # c\ny = «f(a, b)» + g(x)").fixes(both)
    assert edits_of(fix) == {1: "x = 0  # c\ny = f(a, b, k=1) + h(x)"}


def test_the_first_alternative_that_works_is_the_fix(scene):
    either = several(
        [("failing", "g($A)", "1")], [("failing", "f($A)", "f($A, 1)")], [("failing", "f($A)", "f($A, 2)")]
    )
    (fix,) = scene("«f(a)»").fixes(either)
    assert edits_of(fix) == {1: "f(a, 1)"}


def test_an_alternative_that_cannot_be_applied_gives_way_to_one_that_can(scene):
    either = several(
        [("failing", "d.go()", "if d.ok:\n    d.go()", {"as_statement": True})],
        [("failing", "d.go()", "(d.go() if d.ok else None)")],
    )
    (fix,) = scene("%time «d.go()»").fixes(either)
    assert edits_of(fix) == {1: "%time (d.go() if d.ok else None)"}


def test_the_innermost_match_is_cured(scene, rule):
    (fix,) = scene("y = f(«f(a)»)").fixes(rule("f($A)", "f($A, 1)"))
    assert edits_of(fix) == {1: "y = f(f(a, 1))"}


@pytest.mark.parametrize("decoy", ["f(b); ", "z = f(b)\n", "# f(b)\n", "'f(b)'; "])
def test_what_did_not_fail_is_left_alone(scene, rule, decoy):
    (fix,) = scene(f"{decoy}y = «f(a)»").fixes(rule("f($A)", "f($A, 1)"))
    assert edits_of(fix) == {1: f"{decoy}y = f(a, 1)"}


# ---------------------------------------------------------------- how sure


@pytest.mark.parametrize("one", LEVELS)
@pytest.mark.parametrize("other", LEVELS)
def test_of_two_levels_the_less_sure_holds(one, other):
    assert LEVELS.index(lower(one, other)) == max(LEVELS.index(one), LEVELS.index(other))


@pytest.mark.parametrize("level", LEVELS[:3])
def test_a_level_is_never_raised(scene, rule, hole, level):
    (fix,) = scene("«f(a)»").fixes(rule("f($A)", "f($A, 1)", applicability=level))
    assert fix.applicability == level


def test_without_columns_a_fix_is_at_most_maybe_incorrect(scene, rule):
    (fix,) = scene("y = «f(a)»", exact=False).fixes(rule("f($A)", "f($A, 1)"))
    assert fix.applicability == "maybe-incorrect"


def test_a_hole_without_a_value_makes_a_placeholder(scene, rule, hole):
    (fix,) = scene("«f(a)»").fixes(rule("f($A)", "f($A, ${k})", holes={"k": hole("message", group="none")}))
    assert fix.applicability == "has-placeholders"
    assert fix.holes[0].value == ""


def test_a_placeholder_that_is_filled_is_maybe_incorrect_and_no_surer(scene, rule, hole):
    (fix,) = scene("«f(a)»").fixes(rule("f($A)", "f($A, ${k})", holes={"k": hole("message", group="none")}))
    filled = fix.with_values({"k": "3"})
    assert edits_of(filled) == {1: "f(a, 3)"}
    assert filled.applicability != "has-placeholders"


def test_a_rule_for_show_is_shown_and_has_no_edits(scene):
    (fix,) = scene("«f(a)»").fixes(Rule("r", "Restart", "display-only", why="w"))
    assert (fix.applicability, fix.edits, fix.title) == ("display-only", (), "Restart")


def test_two_rules_for_show_are_both_shown(scene):
    found = scene("«f(a)»").fixes(Rule("r", "One", "display-only"), Rule("s", "Two", "display-only"))
    assert [fix.title for fix in found] == ["One", "Two"]


def test_a_rule_for_show_with_a_pattern_is_never_applied(scene, rule):
    (fix,) = scene("«f(a)»").fixes(rule("f($A)", "f($A, 1)", applicability="display-only"))
    assert fix.applicability == "display-only"
    assert fix.edits == ()


def test_fixes_that_can_be_applied_come_before_those_for_show(scene, rule):
    found = scene("«f(a)»").fixes(Rule("r", "Show", "display-only"), rule("f($A)", "f($A, 1)", id="s"))
    assert [fix.id for fix in found] == ["s", "r"]


def test_two_rules_that_make_the_same_edit_are_one_fix(scene, rule):
    found = scene("«f(a)»").fixes(rule("f($A)", "f($A, 1)", id="r"), rule("f($B)", "f($B, 1)", id="s"))
    assert [fix.id for fix in found] == ["r"]


def test_drafts_and_retired_records_offer_nothing(scene, rule):
    one = rule("f($A)", "f($A, 1)")
    assert scene("«f(a)»").fixes(one, reviewed=False) == ()
    assert scene("«f(a)»").fixes(one, retired=True) == ()


@pytest.mark.parametrize(("jax_of_rule", "offered"), [(">=0.1", True), ("<0.1", False), ("", True)])
def test_a_rule_for_other_releases_is_not_offered(scene, rule, jax_of_rule, offered):
    assert bool(scene("«f(a)»").fixes(rule("f($A)", "f($A, 1)", jax=jax_of_rule))) is offered


# ---------------------------------------------------------------- guards and conditions


@pytest.mark.parametrize(
    ("code", "fields", "offered"),
    [
        ("f(a)", {"unless": "f(g($X))"}, True),
        ("f(g(a))", {"unless": "f(g($X))"}, False),
        ("f(a, k=1)", {"unless_kwarg": ("k",)}, False),
        ("f(a, m=1)", {"unless_kwarg": ("k",)}, True),
        ("f(1)", {"where": {"A": {"is": "int"}}}, True),
        ("f(True)", {"where": {"A": {"is": "int"}}}, False),
        ("f(1.5)", {"where": {"A": {"is": "number"}}}, True),
        ("f(a)", {"where": {"A": {"not": "name"}}}, False),
        ("f([a])", {"where": {"A": {"is": "list"}}}, True),
        ("f((a,))", {"where": {"A": {"is": "tuple"}}}, True),
        ("f({})", {"where": {"A": {"is": "dict"}}}, True),
        ("f('s')", {"where": {"A": {"is": "str"}}}, True),
        ("f(lambda: a)", {"where": {"A": {"is": "lambda"}}}, True),
        ("f(g())", {"where": {"A": {"is": "call"}}}, True),
        ("f(x)", {"where": {"A": {"is": "array"}}}, True),
        ("f(n)", {"where": {"A": {"is": "array"}}}, False),
        ("f(x)", {"where": {"A": {"ndim": 2}}}, True),
        ("f(x)", {"where": {"A": {"ndim": 1}}}, False),
        ("f(a)", {"where": {"A": {"ndim": 1}}}, False),
        ("f(a)", {"where": {"A": {"in": ["a", "b"]}}}, True),
        ("f(c)", {"where": {"A": {"in": ["a", "b"]}}}, False),
        ("f(g(a))", {"where": {"A": {"like": "g($X)"}}}, True),
        ("f(h(a))", {"where": {"A": {"like": "g($X)"}}}, False),
        ("f(g(a))", {"where": {"A": {"not_like": "g($X)"}}}, False),
        ("f(1 + g(a))", {"where": {"A": {"contains": "g($X)"}}}, True),
        ("f(1 + h(a))", {"where": {"A": {"contains": "g($X)"}}}, False),
        ("f(1 + h(a))", {"where": {"A": {"lacks": ["g($X)", "k($X)"]}}}, True),
        ("f(1 + k(a))", {"where": {"A": {"lacks": ["g($X)", "k($X)"]}}}, False),
        ("f(s)", {"where": {"A": {"not": "square"}}}, False),
        ("f(x)", {"where": {"A": {"not": "square"}}}, True),
        ("f(a + b)", {"where": {"A": {"not": "square"}}}, True),
        ("f(jnp.sum(a))", {"where": {"A": {"like": "jax.numpy.sum($X)"}}}, True),
    ],
)
def test_conditions(cure, code, fields, offered):
    names = {"jax": jax, "jnp": jnp, "x": jnp.ones((2, 3)), "s": jnp.ones((2, 2)), "n": 3}
    match, rewrite = (
        ("f($A, $$$R)", "f(($A, 0), $$$R)") if "kwarg" in str(fields) else ("f($A)", "f(($A, 0))")
    )
    assert (cure(f"«{code}»", match, rewrite, names=names, **fields) is not None) is offered


@pytest.mark.parametrize(
    ("code", "offered"), [("g(«f(a)»)", False), ("h(«f(a)»)", True), ("g(h(1, «f(a)»))", False)]
)
def test_what_stands_around_can_exclude(cure, code, offered):
    assert (cure(code, "f($A)", "f($A, 1)", unless_inside="g($X)") is not None) is offered


def test_nothing_is_asked_of_the_users_objects(scene, rule, hole, hostile):
    finders = {
        "a": hole("namespace", isinstance="jax.sharding.Mesh", prefer_axis="axis"),
        "b": hole("array_names"),
    }
    conditions = [{"is": "array"}, {"is": "tracer"}, {"ndim": 2}]
    names = {"jax": jax, "jnp": jnp, "h": hostile, "target": hostile, "C": type(hostile)}
    for condition in conditions:
        for at in ("failing", "any-frame", "decorator", "definition", "within"):
            for match in ("h.f($A)", "jax.numpy.dot($A)", "target($A)", "jax.numpy.$FN($A)"):
                one = rule(match, "jax.numpy.dot(${a}, ${b})", at=at, where={"A": condition}, holes=finders)
                scene("h = 1\n@h\ndef g(): pass", "y = «target(h)» + h.f(h) + C.x", names=names).fixes(one)


# ---------------------------------------------------------------- words and values


def test_a_title_uses_what_is_known(scene, rule, hole):
    one = rule(
        "f($A)",
        "f($A, ${k})",
        title="Use {k} for {what}",
        holes={"k": hole("literal", values=["'b'", "'c'"])},
    )
    (fix,) = scene("«f(a)»").fixes(one, facts={"what": "axis 0"})
    assert fix.title == "Use b for axis 0"
    assert fix.with_values({"k": "'c'"}).title == "Use c for axis 0"


def test_a_title_whose_facts_are_missing_is_the_plain_one(scene, rule):
    (fix,) = scene("«f(a)»").fixes(rule("f($A)", "f($A, 1)", title="Use {what}", title_plain="Use another"))
    assert fix.title == "Use another"


def test_other_values_make_the_fix_again(scene, rule, hole):
    one = rule(
        "f($A)",
        "f($A, ${k}, ${m})",
        holes={"k": hole("literal", values=["1"]), "m": hole("literal", values=["2"])},
    )
    (fix,) = scene("«f(a)»").fixes(one)
    assert edits_of(fix) == {1: "f(a, 1, 2)"}
    assert edits_of(fix.with_values({"k": "9"})) == {1: "f(a, 9, 2)"}
    assert edits_of(fix.with_values({"k": "9"}).with_values({"m": "8"})) == {1: "f(a, 9, 8)"}
    assert fix.with_values({}) is fix


@pytest.mark.parametrize(
    "values", [{"k": ""}, {"k": "("}, {"k": "1) + (1"}, {"other": "1"}, {"k": "import os"}, {"k": "x = 1"}]
)
def test_a_value_that_cannot_stand_there_is_refused(scene, rule, hole, values):
    (fix,) = scene("«f(a)»").fixes(rule("f($A)", "f($A, ${k})", holes={"k": hole("literal", values=["1"])}))
    with pytest.raises(HoleError):
        fix.with_values(values)


def test_a_fix_keeps_no_value_of_the_users_alive(scene, rule, hole):
    class Value:
        pass

    names = {"jax": jax, "jnp": jnp, "held": Value(), "x": jnp.ones(3)}
    alive = weakref.ref(names["held"])
    one = scene("«f(x)»", names=names)
    fixes = one.fixes(rule("f($A)", "jax.numpy.dot($A, ${k})", holes={"k": hole("literal", values=["1"])}))
    del one, names
    gc.collect()
    assert alive() is None
    assert edits_of(fixes[0].with_values({"k": "2"})) == {1: "jnp.dot(x, 2)"}


def test_few_fixes_are_offered(scene, rule):
    rules = [rule("f($A)", f"f($A, {n})") for n in range(20)]
    assert len(scene("«f(a)»").fixes(*rules)) == 6


def test_a_warning_that_the_users_code_gives_is_not_given_again(scene, rule, hole):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = rule("f($A, $B)", "f($B, ${k})", holes={"k": hole("literal", values=["0"])})
        (fix,) = scene("y = 1if x else 2\n«f(a, '\\d')»").fixes(one)
        assert edits_of(fix.with_values({"k": "'\\w'"})) == {1: "y = 1if x else 2\nf('\\d', '\\w')"}


def test_a_cell_that_is_not_python_offers_nothing(scene, rule):
    assert scene("%%bash\n«f(a)»").fixes(rule("f($A)", "f($A, 1)")) == ()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("y = 2 * «f(a)»", "y = 2 * (a + 1)"),
        ("y = -«f(a)» ** 2", "y = -(a + 1) ** 2"),
        ("y = g(«f(a)»)", "y = g(a + 1)"),
        ("y = «f(a)»", "y = a + 1"),
        ("y = «f(a)».T", "y = (a + 1).T"),
    ],
)
def test_an_operation_inside_another_stands_in_brackets(cure, code, wanted):
    assert cure(code, "f($X)", "$X + 1") == wanted

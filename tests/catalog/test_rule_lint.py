"""The lint of rules: what a hostile rule could do or hide is refused before it is ever matched."""

from __future__ import annotations

import pytest

from jax_nbhelp.catalog.record import EditRule, HoleRule, Rule
from jax_nbhelp.catalog.rule_lint import rule_complaints

DOT = "jax.numpy.dot($A, $B)"
NUMBER = HoleRule("int", "literal", "a number", {"values": ["0"]})


def complaints(match, rewrite, *, own=True, holes=(), at="failing", **more):
    edit = EditRule(at, match, rewrite, **more)
    rule = Rule(
        "r", "t", "maybe-incorrect", "why", alternatives=((edit,),), holes=dict.fromkeys(holes, NUMBER)
    )
    return list(rule_complaints(rule, own=own))


# What a pack from elsewhere may try, the research's own list first.
HOSTILE = {
    "an import by a function": (DOT, "jax.numpy.dot($A, $B.T) + 0*__import__('os').system('id')"),
    "an import": (DOT, "import os\njax.numpy.dot($A, $B.T)"),
    "a pattern of anything": ("$X", "print($X)"),
    "code beyond the edge": (DOT, "jax.numpy.dot($A, $B.T)" + " " * 120 + "; exec(s)"),
    "a callback": (DOT, "jax.pure_callback(jax.numpy.__builtins__['eval'], $A, 'x')"),
    "letters of another alphabet": (DOT, "j\u0430x.numpy.dot($A, $B.T)"),
    "a file that is loaded": (DOT, "numpy.load('x.npy', allow_pickle=True)"),
    "a dunder": (DOT, "$A.at.__class__($B)"),
    "a private attribute": (DOT, "$A._repr_html_.__globals__"),
    "eval": (DOT, "eval($A)"),
    "exec": (DOT, "exec($A)"),
    "open": (DOT, "open($A)"),
    "getattr": (DOT, "getattr($A, 'x')"),
    "a name the user may not have": (DOT, "helper($A, $B)"),
    "os": (DOT, "os.system($A)"),
    "os by a canonical name": (DOT, "os.remove($A)"),
    "os.popen": (DOT, "os.popen($A)"),
    "os.environ": (DOT, "os.environ.update($A)"),
    "os.execv": (DOT, "os.execv($A, $B)"),
    "a file that is written": (DOT, "numpy.save($A, $B)"),
    "text that is written": (DOT, "numpy.savetxt($A, $B)"),
    "bytes that are written": (DOT, "numpy.ndarray.tofile($A, $B)"),
    "a method that writes": (DOT, "$A.tofile('x')"),
    "a method that dumps": (DOT, "$A.dump('x')"),
    "text that is read": (DOT, "numpy.genfromtxt($A)"),
    "a profile that is written": (DOT, "jax.profiler.start_trace($A)"),
    "a server that is started": (DOT, "jax.profiler.start_server(9999)"),
    "a cluster that is joined": (DOT, "jax.distributed.initialize($A)"),
    "a long text": (DOT, f"jax.numpy.dot($A, '{'x' * 41}')"),
    "long bytes": (DOT, f"jax.numpy.dot($A, b'{'x' * 41}')"),
    "a long f-string": (DOT, f"jax.numpy.dot($A, f'{'x' * 41}')"),
    "many lines": (DOT, "\n".join(["jax.numpy.dot($A, $B)"] * 13)),
    "a wide line": (DOT, "jax.numpy.dot(" + ", ".join(["$A"] * 60) + ")"),
    "a tab": (DOT, "jax.numpy.dot($A,\t$B)"),
    "a carriage return": (DOT, "jax.numpy.dot($A, # \r $B)"),
    "a form feed": (DOT, "\fjax.numpy.dot($A, $B)"),
    "a semicolon": (DOT, "a = 1; b = 2"),
    "a wide gap": (DOT, "jax.numpy.dot($A,          $B)"),
    "a silenced error": (DOT, "try:\n    jax.numpy.dot($A, $B)\nexcept Exception:\n    pass"),
    "a silenced group": (DOT, "try:\n    jax.numpy.dot($A, $B)\nexcept* Exception:\n    pass"),
    "a loop": (DOT, "while True:\n    pass"),
    "a walrus": (DOT, "jax.numpy.dot((x := $A), $B)"),
    "a global": (DOT, "global jax"),
    "a del": (DOT, "del $A"),
    "a yield": (DOT, "yield $A"),
    "an await": (DOT, "await $A"),
    "a class": (DOT, "class A:\n    pass"),
    "an async function": (DOT, "async def f():\n    pass"),
    "an unbound variable": (DOT, "jax.numpy.dot($A, $C)"),
    "a hole that nobody describes": (DOT, "jax.numpy.dot($A, ${axis})"),
    "a rewrite that is not Python": (DOT, "jax.numpy.dot($A,"),
    "a pattern that is not Python": ("jax.numpy.dot($A", "1"),
    "an empty pattern": ("", "1"),
    "a pattern of several statements": ("a = 1\nb = 2", "1"),
    "a pattern of any run": ("$$$X", "print(1)"),
    "a hole as a pattern": ("${x}", "1"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_rule_of_a_pack_is_refused(name):
    found = complaints(*HOSTILE[name], own=False)
    assert found
    assert all(one.startswith("alternatives[0].edits[0].") for one in found)


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"unless": "f("}, "is not Python"),
        ({"unless_inside": "f("}, "is not Python"),
        ({"where": {"C": {"is": "name"}}}, "where.C: is no variable of the match"),
        ({"where": {"A": {"shape": 3}}}, "where.A.shape: is no condition"),
        ({"where": {"A": {"is": "thing"}}}, "where.A.is: is 'thing'; use one of"),
        ({"where": {"A": {"not": "thing"}}}, "where.A.not: is 'thing'; use one of"),
        ({"where": {"A": {"is": ["name"]}}}, "where.A.is"),
        ({"where": {"A": {"like": "f("}}}, "where.A.like: is not Python"),
        ({"where": {"A": {"not_like": "f("}}}, "where.A.not_like: is not Python"),
        ({"where": {"A": {"lacks": ["f($X)", "f("]}}}, "where.A.lacks: is not Python"),
        ({"where": {"A": {"lacks": "f($X)"}}}, "where.A.lacks: write a list of patterns"),
        ({"where": {"A": {"lacks": [3]}}}, "where.A.lacks: write a list of patterns"),
        ({"where": {"A": {"contains": "f("}}}, "where.A.contains: is not Python"),
        ({"where": {"A": {"in": 3}}}, "where.A.in: "),
        ({"where": {"A": {"ndim": "two"}}}, "where.A.ndim: "),
        ({"of": "C", "at": "definition"}, "of: "),
    ],
)
def test_a_guard_that_cannot_work_is_named(fields, wanted):
    found = complaints(DOT, "jax.numpy.dot($B, $A)", **fields)
    assert len(found) == 1
    assert wanted in found[0]


@pytest.mark.parametrize(
    ("hole", "wanted"),
    [
        (HoleRule("int", "eval", "l"), "holes.h.from: 'eval' is no finder; use one of"),
        (HoleRule("int", "literal", ""), "holes.h.label: is missing"),
    ],
)
def test_a_hole_that_cannot_work_is_named(hole, wanted):
    edit = EditRule("failing", DOT, "jax.numpy.dot($A, ${h})")
    (found,) = rule_complaints(
        Rule("r", "t", "maybe-incorrect", alternatives=((edit,),), holes={"h": hole}), own=True
    )
    assert found.startswith(wanted)


GOOD = [
    ("jax.numpy.$FN($A, $B, $$$REST)", "jax.numpy.$FN(($A, $B), $$$REST)"),
    ("$X[$I] = $V", "$X = $X.at[$I].set($V)"),
    ("if $C:\n    return $A\nelse:\n    return $B", "return jax.numpy.where($C, $A, $B)"),
    ("jax.$FN($F, $$$REST)", "jax.$FN(lambda *args: $F(*args).sum(), $$$REST)"),
    ("jax.jit", "functools.partial(jax.jit, static_argnames=('n',))"),
    ("[$E0, $$$E]", "($E0, $$$E)"),
    ("range($N)", "range(int($N))"),
    ("$D.wait_send()", "if $D.is_remote:\n    $D.wait_send()"),
    ("def $F($$$P):\n    $$$BODY", "@jax.jit\ndef $F($$$P):\n    $$$BODY"),
]


@pytest.mark.parametrize(("match", "rewrite"), GOOD)
@pytest.mark.parametrize("own", [True, False])
def test_what_curing_needs_is_allowed(match, rewrite, own):
    assert complaints(match, rewrite, own=own) == []


def test_our_own_reviewed_records_may_use_any_api_of_jax():
    rewrite = "jax.pure_callback($A, $B)"
    assert complaints(DOT, rewrite) == []
    assert complaints(DOT, rewrite, own=False) != []


def test_a_variable_that_an_earlier_edit_bound_may_be_used():
    first, second = (
        EditRule("failing", DOT, "jax.numpy.dot($B, $A)"),
        EditRule("within", "f($X)", "f($X, $A)"),
    )
    rule = Rule("r", "t", "maybe-incorrect", alternatives=((first, second),))
    assert list(rule_complaints(rule, own=True)) == []


def test_a_variable_of_another_alternative_is_not_bound():
    first, second = (
        EditRule("failing", DOT, "jax.numpy.dot($B, $A)"),
        EditRule("within", "f($X)", "f($X, $A)"),
    )
    rule = Rule("r", "t", "maybe-incorrect", alternatives=((first,), (second,)))
    (found,) = rule_complaints(rule, own=True)
    assert found.startswith("alternatives[1].edits[0].rewrite: uses $A")


def test_the_rules_of_the_projects_records_pass(catalog):
    for slug in catalog.slugs():
        for rule in catalog.record(slug).fixes:
            assert list(rule_complaints(rule, own=True)) == []

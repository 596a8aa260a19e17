"""Properties of the engine on generated cells, and on the records' own examples with noise put in.

NBHELP_EXAMPLES=10000 looks at many.
"""

from __future__ import annotations

import ast
import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scene import Scene, make_rule

from jax_nbhelp.catalog.index import installed
from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.fixes.patterns import dump
from jax_nbhelp.source import mask, parse

NAMES = {
    "jax": jax,
    "jnp": jnp,
    "np": np,
    "functools": functools,
    "target": jnp.dot,
    "xs": jnp.ones((2, 3)),
    "n": 3,
}

# name -> match, rewrite, fields; each has the guard that makes it silent on its own result
RULES = {
    "a keyword": ("target($$$R)", "target($$$R, precision=1)", {"unless_kwarg": ("precision",)}),
    "a first argument": ("target($A, $$$R)", "target((0, $A), $$$R)", {"unless": "target((0, $X), $$$R)"}),
    "another function": ("target($$$R)", "jax.lax.dot_general($$$R)", {}),
    "arguments in another order": ("target($A, $B, $$$R)", "jax.numpy.vdot($B, $A, $$$R)", {}),
    "around the call": (
        "target($$$R)",
        "jax.numpy.asarray(target($$$R))",
        {"unless_inside": "jax.numpy.asarray($X)"},
    ),
    "an attribute": ("target($$$R)", "target($$$R).T", {"unless_inside": "target($$$Q).T"}),
    "a statement": (
        "$Y = target($$$R)",
        "if $Y.ok:\n    $Y = target($$$R)",
        {"as_statement": True, "unless_inside": "if $Y.ok:\n    $$$B"},
    ),
    "one statement for a block": (
        "if $C:\n    $Y = $A\nelse:\n    $Y = $B",
        "$Y = jax.numpy.where($C, $A, $B)",
        {"as_statement": True},
    ),
}

words = st.sampled_from(["a", "b", "größe", "x1", "net.w", "xs[0]", "xs[:, 1]", "d['k']"])
atoms = st.one_of(
    words, st.sampled_from(["1", "-2.5", "'#no'", '"%time x"', "f'{a}'", "None", "(1, 2)", "[a, *b]", "'ü'"])
)


def _combine(inner):
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"{p[0]} + {p[1]}"),
        pairs.map(lambda p: f"({p[0]} if {p[1]} else {p[0]})"),
        pairs.map(lambda p: f"g({p[0]}, {p[1]})"),
        pairs.map(lambda p: f"g(\n  {p[0]},\n  {p[1]}\n)"),
        inner.map(lambda one: f"(lambda q: {one})"),
        inner.map(lambda one: f"[q for q in [{one}]]"),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"-{one}"),
    )


expressions = st.recursive(atoms, _combine, max_leaves=5)


class Comments:
    """Makes comments that occur nowhere else."""

    def __init__(self):
        self.made = []

    def new(self):
        self.made.append(f"# c{len(self.made)}c ü")
        return self.made[-1]


@st.composite
def calls(draw, comments):
    """A call of `target`, on one line or on several, with comments between the arguments."""
    arguments = draw(st.lists(expressions, min_size=2, max_size=3))
    if draw(st.booleans()):
        arguments.append(f"out={draw(expressions)}")
    if draw(st.booleans()):
        arguments.append(f"*{draw(words)}" if not arguments[-1].startswith("out=") else f"**{draw(words)}")
    style = draw(st.sampled_from(["line", "blanks", "lines", "lines with comments", "hanging"]))
    if style == "line":
        return f"target({', '.join(arguments)})"
    if style == "blanks":
        return f"target ( {' , '.join(arguments)} )"
    if style == "hanging":
        return "target(" + ",\n   ".join(arguments) + ")"
    lines = []
    for number, one in enumerate(arguments):
        comma = "," if number < len(arguments) - 1 or draw(st.booleans()) else ""
        comment = "  " + comments.new() if style == "lines with comments" and draw(st.booleans()) else ""
        lines.append(f"    {one}{comma}{comment}")
    return "target(\n" + "\n".join(lines) + "\n)"


def indented(text, unit):
    """Indents all lines but those inside brackets, which may stand anywhere; a comment stays where it is."""
    first, *rest = text.split("\n")
    return "\n".join([unit + first, *rest])


PLACES = ["plain", "for", "if", "def", "one line", "semicolons", "decorator", "block", "magic", "await"]


@st.composite
def cells(draw, rule=""):
    """(text with marks, comments, lines that must stay); the place of the call is one that the rule may match."""
    comments, kept = Comments(), []
    places = {
        "a statement": ["plain", "for", "if", "def", "one line", "semicolons"],
        "one statement for a block": ["block"],
    }
    call = draw(calls(comments))
    before, after = (
        ("y = ", "")
        if rule == "a statement"
        else draw(
            st.sampled_from(
                [("y = ", ""), ("y = ", " + f(b)"), ("y = f(a) * ", ""), ("y = h(", ", 2)"), ("", "")]
            )
        )
    )
    statement = f"{before}«{call}»{after}"
    where = draw(st.sampled_from(places.get(rule, PLACES)))
    unit = draw(st.sampled_from(["    ", "  ", "\t"]))
    end = "  " + comments.new() if draw(st.booleans()) else ""
    if where == "plain":
        middle = statement + end
    elif where in ("for", "if", "def"):
        head = {"for": "for i in r:", "if": "if c:", "def": "@deco\ndef fun(a):"}[where]
        middle = (
            f"{head}\n{indented('z = 0', unit)}\n{indented(statement, unit)}{end}\n{indented('w = 1', unit)}"
        )
    elif where == "one line":
        middle = f"for i in r: {statement}{end}"
    elif where == "semicolons":
        middle = f"p = 1; {statement}; q = 2{end}"
    elif where == "decorator":
        middle = f"@«{call}»\ndef fun(a):\n{unit}return a{end}"
    elif where == "block":
        middle = f"if c:\n{unit}y = «{call}»{end}\nelse:\n{unit}y = g(b)"
        if rule == "one statement for a block":
            middle = middle.replace("«", "").replace("»", "").replace("if c", "if «c»")
    elif where == "await":
        middle = f"y = await «{call}»{end}"
    else:
        assume("\n" not in statement)
        middle = f"%time {statement}{end}"

    def noise():
        lines = []
        for _ in range(draw(st.integers(0, 3))):
            kind = draw(
                st.sampled_from(["comment", "magic", "shell", "assigned", "blank", "code", "string", "decoy"])
            )
            number = len(kept) + len(comments.made)
            line = {
                "comment": comments.new() if kind == "comment" else "",
                "magic": "%matplotlib inline",
                "shell": f"!ls {number} | grep '#'",
                "assigned": f"files{number} = !ls {number}",
                "blank": "",
                "code": f"v{number} = g(a, 'ü')  ",
                "string": f"s{number} = '''\n%time {number}\n# no comment {number}\n'''",
                "decoy": f"other(a); other(target, {number})",
            }[kind]
            lines.append(line)
            kept.append(line)
        return lines

    head = draw(st.sampled_from([[], ["%%time"], ["%%capture out"], ["import os"], ["'''doc'''"]]))
    kept += head
    lines = [*head, *noise(), middle, *noise()]
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text, comments.made, kept


@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
def test_an_applied_fix_changes_only_its_own_node(name, data):
    text, comments, kept = data.draw(cells(name))
    match, rewrite, fields = RULES[name]
    fix = fix_of(text, match, rewrite, fields)
    assert fix is not None  # each rule matches the code that it is for
    assert fix.edits, fix.reason
    (edit,) = fix.edits
    old = text.replace("«", "").replace("»", "")
    assert edit.cell.text == old  # undo is to put this back
    new = edit.new
    assert new != old
    for comment in comments:
        assert new.count(comment) == 1
    position = 0
    for line in kept:  # every other line stands there still, in order
        position = new.index(line, position) + len(line)
    added = {dump(ast.parse(one).body[0]) for one in re.findall(r"(?m)^\s*(import .*)$", new)} - {
        dump(ast.parse(one).body[0]) for one in re.findall(r"(?m)^\s*(import .*)$", old)
    }
    before = [dump(one) for one in parse(old).body]
    after = [dump(one) for one in parse(new).body if dump(one) not in added]
    same_head = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    changed = before[same_head]
    tail = len(before) - same_head - 1
    assert "target" in changed
    assert tail == 0 or after[-tail:] == before[-tail:]
    if not fields.get("as_statement"):
        assert len(after) == len(before)


def fix_of(text, match, rewrite, fields):
    found = Scene(text, names=NAMES).fixes(make_rule(match, rewrite, **fields))
    return found[0] if found else None


def marked_again(new):
    """Marks the call of `target` in a cured cell, or whatever stands there now."""
    at = re.search(r"(?<!other\()target", new).start()
    found = parse(new)
    node = found.smallest(at, at + len("target"))
    while not isinstance(node, ast.Call):
        node = found.parent(node)
    start, end = found.span(node)
    return new[:start] + "«" + new[start:end] + "»" + new[end:]


@pytest.mark.parametrize("name", [name for name, (_, rewrite, _) in RULES.items() if "target" in rewrite])
@given(data=st.data())
def test_applying_twice_changes_nothing_more(name, data):
    text, _, _ = data.draw(cells(name))
    match, rewrite, fields = RULES[name]
    first = fix_of(text, match, rewrite, fields)
    again = marked_again(first.edits[0].new)
    second = fix_of(again, match, rewrite, fields)
    assert second is None or not second.edits


@given(cell=cells(), cut=st.integers(0, 400), data=st.data())
def test_no_truncated_cell_makes_the_engine_raise(cell, cut, data):
    text = cell[0].replace("«", "").replace("»", "")[:cut]
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))
    rules = [
        make_rule(match, rewrite, at=at, **fields)
        for match, rewrite, fields in RULES.values()
        for at in ("failing", "any-frame", "decorator", "definition", "within")
    ]
    Scene(text[:first] + "«" + text[first:last] + "»" + text[last:], names=NAMES).fixes(*rules)


text_of_a_cell = st.one_of(
    st.text(max_size=80),
    st.text("()[]{}'\"#%!?\\\n\t :=,;@.aüf1", max_size=80),
    st.lists(
        st.sampled_from(
            [
                "target(",
                "a",
                ")",
                "\n",
                "  ",
                "if c:",
                "else:",
                "'''",
                "# c",
                "%time ",
                "%%time",
                "!ls",
                "?",
                "\\",
                ";",
                "@",
                "x = ",
                "lambda q: ",
                "\r\n",
                "\f",
                "\x0b",
                "\u2028",
                "\x85",
                "\ufeff",
                "\0",
                "await ",
                "f'{",
                "}'",
                "\t",
            ]
        ),
        max_size=25,
    ).map("".join),
)


@given(text=text_of_a_cell, data=st.data())
@example(text="s = '\u2028'\ntarget(a, b)", data=None)
@example(text="\ufefftarget(a, b)", data=None)
@example(text="x = 1\ftarget(a, b)", data=None)
@example(text="\ftarget(a, b)\n\x0btarget(a, b)", data=None)
def test_no_text_makes_the_engine_raise(text, data):
    assume("«" not in text and "»" not in text)
    first = data.draw(st.integers(0, len(text))) if data else 0
    last = data.draw(st.integers(first, len(text))) if data else len(text)
    masked = mask(text)
    assert masked is None or len(masked) == len(text)
    rules = [make_rule(match, rewrite, at="within", **fields) for match, rewrite, fields in RULES.values()]
    for fix in Scene(text[:first] + "«" + text[first:last] + "»" + text[last:], names=NAMES).fixes(*rules):
        for edit in fix.edits:
            assert parse(edit.new) is not None


@given(text=text_of_a_cell)
@example(text="\x0c\rA")
@example(text="s = '\u2028\x0b\x85'\nA")
@example(text="# \x1c \u2029\nA")
def test_every_node_of_a_cell_that_parses_is_a_range_of_its_text(text):
    source = parse(text)
    assume(source is not None)
    for node in source.located():
        start, end = source.span(node)
        assert 0 <= start <= end <= len(text)
        if isinstance(node, ast.Name) and text[start:end].isascii():
            assert text[start:end] == node.id


# ---------------------------------------------------------------- the records' own rules and examples


def with_examples():
    records = map(installed().record, installed().slugs())
    return [one.slug for one in records if one.fixes and any(example.broken for example in one.examples)]


NOISE = ["# noise ü", "%matplotlib inline", "!ls", "noise = !ls", "noise_1 = [\n  1,  # one\n]", ""]


# By record, not by example: hypothesis makes the settings of each case a child of those of the one before, and walks
# up to the first.
@pytest.mark.parametrize("slug", with_examples())
@settings(max_examples=max(7, settings.default.max_examples // 4))  # there are many records
@given(data=st.data())
def test_the_records_own_rules_keep_what_is_not_theirs(slug, data):
    record = installed().record(slug)
    one = data.draw(st.sampled_from([one for one in record.examples if one.broken]))
    last = one.broken[-1]
    source = parse(last)
    assume(source is not None)
    nodes = [node for node in source.located() if source.span(node)[0] < source.span(node)[1]]
    start, end = source.span(data.draw(st.sampled_from(nodes)))
    noise = data.draw(st.lists(st.sampled_from(NOISE), max_size=3))
    below = data.draw(st.lists(st.sampled_from(NOISE), max_size=2))
    assume(not last.startswith("%%"))
    marked = "\n".join([*noise, last[:start] + "«" + last[start:end] + "»" + last[end:], *below])
    shape = data.draw(st.sampled_from(["(3,)", "(2, 3)", "3", "x", "[", "\0"]))
    facts = {hole: shape for o in record.occurrences for hole in re.findall(r"\{(\w+)\}", o.template)}
    for fix in Scene(*one.broken[:-1], marked, names=NAMES).fixes(*record.fixes, facts=facts):
        for edit in fix.edits:
            assert parse(edit.new) is not None
            if edit.cell.text == marked.replace("«", "").replace("»", ""):
                assert edit.new.count("# noise ü") == noise.count("# noise ü") + below.count("# noise ü")
                assert edit.new.count("# one") == edit.cell.text.count("# one")
        for hole in fix.holes:
            for value in (*[c.value for c in hole.candidates], "", "(", "0", "'a'", "x y", "0) + (0"):
                try:
                    filled = fix.with_values({hole.name: value})
                except HoleError:
                    continue
                assert all(parse(edit.new) is not None for edit in filled.edits)

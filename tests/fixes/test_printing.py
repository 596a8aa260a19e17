"""`print` of traced values as `jax.debug.print`."""

from __future__ import annotations

import jax
import pytest

from jax_nbhelp.catalog.record import HoleRule
from jax_nbhelp.fixes.holes import Found, candidates
from jax_nbhelp.fixes.patterns import Bindings


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("print(x)", "jax.debug.print('{}', x)"),
        ("print('loss', x, y + 1)", "jax.debug.print('loss {} {}', x, y + 1)"),
        ("print(f'{float(x):.3f}')", "jax.debug.print('{:.3f}', x)"),
        ("print(f'{{{x}}}', '{a}', x.item())", "jax.debug.print('{{{}}} {{a}} {}', x, x)"),
        ("print(f'{int(bool(x))} and {f(x)}')", "jax.debug.print('{} and {}', x, f(x))"),
    ],
)
def test_a_print_becomes_a_format_text_and_values(scene, code, wanted):
    assert found(scene, code) == [wanted]


@pytest.mark.parametrize(
    "code",
    [
        "print()",
        "print('a')",
        "print(x, end='')",
        "print(*x)",
        "print(f'{x:{w}}')",
        "print(f'{x!r}')",
        "print",
    ],
)
def test_what_jax_cannot_print_so_is_left(scene, code):
    assert found(scene, code) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("print('x: ' + x)", ["jax.debug.print('x: {}', x)"]),
        ("print('{' + str(x) + '} ' + x.sum())", ["jax.debug.print('{{{}}} {}', x, x.sum())"]),
        ("print(x + x)", []),
        ("print('a' + 'b')", []),
        ("print('x', x)", []),
    ],
)
def test_a_print_of_joined_texts_prints_when_it_runs(scene, text, wanted):
    assert found(scene, text, {"kind": "Batch"}, group="kind", joined=True) == wanted
    assert found(scene, text, {}, group="kind", joined=True) == []


def found(scene, code, facts=None, **options):
    one = scene(f"«{code}»", names={"jax": jax, "x": jax.numpy.ones(2)})
    rule = HoleRule("expr", "debug_print", "l", options)
    return [
        c.value for c in candidates(Found(rule, facts or {}, one.spots.failing, Bindings(), one.spots, {}))
    ]

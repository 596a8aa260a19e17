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


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("'x', x", "'x {}', x"),
        ("'x = ', x, 2, ordered=True", "'x = {} {}', x, 2, ordered=True"),
        ("'{x}', x", "'{x}', x=x"),
        ("'{x}', y=x", "'{x}', x=x"),
        ("'{x.shape}'", "'{x.shape}', x=x"),
        ("'{x[0]} {}', 1", "'{x[0]} {}', 1, x=x"),
        ("'{}', x=x", "'{}', x"),
        ("'a', x=x", "'a {x}', x=x"),
        ("f'got {x}', x=x", "'got {}', x"),
        ("f'got {x}', 2", "'got {} {}', x, 2"),
        ("'{z}'", None),
        ("'{} {}', x", None),
        ("'{0} {1}', x", None),
        ("'{', x", None),
        ("text, x", None),
        ("'a', *x", None),
        ("'a', **x", None),
    ],
)
def test_every_brace_has_its_value(scene, arguments, wanted):
    texts = found(scene, f"jax.debug.print({arguments})", source="print_values")
    assert texts == ([f"jax.debug.print({wanted})"] if wanted else [])


def found(scene, code, facts=None, source="debug_print", **options):
    one = scene(f"«{code}»", names={"jax": jax, "x": jax.numpy.ones(2)})
    rule = HoleRule("expr", source, "l", options)
    return [
        c.value for c in candidates(Found(rule, facts or {}, one.spots.failing, Bindings(), one.spots, {}))
    ]

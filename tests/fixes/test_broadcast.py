"""Broadcasting: which forms of an operand fit, and where two shapes part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jax_nbhelp.fixes.broadcast import forms, mismatch, shapes_in, together

SHAPES = st.lists(st.integers(1, 4), max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("own", "other", "wanted"),
    [
        ((3,), (3, 2), ["v[:, None]"]),
        ((2,), (3, 2, 4), ["v[:, None]"]),
        ((2, 3), (3, 2), ["v.T"]),
        ((4,), (3,), ["v[1:]", "v[:-1]"]),
        ((9,), (3,), []),  # a slip of one does not explain so much
        ((), (3,), []),
    ],
)
def test_the_forms_of_an_operand_that_fit(own, other, wanted):
    assert [one.value for one in forms("v", own, other)] == wanted


@given(own=SHAPES, other=SHAPES)
def test_every_form_broadcasts(own, other):
    value = np.zeros(own)
    for one in forms("v", own, other):
        np.broadcast_shapes(eval(one.value, {"v": value}).shape, other)


@given(own=SHAPES, other=SHAPES)
def test_shapes_go_together_as_numpy_says(own, other):
    try:
        np.broadcast_shapes(own, other)
        fits = True
    except ValueError:
        fits = False
    assert together(own, other) == fits
    assert bool(mismatch([own, other])) == (not fits)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(3, 2), (3,)", "the last axes have lengths 2 and 3"),
        ("float32[3] and float32[4]", "the arrays have lengths 3 and 4"),
        ("(2, 5), (3, 5)", "the axes 2 from the end have lengths 2 and 3"),
        ("(3, 1), (4,)", ""),
    ],
)
def test_where_shapes_part_is_counted_from_the_last_axis(text, words):
    assert mismatch(shapes_in(text)) == words

"""Fixtures that the tests of the engine share."""

from __future__ import annotations

import pytest
from scene import Scene, make_hole, make_rule


@pytest.fixture
def scene():
    return Scene


@pytest.fixture
def rule():
    return make_rule


@pytest.fixture
def hole():
    return make_hole


@pytest.fixture
def cure():
    """A function that gives the new text of the failing cell; None where no fix can be applied."""

    def run(text, match, rewrite, *, names=None, exact=True, **fields):
        (*found,) = Scene(text, names=names, exact=exact).fixes(make_rule(match, rewrite, **fields))
        return found[0].edits[0].new if found and found[0].edits else None

    return run

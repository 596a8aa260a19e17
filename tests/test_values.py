"""Helps that tell no types and values of the user's objects (`%jaxhelp values off`).

Every object here holds something that stands nowhere in the code and that JAX's own message does not say.
"""

from __future__ import annotations

import pytest

from jax_nbhelp.catalog.index import from_records
from jax_nbhelp.help import help_for
from jax_nbhelp.views.payload import Cells, payload
from jax_nbhelp.views.static import bundle

SETUP = "import jax, jax.numpy as jnp, numpy as np\nfrom jax.sharding import PartitionSpec as P\n"
MESH = "mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), (chr(99) + 'lassified',))\n"
TREE = "tree = {'class' + 'ified': jnp.ones(3), 'other': jnp.ones(())}\nn = jnp.ones(3)\n"
# the cells, and what the objects hold
CASES = {
    "shapes of operands": ("a, b = jnp.ones((int('7') * 1117, 2)), jnp.ones(3)\njnp.dot(a, b)", "7819"),
    "numbers": ("n = int('90') * 1003\njnp.dot(jnp.ones(3) * n, jnp.ones(4))", "90270"),
    "texts": ("word = 'hun' + 'ter2'\nd = {word: jnp.ones(4)}\njnp.dot(jnp.ones(3), d[word])", "hunter2"),
    "names of mesh axes": (f"{MESH}jax.shard_map(lambda x: x, in_specs=P(), out_specs=P())(jnp.ones(4))", "classified"),
    "keys of a dict": (f"{TREE}jax.vmap(lambda tree, n: n)(tree, n)", "classified"),
}  # fmt: skip


def everything_said(found):
    """The static output's two forms, and all that the widget is sent."""
    data, _ = bundle(found)
    return f"{data} {payload(found, Cells(found))}"


@pytest.mark.parametrize("known", [True, False], ids=["a record", "no record"])
@pytest.mark.parametrize(("cell", "held"), CASES.values(), ids=CASES)
def test_nothing_that_an_object_holds_is_told(cell, held, known, notebook, catalog):
    error, _, shell = notebook(SETUP, cell)
    records = catalog if known else from_records([])
    found = help_for(error, shell.book, shell.namespace, records, values=False)
    assert found is not None
    assert held not in found.message
    assert held not in everything_said(found)
    assert found.explanation.operands == ()


def test_by_default_they_are_told(notebook, catalog):
    told = []
    for cell, held in CASES.values():
        error, _, shell = notebook(SETUP, cell)
        told.append(held in everything_said(help_for(error, shell.book, shell.namespace, catalog)))
    assert sum(told) >= 4, told


def test_the_check_of_an_unknown_error_stays_without_its_values(notebook):
    error, _, shell = notebook(SETUP, "m = jnp.ones((3, 3))\njnp.linalg.det(m[0])")
    shown, hidden = (
        help_for(error, shell.book, shell.namespace, from_records([]), values=told).explanation.guard
        for told in (True, False)
    )
    assert shown.startswith(hidden)
    assert "    with " in shown
    assert "    with " not in hidden


def test_a_fix_that_writes_nothing_of_an_object_is_still_offered(notebook):
    error, _, shell = notebook(
        SETUP, "a, b = jnp.ones((2, 3)), jnp.ones((2, 4))", "c = jnp.concatenate([a, b])"
    )
    shown, hidden = (help_for(error, shell.book, shell.namespace, values=told) for told in (True, False))
    assert [fix.id for fix in hidden.fixes] == [fix.id for fix in shown.fixes]
    assert hidden.fixes[0].edits == shown.fixes[0].edits

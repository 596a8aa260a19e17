"""Helps made by hand for the views' tests."""

from __future__ import annotations

from jax_nbhelp.cell import Cell
from jax_nbhelp.explanation import Example, Explanation, Link, Operand, Where
from jax_nbhelp.fixes.fix import Candidate, CellEdit, Fix, Hole, HoleError
from jax_nbhelp.help import Help

CELL = Cell(
    "import jax\n\n\nstates, controls = make()\n"
    "costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  # <per state>\ncosts",
    id="c4",
    count=4,
)
SOURCE = CELL.text.split("\n")[4]


def axes_fix(values: dict[str, str]) -> Fix:
    axes = values["axes"]
    if axes.count("(") != axes.count(")"):
        raise HoleError(f"`{axes}` is not an expression")
    return Fix(
        id="map-the-same-axis",
        title="Map axis 0 of `controls`",
        applicability="maybe-incorrect",
        why="It changes which axis is the batch: check that it is the one you mean.",
        edits=(CellEdit(CELL, CELL.text.replace("(0, 1)", axes)),),
        run=(CELL,),
        holes=(Hole("axes", "the axes", axes, (Candidate("(0, 0)", "one length"), Candidate("(0, None)"))),),
        refill=lambda new: axes_fix(dict(new)),
    )


TO_READ = Fix(
    "read", "Rebuild <the> data", "display-only", why="One length is needed.", reason="it comes from a file"
)

SAID = Explanation(
    title="vmap: the mapped axes differ in length",
    cause="vmap walks over one axis of every argument in step, so those axes must have one length. Here axis "
    "0 of `states` has length 10 and axis 1 of `controls` has length 2.",
    where=Where(CELL, 5, SOURCE, 8, 16),
    operands=(Operand("states", "float32[10, 4]"), Operand("controls", "float32[10, 2]")),
    way_on=("Map the axis that all arguments share.",),
    avoid="Transposing the array only moves the mistake.",
    details="vmap adds one axis.\nIt does so for `each` argument.\n\nA second paragraph.",
    example=Example(("x = 1", "y = x / 0"), ("y = x / 1",)),
    links=(Link("JAX docs", "https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html"),),
    raised_in="jax/_src/api.py _mapped_axis_size",
)

HELP = Help(
    "ValueError",
    "vmap got inconsistent sizes for array axes to be mapped",
    "vmap-inconsistent-sizes",
    "exact",
    SAID,
    (axes_fix({"axes": "(0, 0)"}), TO_READ),
)

"""Stands for the core in tests of the widget: a division by zero gets a help, made by hand.

Imported by the notebooks' kernels.
"""

from __future__ import annotations

from dataclasses import replace

from IPython.display import display

from jax_nbhelp.cell import Cell
from jax_nbhelp.explanation import Example, Explanation, Link, Operand, Where
from jax_nbhelp.fixes.fix import Candidate, CellEdit, Fix, Hole, HoleError
from jax_nbhelp.help import Help
from jax_nbhelp.hosts.run_here import RunHere
from jax_nbhelp.views.manner import AT_ONCE, Manner
from jax_nbhelp.views.static import bundle
from jax_nbhelp.views.widget import Widgets

WRONG = "/ 0"
LONG = "float32[10,4]{1,0:T(8,128)}" * 150
"""Four kilobytes without a blank, as a compiler may write them."""
cells: list[Cell] = []


class Owner:
    """Stands for the session: it hears what widgets ask."""

    def __init__(self) -> None:
        self.muted: list[str] = []
        self.opened = False
        self.runner = None

    def mute(self, record: str) -> None:
        self.muted.append(record)

    def open_all(self, _help: Help) -> None:
        self.opened = True


owner = Owner()
widgets = Widgets(owner)


def install(shell, manner: Manner = AT_ONCE) -> None:
    """Shows a help for each division by zero."""
    owner.runner = RunHere(shell)

    def remember(info) -> None:
        widgets.close(info.cell_id)
        cells.append(Cell(info.raw_cell, info.cell_id, len(shell.history_manager.input_hist_raw)))

    def handle(shell, etype, value, tb, tb_offset=None) -> None:
        shell.showtraceback((etype, value, tb), tb_offset=tb_offset, running_compiled_code=True)
        failing = cells[-1]
        help_ = make_help(next(cell for cell in reversed(cells) if WRONG in cell.text), failing)
        for data, metadata in (bundle(help_, manner), widgets.open(help_, failing.id, manner)):
            display(data, metadata=metadata, raw=True)

    shell.events.register("pre_run_cell", remember)
    shell.set_custom_exc((ZeroDivisionError,), handle)


def make_help(faulty: Cell, failing: Cell) -> Help:
    run = (failing,) if faulty is failing else (faulty, failing)
    line = faulty.text[: faulty.text.index(WRONG)].count("\n")
    source = faulty.text.split("\n")[line]
    start = source.index(WRONG)
    said = Explanation(
        title="Division: the divisor is zero",
        cause="A number cannot be divided by zero. Here `x` is divided by `0`, in <b>this</b> line.",
        where=Where(faulty, line + 1, source, start, start + len(WRONG)),
        operands=(Operand("x", "float32[10, 4]"), Operand("controls", "float32[10, 2]")),
        avoid="Catching the error leaves the result without a value.",
        details="Division is defined for a divisor that is not zero.\n\nIEEE floats give `inf` instead.",
        example=Example(("1 / 0",), ("1 / 2",)),
        links=(Link("jax.numpy.divide", "https://docs.jax.dev/en/latest/"),),
        raised_in="jax/_src/api.py _mapped_axis_size",
    )
    fixes = [
        divide(faulty, run, {"divisor": "1"}),
        multiply(faulty, run),
        fill(faulty, run, {"divisor": ""}),
        read(),
    ]
    if faulty is not failing:
        fixes.insert(1, both(faulty, failing))
    if "# no cure" in faulty.text:
        fixes.clear()
    if "# long" in faulty.text:
        said = replace(said, cause=f"{said.cause} `{LONG}`", operands=(*said.operands, Operand("z", LONG)))
    return Help("ZeroDivisionError", "division by zero", "divide-by-zero", "exact", said, tuple(fixes))


def divide(faulty: Cell, run: tuple[Cell, ...], values: dict[str, str]) -> Fix:
    value = number(values["divisor"])
    candidates = (Candidate("1", "keeps the value"), Candidate("2", "halves it"))
    return Fix(
        id="divide-by-a-number",
        title=f"Divide by `{value}`",
        applicability="maybe-incorrect",
        why="It changes the result: check that it is the divisor you mean.",
        edits=(CellEdit(faulty, faulty.text.replace(WRONG, f"/ {value}")),),
        run=run,
        holes=(Hole("divisor", "the divisor", value, candidates),),
        refill=lambda new: divide(faulty, run, dict(new)),
    )


def fill(faulty: Cell, run: tuple[Cell, ...], values: dict[str, str]) -> Fix:
    value = values["divisor"]
    return Fix(
        id="divide-by-yours",
        title="Divide by a number of yours",
        applicability="has-placeholders",
        edits=(CellEdit(faulty, faulty.text.replace(WRONG, f"/ {number(value) if value else '…'}")),),
        run=run,
        holes=(Hole("divisor", "the divisor", value),),
        refill=lambda new: fill(faulty, run, dict(new)),
    )


def multiply(faulty: Cell, run: tuple[Cell, ...]) -> Fix:
    edits = (CellEdit(faulty, faulty.text.replace(WRONG, "* 3")),)
    return Fix("multiply", "Multiply by 3 instead", "machine-applicable", edits=edits, run=run)


def both(faulty: Cell, failing: Cell) -> Fix:
    edits = (
        CellEdit(faulty, faulty.text.replace(WRONG, "/ 5")),
        CellEdit(failing, f"# divides by five\n{failing.text}"),
    )
    return Fix("both", "Divide by five and say so", "maybe-incorrect", edits=edits, run=(faulty, failing))


def read() -> Fix:
    why = "Where the divisor comes from decides."
    reason = "the divisor is read from a file"
    return Fix("read", "Look at the data", "display-only", why=why, reason=reason)


def number(text: str) -> str:
    if not text.isdigit():
        raise HoleError(f"`{text}` is not a number")
    return text

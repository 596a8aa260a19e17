"""The cells that ran in a shell, found again by the file names that IPython compiles them under."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING

from jax_nbhelp.cell import Cell, Compiled
from jax_nbhelp.shell.traces import cell_id_of_request, failing_code, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jax_nbhelp.shell.protocol import CellInfo, CellResult, Shell

MAX_CELLS = 2_000
_MAX_DEPTH = 32


@dataclass(slots=True)
class _Run:
    """One run of a cell.

    Attributes:
      raw: the text that was run; part of the cell's where a magic such as `%%capture` ran the rest.
      cell: the cell.
      number: the number that IPython puts into the file name, in a terminal.
      info: IPython's description of the run, by which its end is known.
      began: when it began, in seconds of `time.perf_counter`.
      seconds: how long it took; None while it runs.
      file: the name that it was compiled under, once that was worked out from its text alone.
    """

    raw: str
    cell: Cell
    number: int
    info: CellInfo | None = None
    began: float = 0.0
    seconds: float | None = None
    file: str = ""


class Book:
    """The cells that ran in a shell; a `jax_nbhelp.cell.CellBook`.

    `begin` and `end` are called around each run and only take notes; the rest is worked out when asked.
    It starts with the cells that ran before it was made, as far as IPython's history has them.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._runs: list[_Run] = []
        self._running: list[_Run] = []
        self._last: _Run | None = None  # of those that no other cell ran
        self._found: dict[str, Compiled | None] = {}
        self._naming: tuple[str, bool] | None = None
        self._cells: dict[str, Cell] = {}  # by their text, the last to begin at the end
        raws = shell.history_manager.input_hist_raw
        for count in range(max(1, len(raws) - MAX_CELLS), len(raws)):
            cell_id = cell_id_of_request(shell) if count == len(raws) - 1 else None
            self._last = _Run(raws[count], Cell(raws[count], cell_id, count), count)
            self._note(self._last)

    def begin(self, info: CellInfo) -> None:
        """Notes that a cell begins to run (`pre_run_cell`)."""
        shell, raw = self._shell, info.raw_cell
        cell_id = getattr(info, "cell_id", None)  # IPython 8.0 has no such attribute
        if info.store_history:
            # Not execution_count: IPython 9 has counted this cell already, 7.34 has not.
            count = number = len(shell.history_manager.input_hist_raw)
            cell = Cell(raw, cell_id or cell_id_of_request(shell), count)
        else:
            number = shell.execution_count
            outer = self._running[-1].cell if self._running else None
            body_of_magic = (
                outer is not None
                and outer.text.lstrip().startswith("%%")
                and outer.text.rstrip().endswith(raw.rstrip())
            )
            if outer is None:  # a cell that another runs has no id, though the request it belongs to has one
                cell_id = cell_id or cell_id_of_request(shell)
            cell = outer if outer is not None and body_of_magic else Cell(raw, cell_id)
        run = _Run(raw, cell, number, info, perf_counter())
        if not self._running:
            self._last = run
        self._note(run)
        self._running.append(run)
        if len(self._runs) > MAX_CELLS:
            kept = self._runs[MAX_CELLS // 10 :]
            self._runs, self._cells = [], {}
            for one in kept:
                self._note(one)
        if len(self._running) > _MAX_DEPTH:
            del self._running[0]
        if self._found:
            self._found.clear()
            self._naming = None

    def end(self, result: CellResult | None) -> None:
        """Notes that a cell has run (`post_run_cell`)."""
        info = result.info if result is not None else None
        for depth in range(len(self._running) - 1, -1, -1):
            run = self._running[depth]
            # IPython describes an interrupted run anew, and one that it lost not at all.
            if info is None or run.info is info or run.raw == info.raw_cell:
                now = perf_counter()
                for ended in self._running[depth:]:
                    ended.seconds = now - ended.began
                del self._running[depth:]
                return

    def _note(self, run: _Run) -> None:
        self._runs.append(run)
        self._cells.pop(run.cell.text, None)  # a text that ran before moves to the end
        self._cells[run.cell.text] = run.cell

    @property
    def current(self) -> Cell | None:
        """The cell that is running, or ran last."""
        run = self._current()
        return run.cell if run else None

    @property
    def outermost(self) -> Cell | None:
        """The cell below which output appears now: not one that another runs by `run_cell`."""
        run = self._running[0] if self._running else self._last
        return run.cell if run else None

    def find(self, filename: str) -> Compiled | None:
        """Returns the cell whose code was compiled under a file name; None for any other file.

        Of several cells with equal source it is the one that is running, else the last. The names that
        magics compile under, such as `<timed exec>`, belong to the running cell.
        """
        if filename not in self._found:
            self._found[filename] = self._of_magic(filename) or self._of_cell(filename)
        return self._found[filename]

    def latest(self) -> list[Cell]:
        """Returns the cells that ran, the last first, each source once; those that run now before all."""
        cells = list(reversed(self._cells.values()))
        for run in self._running:
            if not cells or cells[0] is not run.cell:
                cells = [run.cell, *(cell for cell in cells if cell.text != run.cell.text)]
        return cells

    def seconds(self, cell: Cell) -> float:
        """Returns how long a cell took when it ran last, or has taken so far; 0 where that is not known."""
        run = next((run for run in self._newest() if run.cell == cell), None)
        if run is None or not run.began:
            return 0.0
        return perf_counter() - run.began if run.seconds is None else run.seconds

    def _current(self) -> _Run | None:
        return self._running[-1] if self._running else self._last

    def _newest(self) -> Iterable[_Run]:
        return chain(reversed(self._running), reversed(self._runs))

    def _of_cell(self, filename: str) -> Compiled | None:
        name_of = self._shell.compile.get_code_name
        if self._naming is None:
            # In a kernel /tmp/ipykernel_<pid>/<hash>.py, in a terminal <ipython-input-<number>-<hash>>.
            probe = name_of("", "", 0)
            self._naming = (
                probe.rpartition(os.sep)[0] or probe[:2],
                name_of("a", "", 0) != name_of("b", "", 0),
            )
        begins, by_raw = self._naming
        if not filename.startswith(begins):
            return None
        text = source_of(filename)
        transform = self._shell.transform_cell
        # A kernel's names are slow hashes of the cells: those with the source's longest line come first.
        lines = (line for line in (text or "").splitlines() if "get_ipython()" not in line)
        longest = max(lines, key=len, default="")
        likely = (run for run in self._newest() if longest in run.raw)
        for run in chain(likely, self._newest()):
            if by_raw:
                run.file = run.file or name_of(run.raw, "", run.number)
                if run.file == filename:
                    return Compiled(run.cell, text if text is not None else transform(run.raw))
            elif f"-{run.number}-" in filename:
                compiled = transform(run.raw)
                if name_of(run.raw, compiled, run.number) == filename:
                    return Compiled(run.cell, compiled)
        return None

    def _of_magic(self, filename: str) -> Compiled | None:
        from jax_nbhelp.shell.bodies import MAGICS, body_of

        run = self._current()
        if filename not in MAGICS or run is None:
            return None
        transform = self._shell.transform_cell
        body = body_of(transform(run.raw), filename, failing_code(filename), transform)
        return None if body is None else Compiled(run.cell, body)

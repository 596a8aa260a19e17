"""A host without a front end: an IPython shell that runs cells one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jax_nbhelp.cell import Cell, Compiled

if TYPE_CHECKING:
    from collections.abc import Sequence


class PlainBook:
    """The cells that a plain shell ran."""

    def __init__(self, shell: Any) -> None:
        self.cells: list[Cell] = []
        self._shell = shell
        self._compiled: dict[Cell, tuple[str, str]] = {}  # its file name, and the source that was compiled

    @property
    def current(self) -> Cell | None:
        """The cell that ran last."""
        return self.cells[-1] if self.cells else None

    def find(self, filename: str) -> Compiled | None:
        """Returns the cell that was compiled under a file name."""
        for cell in reversed(self.cells):
            if cell not in self._compiled:
                text = self._shell.transform_cell(cell.text)
                self._compiled[cell] = self._shell.compile.get_code_name(cell.text, text, cell.count), text
            name, text = self._compiled[cell]
            if name == filename:
                return Compiled(cell, text)
        return None

    def latest(self) -> list[Cell]:
        """Returns the cells, the last first."""
        return self.cells[::-1]

    def seconds(self, cell: Cell) -> float:  # noqa: ARG002
        """Returns 0: nobody waits here."""
        return 0.0


def _say_nothing(*_: object, **__: object) -> None:
    """Stands in for IPython's display of a traceback."""


class PlainShell:
    """Runs cells in a fresh IPython shell, silently, and stops at the first error.

    Attributes:
      book: the cells that ran.
      ran: how many cells ran, the failing one included.
    """

    def __init__(self) -> None:
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False  # no thread, no file
        self._shell: Any = InteractiveShell.instance(config=config)
        self._shell.showtraceback = _say_nothing
        self.book = PlainBook(self._shell)
        self.ran = 0

    @property
    def namespace(self) -> dict[str, Any]:
        """The globals of the cells."""
        return self._shell.user_ns

    def reset(self) -> None:
        """Forgets names and cells, as a restarted kernel would."""
        self._shell.reset(new_session=True)
        self.book.cells.clear()
        self.ran = 0

    def run(self, cells: Sequence[str]) -> BaseException | None:
        """Runs cells in order.

        Returns:
          The error of the first that fails, or None.
        """
        for text in cells:
            self.ran += 1
            self.book.cells.append(Cell(text, f"cell-{self.ran}", self._shell.execution_count))
            result = self._shell.run_cell(text, store_history=True)
            error = result.error_before_exec or result.error_in_exec
            if error is not None:
                return error
        return None

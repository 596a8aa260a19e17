"""Code that fails, run in a process of its own, to begin a record from its error."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import re
import sys
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.draft import Draft, DraftError
from jax_nbhelp.hosts.child import ChildEndedError, answer_of, reply

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from jax_nbhelp.failure import Failure
    from jax_nbhelp.hosts.plain import PlainShell
    from jax_nbhelp.sites.source import Source

_CELL_MARK = re.compile(r"^# ?%%.*\n?", re.MULTILINE)  # how editors divide a Python file into cells


@dataclass(frozen=True, slots=True)
class Code:
    """Cells to run.

    Attributes:
      cells: their texts in order; the last one is to fail, or the first that does where `wanted` is False.
      folder: where they run.
      wanted: only the last one's error counts: those before may fail.
    """

    cells: tuple[str, ...]
    folder: Path
    wanted: bool = False


def read_code(path: Path, cell: int | None = None) -> Code:
    """Reads the cells of a notebook, or of a Python file, in which `# %%` begins a cell.

    Args:
      path: the file.
      cell: the index of the cell that fails, among all of a notebook's cells or those of a Python file.

    Raises:
      DraftError: it cannot be read, or has no such cell.
    """
    from jax_nbhelp.hosts.notebook_file import NotebookError, NotebookFile

    try:
        if path.suffix == ".ipynb":
            cells = {one.index: one.source for one in NotebookFile(path).code_cells()}
        else:
            parts = [part.strip("\n") for part in _CELL_MARK.split(path.read_text(encoding="utf-8"))]
            cells = dict(enumerate(part for part in parts if part.strip()))
    except NotebookError as error:
        raise DraftError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DraftError(f"{path}: cannot be read: {error}") from error
    if cell is not None and cell not in cells:
        raise DraftError(f"{path}: has no code cell {cell}; it has {', '.join(map(str, cells)) or 'none'}")
    chosen = [text for index, text in cells.items() if cell is None or index <= cell]
    return Code(tuple(chosen), path.parent.resolve(), cell is not None)


def begin(code: Code, area: str, slug: str, seconds: float) -> Draft:
    """Runs code in a process of its own and begins a record from the error that ends it.

    Args:
      code: what to run.
      area: the record's area.
      slug: its name.
      seconds: how long it may take.

    Raises:
      DraftError: it does not fail, not by an error of JAX's, or not in time.
    """
    context = multiprocessing.get_context("spawn")  # nothing of this process, no JAX, no backend
    try:
        answer: Draft | str = answer_of(context, _run, code, area, slug, seconds=seconds)
    except TimeoutError:
        raise DraftError(f"it ran longer than {seconds:g} s; allow more with --timeout") from None
    except ChildEndedError as ended:
        raise DraftError(str(ended)) from None
    if isinstance(answer, str):
        raise DraftError(answer)
    return answer


def _run(answer: Connection, code: Code, area: str, slug: str) -> None:
    """The process: sends the draft, or why there is none."""
    os.chdir(code.folder)
    sys.path.insert(0, str(code.folder))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            found: Draft | str = _begun(code, area, slug)
        except DraftError as error:
            found = str(error)
        except Exception:  # noqa: BLE001  the fault itself is the answer
            found = traceback.format_exc(limit=-4)
    reply(answer, found)


def _begun(code: Code, area: str, slug: str) -> Draft:
    from jax_nbhelp.catalog.draft import draft, needed
    from jax_nbhelp.failure import capture
    from jax_nbhelp.help import jax_release
    from jax_nbhelp.hosts.plain import PlainShell
    from jax_nbhelp.shell.sniff import looks_like_jax

    host = PlainShell()
    cells, error = _failing(host, code)
    failure, _ = capture(error, host.book, host.namespace)
    source = read_source(failure)
    few = needed(cells)
    if len(few) < len(cells):  # fewer cells are a better example, where they fail alike
        host.reset()
        again = host.run(few)
        if type(again) is type(error) and str(again) == str(error) and host.ran == len(few):
            cells = few
    return draft(failure, cells, area, slug, jax_release(), source, compiled=looks_like_jax(error))


def read_source(failure: Failure) -> Source | None:
    """Returns the source of JAX that tells the wording of a failure, or None where there is none."""
    from jax_nbhelp.catalog.draft import files_of
    from jax_nbhelp.sites.source import Source, SourceError, installed_root

    try:
        root = installed_root()
        return Source(root, tuple(file for file in files_of(failure) if (root / file).is_file()))
    except SourceError:
        return None


def _failing(host: PlainShell, code: Code) -> tuple[list[str], BaseException]:
    """The cells that ran well and the one that failed, and its error."""
    ran: list[str] = []
    for number, cell in enumerate(code.cells, 1):
        error = host.run([cell])
        if error is not None and (not code.wanted or number == len(code.cells)):
            return [*ran, cell], error
        ran += [cell] if error is None else []
    where = "that cell" if code.wanted else "it"
    raise DraftError(f"{where} does not fail; a record begins from an error")

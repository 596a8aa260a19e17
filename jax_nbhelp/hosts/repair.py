"""Repairs a notebook file: applies fixes until it runs, and takes back what does not help.

Every attempt runs the whole notebook in a fresh kernel, as a reader would; no text is tried twice, so the
search ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from jax_nbhelp.hosts.executor import Ran, run
from jax_nbhelp.hosts.notebook_file import NotebookError
from jax_nbhelp.source import silencers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jax_nbhelp.hosts.executor import Options
    from jax_nbhelp.hosts.notebook_file import CodeCell, NotebookFile, Output

Outcome = Literal["clean", "failed", "not-jax"]

_RUNS = 24  # runs of the notebook in all
_DEPTH = 8  # fixes on top of each other


@dataclass(frozen=True, slots=True)
class Met:
    """An error that was met, and the fix that was applied to it."""

    cell: int
    report: Mapping[str, Any]
    applied: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of a notebook.

    Attributes:
      outcome: `clean`; `failed`: an error of JAX's remains; `not-jax`: one that is not JAX's.
      errors: the errors met on the way that was kept.
      sources: the changed cells' texts by index.
      outputs: what the changed cells, and the one that failed, give now.
      reason: why the search stopped where the notebook is not clean.
      runs: how often the notebook ran.
    """

    outcome: Outcome
    errors: tuple[Met, ...] = ()
    sources: Mapping[int, str] = field(default_factory=dict[int, str])
    outputs: Mapping[int, Output] = field(default_factory=dict[int, "Output"])
    reason: str = ""
    runs: int = 1


def repair(
    notebook: NotebookFile,
    options: Options,
    allowed: Sequence[str],
    progress: Callable[[str, int, int], None],
) -> Repair:
    """Runs a notebook and applies fixes.

    Args:
      notebook: the notebook.
      options: how to run it.
      allowed: the applicabilities that may be applied; none to check only.
      progress: is told what is being done, and how many cells of how many have run.

    Raises:
      NotebookError: the notebook cannot be run.
    """
    return _Search(notebook, options, allowed, progress).result()


@dataclass(frozen=True, slots=True)
class _State:
    """A version of the notebook that ran: its cells, its run, and the errors on the way to it."""

    cells: tuple[CodeCell, ...]
    ran: Ran
    errors: tuple[Met, ...] = ()


class _Search:
    def __init__(
        self,
        notebook: NotebookFile,
        options: Options,
        allowed: Sequence[str],
        progress: Callable[[str, int, int], None],
    ) -> None:
        self.options, self.allowed, self.progress = options, allowed, progress
        self.kernel = options.kernel or notebook.kernel
        self.original = tuple(notebook.code_cells())
        self.seen: set[tuple[str, ...]] = set()
        self.runs = 0
        self.reason = ""

    def result(self) -> Repair:
        first = self._run(self.original, (), "running")
        last = self._solve(first, _DEPTH)
        old = {cell.index: cell.source for cell in self.original}
        sources = {cell.index: cell.source for cell in last.cells if cell.source != old[cell.index]}
        touched = {*sources, *(met.cell for met in last.errors)} if sources else set[int]()
        outputs = {index: last.ran.outputs[index] for index in touched if index in last.ran.outputs}
        errors = last.errors
        outcome: Outcome = "clean"
        if last.ran.failed is not None and last.ran.report is not None:
            errors = (*errors, Met(last.ran.failed, last.ran.report))
            outcome = "failed" if last.ran.report["helped"] else "not-jax"
        return Repair(outcome, errors, sources, outputs, self.reason if outcome != "clean" else "", self.runs)

    def _run(self, cells: tuple[CodeCell, ...], errors: tuple[Met, ...], doing: str) -> _State:
        self.seen.add(tuple(cell.source for cell in cells))
        self.runs += 1
        ran = run(cells, self.kernel, self.options, lambda done, of: self.progress(doing, done, of))
        return _State(cells, ran, errors)

    def _attempt(self, cells: tuple[CodeCell, ...], errors: tuple[Met, ...], fix: str) -> _State | None:
        """The notebook with a fix; None where that kills its kernel or never ends."""
        try:
            return self._run(cells, errors, f"trying {fix}")
        except NotebookError as error:
            self.reason = f"with {fix} applied, {error}"
            return None

    def _solve(self, state: _State, depth: int) -> _State:
        """The best state that can be reached: clean, else the one that runs furthest."""
        report = state.ran.report
        if state.ran.failed is None or report is None:
            return state
        best = state
        fixes = [fix for fix in report["fixes"] if self._may_apply(fix)]
        self._say_why(report, fixes)
        for fix in fixes:
            if not depth or self.runs >= _RUNS:
                self.reason = f"stopped after {self.runs} runs"
                break
            cells = _edited(state.cells, fix)
            if cells is None or tuple(cell.source for cell in cells) in self.seen:
                continue
            met = Met(state.ran.failed, report, fix["id"])
            following = self._attempt(cells, (*state.errors, met), fix["id"])
            if following is None or (following.ran.failed is not None and not _helps(state, following)):
                continue  # taken back
            reached = self._solve(following, depth - 1)
            if reached.ran.failed is None:
                return reached
            best = max(best, reached, key=_reach)
        return best

    def _may_apply(self, fix: Mapping[str, Any]) -> bool:
        ready = bool(fix["edits"]) and fix["filled"] and not fix["complaint"]
        return ready and fix["applicability"] in self.allowed

    def _say_why(self, report: Mapping[str, Any], fixes: Sequence[Mapping[str, Any]]) -> None:
        """Keeps the reason for which the search may end here."""
        offered = report["fixes"]
        if not report["helped"]:
            self.reason = "the error is not JAX's"
        elif not offered:
            self.reason = "no fix is known for this error"
        elif not fixes:
            reasons = [
                fix["reason"] or fix["complaint"] for fix in offered if fix["reason"] or fix["complaint"]
            ]
            unsafe = "its fixes change what the program computes; --unsafe applies them"
            self.reason = reasons[0] if reasons else unsafe
        else:
            self.reason = "none of its fixes helped"


def _reach(state: _State) -> int:
    """How far a state runs."""
    return len(state.cells) * 2 if state.ran.failed is None else state.ran.failed


def _helps(before: _State, after: _State) -> bool:
    """Whether an attempt that does not run yet is a step on: it fails later, or with another known error.

    Another error in the same cell is a step only where JAX raises it and it can be cured, or else a fix that
    merely breaks the code in another way would be kept. The same error is one where it came up at another
    line, which the fix left alone: the cell makes the mistake more than once.
    """
    assert before.ran.failed is not None
    assert after.ran.failed is not None
    if after.ran.failed != before.ran.failed:
        return after.ran.failed > before.ran.failed
    one, other = before.ran.report or {}, after.ran.report or {}
    if other.get("record") is None or not other.get("fixes"):
        return False
    return other.get("record") != one.get("record") or _further_on(before, one, other)


def _further_on(before: _State, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the second error stands at a line that was there before, and is not the first one's."""
    was: Mapping[str, Any] = one.get("where") or {}
    now: Mapping[str, Any] = other.get("where") or {}
    if not now or was.get("source") == now.get("source"):
        return False
    texts = {cell.index: cell.source for cell in before.cells}
    lines = [line.strip() for line in texts.get(now.get("cell", -1), "").split("\n")]
    return str(now.get("source")).strip() in lines


def _edited(cells: tuple[CodeCell, ...], fix: Mapping[str, Any]) -> tuple[CodeCell, ...] | None:
    """The cells after a fix; None where a text is not what it was, or an error would be silenced."""
    new = {edit["cell"]: edit for edit in fix["edits"]}
    out: list[CodeCell] = []
    for cell in cells:
        edit = new.pop(cell.index, None)
        if edit is None:
            out.append(cell)
        elif edit["old"] != cell.source or silencers(edit["new"]) > silencers(cell.source):
            return None
        else:
            out.append(replace(cell, source=edit["new"]))
    return None if new else tuple(out)

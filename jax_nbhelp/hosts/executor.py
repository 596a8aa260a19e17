"""Runs a notebook's cells in a kernel of its own, and asks it to explain the error that ends them."""

from __future__ import annotations

import ast
import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from jax_nbhelp.hosts.notebook_file import NotebookError, Output
from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jax_nbhelp.hosts.notebook_file import CodeCell

refuse = sayer("refusal")

_START = "from jax_nbhelp.hosts import in_kernel as _nbhelp_\n_nbhelp_.start(get_ipython())\ndel _nbhelp_"
_REPORT = "__import__('jax_nbhelp.hosts.in_kernel', fromlist=['report']).report({choices!r})"


@dataclass(frozen=True, slots=True)
class Options:
    """How notebooks are run.

    Attributes:
      kernel: the kernel's name; the notebook's own where empty.
      timeout: seconds that one cell may take.
      cwd: the folder the kernel runs in.
      choices: values for holes by `FIX.HOLE`.
    """

    kernel: str = ""
    timeout: float = 600
    cwd: str = "."
    choices: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a notebook, from the first cell to its end or its first error.

    Attributes:
      outputs: what each cell that ran gave, by its index.
      failed: the index of the cell that failed, or None.
      report: what the kernel said of the error (`in_kernel.report`), where it could.
    """

    outputs: Mapping[int, Output]
    failed: int | None = None
    report: Mapping[str, Any] | None = None


def run(
    cells: Sequence[CodeCell], kernel: str, options: Options, progress: Callable[[int, int], None]
) -> Ran:
    """Runs cells in a fresh kernel.

    Args:
      cells: the code cells in order.
      kernel: the kernel's name.
      options: how to run them.
      progress: is told the number of cells that ran, and of all.

    Raises:
      NotebookError: the kernel cannot be started, dies, or a cell takes too long.
    """
    return asyncio.run(_Runner(cells, kernel, options, progress).run())


class _Runner:
    def __init__(
        self, cells: Sequence[CodeCell], kernel: str, options: Options, progress: Callable[[int, int], None]
    ) -> None:
        import nbformat
        from nbclient import NotebookClient

        self.cells, self.kernel, self.options, self.progress = cells, kernel, options, progress
        self.notebook: Any = nbformat.v4.new_notebook(  # pyright: ignore[reportUnknownMemberType]
            cells=[nbformat.v4.new_code_cell(cell.source) for cell in cells]  # pyright: ignore[reportUnknownMemberType]
        )
        self.client: Any = NotebookClient(
            self.notebook,
            kernel_name=kernel,
            timeout=int(options.timeout),
            allow_errors=True,  # an error is ours to judge
            resources={"metadata": {"path": options.cwd}},
        )

    async def run(self) -> Ran:
        from jupyter_client.kernelspec import NoSuchKernel
        from nbclient.exceptions import CellTimeoutError, DeadKernelError

        try:
            async with self.client.async_setup_kernel():
                await self._ask(_START, "")
                return await self._run_cells()
        except NoSuchKernel as error:
            remedy = "name another with --kernel; `jupyter kernelspec list` shows them"
            raise NotebookError(f"there is no kernel {error.name!r}: {remedy}") from None
        except CellTimeoutError:
            seconds = f"{self.options.timeout:g} s"
            raise NotebookError(f"a cell ran longer than {seconds}; allow more with --timeout") from None
        except DeadKernelError:
            raise NotebookError("a cell killed its kernel") from None
        except RuntimeError as error:
            if "Kernel didn't respond" in str(error) or "Kernel died" in str(error):
                raise NotebookError(f"the kernel {self.kernel!r} did not start: {error}") from error
            raise

    async def _run_cells(self) -> Ran:
        outputs: dict[int, Output] = {}
        counts: dict[int, int] = {}
        for number, (cell, node) in enumerate(zip(self.cells, self.notebook.cells, strict=True)):
            self.progress(number, len(self.cells))
            await self.client.async_execute_cell(node, number)
            outputs[cell.index] = Output(node.execution_count, [dict(one) for one in node.outputs])
            if node.execution_count is not None:
                counts[node.execution_count] = cell.index
            failed = any(one.output_type == "error" for one in node.outputs)
            if failed and not cell.may_raise:
                text = await self._ask("", _REPORT.format(choices=dict(self.options.choices)))
                report = json.loads(text) if text else None
                return Ran(outputs, cell.index, _by_index(report, counts, node))
        return Ran(outputs)

    async def _ask(self, code: str, expression: str) -> str:
        """Runs code in silence and returns the value of an expression that is a text."""
        expressions = {"answer": expression} if expression else {}
        reply = await self.client.kc.execute(
            code, silent=True, store_history=False, user_expressions=expressions, reply=True, timeout=120
        )
        content = cast("dict[str, Any]", reply["content"])
        if content["status"] != "ok":
            if content.get("ename") == "ModuleNotFoundError":
                raise NotebookError(
                    f"the kernel {self.kernel!r} has no jax_nbhelp; install it in the kernel's environment"
                )
            raise NotebookError(f"the kernel could not load jax_nbhelp: {content.get('evalue')}")
        answer = content["user_expressions"].get("answer", {})
        data = answer.get("data", {})
        return str(ast.literal_eval(data["text/plain"])) if "text/plain" in data else ""


def _by_index(report: Any, counts: Mapping[int, int], node: Any) -> dict[str, Any]:
    """The kernel's report with cells named by their index in the file instead of their prompt's number."""
    if not isinstance(report, dict):
        error = next(one for one in node.outputs if one.output_type == "error")
        report = {"class": error.ename, "message": error.evalue, "fixes": [], "helped": False}
    out = cast("dict[str, Any]", report)
    place = out.get("where")
    if place:
        index = counts.get(place.pop("count"))
        out["where"] = {"cell": index, **place} if index is not None else None
    for fix in out["fixes"]:
        for edit in fix["edits"]:
            edit["cell"] = counts.get(edit.pop("count"))
        if any(edit["cell"] is None for edit in fix["edits"]):
            fix.update(edits=[], applicability="display-only", reason=refuse("cell_not_here"))
    return out

"""Runs a fix's cells in the kernel, where the front end lets nobody edit or run its cells.

What they show goes into an output below the help; the cells on screen stay as they are. A cell with top-level
`await` runs as a task of the kernel's own event loop, since a widget's message is handled inside it.
"""

from __future__ import annotations

import asyncio
import builtins
import getpass
import signal
import threading
from contextlib import contextmanager, suppress
from functools import partial
from types import coroutine
from typing import TYPE_CHECKING, Any, Literal

from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Sequence

Outcome = Literal["ran", "run_failed", "stopped"]

say = sayer("shell")


class RunHere:
    """Runs cells in a kernel's shell, one fix at a time.

    Args:
      shell: the shell of a kernel.

    Attributes:
      running: whether the cells of a fix have not ended.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self.running = False
        self._computing = False  # within a step of a run that goes on as a task
        self._task: asyncio.Task[None] | None = None

    def start(
        self,
        cells: Sequence[str],
        began: Callable[[int], None],
        ended: Callable[[int, Outcome], None],
    ) -> None:
        """Runs cells in order, up to the first that fails.

        It returns when all have run, or at the first cell with a top-level `await`: the rest is then a task
        of the main thread, as all of it is when this is called in another thread.

        Args:
          cells: the cells' texts.
          began: is told each cell's place before it runs.
          ended: is told the place of the cell that ran last, and how it ended.

        Raises:
          RuntimeError: the cells of another fix are `running`.
        """
        if self.running:
            raise RuntimeError("the cells of another fix are running")
        self.running = True
        parent = self._shell.get_parent()
        run = self._run(cells, began, ended)
        if threading.current_thread() is not threading.main_thread():
            # A page may have its messages handled by a subshell, in a thread that no interrupt reaches.
            self._soon(self._go_on, run, parent)
            return
        try:
            # What does not wait runs at once: the kernel is busy meanwhile, and an interrupt reaches it.
            with self._without_input():
                run.send(None)
        except StopIteration:
            return
        self._go_on(run, parent)

    def stop(self) -> None:
        """Stops the cells that wait; one that computes is stopped by an interrupt of the kernel."""
        self._soon(self._cancel)

    def _soon(self, call: Callable[..., object], *arguments: object) -> None:
        """Calls in the main thread's event loop, from any thread or signal handler."""
        self._shell.kernel.io_loop.asyncio_loop.call_soon_threadsafe(call, *arguments)

    async def _run(
        self,
        cells: Sequence[str],
        began: Callable[[int], None],
        ended: Callable[[int, Outcome], None],
    ) -> None:
        place, outcome = 0, "ran"
        try:
            for place, text in enumerate(cells):
                began(place)
                result = await self._run_cell(text)
                error = result.error_before_exec or result.error_in_exec
                if error is not None:
                    stopped = isinstance(error, (KeyboardInterrupt, asyncio.CancelledError))
                    outcome = "stopped" if stopped else "run_failed"
                    return
        except asyncio.CancelledError:
            outcome = "stopped"
        finally:
            self.running = False
            ended(place, outcome)

    async def _run_cell(self, text: str) -> Any:
        shell = self._shell
        try:
            transformed = shell.transform_cell(text)
            waits = shell.should_run_async(text, transformed_cell=transformed)
        except Exception:  # noqa: BLE001 - the shell shows it when it runs the cell
            transformed, waits = text, False
        if not waits:
            return shell.run_cell(text, store_history=True)
        await _pause()
        # Not numbered: before IPython 8 a cell that runs meanwhile would get the same number.
        return await shell.run_cell_async(text, store_history=False, transformed_cell=transformed)

    def _go_on(self, run: Coroutine[Any, None, None], parent: Any) -> None:
        self._task = asyncio.get_running_loop().create_task(self._rest(run, parent))
        self._task.add_done_callback(lambda task: self._done(task, run))

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _rest(self, run: Coroutine[Any, None, None], parent: Any) -> None:
        """Goes on with cells that wait, each step as a part of the click, below which its output belongs."""
        with self._interruptible():
            await _stepwise(run, lambda: self._as_request(parent))

    def _done(self, task: asyncio.Task[None], run: Coroutine[Any, None, None]) -> None:
        self._task = None
        if task.cancelled():  # before its first step, so that the cells do not know of it
            with suppress(StopIteration):
                run.throw(asyncio.CancelledError())

    @contextmanager
    def _as_request(self, parent: Any) -> Generator[None]:
        """Makes the shell serve a request, as far as output and input are concerned."""
        shell = self._shell
        before = shell.get_parent()
        shell.set_parent(parent)
        self._computing = True
        try:
            with self._without_input():
                yield
        finally:
            self._computing = False
            shell.set_parent(before)

    @contextmanager
    def _interruptible(self) -> Generator[None]:
        """Lets an interrupt reach what runs or waits: an idle kernel ignores it."""

        def interrupted(_number: int, _frame: object) -> None:
            if self._computing:
                raise KeyboardInterrupt
            self.stop()

        before = signal.signal(signal.SIGINT, interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def _without_input(self) -> Generator[None]:
        """Refuses input: a widget's click has no channel for it."""

        def refuse(*_: object, **__: object) -> str:
            raise RuntimeError(say("no_input"))

        before = builtins.input, getpass.getpass
        builtins.input = getpass.getpass = refuse
        try:
            yield
        finally:
            builtins.input, getpass.getpass = before


@coroutine
def _pause() -> Generator[None, None, None]:
    """Gives the event loop a turn."""
    yield


@coroutine
def _stepwise(run: Coroutine[Any, Any, None], around: Callable[[], Any]) -> Generator[Any, Any, None]:
    """Drives a coroutine with something around each of its steps, and nothing around its waiting."""
    step = partial(run.send, None)
    while True:
        try:
            with around():
                waited_for = step()
        except StopIteration:
            return
        try:
            step = partial(run.send, (yield waited_for))
        except BaseException as error:  # noqa: BLE001 - the coroutine's own affair
            step = partial(run.throw, error)

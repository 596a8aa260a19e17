"""The help in one shell: from an error that was shown to the help below it."""

from __future__ import annotations

import os
import sys
import traceback
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from jax_nbhelp import raw
from jax_nbhelp.phrases import sayer
from jax_nbhelp.shell.cells import Book
from jax_nbhelp.shell.hook import Hook
from jax_nbhelp.shell.settings import Settings
from jax_nbhelp.shell.sniff import looks_like_jax, packages_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from jax_nbhelp.help import Help
    from jax_nbhelp.hosts.run_here import RunHere
    from jax_nbhelp.shell.log import Entry, Log
    from jax_nbhelp.shell.protocol import CellInfo, CellResult, Shell, Types
    from jax_nbhelp.views.manner import Manner
    from jax_nbhelp.views.widget import Widgets

say = sayer("shell")

CURRENT: Session | None = None
"""The session that was started last, if one is on."""

MAX_FAULTS = 20
_MAX_FAULT_TEXT = 4_000
# An error that a cell shows again, from a nested cell or raised anew, has had its help. They are kept
# while the cell runs and no longer, since their tracebacks hold the user's arrays.
_MAX_HELPED = 8


class Session:
    """The help in one shell.

    Args:
      shell: the shell.
      errors: the classes of error that are looked at; ValueError and NotImplementedError always are.
      settings: what is chosen at first.

    Attributes:
      shell: the shell.
      book: the cells that ran in it.
      hook: what brings the errors.
      settings: what the user chose.
      last: the help that was shown last.
      entry: what is noted about it.
      log: the errors that got help, and what cured them; None before the first.
      faults: what went wrong in the help itself, the last on the right.
    """

    def __init__(self, shell: Shell, errors: Types = (Exception,), settings: Settings | None = None) -> None:
        self.shell = shell
        self.book = Book(shell)
        self.hook = Hook(shell, self.on_error, errors)
        self.settings = settings or Settings()
        self.last: Help | None = None
        self.entry: Entry | None = None
        self.faults: deque[str] = deque(maxlen=MAX_FAULTS)
        self._helped: deque[BaseException] = deque(maxlen=_MAX_HELPED)
        self.log: Log | None = None
        self._widgets: Widgets | None = None
        self._runner: RunHere | None = None

    def start(self) -> None:
        """Begins to watch the shell."""
        self.hook.install()
        self.shell.events.register("pre_run_cell", self._before_cell)
        self.shell.events.register("post_run_cell", self._after_cell)

    def stop(self) -> None:
        """Ends it, and leaves the shell as it was."""
        self.hook.remove()
        for event, callback in (("pre_run_cell", self._before_cell), ("post_run_cell", self._after_cell)):
            with suppress(ValueError):  # the user's code may have cleared the shell's callbacks
                self.shell.events.unregister(event, callback)
        self._helped.clear()
        if self._widgets is not None:
            with self._guarded("widget"):
                self._widgets.close_all()

    def on_error(self, error: BaseException) -> None:
        """Shows the help for an error below its traceback; what goes wrong here is one line and a log entry.

        Raises:
          KeyboardInterrupt: the user interrupted the help.
        """
        if not self.settings.on or any(error is one for one in self._helped):
            return
        with self._guarded("explain"):
            if not looks_like_jax(error) and not _is_of_library(error):
                return
            self._helped.append(error)
            from jax_nbhelp.help import help_for

            found = help_for(error, self.book, self.shell.user_ns, values=self.settings.values)
            if found is not None and found.record not in self.settings.muted:
                self.last = found
                if self.log is None:
                    from jax_nbhelp.shell.log import Log

                    self.log = Log()
                self.entry = self.log.note(found, self.book.outermost)
                self.show(found, folded=self.entry.again)

    def show(self, help: Help, *, folded: bool = False) -> None:  # noqa: A002
        """Shows a help: as text in a terminal, else as a static output and, below it, the widget.

        Args:
          help: the help.
          folded: whether it is one line at first.
        """
        kernel: Any = getattr(self.shell, "kernel", None)
        # nbclient, nbconvert and papermill allow no input, and nobody is there to click.
        clickable = kernel is not None and getattr(kernel, "_allow_stdin", True)
        with self._guarded("show"):
            from jax_nbhelp.views.manner import Manner

            manner = Manner(self.settings.mode == "class", folded, os.urandom(6).hex() if clickable else "")
            if kernel is None:
                from jax_nbhelp.views.terminal import panel

                print(f"\n{panel(help, sys.stdout, self.shell.colors, manner)}")
                return
            from jax_nbhelp.views.static import bundle

            self.shell.display_pub.publish(*bundle(help, manner))
            if clickable:
                with self._guarded("widget"):
                    self.shell.display_pub.publish(*self._open_widget(help, manner))

    def show_step(self, help: Help, number: int) -> None:  # noqa: A002
        """Shows one step of a help, as text."""
        if getattr(self.shell, "kernel", None) is None:
            from jax_nbhelp.views.terminal import step_panel

            print(step_panel(help, number, sys.stdout, self.shell.colors))
        else:
            from jax_nbhelp.views.text import render_step

            print(render_step(help, number))

    @property
    def runner(self) -> RunHere:
        """Runs cells in the kernel, for front ends that let nobody run theirs."""
        if self._runner is None:
            from jax_nbhelp.hosts.run_here import RunHere

            self._runner = RunHere(self.shell)
        return self._runner

    def open_all(self, help: Help) -> None:  # noqa: A002
        """Opens every step of a help: the user has opened them on the page."""
        if self.entry is not None and help is self.last:
            self.entry.opened = sys.maxsize

    @property
    def fix_is_locked(self) -> bool:
        """Whether the last help's fix is a step that is not open yet."""
        if self.settings.mode != "class" or self.entry is None:
            return False
        from jax_nbhelp.views.manner import steps_of

        return self.entry.opened < len(steps_of(self.entry.help))

    def mute(self, record: str) -> None:
        """Leaves a record's errors without help from now on."""
        self.settings.muted.add(record)

    def _open_widget(self, help: Help, manner: Manner) -> tuple[dict[str, Any], dict[str, Any]]:  # noqa: A002
        if self._widgets is None:
            from jax_nbhelp.views.widget import Widgets

            self._widgets = Widgets(self)
        cell = self.book.outermost
        return self._widgets.open(help, cell.id if cell is not None else None, manner)

    def _before_cell(self, info: CellInfo) -> None:
        with self._guarded("cells"):
            self.book.begin(info)
            self.hook.note()
            if self._widgets is not None and self.book.outermost is not None:
                self._widgets.close(self.book.outermost.id)

    def _after_cell(self, result: CellResult | None) -> None:
        with self._guarded("cells"):
            try:
                self.hook.sweep()
            finally:
                if self.log is not None and result is not None and result.success:
                    self.log.ran_well(self.book)
                self.book.end(result)
                if result is None or result.info.store_history:  # not a cell within a cell
                    self._helped.clear()

    @contextmanager
    def _guarded(self, stage: str) -> Generator[None]:
        try:
            yield
        except KeyboardInterrupt:
            raise
        except BaseException as fault:  # noqa: BLE001 - nothing of ours may end the user's cell
            with suppress(Exception):
                # Its chain may hold the user's error, which would be asked for its text once more.
                told = "".join(traceback.format_tb(fault.__traceback__))
                told = f"{stage}: {told[-_MAX_FAULT_TEXT:]}{raw.qualname_of(type(fault))}: {raw.text(fault)}"
                if stage == "cells" and told in self.faults:
                    return  # one that comes with every cell is told once
                self.faults.append(told)
                print(say("fault", kind=raw.qualname_of(type(fault))))


def _is_of_library(error: BaseException) -> bool:
    """Whether an error passed through a library whose errors records from elsewhere explain.

    Where it passed through no library, as most of a user's own do, the records are not even looked for.
    """
    packages = packages_of(error)
    if not packages:
        return False
    from jax_nbhelp.catalog.shelf import libraries

    return not packages.isdisjoint(libraries())

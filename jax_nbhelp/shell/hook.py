"""The hook: every error that ends a cell comes by here after its traceback was shown.

IPython keeps one slot for a handler, `CustomTB`, and the classes it is called for, `custom_exceptions`.
The hook takes the slot and passes on to the handler that held it. Errors that a magic shows by itself
(`%run`; `%time` before IPython 9) never reach the slot; a look at `sys.last_value` after each cell finds
them, and those that a handler installed later has taken.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from jax_nbhelp.shell.protocol import Shell, Types

CORE: Types = (ValueError, NotImplementedError)
"""The classes that no setting leaves out."""

# What IPython shows as a syntax error when a cell does not compile; it lets anything else pass.
_COMPILE_ERRORS = (OverflowError, SyntaxError, ValueError, TypeError, MemoryError)


class Hook:
    """The handler in a shell's slot.

    Args:
      shell: the shell.
      on_error: is told each error, after its traceback; it must not raise.
      errors: the classes it is told; those in `CORE` are always among them.
    """

    def __init__(
        self, shell: Shell, on_error: Callable[[BaseException], None], errors: Types = (Exception,)
    ) -> None:
        self._shell = shell
        self._on_error = on_error
        self._wanted: Types = tuple(dict.fromkeys((*errors, *CORE)))
        self._active = False
        self._ours = self._show  # one bound method, so that the slot can be compared by identity
        self._earlier_types: Types = ()
        self._earlier = self._ours
        # The error in sys.last_value that is not new. It is held no longer than IPython holds it.
        self._known: BaseException | None = None
        # The user's error that an earlier handler showed under another one, as Colab's does.
        self._covered: BaseException | None = None

    @property
    def last_error(self) -> BaseException | None:
        """The error that IPython showed last; the user's own where a handler put another in its place."""
        last = getattr(sys, "last_value", None)
        return self._covered if self._covered is not None and last is self._known else last

    @property
    def state(self) -> str:
        """`on`, `off`, or `covered`: another handler took the slot, and the look after each cell remains."""
        if not self._active:
            return "off"
        return "on" if self._shell.CustomTB is self._ours else "covered"

    def install(self) -> None:
        """Takes the slot."""
        shell = self._shell
        self._earlier_types, self._earlier = shell.custom_exceptions, shell.CustomTB
        # Not by set_custom_exc: its wrapper takes the handler away when anything is raised in it, even
        # Ctrl+C or an error in IPython's own formatter, and shows the error a second time.
        shell.custom_exceptions = tuple(dict.fromkeys((*self._earlier_types, *self._wanted)))
        shell.CustomTB = self._ours
        self._active = True
        self.note()

    def remove(self) -> None:
        """Gives the slot back; under another handler that passes on to this one, only passes on itself."""
        self._active = False
        self._known = self._covered = None
        if self._shell.CustomTB is self._ours:
            self._shell.custom_exceptions, self._shell.CustomTB = self._earlier_types, self._earlier

    def note(self) -> None:
        """Takes note of the error that IPython showed last; it is called when a cell begins."""
        last = getattr(sys, "last_value", None)
        if last is not self._known:
            self._known, self._covered = last, None

    def sweep(self) -> None:
        """Looks for an error that was shown without coming by the slot; it is called when a cell ends."""
        known = self._known
        self.note()
        if self._known is not None and self._known is not known:
            self._tell(self._known)

    def _show(
        self,
        etype: type[BaseException],
        value: BaseException,
        tb: TracebackType | None,
        tb_offset: int | None = None,
    ) -> Any:
        __tracebackhide__ = True  # where IPython's own formatter fails, its traceback would show this frame
        ran = tb is None or tb.tb_frame.f_code.co_name == "run_code"
        shown: Any = None
        if issubclass(type(value), self._earlier_types):  # `isinstance` would ask for its `__class__`
            shown = self._show_earlier(etype, value, tb, tb_offset)
        elif ran:
            self._shell.showtraceback((etype, value, tb), tb_offset=tb_offset, running_compiled_code=True)
        else:
            self._show_compile_error(value)
        self.note()
        if self._known is not value:
            self._covered = value
        if ran and self._active:
            self._tell(value)
        return shown

    def _show_earlier(
        self,
        etype: type[BaseException],
        value: BaseException,
        tb: TracebackType | None,
        tb_offset: int | None,
    ) -> Any:
        shell = self._shell
        slot = shell.custom_exceptions, shell.CustomTB
        shown = self._earlier(etype, value, tb, tb_offset=tb_offset)
        if shell.CustomTB is not slot[1]:
            # It crashed and IPython emptied the slot, or it gave itself up: that concerns it alone.
            self._earlier_types, self._earlier = shell.custom_exceptions, shell.CustomTB
            shell.custom_exceptions, shell.CustomTB = slot
        return shown

    def _show_compile_error(self, value: BaseException) -> None:
        """Does what IPython does for a cell that does not compile, where no handler is asked first."""
        if issubclass(type(value), IndentationError):
            self._shell.showindentationerror()
        elif issubclass(type(value), _COMPILE_ERRORS):
            self._shell.showsyntaxerror()
        else:
            raise value

    def _tell(self, value: BaseException) -> None:
        if issubclass(type(value), self._wanted):
            self._on_error(value)

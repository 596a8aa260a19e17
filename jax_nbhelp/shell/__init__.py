"""The help in IPython: the hook, the cells that ran, and `%jaxhelp`.

This is the only part of the package that knows IPython. It is handed the shell and does not import IPython;
jax, widgets, records and rules are imported at the first JAX error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from jax_nbhelp.shell import session as sessions
from jax_nbhelp.shell.magics import JaxHelp
from jax_nbhelp.shell.session import Session
from jax_nbhelp.shell.settings import read

if TYPE_CHECKING:
    from jax_nbhelp.shell.protocol import Shell, Types
    from jax_nbhelp.shell.settings import Settings

__all__ = ["load", "unload"]

_loaded: list[tuple[Session, JaxHelp]] = []
# A reload of the extension must not end a class's mode, nor bring back what was muted.
_kept: WeakKeyDictionary[Shell, Settings] = WeakKeyDictionary()


def load(shell: Shell, errors: Types = (Exception,)) -> None:
    """Installs the help in a shell; a second time does nothing.

    Args:
      shell: the shell.
      errors: the classes of error that are looked at; ValueError and NotImplementedError always are.
    """
    if any(session.shell is shell for session, _ in _loaded):
        return
    session = Session(shell, errors, _kept.pop(shell, None) or read(shell))
    magic = JaxHelp(session)
    session.start()
    magic.add()
    _loaded.append((session, magic))
    sessions.CURRENT = session
    for complaint in session.settings.complaints:
        print(complaint)


def unload(shell: Shell) -> None:
    """Takes the help out of a shell and restores what was there before; a second time does nothing."""
    for entry in _loaded:
        session, magic = entry
        if session.shell is shell:
            session.stop()
            _kept[shell] = replace(session.settings, on=True, complaints=[])
            magic.remove()
            _loaded.remove(entry)
            break
    sessions.CURRENT = _loaded[-1][0] if _loaded else None

"""Explains JAX errors in a notebook and fixes the cell that raised them.

`%load_ext jax_nbhelp` in a notebook installs the help; `jax_nbhelp.explain(error)` gives the same
explanation as a value. Nothing but this module is loaded until the first JAX error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jax_nbhelp.help import Help

__all__ = ["__version__", "explain", "load_ipython_extension", "unload_ipython_extension"]
__version__ = "0.1.0"


def explain(error: BaseException | str) -> Help:
    """Explains a JAX error.

    Args:
      error: an exception as it was caught, or a message, or the slug of a record.

    Returns:
      The help, which displays itself in a notebook; `record`, `confidence`, `explanation`, `where`
      and `fixes` are its parts. `record` is None for an error that is not known.
    """
    from jax_nbhelp.help import explain as explain_now

    return explain_now(error)


def load_ipython_extension(shell: Any) -> None:
    """Installs the help in an IPython shell (`%load_ext jax_nbhelp`); a second time is harmless."""
    from jax_nbhelp.shell import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Takes the help away again and restores what was there before (`%unload_ext jax_nbhelp`)."""
    from jax_nbhelp.shell import unload

    unload(shell)

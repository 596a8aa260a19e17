"""What IPython leaves to be found: the source it compiled, the error it showed, the request it serves."""

from __future__ import annotations

import linecache
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

    from jax_nbhelp.shell.protocol import Shell


def source_of(filename: str) -> str | None:
    """Returns the Python source that was compiled under a file name, as it is kept for tracebacks."""
    entry = linecache.cache.get(filename)
    return "".join(entry[2]) if entry is not None and len(entry) == 4 else None


def failing_code(filename: str) -> CodeType | None:
    """Returns the code object with a file name in the error that was shown last."""
    tb = getattr(getattr(sys, "last_value", None), "__traceback__", None)
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == filename:
            return tb.tb_frame.f_code
        tb = tb.tb_next
    return None


def cell_id_of_request(shell: Shell) -> str | None:
    """Returns the front end's id of the cell that is running, where IPython was not told it."""
    try:
        metadata: Any = shell.parent_header["metadata"]
        colab: Any = metadata.get("colab")
        found: Any = metadata.get("cellId") or (colab and colab.get("cell_id"))
    except (AttributeError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None

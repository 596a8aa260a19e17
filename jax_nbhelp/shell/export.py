"""`%jaxhelp export`: the session's errors, their causes and cures, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.shell.session import Session

say = sayer("shell")


def export(session: Session, file: str) -> str:
    """Writes the errors of a session.

    Args:
      session: the session; in class mode only the steps that were opened are written.
      file: the new file, `.md` or `.ipynb`.

    Returns:
      What is to be printed: the file that was written, or why none was.
    """
    from jax_nbhelp.views.notes import markdown, notebook

    steps = session.settings.mode == "class"
    entries = session.log.entries if session.log is not None else []
    try:
        path = Path(file).expanduser()
    except RuntimeError as error:  # there is no such user
        return say("export_failed", path=file, reason=error)
    if path.suffix not in (".md", ".ipynb"):
        return say("bad_export", path=path)
    if not entries:
        return say("nothing_to_export")
    render = markdown if path.suffix == ".md" else notebook
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(render(entries, steps=steps))
    except FileExistsError:
        return say("export_exists", path=path)
    except (OSError, ValueError) as error:  # a null character in the name is a ValueError
        return say("export_failed", path=path, reason=getattr(error, "strerror", None) or error)
    return say("exported", path=path, count=len(entries))

"""`%jaxhelp new`: a record begun from the last error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jax_nbhelp.phrases import sayer

if TYPE_CHECKING:
    from jax_nbhelp.failure import Failure
    from jax_nbhelp.shell.session import Session


say = sayer("shell")


def begin(session: Session, name: str, folder: str) -> str:
    """Begins a record from the error that the session showed last.

    Args:
      session: the session.
      name: `AREA/SLUG`.
      folder: the folder of records.

    Returns:
      What is to be printed: the file that was written, or why none was.
    """
    from jax_nbhelp.catalog.draft import DraftError, draft, named, needed
    from jax_nbhelp.failure import capture
    from jax_nbhelp.help import jax_release
    from jax_nbhelp.hosts.failing import read_source
    from jax_nbhelp.shell.sniff import looks_like_jax

    error = session.hook.last_error
    if error is None:
        return say("no_error")
    failure, _ = capture(error, session.book, session.shell.user_ns)
    try:
        area, slug = named(name)
        cells = needed(_cells(session, failure))
        source, compiled = read_source(failure), looks_like_jax(error)
        begun = draft(failure, cells, area, slug, jax_release(), source, compiled=compiled)
        path = begun.write(Path(folder))
    except DraftError as fault:
        return say("not_begun", reason=fault)
    return say("begun", path=path)


def _cells(session: Session, failure: Failure) -> list[str]:
    """The cells that ran up to the one that failed."""
    ran = [
        cell.text for cell in reversed(session.book.latest()) if not cell.text.lstrip().startswith("%jaxhelp")
    ]
    failed = next(
        (f.place.cell.text for link in failure.links for f in link.frames if f.place is not None), None
    )
    return ran[: ran.index(failed) + 1] if failed in ran else ran

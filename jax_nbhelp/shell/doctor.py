"""What `%jaxhelp doctor` reports; nothing is imported to find it out."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Any

from jax_nbhelp.phrases import sayer
from jax_nbhelp.versions import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.catalog.shelf import Source
    from jax_nbhelp.shell.session import Session

say = sayer("shell")

_PACKAGES = ("jax-nbhelp", "jax", "jaxlib", "ipython", "ipykernel", "ipywidgets", "anywidget")


def report(session: Session) -> str:
    """Returns versions, the state of a session, and what went wrong in it."""
    return "\n".join(_lines(session))


def _lines(session: Session) -> Iterator[str]:
    found = {name: installed(name) or say("not_installed") for name in _PACKAGES}
    versions = [f"python {platform.python_version()}", *(f"{name} {found[name]}" for name in found)]
    yield say("versions", versions=", ".join(versions))
    yield say(f"hook_{session.hook.state}")
    if session.settings.mode != "normal":
        yield say("mode_list", mode=session.settings.mode)
    if not session.settings.values:
        yield say("values_hidden")
    if not session.settings.on:
        yield say("switched_off")
    if session.settings.muted:
        yield say("muted_list", records=", ".join(sorted(session.settings.muted)))
    yield say("front_end", name=front_end(session))
    yield from _records()
    yield say("faults", count=len(session.faults)) if session.faults else say("no_faults")
    yield from session.faults


def _records() -> Iterator[str]:
    from jax_nbhelp.catalog.shelf import all_records, sources

    try:
        catalog = all_records()
    except Exception as fault:  # noqa: BLE001 - the doctor reports what is broken
        yield say("records_failed", reason=repr(fault))
        return
    yield say("records", count=len(catalog))
    yield from (say("complaint", complaint=complaint) for complaint in catalog.complaints)
    for source in sources():
        yield from lines_of(source)


def lines_of(source: Source) -> Iterator[str]:
    """Yields what there is to say of records from elsewhere: how many, and what is wrong with them."""
    yield say(f"records_{source.origin}", name=source.name, count=len(source.records))
    yield from (say("complaint", complaint=complaint) for complaint in source.complaints)


def front_end(session: Session) -> str:
    """Guesses where the notebook is shown, as far as the kernel can see it."""
    kernel: Any = getattr(session.shell, "kernel", None)
    if kernel is None:
        return say("front_terminal")
    if not getattr(kernel, "_allow_stdin", True):
        return say("front_none")
    if "google.colab" in sys.modules:
        return say("front_colab")
    cell = session.book.outermost
    cell_id = cell.id if cell is not None else None
    if cell_id is None:
        return say("front_unnamed")
    return say("front_vscode") if cell_id.startswith("vscode-") else say("front_lab")

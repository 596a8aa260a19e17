"""The static output: the whole explanation and the first fix, readable after the kernel is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jax_nbhelp.views import html, text

if TYPE_CHECKING:
    from jax_nbhelp.help import Help


def bundle(help: Help) -> tuple[dict[str, str], dict[str, Any]]:  # noqa: A002
    """Returns the MIME bundle of a help and its metadata.

    Returns:
      The data, `text/html` and `text/plain`; and the metadata, which alone names the record, the
      confidence and the fixes for programs that read the notebook.
    """
    data = {"text/html": html.render(help), "text/plain": text.render(help)}
    facts = {
        "record": help.record,
        "confidence": help.confidence,
        "fixes": [fix.id for fix in help.fixes],
    }
    return data, {"jax_nbhelp": facts}

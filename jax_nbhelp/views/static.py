"""The static output: the whole explanation and the first fix, readable after the kernel is gone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jax_nbhelp.views import html, text
from jax_nbhelp.views.manner import AT_ONCE

if TYPE_CHECKING:
    from jax_nbhelp.help import Help
    from jax_nbhelp.views.manner import Manner


def bundle(help: Help, manner: Manner = AT_ONCE) -> tuple[dict[str, str], dict[str, Any]]:  # noqa: A002
    """Returns the MIME bundle of a help and its metadata.

    Args:
      help: what to show.
      manner: how it is shown; as text it is never folded, since nothing could open it.

    Returns:
      The data, `text/html` and `text/plain`; and the metadata, which alone names the record, the
      confidence and the fixes for programs that read the notebook.
    """
    data = {
        "text/html": html.render(help, manner),
        "text/plain": text.render(help, replace(manner, folded=False)),
    }
    facts = {
        "record": help.record,
        "confidence": help.confidence,
        "fixes": [fix.id for fix in help.fixes],
    }
    return data, {"jax_nbhelp": facts}

"""The help in a terminal: a text that fits it, in its own colours."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Final

from jax_nbhelp.views.lines import plain, printable
from jax_nbhelp.views.manner import AT_ONCE
from jax_nbhelp.views.page import WIDTH
from jax_nbhelp.views.text import compose, compose_step

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from jax_nbhelp.help import Help
    from jax_nbhelp.views.lines import Line, Segment, Style
    from jax_nbhelp.views.manner import Manner

# Of the sixteen colours only the two that a terminal's theme keeps legible on dark and light alike; what they
# say, `-`, `+` and `^` say too.
_CODES: Final[dict[Style, str]] = {
    "plain": "",
    "title": "1",
    "label": "1",
    "muted": "2",
    "mark": "1",
    "caret": "1;31",
    "gone": "31",
    "come": "32",
    "gone-word": "1;31",
    "come-word": "1;32",
}


def panel(
    help: Help,  # noqa: A002
    stream: TextIO,
    theme: str = "",
    manner: Manner = AT_ONCE,
    *,
    full: bool = False,
) -> str:
    """Returns the help as text for a stream: in colour where that is wanted, with what the stream can say.

    Args:
      help: what to show.
      stream: where it will be written.
      theme: the name of IPython's colours, e.g. `NoColor` or, since IPython 9, `nocolor`.
      manner: how it is shown.
      full: whether the longer text and the example follow.
    """
    return _told(compose(help, manner, _columns(), full=full), stream, theme)


def step_panel(help: Help, number: int, stream: TextIO, theme: str = "") -> str:  # noqa: A002
    """Returns one step of a help as text for a stream, like `panel`."""
    return _told(compose_step(help, number, _columns()), stream, theme)


def _columns() -> int:
    return min(WIDTH, shutil.get_terminal_size().columns)


def _told(lines: list[Line], stream: TextIO, theme: str) -> str:
    text = painted(lines) if wants_colour(stream, theme) else plain(lines)
    encoding = getattr(stream, "encoding", None) or "utf-8"  # a user's own stream may have none
    return text.encode(encoding, "replace").decode(encoding)


def wants_colour(stream: TextIO, theme: str = "") -> bool:
    """Whether colours are wanted: by the terminal, by IPython's theme, and by the user (https://no-color.org)."""
    refused = theme.lower() == "nocolor" or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not refused and hasattr(stream, "isatty") and stream.isatty()


def painted(lines: Iterable[Line]) -> str:
    """Returns lines as text with ANSI escape sequences."""
    return "\n".join("".join(map(_paint, line)) for line in lines)


def _paint(segment: Segment) -> str:
    text, code = printable(segment.text), _CODES[segment.style]
    return f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text

"""What the user chose, and what whoever set up the machine chose before.

A hub, a workshop or a teacher sets the environment's variables, or IPython's configuration for all users:

    c.JaxHelp.mode = "class"
    c.JaxHelp.language = "fr"
    c.JaxHelp.mute = ["some-record"]
    c.JaxHelp.on = False
    c.JaxHelp.values = False
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from jax_nbhelp import phrases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.shell.protocol import Shell

Mode = Literal["normal", "class"]
MODES: Final[tuple[Mode, ...]] = ("normal", "class")
MODE_VARIABLE: Final = "JAX_NBHELP_MODE"
VALUES_VARIABLE: Final = "JAX_NBHELP_VALUES"
SWITCH: Final = ("on", "off")
"""What is written for a setting that is one of two."""
SECTION: Final = "JaxHelp"

say = phrases.sayer("shell")


@dataclass(slots=True)
class Settings:
    """What is chosen now.

    Attributes:
      on: whether errors are helped at all.
      muted: the records whose help is not wanted.
      mode: `class` opens a help step by step: message, cause, where, hint, fix.
      values: whether a help tells types and values of the user's objects. Where it does not, these are left
        out: the list of operands and the sentences about them, the values in JAX's own check, what a hole's
        candidates read in an object, and why they fit. Names, the user's code and JAX's message stay.
      complaints: what was set up in a way that is not understood, a sentence each.
    """

    on: bool = True
    muted: set[str] = field(default_factory=set[str])
    mode: Mode = "normal"
    values: bool = True
    complaints: list[str] = field(default_factory=list[str])


def read(shell: Shell) -> Settings:
    """Returns the settings that the environment and IPython's configuration give, and chooses the language.

    Class mode holds, and values are hidden, where either of the two asks for it. For the language the
    environment comes first.
    """
    configured = _section(shell)
    settings = Settings(
        on=configured.get("on", True) is not False,
        muted={record for record in configured.get("mute", ()) if isinstance(record, str)},
    )

    def given(variable: str, trait: str, allowed: Mapping[str, str]) -> list[str]:
        """Returns what was given that is allowed, and complains of the rest."""
        values = {
            variable: os.environ.get(variable, ""),
            f"c.{SECTION}.{trait}": _written(configured.get(trait, "")),
        }
        for name, value in values.items():
            if value and value not in allowed:
                names = say("or").join(allowed)
                settings.complaints.append(say("bad_setting", name=name, value=value, allowed=names))
        return [value for value in values.values() if value in allowed]

    languages = given(phrases.VARIABLE, "language", phrases.LANGUAGES)
    phrases.choose(languages[0] if languages else None)
    if "class" in given(MODE_VARIABLE, "mode", dict.fromkeys(MODES, "")):
        settings.mode = "class"
    settings.values = "off" not in given(VALUES_VARIABLE, "values", dict.fromkeys(SWITCH, ""))
    return settings


def _written(value: object) -> str:
    """A value of IPython's configuration as it is written in the environment."""
    return SWITCH[not value] if isinstance(value, bool) else str(value)


def _section(shell: Shell) -> Mapping[str, Any]:
    config: Any = getattr(shell, "config", None)
    return config[SECTION] if config is not None and SECTION in config else {}

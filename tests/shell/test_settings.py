"""What the environment, IPython's configuration and `%jaxhelp` choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from traitlets.config import Config

from jax_nbhelp import phrases
from jax_nbhelp import shell as help_in_shell
from jax_nbhelp.shell import session as sessions
from jax_nbhelp.shell.settings import MODE_VARIABLE, VALUES_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from IPython.core.interactiveshell import InteractiveShell

    from jax_nbhelp.shell.session import Session

FAILS = "import jax, jax.numpy as jnp\njax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"


@pytest.fixture
def configured(ipython: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Config]:
    """IPython's configuration, to be filled before the help is loaded."""
    config = Config()
    monkeypatch.setattr(ipython, "config", config)
    yield config
    help_in_shell.unload(ipython)
    help_in_shell._kept.clear()
    phrases.choose(None)


def load(ipython: InteractiveShell) -> Session:
    help_in_shell.load(ipython)
    assert sessions.CURRENT is not None
    return sessions.CURRENT


def run(session: Session, line: str, capsys: pytest.CaptureFixture[str]) -> str:
    session.shell.run_line_magic("jaxhelp", line)
    return capsys.readouterr().out


def fails(session: Session, capsys: pytest.CaptureFixture[str], text: str = FAILS) -> str:
    session.shell.run_cell(text, store_history=True)
    return capsys.readouterr().out.rpartition("got inconsistent sizes")[2]


def test_a_configuration_for_all_users_sets_everything(ipython, configured: Config, capsys) -> None:
    configured.JaxHelp.mode = "class"
    configured.JaxHelp.language = "fr"
    configured.JaxHelp.mute = ["vmap-inconsistent-sizes"]
    configured.JaxHelp.on = False
    settings = load(ipython).settings
    assert (settings.mode, settings.on, settings.muted) == ("class", False, {"vmap-inconsistent-sizes"})
    assert phrases.language() == "fr"
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("configured")
def test_the_environment_sets_mode_and_language(ipython, monkeypatch, capsys) -> None:
    monkeypatch.setenv(MODE_VARIABLE, "class")
    monkeypatch.setenv(phrases.VARIABLE, "fr")
    assert load(ipython).settings.mode == "class"
    assert phrases.language() == "fr"


def test_class_mode_holds_where_either_asks_for_it(ipython, configured: Config, monkeypatch) -> None:
    configured.JaxHelp.mode = "class"
    monkeypatch.setenv(MODE_VARIABLE, "normal")
    assert load(ipython).settings.mode == "class"


def test_the_environments_language_comes_first(ipython, configured: Config, monkeypatch) -> None:
    configured.JaxHelp.language = "fr"
    monkeypatch.setenv(phrases.VARIABLE, "en")
    load(ipython)
    assert phrases.language() == "en"


def test_what_is_not_understood_is_said_once_and_left(
    ipython, configured: Config, monkeypatch, capsys
) -> None:
    configured.JaxHelp.mode = "clas"
    monkeypatch.setenv(phrases.VARIABLE, "klingon")
    assert load(ipython).settings.mode == "normal"
    assert phrases.language() == "en"
    assert capsys.readouterr().out == (
        "jax_nbhelp: JAX_NBHELP_LANGUAGE is 'klingon', which is not known; write en or fr.\n"
        "jax_nbhelp: c.JaxHelp.mode is 'clas', which is not known; write normal or class.\n"
    )


@pytest.mark.usefixtures("configured")
def test_class_mode_outlives_a_reload_and_other_commands(ipython, capsys) -> None:
    session = load(ipython)
    assert "step by step" in run(session, "mode class", capsys)
    for line in (
        "on",
        "off",
        "on",
        "mute vmap-inconsistent-sizes",
        "unmute vmap-inconsistent-sizes",
        "language en",
    ):
        run(session, line, capsys)
    ipython.run_line_magic("reload_ext", "jax_nbhelp")
    session = sessions.CURRENT
    assert session is not None
    assert session.settings.mode == "class"
    assert "mode: class" in run(session, "doctor", capsys)
    assert "shown at once" in run(session, "mode normal", capsys)
    assert "shown at once" in run(session, "mode", capsys)
    assert session.settings.mode == "normal"


def test_modes_and_languages_that_do_not_exist_are_told(session: Session, capsys) -> None:
    assert run(session, "mode clas", capsys) == "There is no mode `clas`; write normal or class.\n"
    assert run(session, "language xx", capsys) == "There is no language `xx`; write en, fr.\n"
    assert run(session, "language", capsys) == "Language: en. There are en, fr.\n"


def test_in_class_mode_next_opens_a_step_at_a_time(session: Session, capsys) -> None:
    assert run(session, "next", capsys) == "There was no JAX error with help yet.\n"
    run(session, "mode class", capsys)
    shown = fails(session, capsys)
    assert "walks over one axis" not in shown
    assert shown.rstrip().endswith("Next: Cause. %jaxhelp next opens it.")
    assert "The fix is the last step" in run(session, "fix", capsys)
    cause = run(session, "next", capsys)
    assert "the mapped axes differ in length" in cause
    assert "vmap(jnp.add)" not in cause
    assert "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))" in run(session, "next", capsys)
    hint = run(session, "next", capsys)
    assert "What to do" in hint
    assert "in_axes=(" not in hint
    assert "Fix: " in run(session, "next", capsys)
    assert "All its steps are open" in run(session, "next", capsys)


def test_without_class_mode_every_step_is_open(session: Session, capsys) -> None:
    assert "Fix: " in fails(session, capsys)
    assert "All its steps are open" in run(session, "next", capsys)


def test_the_same_error_again_is_one_line(session: Session, capsys) -> None:
    assert "Fix: " in fails(session, capsys)
    again = fails(session, capsys)
    assert "The same error as before: vmap: the mapped axes differ in length." in again
    assert "Fix: " not in again
    assert "Fix: " in run(session, "", capsys)
    assert "Fix: " in fails(session, capsys, FAILS.replace("ones(3)", "ones(4)"))
    assert "Fix: " in fails(session, capsys, f"{FAILS}  # changed")


def test_in_class_mode_the_line_gives_nothing_away(session: Session, capsys) -> None:
    run(session, "mode class", capsys)
    fails(session, capsys)
    assert "The same error as before. %jaxhelp shows its help again." in fails(session, capsys)


@pytest.mark.parametrize(
    ("configuration", "environment", "told"),
    [(None, None, True), (False, None, False), ("off", None, False), (None, "off", False), (True, "off", False), (False, "on", False), (True, "on", True)],
)  # fmt: skip
def test_values_are_hidden_where_either_asks_for_it(
    configuration, environment, told, ipython, configured: Config, monkeypatch, capsys
) -> None:
    if configuration is not None:
        configured.JaxHelp.values = configuration
    if environment is not None:
        monkeypatch.setenv(VALUES_VARIABLE, environment)
    assert load(ipython).settings.values is told
    assert capsys.readouterr().out == ""


def test_values_are_hidden_by_command_and_stay_so_after_a_reload(session: Session, capsys) -> None:
    operands = "a, b = jnp.ones((7919, 2)), jnp.ones(3)\njnp.dot(a, b)"
    cell = f"import jax, jax.numpy as jnp\n{operands}"
    session.shell.run_cell(cell)
    assert "float32[7919, 2]" in capsys.readouterr().out
    assert "tell no types and values" in run(session, "values off", capsys)
    session.shell.run_cell(f"{cell}  # again")
    assert "float32[7919, 2]" not in capsys.readouterr().out
    assert "types and values of your objects: hidden" in run(session, "doctor", capsys)
    help_in_shell.unload(session.shell)
    session = load(session.shell)
    assert "tell no types and values" in run(session, "values", capsys)
    assert "write on or off" in run(session, "values none", capsys)
    assert "Helps tell types and values" in run(session, "values on", capsys)
    assert session.settings.values

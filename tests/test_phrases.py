"""The catalogue of phrases: every one is used, and every language says them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jax_nbhelp
from jax_nbhelp import phrases
from jax_nbhelp.phrases.english import PHRASES

PACKAGE = Path(jax_nbhelp.__file__).parent
SOURCES = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
# Said by a name that is worked out: a fix's level and needs, a state, where records come from.
WORKED_OUT = re.compile(
    r"hook_|front_|step_|records_(?!failed)|(machine-applicable|maybe-incorrect|has-placeholders|display-only)$"
    r"|(none|rerun-cells|restart-kernel)$"
)


def sources(group: str) -> str:
    """Returns the text of the modules that speak for a group."""
    found = [text for text in SOURCES.values() if f'sayer("{group}")' in text]
    assert found, group
    return "".join(found)


@pytest.fixture
def english():
    phrases.choose(None)
    yield
    phrases.choose(None)


@pytest.mark.parametrize("group", sorted(set(PHRASES) - {"widget"}))
def test_every_phrase_is_used_and_known(group: str) -> None:
    text = sources(group)
    for name in PHRASES[group]:
        assert WORKED_OUT.match(name) or re.search(f"[\"']{name}[\"']", text), f"{name} is not used"
    assert set(re.findall(r"\bsay\(\s*[\"']([a-z_]+)[\"']", text)) <= set(PHRASES[group])


def holes(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w+)\}", text)))


def commands(text: str) -> list[str]:
    return sorted(set(re.findall(r"%jaxhelp(?: [a-z]+)?", text)))


@pytest.mark.parametrize("code", sorted(phrases.LANGUAGES))
@pytest.mark.usefixtures("english")
def test_every_language_says_every_phrase_with_the_same_values_and_commands(code: str) -> None:
    phrases.choose(code)
    for group, table in PHRASES.items():
        translated = phrases.phrases(group)
        assert list(translated) == list(table), group
        for name, text in table.items():
            assert holes(translated[name]) == holes(text), (group, name)
            assert commands(translated[name]) == commands(text), (group, name)
            assert (translated[name] == "") == (text == ""), (group, name)


@pytest.mark.usefixtures("english")
def test_the_language_is_chosen_by_code_or_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert phrases.language() == "en"
    monkeypatch.setenv(phrases.VARIABLE, "fr")
    assert phrases.language() == "fr"
    phrases.choose("en")
    assert phrases.language() == "en"
    phrases.choose(None)
    monkeypatch.setenv(phrases.VARIABLE, "english please")
    assert phrases.language() == "en"
    with pytest.raises(ValueError, match="'xx' is none of the languages en, fr"):
        phrases.choose("xx")

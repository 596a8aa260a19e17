"""The catalogue of phrases: every one is used, and every language says them all."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import jax_nbhelp
from jax_nbhelp import phrases
from jax_nbhelp.phrases.english import PHRASES
from jax_nbhelp.phrases.french import PHRASES as FRENCH

PACKAGE = Path(jax_nbhelp.__file__).parent
SOURCES = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
# Said by a name that is worked out: a fix's level and needs, a state, where records come from.
WORKED_OUT = re.compile(
    r"hook_|front_|step_|records_(?!failed)|(machine-applicable|maybe-incorrect|has-placeholders|display-only)$"
    r"|(none|rerun-cells|restart-kernel)$"
)


RECORDS = Path(__file__).parents[1] / "records"
CODE = re.compile(r"`[^`]*`")
BREAKABLE = re.compile(r" [:;?!»](?!\w)|« ")  # only a no-break space may stand there
SAYERS = re.compile(r"^(\w+) = (?:phrases\.)?sayer\(\"(\w+)\"\)$", re.MULTILINE)


def speakers(group: str) -> list[tuple[str, str]]:
    """Returns the text of each module that speaks for a group, and the name of the function that says it."""
    found = [
        (text, name) for text in SOURCES.values() for name, said in SAYERS.findall(text) if said == group
    ]
    assert found, group
    return found


@pytest.fixture
def english():
    phrases.choose(None)
    yield
    phrases.choose(None)


@pytest.mark.parametrize("group", sorted(set(PHRASES) - {"widget"}))
def test_every_phrase_is_used_and_known(group: str) -> None:
    text = "".join(text for text, _ in speakers(group))
    for name in PHRASES[group]:
        assert WORKED_OUT.match(name) or re.search(f"[\"']{name}[\"']", text), f"{name} is not used"
    for text, say in speakers(group):
        assert set(re.findall(rf"\b{say}\(\s*[\"']([a-z_]+)[\"']", text)) <= set(PHRASES[group])


def test_every_sayer_is_found_by_these_tests() -> None:
    for path, text in SOURCES.items():
        assert len(SAYERS.findall(text)) == text.count('sayer("'), path


def reasons(text: str) -> list[ast.expr]:
    """Returns the expressions that a module gives as a reason, or as the words of a refusal."""
    found: list[ast.expr] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found += {"Candidate": node.args[1:], "HoleError": node.args}.get(name, [])
            found += [one.value for one in node.keywords if one.arg == "reason"]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("reason", "why"):
            found.append(node.value)
    return found


def literals(node: ast.AST) -> list[str]:
    """Returns the words that stand in an expression itself, not in what it calls."""
    if isinstance(node, ast.Call):
        return []
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and node.value):
        return [ast.unparse(node)]
    return [word for child in ast.iter_child_nodes(node) for word in literals(child)]


def test_reasons_and_refusals_come_from_the_catalogue() -> None:
    given = {path: reasons(text) for path, text in SOURCES.items() if path.parent.name in ("fixes", "hosts")}
    assert sum(map(len, given.values())) > 50
    for path, expressions in given.items():
        assert [word for one in expressions for word in literals(one)] == [], path


def holes(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w+)\}", text)))


def commands(text: str) -> list[str]:
    said = re.findall(
        r"%jaxhelp(?: (?:fix|next|explain|on|off|mute|unmute|mode|language|records|export|new|doctor)\b)?",
        text,
    )
    return sorted(set(said))


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


def texts(words: object) -> list[str]:
    """Returns every text in the values of a table."""
    if isinstance(words, str):
        return [words]
    inside = words.values() if isinstance(words, dict) else words if isinstance(words, list) else []
    return [text for one in inside for text in texts(one)]


def test_french_punctuation_never_begins_a_line() -> None:
    said = texts(FRENCH)
    for path in RECORDS.glob("*/*.toml"):
        said += texts(tomllib.loads(path.read_text(encoding="utf-8")).get("translations", {}).get("fr", {}))
    assert len(said) > sum(map(len, FRENCH.values()))
    assert [text for text in said if BREAKABLE.search(CODE.sub("``", text))] == []


def test_the_usage_fits_a_terminal_in_french() -> None:
    assert max(map(len, FRENCH["shell"]["usage"].split("\n"))) <= 80


@pytest.mark.usefixtures("english")
def test_what_becomes_part_of_a_text_is_in_its_language() -> None:
    say = phrases.sayer("view")
    phrases.choose("fr")
    with phrases.speaking("en"):
        assert say("fix") == "Fix"
        with phrases.speaking("fr"):
            assert say("fix") == "Correction"
        assert say("fix") == "Fix"
    assert say("fix") == "Correction"


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

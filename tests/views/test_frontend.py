from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

import jax_nbhelp
from jax_nbhelp.phrases.english import PHRASES
from jax_nbhelp.views.widget import SCRIPT

# The builder is a tool of the checkout: a wheel carries what it built.
_BUILDER = runpy.run_path(str(Path(__file__).parents[2] / "jax_nbhelp" / "views" / "frontend" / "build.py"))
PREBUILT, SOURCE, differences = _BUILDER["PREBUILT"], _BUILDER["SOURCE"], _BUILDER["differences"]
FRONTEND = Path(jax_nbhelp.__file__).parent / "views" / "frontend"
SCRIPTS = sorted(FRONTEND.glob("*.js"))
BUILT = [file for file in PREBUILT.rglob("*") if file.is_file()]


def test_every_phrase_of_the_widget_is_used_and_known():
    text = "".join(file.read_text() for file in SCRIPTS)
    known = set(PHRASES["widget"])
    assert known <= {name for found in re.findall(r"'(\w+)'|phrases\.(\w+)", text) for name in found}
    assert set(re.findall(r"(?:say|tell)\('(\w+)'", text)) <= known


def test_the_script_is_one_module():
    assert re.findall(r"^(?:import|export)\b.*", SCRIPT, flags=re.MULTILINE) == ["export default { render };"]


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_texts_never_become_markup(file: Path):
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", file.read_text())


def test_the_extension_has_the_packages_version_and_exact_dependencies():
    package = json.loads((SOURCE / "package.json").read_text())
    assert package["version"] == jax_nbhelp.__version__
    exact = {**package["devDependencies"], **package["overrides"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in exact.values())


@pytest.mark.parametrize("file", BUILT, ids=lambda file: file.name)
def test_the_build_names_no_folder_and_no_registry(file: Path):
    text = file.read_text()
    assert not re.search(r"registry|/(?:home|root|tmp|Users|work|usr)/", text)
    assert not re.search(r"https?://\w", text)


def test_the_build_is_what_its_package_names():
    built = json.loads((PREBUILT / "package.json").read_text())["jupyterlab"]["_build"]
    assert (PREBUILT / built["load"]).is_file()
    assert json.loads((PREBUILT / "install.json").read_text())["packageName"] == "jax-nbhelp"


def test_two_builds_are_compared_file_by_file(tmp_path: Path):
    for name, text in (("one", "a"), ("two", "b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.js").write_text("same")
        (tmp_path / name / "other.js").write_text(text)
        (tmp_path / name / f"{name}.js").write_text("")
    assert differences(tmp_path / "one", tmp_path / "two") == ["one.js", "other.js", "two.js"]

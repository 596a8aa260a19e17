"""Records from elsewhere: folders of the environment's, of a session's, and what installed libraries ship."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import jax_nbhelp
from jax_nbhelp.catalog import index, shelf
from jax_nbhelp.failure import capture

pytestmark = pytest.mark.usefixtures("fresh_shelf")

RECORD = """
id = "0123456789abcdef"
slug = "{slug}"
area = "mine"
title = "What happens at our place"
reviewed = true
proof = "run"
cause = "Our rule is this."
[[occurrences]]
template = "{template}"
file = "{file}"
qualname = "f"
"""
FIX = """
[[fixes]]
id = "cure"
title = "Cure it"
applicability = "machine-applicable"
alternatives = [{{ edits = [{{ at = "failing", match = "f($X)", rewrite = "{rewrite}" }}] }}]
"""
WORDS = "the frobnicator of {name} is upside down"
SAID = "the frobnicator of x is upside down"


def folder(path, slug="ours", template=WORDS, file="applib/core.py", more=""):
    path.mkdir(parents=True, exist_ok=True)
    (path / f"{slug}.toml").write_text(RECORD.format(slug=slug, template=template, file=file) + more)
    return path


def library(path, name, value, **files):
    """An installed distribution that brings records by an entry point."""
    info = path / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{shelf.GROUP}]\n{name} = {value}\n")
    for file, text in files.items():
        target = path / f"{file.replace('__in_', '/')}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def test_without_sources_there_are_the_packages_own_records_alone():
    assert shelf.all_records() is index.installed()
    assert shelf.libraries() == frozenset()


def test_the_folders_of_the_environment_are_read(tmp_path, monkeypatch):
    one, two = (
        folder(tmp_path / "one", "first"),
        folder(tmp_path / "two", "second", "something else is {how}"),
    )
    monkeypatch.setenv(shelf.VARIABLE, f"{one}{os.pathsep}{two}{os.pathsep}")
    assert jax_nbhelp.explain(SAID).record == "first"
    assert jax_nbhelp.explain("something else is wrong").record == "second"
    assert jax_nbhelp.explain("vmap-rank").record == "vmap-rank"
    assert shelf.libraries() == {"applib"}


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("applib_records", {}),
        ("applib_records.inner", {}),
        ("applib_module", {"applib_records__in_x": "", "applib_module": "raise RuntimeError('it was imported')"}),
        ("applib_module:place", {"applib_module": "import pathlib\ndef place(): return pathlib.Path(__file__).parent"}),
        ("applib_module:place", {"applib_module": "def place(): return __file__.replace('applib_module.py', 'applib_records')"}),
    ],
)  # fmt: skip
def test_a_library_brings_its_records(tmp_path, monkeypatch, value, files):
    folder(tmp_path / "applib_records" / "inner")
    (tmp_path / "applib_records" / "__init__.py").write_text("raise RuntimeError('it was imported')")
    library(tmp_path, "applib", value, **files)
    monkeypatch.syspath_prepend(tmp_path)
    (source,) = shelf.sources()
    assert (source.origin, source.name) == ("library", "applib")
    assert [record.slug for record in source.records] == ["ours"], source.complaints
    assert jax_nbhelp.explain(SAID).record == "ours"
    sys.modules.pop("applib_module", None)


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("no_such_module", {}),
        ("no_such.module", {}),
        ("applib_bad:place", {"applib_bad": "def place(): raise KeyError('broken')"}),
        ("applib_bad:place", {"applib_bad": "place = 3"}),
        ("applib_bad:none", {"applib_bad": ""}),
        ("applib_bad:place", {"applib_bad": "def place(): return '/no/such/folder'"}),
        ("applib_bad:place", {"applib_bad": "raise SystemError"}),
    ],
)
def test_a_library_that_fails_is_a_complaint_and_breaks_nothing(tmp_path, monkeypatch, value, files):
    library(tmp_path, "applib", value, **files)
    monkeypatch.syspath_prepend(tmp_path)
    (source,) = shelf.sources()
    assert source.records == ()
    assert len(source.complaints) == 1
    assert shelf.all_records() is index.installed()
    assert jax_nbhelp.explain("vmap-rank").record == "vmap-rank"
    sys.modules.pop("applib_bad", None)


def test_what_is_wrong_in_a_folder_is_named_and_the_rest_is_used(tmp_path):
    place = folder(tmp_path / "r")
    (place / "broken.toml").write_text("id = ")
    (place / "field.toml").write_text(RECORD.format(slug="field", template=WORDS, file="") + "wrong = 1\n")
    folder(place, "brace", "a lone { brace in our words")
    folder(place, "short", "{a} is {b}", file="")
    source = shelf.add(place)
    assert [record.slug for record in source.records] == ["ours"]
    complaints = "\n".join(source.complaints)
    for text in (
        "broken.toml: is not TOML",
        "occurrences[0].wrong: is not a field here",
        "brace.toml: occurrences[0].template",
    ):
        assert text in complaints
    assert "ours.toml: id: write" in complaints
    assert all(complaint.startswith(str(place)) for complaint in source.complaints)
    assert jax_nbhelp.explain(SAID).record == "ours"


def test_a_folder_that_is_not_there_is_named(tmp_path):
    assert shelf.add(tmp_path / "none").complaints == (
        f"{tmp_path / 'none'}: there is no such folder; name one that holds records",
    )


def test_a_slug_that_another_record_has_gives_way(tmp_path):
    shelf.add(folder(tmp_path / "one", "vmap-rank"))
    shelf.add(folder(tmp_path / "two", "ours"))
    shelf.add(folder(tmp_path / "three", "ours", "another wording of ours {x}"))
    catalog = shelf.all_records()
    assert catalog.record("vmap-rank").area == "vmap"
    assert catalog.record("ours").occurrences[0].template == WORDS
    assert sum("slug: another record has it" in one for one in catalog.complaints) == 2


def test_a_folder_added_again_is_read_anew(tmp_path):
    shelf.add(folder(tmp_path / "r"))
    assert jax_nbhelp.explain(SAID).record == "ours"
    folder(tmp_path / "r", template="the new wording of {name}")
    shelf.add(tmp_path / "r")
    assert len(shelf.sources()) == 1
    assert jax_nbhelp.explain(SAID).record is None
    assert jax_nbhelp.explain("the new wording of x").record == "ours"


@pytest.mark.parametrize(
    ("template", "wins"),
    [
        ("Incompatible shapes for broadcasting: shapes=[{shapes}]", False),
        ("Incompatible shapes {all}", False),
        ("Incompatible shapes for broadcasting: shapes=[(2, 2), {other}]", True),
    ],
)
def test_a_record_from_elsewhere_wins_by_a_better_match_only(tmp_path, notebook, template, wins):
    shelf.add(folder(tmp_path / "r", "zzz-ours", template, "jax/_src/lax/lax.py"))
    cells = ["import jax.numpy as jnp", "jnp.broadcast_shapes((2, 2), (3,))"]
    _, found, _ = notebook(*cells)
    assert found.record == ("zzz-ours" if wins else "incompatible-shapes-for-broadcasting")
    text = "Incompatible shapes for broadcasting: shapes=[(2, 2), (3,)]"
    assert (jax_nbhelp.explain(text).record == "zzz-ours") == wins


def test_a_fix_from_elsewhere_never_claims_to_keep_the_meaning(tmp_path):
    (record,) = shelf.add(folder(tmp_path / "r", more=FIX.format(rewrite="jax.numpy.sum($X)"))).records
    (rule,) = record.fixes
    assert rule.applicability == "maybe-incorrect"
    assert "check that" in rule.why


def test_a_fix_that_may_not_be_offered_is_left_out(tmp_path):
    source = shelf.add(folder(tmp_path / "r", more=FIX.format(rewrite="exec($X)")))
    assert source.records[0].fixes == ()
    assert any("fixes[0]" in complaint for complaint in source.complaints)


def test_what_a_library_raises_is_explained_wherever_it_is_installed(tmp_path, monkeypatch, notebook):
    (tmp_path / "applib").mkdir()
    (tmp_path / "applib" / "__init__.py").write_text("from applib.core import f")
    (tmp_path / "applib" / "core.py").write_text(f"def f(x):\n    raise ValueError({SAID!r})")
    monkeypatch.syspath_prepend(tmp_path)
    cells = ["import applib", "applib.f(1)"]
    _, found, _ = notebook(*cells)
    assert found is None
    shelf.add(folder(tmp_path / "r", more="needs_frame = true\n"))
    error, found, shell = notebook(*cells)
    assert (found.record, found.confidence) == ("ours", "exact")
    failure, _ = capture(error, shell.book)
    assert (failure.links[0].owner, failure.links[0].raising.file) == ("library", "applib/core.py")
    _, found, _ = notebook(f"raise ValueError({SAID!r})")  # the same words are the user's own here
    assert found is None
    sys.modules.pop("applib.core", None)
    sys.modules.pop("applib", None)


LAZY = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jax_nbhelp")
shell.run_cell("{}['mine']")
shell.run_cell("import json; json.loads('x')")
assert "jax_nbhelp.catalog.shelf" not in sys.modules
shell.run_cell("import applib")
shell.run_cell("applib.f(1)")
assert "jax_nbhelp.catalog.shelf" in sys.modules
"""


def test_nothing_is_read_before_an_error_of_a_library(tmp_path):
    (tmp_path / "applib.py").write_text(f"def f(x):\n    raise ValueError({SAID!r})")
    records = folder(tmp_path / "r", file="applib.py")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    env = {**os.environ, shelf.VARIABLE: str(records), "PYTHONPATH": path, "IPYTHONDIR": str(tmp_path / "i")}
    ran = subprocess.run([sys.executable, "-c", LAZY], env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("What happens at our place") == 1


def test_the_command_uses_the_environment(tmp_path):
    folder(tmp_path / "r")
    command = [sys.executable, "-m", "jax_nbhelp", "explain", SAID]
    env = {**os.environ, shelf.VARIABLE: "r"}
    ran = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, "What happens at our place" in ran.stdout) == (0, True)


@pytest.mark.kernel
def test_a_notebook_file_is_checked_with_them(tmp_path):
    import nbformat

    records = folder(tmp_path / "r", file="applib.py")
    inner = tmp_path / "notebooks"
    inner.mkdir()
    (inner / "applib.py").write_text(f"def f(x):\n    raise ValueError({SAID!r})")
    cells = [nbformat.v4.new_code_cell("import applib\napplib.f(1)")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), inner / "n.ipynb")
    env = {**os.environ, shelf.VARIABLE: records.name}
    command = [sys.executable, "-m", "jax_nbhelp", "check", "notebooks/n.ipynb"]
    ran = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "Our rule is this." in ran.stdout

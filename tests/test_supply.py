"""What is built and installed: source and wheel, an environment without JAX, the oldest versions, licences."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DIRECT = re.findall(r'^  "([a-z]+)>=([\d.]+)",  ?# |^  "([a-z]+)>=([\d.]+)", +#', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)  # fmt: skip
MINIMA = {name or other: version or oldest for name, version, other, oldest in DIRECT}
LICENCES = {"BSD 3-Clause License": "BSD-3-Clause"}  # as some packages write it


def run(*command: object, **options: object) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=600, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def uv() -> str:
    found = shutil.which("uv", path=os.pathsep.join([str(Path(sys.prefix, "bin")), os.environ["PATH"]]))
    assert found, "uv is missing: pip install uv"
    return found


def test_every_dependency_has_a_minimum() -> None:
    wanted = {"anywidget", "ipython", "ipywidgets", "jax", "nbclient", "nbformat", "packaging", "tqdm"}
    assert set(MINIMA) == wanted


def test_the_licences_of_the_dependencies_are_listed() -> None:
    rows = dict(
        re.findall(r"^\| ([\w-]+) \| (.+) \|$", (ROOT / "docs" / "licences.md").read_text(), re.MULTILINE)
    )
    rows.pop("package")
    said = {}
    for name in MINIMA:
        metadata = importlib.metadata.metadata(name)
        text = (metadata.get("License-Expression") or metadata.get("License") or "").partition("\n")[0]
        if not text or text.startswith("Copyright"):
            text = next(
                one for one in metadata.get_all("Classifier") if one.startswith("License")
            ).rpartition(":: ")[2]
        said[name] = LICENCES.get(text, text)
    assert set(rows) == set(MINIMA)
    for name, text in said.items():  # releases word it differently: the family must be the same
        assert text.partition("-")[0].split()[0] in rows[name], (name, text)


def test_no_code_of_others_is_in_the_prebuilt_extension() -> None:
    static = ROOT / "jax_nbhelp" / "views" / "frontend" / "prebuilt" / "static"
    assert json.loads((static / "third-party-licenses.json").read_text()) == {"packages": []}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that is built from it and not from the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.mark.once
def test_the_source_distribution_builds_the_wheel(built: Path) -> None:
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "NOTICE", "records/vmap/vmap-rank.toml", "jax_nbhelp/__init__.py"} <= names
    assert not [name for name in names if "node_modules" in name or name.startswith((".git/", "build/"))]
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"jax_nbhelp/_data/index.jsonl", "jax_nbhelp/views/frontend/widget.js"} <= names
    assert any(name.endswith("/licenses/NOTICE") for name in names)


WITHOUT_JAX = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jax_nbhelp")
shell.run_cell("import jax")
shell.run_cell("raise ValueError('mine')")
shell.run_line_magic("jaxhelp", "")
shell.run_line_magic("jaxhelp", "doctor")
import jax_nbhelp
print(jax_nbhelp.explain("vmap-rank").explanation.title)
assert "jax" not in sys.modules
"""


@pytest.mark.registry
@pytest.mark.once
def test_in_an_environment_without_jax_it_loads_and_stays_quiet(built: Path, tmp_path: Path) -> None:
    python = tmp_path / "env" / "bin" / "python"
    run(uv(), "venv", "-q", "--python", sys.executable, tmp_path / "env")
    run(uv(), "pip", "install", "-q", "--python", python, "ipython", "packaging")
    run(uv(), "pip", "install", "-q", "--python", python, "--no-deps", *built.glob("*.whl"))
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    told = run(python, "-c", WITHOUT_JAX, cwd=tmp_path, env=env)
    assert "No module named 'jax'" in told
    assert "There was no JAX error with help yet." in told
    assert "jax not installed" in told
    assert "faults: none" in told
    assert told.splitlines()[-1].startswith("vmap"), told


@pytest.mark.registry
@pytest.mark.once
def test_pip_installs_the_wheel_into_an_empty_environment(built: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", *built.glob("*.whl"))
    run(python, "-m", "pip", "check")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    fails = "import jax, jax.numpy as jnp\n%load_ext jax_nbhelp\njnp.ones(3) + jnp.ones(4)\n"
    done = subprocess.run(
        [python, "-m", "IPython", "--no-banner", "--colors=NoColor"], input=fails, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=env, check=True,
    )  # fmt: skip
    assert "incompatible shapes" in done.stdout
    assert "Fix" in done.stdout


@pytest.mark.registry
def test_the_minimum_versions_go_together(tmp_path: Path) -> None:
    command = [uv(), "pip", "compile", "-q", "--no-annotate", "--no-header", "--resolution", "lowest-direct"]
    told = run(
        *command, "--python-version", "3.11", "--no-python-downloads", ROOT / "pyproject.toml", cwd=tmp_path
    )
    found = dict(line.split("==") for line in told.splitlines() if "==" in line)
    wrong = {name: found[name] for name, version in MINIMA.items() if not is_release(found[name], version)}
    assert wrong == {}


def is_release(found: str, minimum: str) -> bool:
    """Whether a version is one of the release that a minimum names: the first files of 5.1 were withdrawn."""
    parts = [int(part) for part in minimum.split(".")]
    return [int(part) for part in found.split(".")][: len(parts)] == parts

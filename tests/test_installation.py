"""What installing the wheel does to Colab's TPU runtime: nothing that is there may change."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PINS = Path(__file__).parent / "data" / "colab-tpu.txt"
OLDEST = Path(__file__).parent / "env" / "oldest.txt"
NAME = "jax_nbhelp-0-py3-none-any.whl"
# Colab's IPython asks for jedi and Colab leaves it out, so that each installation that needs IPython brings it.
ADDED = {"jax-nbhelp", "jedi"}


@pytest.fixture
def metadata() -> str:
    """What the installed distribution says of itself."""
    return importlib.metadata.metadata("jax-nbhelp").as_string()


def versions(text: str) -> dict[str, str]:
    lines = (line.partition("==") for line in text.splitlines() if "==" in line)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, _, version in lines}


def install(folder: Path, metadata: str) -> subprocess.CompletedProcess[str]:
    """Works out what an installer would install for a wheel with this metadata where Colab's pins must stay."""
    metadata = re.sub(r"^Version: .*", "Version: 0", metadata, count=1, flags=re.MULTILINE)
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        wheel.writestr("jax_nbhelp-0.dist-info/METADATA", metadata)
        wheel.writestr(
            "jax_nbhelp-0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("jax_nbhelp-0.dist-info/RECORD", "")
    (folder / "wanted.txt").write_text(f"jax-nbhelp @ {(folder / NAME).as_uri()}\n")
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.prefix, "bin")), os.environ["PATH"]]))
    assert uv, "uv is missing: pip install uv"
    command = [uv, "pip", "compile", "wanted.txt", "--constraint", PINS, "--no-annotate", "--no-header"]
    command += ["--python-version", "3.13", "--python-platform", "linux", "--no-python-downloads"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def names(done: subprocess.CompletedProcess[str]) -> set[str]:
    return {re.split("==| @ ", line)[0] for line in done.stdout.splitlines()}


@pytest.mark.registry
def test_the_wheel_fits_beside_colabs_packages_and_brings_only_jedi(metadata: str, tmp_path: Path) -> None:
    done = install(tmp_path, metadata)
    assert done.returncode == 0, done.stderr
    assert names(done) == set(versions(PINS.read_text())) | ADDED


@pytest.mark.registry
@pytest.mark.parametrize("wanted", ["jax>=0.8", "ipywidgets>=8", "traitlets>=5.8"])
def test_a_dependency_that_would_change_one_is_found(wanted: str, metadata: str, tmp_path: Path) -> None:
    done = install(
        tmp_path, metadata.replace("Requires-Dist: ", f"Requires-Dist: {wanted}\nRequires-Dist: ", 1)
    )
    assert done.returncode != 0
    assert wanted in done.stderr


def test_the_oldest_environment_has_colabs_versions() -> None:
    colab, oldest = versions(PINS.read_text()), versions(OLDEST.read_text())
    assert {name: version for name, version in oldest.items() if colab.get(name, version) != version} == {}
    assert set(colab) <= set(oldest)

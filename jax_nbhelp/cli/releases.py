"""The virtual environments of several releases of JAX, and `records check` run in each of them."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jax_nbhelp.catalog.record import Record


class UnusableEnvironmentError(RuntimeError):
    """An environment that cannot be made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment with one release of JAX.

    Attributes:
      release: JAX's version.
      python: its interpreter.
    """

    release: str
    python: Path


def prepare(releases: Sequence[str], folder: Path, pins: Path) -> list[Environment]:
    """Makes the environments that are not there yet, side by side.

    Args:
      releases: versions of JAX.
      folder: where the environments stand; one with the right release is used again.
      pins: a folder of requirements files; the one that pins a release names its environment and its Python.

    Raises:
      UnusableEnvironmentError: a Python is missing, or an installation fails.
    """
    with ThreadPoolExecutor(len(releases) or 1) as pool:
        return list(pool.map(functools.partial(_prepared, folder, pins), releases))


def _prepared(folder: Path, pins: Path, release: str) -> Environment:
    file = next((one for one in sorted(pins.glob("*.txt")) if f"\njax=={release}\n" in one.read_text()), None)
    place = folder / (file.stem if file else f"jax-{release}")
    python = place / "bin" / "python"
    if _installed(python) == release:
        return Environment(release, python)
    minor = re.search(r"Python (\d+\.\d+)", file.read_text()) if file else None
    base = find_python(minor[1]) if minor else Path(sys.executable)
    wanted = ["-r", str(file)] if file else [f"jax=={release}", f"jaxlib=={release}", "ipython", "packaging"]
    shutil.rmtree(place, ignore_errors=True)
    _run([str(base), "-m", "venv", str(place)])
    _run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted])
    if _installed(python) != release:
        raise UnusableEnvironmentError(
            f"{place}: holds JAX {_installed(python) or 'not at all'}, not {release}"
        )
    return Environment(release, python)


def _installed(python: Path) -> str:
    """The version of JAX that an interpreter has; empty where it has none."""
    if not python.exists():
        return ""
    code = "import importlib.metadata as m; print(m.version('jax'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise UnusableEnvironmentError(f"`{' '.join(command)}` failed: {' '.join(lines)}")


def find_python(minor: str) -> Path:
    """Returns an interpreter of a Python such as `3.13`, from the path or from pyenv.

    Raises:
      UnusableEnvironmentError: there is none.
    """
    names = [shutil.which(f"python{minor}")]
    names += [str(one) for one in sorted(Path.home().glob(f".pyenv/versions/{minor}*/bin/python"))]
    for name in (one for one in names if one):
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([name, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
        if done.stdout.strip() == minor:
            return Path(name)
    raise UnusableEnvironmentError(
        f"Python {minor} is missing: install it (Debian: apt-get install python{minor}-venv)"
    )


def check(
    environment: Environment,
    records: Sequence[Record],
    folder: Path,
    jobs: int,
    started: Callable[[subprocess.Popen[str]], None],
) -> Iterator[dict[str, str]]:
    """Proves records with the JAX of an environment and yields each example's verdict.

    Args:
      environment: the environment; this very package is put on its path.
      records: the records to prove.
      folder: the folder of all records.
      jobs: how many examples run at a time.
      started: is told the process, to end it if the command is stopped.

    Raises:
      UnusableEnvironmentError: the run broke off.
    """
    command = [str(environment.python), "-m", "jax_nbhelp", "records", "check", "--json"]
    command += ["--folder", str(folder.resolve()), "--jobs", str(jobs), *(one.slug for one in records)]
    root = str(Path(__file__).resolve().parents[2])
    env = os.environ | {"PYTHONPATH": root, "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}
    with subprocess.Popen(  # noqa: S603
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        started(process)
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield json.loads(line)
        complaint = process.stderr.read()
    if process.returncode not in (0, 1):
        last = complaint.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        raise UnusableEnvironmentError(f"JAX {environment.release}: the run broke off: {last[0]}")

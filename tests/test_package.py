"""The package as a whole: its doctests, its public surface, and that the wheel is what is tested."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import jax_nbhelp

# Modules that need what only a build or a browser's front end has.
_NOT_IMPORTED = {"jax_nbhelp.__main__", "jax_nbhelp.catalog.build_hook", "jax_nbhelp.views.frontend.build"}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(jax_nbhelp.__path__, "jax_nbhelp.")
    if module.name not in _NOT_IMPORTED
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_no_submodule_hides_a_public_name():
    for name in MODULES:
        importlib.import_module(name)
    assert all(callable(getattr(jax_nbhelp, name)) for name in jax_nbhelp.__all__ if name != "__version__")


def test_importing_the_package_imports_nothing_heavy():
    heavy = (
        "jax",
        "numpy",
        "ipywidgets",
        "anywidget",
        "nbformat",
        "IPython",
        "jax_nbhelp.fixes",
        "jax_nbhelp.catalog",
    )
    code = f"import sys, jax_nbhelp; print([m for m in {heavy!r} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.skipif("NBHELP_WHEEL" not in os.environ, reason="only where a wheel was installed for the tests")
def test_the_installed_wheel_is_tested_and_carries_the_compiled_records():
    package = Path(jax_nbhelp.__file__).parent
    assert package.parent != Path(__file__).parents[1]
    assert (package / "_data" / "index.jsonl").is_file()
    extension = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "jax-nbhelp"
    assert (extension / "package.json").is_file()
    assert (extension / "install.json").is_file()

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jax_nbhelp.sites.site import read_sites
from jax_nbhelp.sites.source import Source, installed_root, no_collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jax_nbhelp.sites.site import Site


@pytest.fixture
def make_source(tmp_path: Path) -> Callable[..., Source]:
    """A function that writes a small JAX, file by file, and reads it."""

    def make(name: str = "a", **files: str) -> Source:
        root = tmp_path / name
        for file, text in {"version": '_version = "9.1.2"', "__init__": "", **files}.items():
            path = root / "jax" / f"{file.replace('__in_', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        return Source(root)

    return make


@pytest.fixture
def raised(make_source: Callable[..., Source]) -> Callable[..., list[tuple[str, tuple[str, ...]]]]:
    """A function that says (class, wordings) of each raise site of a module's text."""

    def read(text: str, **files: str) -> list[tuple[str, tuple[str, ...]]]:
        return [(site.error_class, site.templates) for site in read_sites(make_source(m=text, **files))]

    return read


@pytest.fixture(scope="session")
def jax_source() -> Source:
    """The installed JAX."""
    return Source(installed_root())


@pytest.fixture(scope="session")
def jax_sites(jax_source: Source) -> list[Site]:
    """Its raise sites."""
    with no_collection():
        return read_sites(jax_source)

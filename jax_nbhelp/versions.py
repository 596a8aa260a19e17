"""Versions of installed distributions, looked up without importing them."""

from __future__ import annotations

import importlib.metadata


def installed(distribution: str) -> str:
    """Returns the version of a distribution; empty where it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""

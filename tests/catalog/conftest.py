from __future__ import annotations

import pytest

from jax_nbhelp.catalog import shelf


@pytest.fixture
def fresh_shelf(monkeypatch):
    """No records from elsewhere, before and after."""
    monkeypatch.delenv(shelf.VARIABLE, raising=False)
    shelf.forget()
    yield
    shelf.forget()

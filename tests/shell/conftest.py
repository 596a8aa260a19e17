from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from jax_nbhelp import shell as help_in_shell
from jax_nbhelp.shell import session as sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jax_nbhelp.shell.session import Session


@pytest.fixture(scope="session")
def ipython(tmp_path_factory: pytest.TempPathFactory) -> InteractiveShell:
    """A shell without a kernel and without a history file: IPython slows down when it has made many."""
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell(config=config, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    shell.system = lambda command: None  # `!true` would fork a process in which JAX's threads run
    return shell


@pytest.fixture
def session(ipython: InteractiveShell) -> Iterator[Session]:
    """The help in that shell."""
    help_in_shell.load(ipython)
    assert sessions.CURRENT is not None
    yield sessions.CURRENT
    help_in_shell.unload(ipython)
    help_in_shell._kept.clear()

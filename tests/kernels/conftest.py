from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kernel_client import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def start_kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Kernel]]:
    """Starts kernels; they end with the session."""
    started: list[Kernel] = []

    def start(*, jax: bool = True, variables: dict[str, str] | None = None) -> Kernel:
        folder: Path = tmp_path_factory.mktemp("kernel")
        started.append(Kernel(folder, jax=jax, variables=variables))
        return started[-1]

    yield start
    for kernel in started:
        kernel.close()


@pytest.fixture(scope="session")
def plain(start_kernel: Callable[..., Kernel]) -> Kernel:
    """A kernel without this package, to compare with."""
    return start_kernel()


@pytest.fixture(scope="session")
def kernel(start_kernel: Callable[..., Kernel]) -> Kernel:
    """A kernel with the help on; tests leave it as they found it."""
    kernel = start_kernel()
    assert kernel.run("%load_ext jax_nbhelp").status == "ok"
    return kernel

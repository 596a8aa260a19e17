from __future__ import annotations

from typing import TYPE_CHECKING

import IPython
import pytest
from kernel_client import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


ON_COLABS_IPYTHON = IPython.version_info[0] == 7
KERNELS = ["python3", "colab"] if ON_COLABS_IPYTHON else ["python3"]
collect_ignore = [] if ON_COLABS_IPYTHON else ["test_colab.py"]


@pytest.fixture(scope="session", params=KERNELS)
def start_kernel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Kernel]]:
    """Starts kernels of one kind; they end with the tests of that kind."""
    started: list[Kernel] = []

    def start(*, jax: bool = True, variables: dict[str, str] | None = None) -> Kernel:
        folder: Path = tmp_path_factory.mktemp("kernel")
        started.append(Kernel(folder, request.param, jax=jax, variables=variables))
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

"""Python's garbage collector, held off while trees and indexes are made."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextlib.contextmanager
def held_off() -> Generator[None]:
    """Holds the collector off for some milliseconds; where the user has switched it off, it stays off.

    What is made by the thousand and kept is no garbage, yet the collector would go through it again and again
    as it grows, and through all that JAX has made, which alone takes a tenth of a second.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

from __future__ import annotations

import gc

import pytest

from jax_nbhelp.collector import held_off


def interrupted() -> None:
    with held_off():
        assert not gc.isenabled()
        with held_off():
            pass
        assert not gc.isenabled()
        raise KeyboardInterrupt


def test_the_collector_is_off_within_and_on_again_also_after_an_interrupt():
    assert gc.isenabled()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert gc.isenabled()


def test_a_collector_that_the_user_switched_off_stays_off():
    gc.disable()
    try:
        with held_off():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()

import os
import signal

import numba
import pytest
import torch

from farlink.engine import machine
from farlink.engine.machine import products_in, stop_signal, use_threads
from farlink.errors import FarlinkError


def test_a_stop_request_is_heard_once_the_step_is_done():
    with stop_signal() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(1)


@pytest.mark.parametrize(("wanted", "of_torch", "of_numba"), [("auto", 2, 2), (1, 1, 1), (8, 8, 2)])
def test_no_more_threads_are_used_than_the_environment_allows(monkeypatch, wanted, of_torch, of_numba):
    used = {}
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 2)
    monkeypatch.setattr(numba, "set_num_threads", lambda count: used.update(numba=count))
    monkeypatch.setattr(torch, "set_num_threads", lambda count: used.update(torch=count))
    use_threads(wanted)
    assert used == {"torch": of_torch, "numba": of_numba}


@pytest.mark.parametrize(("precision", "short"), [("bfloat16", True), ("float32", False)])
def test_products_are_as_precise_as_asked(precision, short, monkeypatch):
    monkeypatch.setattr(machine, "multiplies_bfloat16", lambda: True)
    with products_in(precision):
        product = torch.ones(2, 2) @ torch.ones(2, 2)
    assert product.dtype == (torch.bfloat16 if short else torch.float32)


@pytest.mark.parametrize("able", [True, False])
def test_short_numbers_are_used_by_themselves_where_the_processor_multiplies_them(able, monkeypatch):
    monkeypatch.setattr(machine, "multiplies_bfloat16", lambda: able)
    with products_in("auto"):
        assert torch.is_autocast_enabled("cpu") is able


def test_short_numbers_that_the_processor_does_not_multiply_are_a_clear_error(monkeypatch):
    monkeypatch.setattr(machine, "multiplies_bfloat16", lambda: False)
    with pytest.raises(FarlinkError, match="this processor has no instructions for it; choose auto or float32"):
        products_in("bfloat16")

import os
import resource
import signal
import sys

import numba
import pytest
import torch

from farlink.engine import machine
from farlink.engine.machine import memory_kept, products_in, stop_signal, use_threads
from farlink.errors import FarlinkError


def test_a_stop_request_is_heard_once_the_step_is_done():
    with stop_signal() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(1)


def _new_pages(times: int = 5) -> int:
    """How many pages of memory the system has to provide for tensors of 100 megabytes, one after the other."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(times):
        torch.zeros(25_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep memory as they like")
def test_memory_of_a_step_is_kept_for_the_next():
    before = _new_pages()
    with memory_kept():
        _new_pages(times=20)  # until there is room enough
        assert _new_pages() < 0.1 * before
    assert _new_pages() > 0.5 * before


def test_an_error_while_memory_is_kept_is_heard():
    with pytest.raises(KeyError), memory_kept():
        raise KeyError


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

"""What the machine can do and what it asks of a process: threads, short numbers, memory, signals to stop."""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any

import numba
import torch

from farlink.errors import FarlinkError
from farlink.settings import Auto, Precision

KEPT_TENSOR, KEPT_IN_ALL = 2**28, 2**30  # bytes
MOST_BY_ITSELF = (
    2**25
)  # bytes up to which the GNU C library raises the limit for a tensor by itself; for all, twice that


def products_in(precision: Precision) -> torch.autocast:
    """Within this context, matrices are multiplied in the given precision; sums are always float32."""
    if precision == "bfloat16" and not multiplies_bfloat16():
        raise FarlinkError("precision = bfloat16: this processor has no instructions for it; choose auto or float32")
    short = precision != "float32" and multiplies_bfloat16()
    return torch.autocast("cpu", torch.bfloat16, enabled=short)


@cache
def multiplies_bfloat16() -> bool:
    """Whether the processor has instructions for products of short numbers; without them they would be slower."""
    can: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()  # older releases of PyTorch do not tell
    return any(can.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def use_threads(wanted: Auto | int) -> None:
    """How many threads torch and numba use; auto: as many as this process may."""
    allowed: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    count = allowed if wanted == "auto" else wanted
    torch.set_num_threads(count)
    numba.set_num_threads(min(count, allowed))


@contextmanager
def memory_kept() -> Iterator[None]:
    """Within this context, memory that is freed stays with the process, which will soon ask for as much again.

    Otherwise the C library gives large tensors back to the system, which has to find and clear new pages for those of
    the next step: a fifth of the time of a step with the preset `paper`.
    """
    library: Any = ctypes.CDLL(None) if sys.platform == "linux" else None
    if not hasattr(library, "mallopt"):  # it is of the GNU C library
        yield
        return
    try:
        _set_memory(library, KEPT_TENSOR, KEPT_IN_ALL)
        yield
    finally:
        _set_memory(library, MOST_BY_ITSELF, 2 * MOST_BY_ITSELF)
        library.malloc_trim(0)


def _set_memory(library: Any, tensor: int, total: int) -> None:
    """From which size on a tensor has memory of its own from the system, and how much is kept of what is freed."""
    trim_threshold, mmap_threshold = -1, -3  # names in malloc.h
    library.mallopt(mmap_threshold, tensor)
    library.mallopt(trim_threshold, total)


@contextmanager
def stop_signal(pass_on: Callable[[], None] | None = None) -> Iterator[threading.Event]:
    """An event that Ctrl-C and a termination request set, so that a step is never cut in half."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event  # signals reach the main thread only
        return

    def ask_to_stop(number: int, frame: FrameType | None) -> None:
        event.set()
        if pass_on:
            pass_on()

    before = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

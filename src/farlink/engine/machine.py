"""What the machine can do and what it asks of a process: threads, short numbers, signals to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType

import numba
import torch

from farlink.errors import FarlinkError
from farlink.settings import Auto, Precision


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

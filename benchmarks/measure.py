"""Time and memory, and the rows they are reported in."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

import numba

P = ParamSpec("P")
T = TypeVar("T")

GB = 1e9
CORES: int = numba.config.NUMBA_NUM_THREADS  # that this process may use


@dataclass(frozen=True)
class Row:
    """One figure, with what it is compared with and what it should be."""

    what: str
    figure: float
    unit: str
    peak_memory: int  # of the process until the figure was taken, in bytes
    baseline: float | None = None  # in the same unit
    baseline_what: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        """Figure to baseline: more is better for a rate, less is better for a time or a size."""
        return self.figure / self.baseline if self.baseline else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met, if there is one."""
        if self.at_least is not None:
            return self.figure >= self.at_least
        return self.figure <= self.at_most if self.at_most is not None else None


class Measured(NamedTuple, Generic[T]):
    """What some work took, and what came of it."""

    seconds: float
    peak_memory: int
    result: T


def measure(work: Callable[[], T], *, warm_ups: int = 0, repeats: int = 1) -> Measured[T]:
    """Do the work `repeats` times after some warm-ups; the time is the median."""
    for _ in range(warm_ups):
        work()
    seconds: list[float] = []
    results: list[T] = []
    for _ in range(repeats):
        results.clear()  # or the peak would be that of two results
        started = time.perf_counter()
        results.append(work())
        seconds.append(time.perf_counter() - started)
    return Measured(statistics.median(seconds), peak_memory(), results[0])


def apart(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do the work of a module's function in a new process, whose memory is its own.

    A process counts what its parent held when it was started towards its peak, so this belongs in front of
    anything large.
    """
    context: Any = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *args, **kwargs).result()


def peak_memory() -> int:
    """The most memory this process has had resident so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident_memory() -> int:
    """The memory this process has resident now, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

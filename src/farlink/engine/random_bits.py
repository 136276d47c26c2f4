"""Random numbers from a counter, for compiled code: a stream for every walk or row, whatever thread makes it."""

from __future__ import annotations

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the step of the counter: the whole part of 2⁶⁴ / φ, an odd number


@njit(cache=True)
def mix(state: np.uint64) -> np.uint64:
    """Random bits from a counter: the output function of splitmix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(cache=True)
def below(bits: np.uint64, bound: int) -> np.int64:
    """A number in 0 .. bound - 1 from the lower 32 bits."""
    return np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(bound)) >> np.uint64(32))


@njit(cache=True)
def fraction(bits: np.uint64) -> np.float64:
    """A number in [0, 1) from the upper 32 bits."""
    return np.float64(bits >> np.uint64(32)) * np.float64(2.0**-32)

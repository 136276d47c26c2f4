"""The logistic function in compiled loops, and what scores against noise cost, in one pass over them.

PyTorch goes over a matrix of scores once for each of half a dozen operations and takes exact functions. Here the
processor works on sixteen scores at a time, which it does as long as a loop has nothing in it but arithmetic: no call,
and no check for zero before a division.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange
from torch import Tensor

from farlink.engine.short_numbers import array_of, narrowed, widened

COLUMNS = 1024  # that a thread works on
ONE, ZERO, HALF = np.float32(1), np.float32(0), np.float32(0.5)
LOG2_E, LEAST = np.float32(1 / math.log(2)), np.float32(-80)
C1, C2, C3, C4, C5 = (np.float32(math.log(2) ** n / math.factorial(n)) for n in range(1, 6))  # of 2^x around zero
THIRD, FIFTH, SEVENTH = np.float32(1 / 3), np.float32(1 / 5), np.float32(1 / 7)


def noise_losses(scores: Tensor, bias: Tensor, d_bias: Tensor) -> float:
    """Σ_ij -log σ(-s_ij) of s = `scores` + `bias`, where every score should be low.

    The scores (N, k), of bfloat16 or float32, become the gradient. Its sum over the rows is added to `d_bias` (k).
    """
    parts = np.zeros(-(-len(bias) // COLUMNS))
    _against_noise(array_of(scores), array_of(bias), array_of(d_bias), parts)
    return float(parts.sum())


@njit(inline="always", fastmath=True, error_model="numpy")
def exp_of_negative(x):  # type: ignore[no-untyped-def]
    """e^x of x ≤ 0 with six digits: 2^n by its bits, for a whole number n, times a polynomial."""
    y = max(x, LEAST) * LOG2_E
    n = np.int32(y - HALF)
    f = y - np.float32(n)
    power = np.int32((n + np.int32(127)) << np.int32(23)).view(np.float32)
    return power * (ONE + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * C5)))))


@njit(inline="always", fastmath=True, error_model="numpy")
def log_above_one(e):  # type: ignore[no-untyped-def]
    """log(1 + e) of e in [0, 1] with five digits, by 2 artanh(e / (2 + e))."""
    z = e / (ONE + ONE + e)
    square = z * z
    return (z + z) * (ONE + square * (THIRD + square * (FIFTH + square * SEVENTH)))


@njit(cache=True, fastmath=True, error_model="numpy")
def _against_noise_row(scores, bias, d_bias):  # type: ignore[no-untyped-def]
    total = ZERO
    for j in range(len(scores)):
        s = widened(scores[j]) + bias[j]
        e = exp_of_negative(-abs(s))
        share = ONE / (ONE + e)
        gradient = share if s >= ZERO else e * share
        total += max(s, ZERO) + log_above_one(e)
        d_bias[j] += gradient
        scores[j] = narrowed(gradient, scores[j])
    return total


@njit(cache=True, parallel=True)
def _against_noise(scores, bias, d_bias, parts):  # type: ignore[no-untyped-def]
    for part in prange(len(parts)):
        here = slice(part * COLUMNS, (part + 1) * COLUMNS)
        for i in range(len(scores)):
            parts[part] += _against_noise_row(scores[i, here], bias[here], d_bias[here])

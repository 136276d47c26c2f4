"""Adam that moves every row at every step, as the optimisers of most frameworks do.

A row whose gradient is zero goes on in the direction of its mean, and both of its moments decay. That costs memory
traffic in proportion to the tables, so that all of it is done in one pass. Moments that have become so small that they
move nothing are set to zero before they are denormal numbers, on which the processor is slow.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor, nn

from farlink.engine.row_adam import BETA1, BETA2, EPSILON, by_rows, gradients_of, shortening

NOTHING = np.float32(1e-30)  # where moments end; a step that moves a parameter has a mean of 1e-10 at the least
ONE = np.float32(1)


class DenseAdam:
    """Adam over named parameters."""

    def __init__(self, parameters: Iterable[tuple[str, nn.Parameter]]) -> None:
        self.parameters = dict(parameters)
        self.state: dict[str, dict[str, Tensor]] = {
            name: {
                "mean": torch.zeros_like(parameter),
                "square": torch.zeros_like(parameter),
                "steps": torch.zeros(1, dtype=torch.int64),
            }
            for name, parameter in self.parameters.items()
        }

    def step(self, rate: float, clip_norm: float) -> None:
        """Move the parameters against their gradients, scaled down to `clip_norm`, and clear these."""
        gradients = gradients_of(self.parameters)
        scale = shortening(gradients, clip_norm)
        for name, (rows, values) in gradients.items():
            parameter, state = self.parameters[name], self.state[name]
            state["steps"] += 1
            steps = int(state["steps"])
            place = np.full(len(parameter), -1, dtype=np.int32)
            place[rows] = np.arange(len(rows), dtype=np.int32)
            vectors, means, squares = map(by_rows, (parameter.detach(), state["mean"], state["square"]))
            size, correction = rate / (1 - BETA1**steps), 1 / (1 - BETA2**steps)
            _step(vectors, place, by_rows(values), means, squares, *map(np.float32, (size, correction, scale)))
            parameter.grad = None


@njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _decay_row(vector, mean, square, size, correction):  # type: ignore[no-untyped-def]
    for column in range(len(vector)):
        m, s = np.float32(BETA1) * mean[column], np.float32(BETA2) * square[column]
        m, s = m if abs(m) > NOTHING else np.float32(0), s if s > NOTHING else np.float32(0)
        mean[column], square[column] = m, s
        vector[column] -= size * m / (np.sqrt(s * correction) + np.float32(EPSILON))


@njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _move_row(vector, gradient, mean, square, size, correction, scale):  # type: ignore[no-untyped-def]
    for column in range(len(vector)):
        g = gradient[column] * scale
        m = mean[column] + (ONE - np.float32(BETA1)) * (g - mean[column])
        s = square[column] + (ONE - np.float32(BETA2)) * (g * g - square[column])
        m, s = m if abs(m) > NOTHING else np.float32(0), s if s > NOTHING else np.float32(0)
        mean[column], square[column] = m, s
        vector[column] -= size * m / (np.sqrt(s * correction) + np.float32(EPSILON))


@njit(parallel=True, cache=True)
def _step(vectors, place, gradients, means, squares, size, correction, scale):  # type: ignore[no-untyped-def]
    for row in prange(len(vectors)):
        if place[row] < 0:
            _decay_row(vectors[row], means[row], squares[row], size, correction)
        else:
            _move_row(vectors[row], gradients[place[row]], means[row], squares[row], size, correction, scale)

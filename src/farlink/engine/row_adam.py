"""Adam that leaves alone what a step did not touch.

A batch touches a small part of the embedding tables. Ordinary Adam moves every row at every step, which
costs memory traffic in proportion to the graph and lets the moments of resting rows decay into denormal
numbers, on which the processor is slow. Here a row whose gradient is zero keeps its vector, its moments and
its own count of steps; a row that is touched moves as under ordinary Adam. Rows taken by `rows_of` have a
gradient that does not even mention the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor, nn

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
Gradients = Mapping[str, tuple[NDArray[np.int64], Tensor]]  # rows that have a gradient, and what it is


class RowAdam:
    """Adam over the rows of named parameters; each element of a vector is a row of its own."""

    def __init__(self, parameters: Iterable[tuple[str, nn.Parameter]]) -> None:
        self.parameters = dict(parameters)
        self.state: dict[str, dict[str, Tensor]] = {
            name: {
                "mean": torch.zeros_like(parameter),
                "square": torch.zeros_like(parameter),
                "steps": torch.zeros(len(parameter), dtype=torch.int32),
            }
            for name, parameter in self.parameters.items()
        }

    def step(self, rate: float, clip_norm: float) -> None:
        """Move the parameters against their gradients, scaled down to `clip_norm`, and clear these."""
        gradients = gradients_of(self.parameters)
        scale = shortening(gradients, clip_norm)
        for name, (rows, values) in gradients.items():
            parameter, state = self.parameters[name], self.state[name]
            vectors, means, squares = map(by_rows, (parameter.detach(), state["mean"], state["square"]))
            _step(rows, vectors, by_rows(values), means, squares, state["steps"].numpy(), rate, scale)
            parameter.grad = None


def rows_of(table: Tensor, ids: Tensor) -> Tensor:
    """Some rows of a table; its gradient holds these rows only."""
    return nn.functional.embedding(ids, table, sparse=True)


def gradients_of(parameters: Mapping[str, nn.Parameter]) -> Gradients:
    """The gradients of those parameters that have one."""
    return {name: _touched(p.grad) for name, p in parameters.items() if p.grad is not None}


def shortening(gradients: Gradients, clip_norm: float) -> float:
    """By how much to scale all gradients down, for them to be no longer than `clip_norm` together."""
    norm = float(nn.utils.get_total_norm([values for _, values in gradients.values()]))
    return min(1.0, clip_norm / (norm + 1e-6))


def by_rows(table: Tensor) -> NDArray[np.float32]:
    """The memory of a table, each element of a vector a row of its own."""
    return table.view(len(table), -1).numpy()


def _touched(gradient: Tensor) -> tuple[NDArray[np.int64], Tensor]:
    """Rows that have a gradient, and what it is."""
    if not gradient.is_sparse:
        return np.arange(len(gradient)), gradient
    gradient = gradient.coalesce()
    return gradient.indices()[0].numpy(), gradient.values()


@njit(parallel=True, cache=True)
def _step(rows, vectors, gradients, means, squares, steps, rate, scale):  # type: ignore[no-untyped-def]
    for place in prange(len(rows)):
        row, gradient = rows[place], gradients[place]
        if not np.any(gradient):
            continue
        steps[row] += 1
        size = np.float32(rate / (1.0 - BETA1 ** steps[row]))
        correction = np.float32(1.0 / (1.0 - BETA2 ** steps[row]))
        for column in range(len(gradient)):
            g = gradient[column] * np.float32(scale)
            mean = means[row, column] + np.float32(1 - BETA1) * (g - means[row, column])
            square = squares[row, column] + np.float32(1 - BETA2) * (g * g - squares[row, column])
            means[row, column], squares[row, column] = mean, square
            vectors[row, column] -= size * mean / (np.sqrt(square * correction) + np.float32(EPSILON))

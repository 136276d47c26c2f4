"""The loss of the authors' published code, which is not that of the paper (`loss`).

Both tell what follows from noise. Here the noise is log-uniform over the ids by falling frequency: the k-th most
frequent of I is drawn with log((k + 1) / k) / log(I + 1), whatever the frequencies are. Every position of a batch has
noise of its own, of distinct ids. Scores are less the logarithm of how often an id is expected to be drawn.

Shapes in comments: n positions of one type in a path, B paths in a batch, I ids of this type, k of them drawn, d the
width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numba import njit
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from farlink.engine.logistic import noise_losses
from farlink.engine.random_bits import GOLDEN, fraction, mix
from farlink.engine.softmax import factor

SLICE = 512  # states scored at a time: the scores stay in the cache, and the noise is gone through once for a batch


class Draw(NamedTuple):
    """Noise for the predictions at one position."""

    ids: Tensor  # (k), distinct
    log_expected: Tensor  # (I): log of how often each id was to be expected among as many draws


class LogUniformNoise:
    """The noise distribution of one type."""

    def __init__(self, frequency: Tensor) -> None:
        self.by_rank = frequency.argsort(descending=True, stable=True)  # (I)
        rank = torch.empty(len(frequency), dtype=torch.float64)
        rank[self.by_rank] = torch.arange(1, len(frequency) + 1, dtype=torch.float64)
        self.probability = torch.log1p(1 / rank) / math.log(len(frequency) + 1)  # (I)

    def draw(self, count: int, generator: torch.Generator) -> Draw:
        """`count` distinct ids, or all of fewer: drawn until there are as many. What came again counts as a draw."""
        key = np.uint64(int(torch.randint(2**62, (), generator=generator)))
        ids = np.empty(min(count, len(self.by_rank)), dtype=np.int64)
        draws = _distinct(self.by_rank.numpy(), key, ids)
        return Draw(torch.from_numpy(ids), self.log_expected(draws))

    def log_expected(self, draws: int) -> Tensor:
        """log of the chance that an id is at least once among so many draws, for every id (I)."""
        return (-torch.expm1(draws * torch.log1p(-self.probability))).log().float()


class LogUniformLoss(nn.Module):
    """-log σ(h·y + b - log E(y)) - Σ_j log σ(log E(y_j) - h·y_j - b_j), E being how often an id is to be expected.

    Added up over the positions, the mean over the paths. The target may be among the noise.
    """

    def __init__(self, noise: LogUniformNoise, negatives: int) -> None:
        super().__init__()
        self.noise, self.negatives = noise, negatives

    def initial_bias(self) -> float:
        """A prediction is right about once among `negatives`; the authors start at zero, and learn that first."""
        return -math.log(self.negatives)

    def forward(
        self, states: Tensor, targets: Tensor, table: Tensor, bias: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Loss of `states` (n, B, d) against `targets` (n, B) with output vectors `table` (I, d) and `bias` (I)."""
        draws = [self.noise.draw(self.negatives, generator) for _ in states]
        loss: Tensor = _Contrast.apply(states, targets, table, bias, draws)  # type: ignore[no-untyped-call]
        return loss


class _Contrast(torch.autograd.Function):
    """The loss and its gradients at once. Nearly all rows of a table have one, which is therefore not sparse."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, targets: Tensor, table: Tensor, bias: Tensor, draws: Sequence[Draw]
    ) -> Tensor:
        d_states, d_table, d_bias = torch.empty_like(states), torch.zeros_like(table), torch.zeros_like(bias)
        short, share, total = factor(table), 1 / states.shape[1], 0.0
        for h, d_h, target, (ids, log_expected) in zip(states, d_states, targets, draws, strict=True):
            level = bias - log_expected  # (I)
            w, noise_level, d_level = short.index_select(0, ids), level[ids], torch.zeros(len(ids))
            for part, d_part in zip(*(torch.split(rows, SLICE) for rows in (factor(h), d_h)), strict=True):
                scores = part @ w.T  # (of a slice of states, k)
                total += noise_losses(scores, noise_level, d_level)  # and now their gradient
                d_part.copy_(scores @ w)
                d_table.index_add_(0, ids, (scores.T @ part).float(), alpha=share)
            d_bias.index_add_(0, ids, d_level, alpha=share)
            y = table.index_select(0, target)  # (B, d)
            right = (h * y).sum(-1) + level[target]  # (B)
            d_right = right.sigmoid() - 1
            d_h.addcmul_(d_right[:, None], y).mul_(share)
            d_table.index_add_(0, target, d_right[:, None] * h, alpha=share)
            d_bias.index_add_(0, target, d_right, alpha=share)
            total -= float(logsigmoid(right).sum())
        ctx.save_for_backward(d_states, d_table, d_bias)
        return states.new_tensor(total * share)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        d_states, d_table, d_bias = ctx.saved_tensors
        # in place: a copy of the table's would take longer than the product
        return d_states.mul_(upstream), None, d_table.mul_(upstream), d_bias.mul_(upstream), None


@njit(cache=True)
def _distinct(by_rank, key, ids):  # type: ignore[no-untyped-def]
    """Fill `ids` with distinct ones; how many draws it took."""
    seen = np.zeros(len(by_rank), dtype=np.bool_)
    found, draws = 0, 0
    while found < len(ids):
        draws += 1
        # P(rank ≤ k) = log(k + 1) / log(I + 1), turned round
        uniform = fraction(mix(key + GOLDEN * np.uint64(draws)))
        rank = min(int(np.exp(uniform * np.log(len(by_rank) + 1.0))) - 1, len(by_rank) - 1)
        if not seen[rank]:
            seen[rank] = True
            ids[found] = by_rank[rank]
            found += 1
    return draws

"""Losses against sampled noise, separate for entities and relations (the paper's type-based NCE).

One draw of noise serves a whole batch and all positions of a type, so that scores are matrix products.
The product of a slice of states with the noise vectors is used for the loss and its gradient while it is
in the cache, and never stored whole.

Shapes in comments: N predictions of one type in a batch, I ids of this type, k distinct ids drawn as noise,
d the width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from farlink.engine.row_adam import rows_of
from farlink.engine.softmax import factor, pass_back, rounded, slices
from farlink.rsn.log_uniform import LogUniformLoss, LogUniformNoise
from farlink.settings import LossKind


class Noise:
    """The noise distribution Q of one type: proportional to frequency^¾."""

    def __init__(self, frequency: Tensor) -> None:
        weight = frequency.double().pow(0.75)
        self.probability = weight / weight.sum()  # (I)
        self._cumulative = self.probability.cumsum(0)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """`count` draws with replacement: the distinct ids, and how often each was drawn."""
        uniform = torch.rand(count, generator=generator, dtype=torch.float64)
        draws = torch.searchsorted(self._cumulative, uniform, right=True).clamp_(max=len(self.probability) - 1)
        counts = torch.bincount(draws, minlength=len(self.probability))
        ids = counts.nonzero().squeeze(1)
        return ids, counts[ids]

    def log_expected(self, count: int) -> Tensor:
        """log of the chance that `count` draws hit an id at least once, for every id."""
        hit = -torch.expm1(count * torch.log1p(-self.probability.clamp(max=1 - 1e-12)))
        return hit.clamp(min=1e-30).log().float()


class NoiseContrastiveLoss(nn.Module):
    """Equation 8: -log σ(h·y) - Σ_j log σ(-h·ỹ_j), the mean over all predictions of one type.

    Unlike the paper's, a score has the bias of its output vector: σ(h·y + b).
    """

    def __init__(self, noise: Noise, negatives: int) -> None:
        super().__init__()
        self.noise, self.negatives = noise, negatives

    def initial_bias(self) -> float:
        """A prediction is right about once among `negatives`; starting there spares the first epochs."""
        return -torch.log(torch.tensor(float(self.negatives))).item()

    def forward(
        self, states: Tensor, targets: Tensor, table: Tensor, bias: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Mean loss of `states` (..., d) against `targets` (...) with output vectors `table` (I, d), `bias` (I)."""
        states, targets = states.flatten(0, -2), targets.flatten()  # (N, d), (N)
        ids, counts = self.noise.draw(self.negatives, generator)
        (target_vectors, noise_vectors), (target_bias, noise_bias) = _picked(table, bias, targets, ids)
        right = (states * target_vectors).sum(-1) + target_bias  # (N)
        noise = rounded(noise_vectors, 0.0), rounded(noise_bias, -torch.inf), rounded(counts.to(states.dtype), 0.0)
        wrong: Tensor = _NegativeTerm.apply(states, *noise)  # type: ignore[no-untyped-call]
        return (wrong - logsigmoid(right).sum()) / len(states)


class SampledSoftmaxLoss(nn.Module):
    """Cross-entropy of the target among the noise, with the log-Q correction; accidental hits left out."""

    def __init__(self, noise: Noise, negatives: int) -> None:
        super().__init__()
        self.noise, self.negatives = noise, negatives
        self.log_expected = noise.log_expected(negatives)

    def initial_bias(self) -> float:
        """A softmax does not change when all scores move together."""
        return 0.0

    def forward(
        self, states: Tensor, targets: Tensor, table: Tensor, bias: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Mean loss of `states` (..., d) against `targets` (...) with output vectors `table` (I, d), `bias` (I)."""
        states, targets = states.flatten(0, -2), targets.flatten()  # (N, d), (N)
        ids, _ = self.noise.draw(self.negatives, generator)
        corrected = bias - self.log_expected
        (target_vectors, noise_vectors), (target_bias, noise_bias) = _picked(table, corrected, targets, ids)
        right = (states * target_vectors).sum(-1) + target_bias  # (N)
        place = torch.searchsorted(ids, targets).clamp_(max=len(ids) - 1)
        hit = torch.where(ids[place] == targets, place, -1)  # (N)
        noise = rounded(noise_vectors, 0.0), rounded(noise_bias, -torch.inf)
        loss: Tensor = _SoftmaxTerm.apply(states, right, *noise, hit)  # type: ignore[no-untyped-call]
        return loss / len(states)


Loss = NoiseContrastiveLoss | SampledSoftmaxLoss | LogUniformLoss
LOSSES: dict[LossKind, Callable[[Tensor, int], Loss]] = {  # from the frequencies of elements and how many are drawn
    "nce": lambda frequency, negatives: NoiseContrastiveLoss(Noise(frequency), negatives),
    "softmax": lambda frequency, negatives: SampledSoftmaxLoss(Noise(frequency), negatives),
    "log-uniform": lambda frequency, negatives: LogUniformLoss(LogUniformNoise(frequency), negatives),
}


def make_loss(kind: LossKind, frequency: Tensor, negatives: float) -> Loss:
    """The loss of one type, with noise from the frequencies of its elements; `negatives` below 1 is a share of them."""
    count = negatives if negatives >= 1 else max(1, round(negatives * len(frequency)))
    return LOSSES[kind](frequency, int(count))


def _picked(table: Tensor, bias: Tensor, targets: Tensor, noise: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Vectors of targets and of noise, then their biases; gathered at once so that a gradient is laid out once."""
    ids, sizes = torch.cat([targets, noise]), [len(targets), len(noise)]
    return (torch.split(picked, sizes) for picked in (rows_of(table, ids), bias[ids]))


class _NegativeTerm(torch.autograd.Function):
    """Σ_i Σ_j count_j · softplus(h_i·w_j + b_j) of states h (N, d), vectors w (k, d), biases b (k) and counts (k)."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, vectors: Tensor, bias: Tensor, counts: Tensor) -> Tensor:
        total = states.new_zeros((), dtype=torch.float64)
        d_states, d_vectors, d_bias = (torch.zeros_like(x) for x in (states, vectors, bias))
        w = factor(vectors)
        for h, d_h in slices(factor(states), d_states):
            scores = (h @ w.T).to(bias.dtype).add_(bias)  # (of a slice of states, k)
            gradient = scores.sigmoid()
            # softplus(s) = s - log σ(s); the float64 sum keeps thousands of small terms apart
            total += (torch.nn.functional.softplus(scores) @ counts).sum(dtype=torch.float64)
            gradient *= counts
            pass_back(gradient, h, w, d_h, d_vectors)
            d_bias += gradient.sum(0)
        ctx.save_for_backward(d_states, d_vectors, d_bias)
        return total.to(states.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        d_states, d_vectors, d_bias = ctx.saved_tensors
        return d_states * upstream, d_vectors * upstream, d_bias * upstream, None


class _SoftmaxTerm(torch.autograd.Function):
    """Σ_i -log(e^{right_i} / (e^{right_i} + Σ_j e^{h_i·w_j + b_j})), leaving out j = hit_i.

    States h are (N, d), scores of the right answers and hits (N), vectors w (k, d) and biases b (k).
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, right: Tensor, vectors: Tensor, bias: Tensor, hit: Tensor) -> Tensor:
        total = states.new_zeros((), dtype=torch.float64)
        d_states, d_right, d_vectors, d_bias = (torch.zeros_like(x) for x in (states, right, vectors, bias))
        w = factor(vectors)
        for h, r, drawn, d_h, d_r in slices(factor(states), right, hit, d_states, d_right):
            scores = (h @ w.T).to(bias.dtype).add_(bias)  # (of a slice of states, k)
            rows = (drawn >= 0).nonzero().squeeze(1)
            scores[rows, drawn[rows]] = -torch.inf
            most = torch.maximum(scores.amax(1), r)
            scores.sub_(most[:, None]).exp_()  # now e^{score - most}
            exp_right = (r - most).exp_()
            mass = scores.sum(1) + exp_right
            total += (mass.log() - (r - most)).sum(dtype=torch.float64)
            gradient = scores.div_(mass[:, None])
            d_r.copy_(exp_right / mass - 1)
            pass_back(gradient, h, w, d_h, d_vectors)
            d_bias += gradient.sum(0)
        ctx.save_for_backward(d_states, d_right, d_vectors, d_bias)
        return total.to(states.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        d_states, d_right, d_vectors, d_bias = ctx.saved_tensors
        return d_states * upstream, d_right * upstream, d_vectors * upstream, d_bias * upstream, None

"""Cross-entropy over many candidates, slice by slice, without ever storing the whole matrix of scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

SLICE = 256  # states scored at a time
ROUND = 128  # vectors are scored in multiples of this: a product of a new shape is slow at first and takes memory


def factor(numbers: Tensor) -> Tensor:
    """Numbers to be multiplied: short ones (bfloat16) under autocast, which some processors multiply twice as fast."""
    return numbers.bfloat16() if torch.is_autocast_enabled("cpu") else numbers


def rounded(rows: Tensor, filling: float) -> Tensor:
    """Rows, and behind them others full of `filling`, up to a round number."""
    return torch.cat([rows, rows.new_full((-len(rows) % ROUND, *rows.shape[1:]), filling)])


def slices(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """The tensors cut along their rows, into slices whose products stay in the cache."""
    return zip(*(torch.split(tensor, SLICE) for tensor in tensors), strict=True)


def pass_back(gradient: Tensor, h: Tensor, w: Tensor, d_h: Tensor, d_w: Tensor) -> None:
    """Turn the gradient of scores h·w into that of h, which is written, and that of w, which is added."""
    gradient = factor(gradient)
    d_h.copy_(gradient @ w)
    d_w.add_(gradient.T @ h)


class AllAnswersLoss(torch.autograd.Function):
    """Cross-entropy of every right answer among all candidates, the sum over the answers of all questions.

    A question with many answers is scored once: its answers share the sum over the candidates.
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, vectors: Tensor, question: Tensor, answer: Tensor) -> Tensor:
        """`states` are the questions, (B, d), `vectors` the candidates; pairs (question, answer), sorted, are right."""
        answers = torch.bincount(question, minlength=len(states))
        first = torch.cat([answers.new_zeros(1), answers.cumsum(0)]).tolist()
        total = torch.zeros((), dtype=torch.float64)
        d_states, d_vectors = torch.empty_like(states), torch.zeros_like(vectors)
        w, short_states = factor(vectors), factor(states)
        for start in range(0, len(states), SLICE):
            h, end = short_states[start : start + SLICE], min(start + SLICE, len(states))
            count = answers[start:end, None].to(states.dtype)
            rows = question[first[start] : first[end]] - start
            columns = answer[first[start] : first[end]]
            scores = (h @ w.T).to(states.dtype)
            right = scores[rows, columns].sum(dtype=torch.float64)
            most = scores.amax(1, keepdim=True)
            scores.sub_(most).exp_()
            mass = scores.sum(1, keepdim=True)
            total += ((mass.log() + most) * count).sum(dtype=torch.float64) - right
            gradient = scores.mul_(count / mass)
            gradient[rows, columns] -= 1  # an answer is in the pairs once
            pass_back(gradient, h, w, d_states[start:end], d_vectors)
        ctx.save_for_backward(d_states, d_vectors)
        return total.to(states.dtype)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the states and of the candidates' vectors."""
        d_states, d_vectors = ctx.saved_tensors
        return d_states * upstream, d_vectors * upstream, None, None

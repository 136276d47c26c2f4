"""The LSTM of the authors' published code: its candidates and outputs pass unchanged where others have tanh.

PyTorch has no such layer. Here all steps share three products of matrices where the equations have three for each, and
the gradient is written by hand, so that nothing but the recurrence itself is done step by step.

Shapes in comments: T steps, B paths in a batch, d the width. The gates lie in the order of PyTorch: input, forget,
candidate, output.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from farlink.engine.softmax import factor

State = tuple[Tensor, ...]


class IdentityLSTM(nn.LSTM):
    """A layer with the parameters of PyTorch's."""

    def forward(self, x: Tensor) -> tuple[Tensor, State]:  # type: ignore[override]
        """States (T, B, d) of inputs (T, B, d), and the last one."""
        weight, again, bias, more = self.parameters()
        states: Tensor = _Steps.apply(linear(x, weight, bias + more), again)  # type: ignore[no-untyped-call]
        return states, (states[-1],)


def identity_lstm_step(x: Tensor, state: State, *weights: Tensor) -> State:
    """One step: output and memory, both (B, d)."""
    (h, c), (weight, again, bias, more) = state, weights
    i, f, g, o = (linear(x, weight, bias + more) + linear(h, again)).chunk(4, dim=-1)
    c = f.sigmoid() * c + i.sigmoid() * g
    return o.sigmoid() * c, c


class _Steps(torch.autograd.Function):
    """States h (T, B, d) from what the gates are given (T, B, 4 d) and the recurrent weights (4 d, d)."""

    @staticmethod
    def forward(ctx: Any, given: Tensor, again: Tensor) -> Tensor:
        w = factor(again).T.contiguous()  # (d, 4 d)
        steps, batch, width = given.shape[0], given.shape[1], len(w)
        gates = torch.empty(given.shape)  # after their activations
        memory, states = torch.zeros(steps + 1, batch, width), torch.zeros(steps + 1, batch, width, dtype=w.dtype)
        for t in range(steps):
            gate = gates[t]
            torch.add(given[t], states[t] @ w, out=gate)
            i, f, g, o = gate.chunk(4, dim=-1)
            gate[:, : 2 * width].sigmoid_()
            o.sigmoid_()
            torch.mul(f, memory[t], out=memory[t + 1]).addcmul_(i, g)
            states[t + 1] = o * memory[t + 1]
        ctx.save_for_backward(w, gates, memory, states)
        return states[1:].float()

    @staticmethod
    def backward(ctx: Any, d_states: Tensor) -> tuple[Tensor, Tensor]:
        w, gates, memory, states = ctx.saved_tensors
        d_gates = torch.empty(gates.shape, dtype=w.dtype)
        d_memory, d_h = torch.zeros_like(memory[0]), torch.zeros_like(memory[0])
        for t in reversed(range(len(gates))):
            i, f, g, o = gates[t].chunk(4, dim=-1)
            d_i, d_f, d_g, d_o = d_gates[t].chunk(4, dim=-1)
            d_h = d_h + d_states[t]
            d_memory.addcmul_(d_h, o)
            d_o.copy_(d_h * memory[t + 1] * o * (1 - o))
            d_i.copy_(d_memory * g * i * (1 - i))
            d_g.copy_(d_memory * i)
            d_f.copy_(d_memory * memory[t] * f * (1 - f))
            d_memory.mul_(f)
            d_h = d_gates[t] @ w.T
        before = states[:-1].flatten(0, 1)
        return d_gates, (d_gates.flatten(0, 1).T @ before).float()

"""The LSTM of the authors' published code: its candidates and outputs pass unchanged where others have tanh.

PyTorch has no such layer. Here all steps share three products of matrices where the equations have three for each, and
the gradient is written by hand. What is left to be done step by step is compiled, in loops of nothing but arithmetic
(see `engine.logistic`).

Shapes in comments: T steps, B paths in a batch, d the width. The gates lie in the order of PyTorch: input i, forget f,
candidate g, output o.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import njit
from torch import Tensor, nn
from torch.nn.functional import linear

from farlink.engine.logistic import exp_of_negative
from farlink.engine.short_numbers import array_of, narrowed, widened
from farlink.engine.softmax import factor

State = tuple[Tensor, ...]
ONE, ZERO = np.float32(1), np.float32(0)


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
        w, (steps, batch, width) = factor(again), (*given.shape[:2], again.shape[1])
        gates = torch.empty(given.shape)  # after their activations
        memory, states = torch.zeros(steps + 1, batch, width), torch.zeros(steps + 1, batch, width, dtype=w.dtype)
        to_be, held, outputs = array_of(gates), array_of(memory), array_of(states)
        for t in range(steps):
            _forward(array_of(given[t]), array_of(states[t] @ w.T), to_be[t], held[t], held[t + 1], outputs[t + 1])
        ctx.save_for_backward(w, gates, memory, states)
        return states[1:].float()

    @staticmethod
    def backward(ctx: Any, d_states: Tensor) -> tuple[Tensor, Tensor]:
        w, gates, memory, states = ctx.saved_tensors
        d_gates = torch.empty(gates.shape, dtype=w.dtype)
        d_memory, d_again = torch.zeros_like(memory[0]), torch.zeros_like(states[0])  # from the step that follows
        for t in reversed(range(len(gates))):
            now = array_of(gates[t]), array_of(memory[t]), array_of(memory[t + 1])
            d_h = array_of(d_states[t] + d_again)
            _backward(*now, d_h, array_of(d_memory), array_of(d_gates[t]))
            d_again = d_gates[t] @ w
        return d_gates, (d_gates.flatten(0, 1).T @ states[:-1].flatten(0, 1)).float()


@njit(inline="always", fastmath=True, error_model="numpy")
def _sigmoid(x):  # type: ignore[no-untyped-def]
    e = exp_of_negative(-abs(x))
    share = ONE / (ONE + e)
    return share if x >= ZERO else e * share


@njit(cache=True, fastmath=True, error_model="numpy")
def _open(given, again, gates):  # type: ignore[no-untyped-def]
    for j in range(len(gates)):
        gates[j] = _sigmoid(widened(given[j]) + widened(again[j]))


@njit(cache=True, fastmath=True, error_model="numpy")
def _remember(given, again, gates, before, memory, state):  # type: ignore[no-untyped-def]
    """g, c_t = f c_{t-1} + i g and h_t = o c_t, all gates of a path in one row."""
    width = len(state)
    candidate = gates[2 * width : 3 * width]
    for j in range(width):
        candidate[j] = widened(given[j]) + widened(again[j])
    for j in range(width):
        memory[j] = gates[width + j] * before[j] + gates[j] * candidate[j]
    for j in range(width):
        state[j] = narrowed(gates[3 * width + j] * memory[j], state[j])


# a step has too little to do for its threads to be worth waiting for
@njit(cache=True)
def _forward(given, again, gates, before, memory, states):  # type: ignore[no-untyped-def]
    width = states.shape[1]
    for b in range(len(states)):
        for gate in (0, 1, 3):
            here = slice(gate * width, (gate + 1) * width)
            _open(given[b, here], again[b, here], gates[b, here])
        here = slice(2 * width, 3 * width)
        _remember(given[b, here], again[b, here], gates[b], before[b], memory[b], states[b])


@njit(cache=True, fastmath=True, error_model="numpy")
def _back_to_memory(o, memory, d_state, d_memory, d_o):  # type: ignore[no-untyped-def]
    for j in range(len(o)):
        d_o[j] = narrowed(d_state[j] * memory[j] * o[j] * (ONE - o[j]), d_o[j])
    for j in range(len(o)):
        d_memory[j] += d_state[j] * o[j]


@njit(cache=True, fastmath=True, error_model="numpy")
def _back_to_gates(gates, before, d_memory, d_gates):  # type: ignore[no-untyped-def]
    width = len(before)
    for j in range(width):
        i, g = gates[j], gates[2 * width + j]
        d_gates[j] = narrowed(d_memory[j] * g * i * (ONE - i), d_gates[j])
        d_gates[2 * width + j] = narrowed(d_memory[j] * i, d_gates[j])
    for j in range(width):
        f = gates[width + j]
        d_gates[width + j] = narrowed(d_memory[j] * before[j] * f * (ONE - f), d_gates[j])
        d_memory[j] *= f


@njit(cache=True)
def _backward(gates, before, memory, d_states, d_memory, d_gates):  # type: ignore[no-untyped-def]
    width = before.shape[1]
    for b in range(len(before)):
        _back_to_memory(gates[b, 3 * width :], memory[b], d_states[b], d_memory[b], d_gates[b, 3 * width :])
        _back_to_gates(gates[b], before[b], d_memory[b], d_gates[b])

"""The network: recurrent skipping networks (RSN) and the two networks the paper compares them with.

Shapes in comments: B paths in a batch, T elements in a path (odd), n = (T - 1) / 2 triples in a path,
E entities, d the width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from farlink.engine.dropout import Dropout
from farlink.rsn.identity_lstm import IdentityLSTM, identity_lstm_step
from farlink.settings import Cell, Kind, Norm

MOMENTUM = 0.1  # share of a batch in the statistics that a norm gathers


class Core(NamedTuple):
    """A recurrent cell: as a layer that reads whole paths, and as the step that the layer repeats."""

    layer: type[nn.LSTM | nn.GRU]
    step: Callable[..., tuple[Tensor, ...]]  # (x_t, state, *weights) → state, in which the output comes first
    parts: int  # tensors in a state, all (B, d)


CORES: dict[Cell, Core] = {
    "lstm": Core(nn.LSTM, torch.lstm_cell, parts=2),
    "gru": Core(nn.GRU, lambda x, state, *weights: (torch.gru_cell(x, *state, *weights),), parts=1),
    "lstm-identity": Core(IdentityLSTM, identity_lstm_step, parts=2),
}


class Hidden(NamedTuple):
    """Output states h', split by what they predict; both (n, B, d)."""

    for_relations: Tensor  # standing at an entity x_t: the next element is a relation
    for_entities: Tensor  # standing at a relation x_t: the next element is an entity


class PathModel(nn.Module):
    """Reads a path element by element and at each step predicts the next element.

    An element has two vectors: one by which it is read (`*_in`) and one by which it is predicted (`*_out`).
    """

    def __init__(
        self,
        entities: int,
        relations: int,
        *,
        width: int = 256,
        layers: int = 2,
        kind: Kind = "rsn",
        cell: Cell = "lstm",
        dropout: float = 0.5,
        norm: Norm = "path",
    ) -> None:
        super().__init__()
        self.kind, self.cell, self.norm = kind, CORES[cell], _normalised if norm == "path" else _normalised_by_step
        # sparse: a batch has gradients of the few rows it reads, not of all
        self.entity_in = nn.Embedding(entities, width, sparse=True)
        self.entity_out = nn.Embedding(entities, width, sparse=True)
        self.entity_bias = nn.Parameter(torch.zeros(entities))
        self.relation_in = nn.Embedding(relations, width)
        self.relation_out = nn.Embedding(relations, width)
        self.relation_bias = nn.Parameter(torch.zeros(relations))

        self.input_norm = nn.BatchNorm1d(width, eps=1e-3)
        self.output_norm = nn.BatchNorm1d(width, eps=1e-3)
        self.core = nn.ModuleList(self.cell.layer(width, width) for _ in range(layers))
        self.dropout = Dropout(dropout)
        if kind == "rsn":
            self.s1 = nn.Linear(width, width, bias=False)
            self.s2 = nn.Linear(width, width, bias=False)
        self._initialise(cell)

    def forward(self, paths: Tensor) -> Hidden:
        """States after x_1 ... x_{T-1}; `paths` is (B, T), entities in the odd places, relations between."""
        entities, relations = paths[:, :-1:2].T, paths[:, 1::2].T  # both (n, B)
        return self.read(self.entity_in(entities), self.relation_in(relations))

    def read(self, entities: Tensor, relations: Tensor) -> Hidden:
        """The same from vectors, both (n, B, d)."""
        x = torch.stack([entities, relations], dim=1).flatten(0, 1)  # (T - 1, B, d), in path order
        x = self.norm(self.input_norm, x)
        h = x
        for layer in self.core:
            h = self.dropout(self._recurrent(layer, h))
        h = h.to(x.dtype)  # under autocast the core counts with shorter numbers
        h = self.norm(self.output_norm, self._skip(h, x))
        return Hidden(for_relations=h[0::2], for_entities=h[1::2])

    def after(self, head: Tensor, relation: Tensor) -> Tensor:
        """States (B, d) after paths of two elements, an entity and a relation: what is read of (s, r, ?)."""
        return self.read(self.entity_in(head)[None], self.relation_in(relation)[None]).for_entities[0]

    def _recurrent(self, layer: nn.Module, x: Tensor) -> Tensor:
        """States h of a recurrent layer (equation 1); `x` and h are (T - 1, B, d)."""
        states: Tensor = residual_states(self.cell, layer, x) if self.kind == "rrn" else layer(x)[0]
        return states

    def _skip(self, h: Tensor, x: Tensor) -> Tensor:
        """h' from h, both (T - 1, B, d). Equation 2: h'_t = h_t at an entity, S1 h_t + S2 x_{t-1} at a relation.

        So a state at a relation learns what sets the object apart from the subject (equation 3).
        """
        if self.kind != "rsn":
            return h
        at_entities, at_relations, subjects = h[0::2], h[1::2], x[0::2]  # all (n, B, d)
        skipped = self.s1(at_relations) + self.s2(subjects)
        return torch.stack([at_entities, skipped], dim=1).flatten(0, 1)

    @torch.no_grad()
    def start_from(self, vectors: Tensor) -> None:
        """Turn entity vectors into the directions of `vectors` (E, d), keeping their mean length; zero rows stay."""
        known = vectors.norm(dim=1) > 0
        for table in (self.entity_in.weight, self.entity_out.weight):
            length = table.norm(dim=1).mean()
            table[known] = nn.functional.normalize(vectors[known], dim=1) * length

    @torch.no_grad()
    def share_rows(self, row: Tensor) -> None:
        """Give every entity e the vectors of entity `row[e]`; `row` is (E)."""
        for table in (self.entity_in.weight, self.entity_out.weight):
            table.copy_(table[row])

    def _initialise(self, cell: Cell) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        if cell == "lstm-identity":
            # without tanh nothing but the weights bounds what the states grow to
            for name, weight in self.core.named_parameters():
                if "weight_hh" in name:
                    nn.init.orthogonal_(weight)
        if cell in ("lstm", "lstm-identity"):
            # the gates lie in the order input, forget, cell, output; an open forget gate lets
            # gradients reach the start of the path from the first step on
            for name, bias in self.core.named_parameters():
                if "bias" in name:
                    nn.init.zeros_(bias)
                if "bias_ih" in name:
                    width = len(bias) // 4
                    nn.init.ones_(bias[width : 2 * width])


def residual_states(cell: Core, layer: nn.Module, x: Tensor) -> Tensor:
    """A recurrent residual network (RRN): h_t := F(h_{t-1}, x_t) + h_{t-1}; `x` and h are (T - 1, B, d).

    The sum is what the next step reads, so that a layer of PyTorch, which hides its steps, cannot be used.
    """
    h, *memory = x.new_zeros(cell.parts, *x.shape[1:])  # each (B, d)
    weights, states = list(layer.parameters()), []
    for element in x:
        residual, *memory = cell.step(element, (h, *memory), *weights)
        h = h + residual
        states.append(h)
    return torch.stack(states)


def _normalised(norm: nn.BatchNorm1d, x: Tensor) -> Tensor:
    """Batch norm of x (T - 1, B, d) over all steps together."""
    normalised: Tensor = norm(x.flatten(0, 1))
    return normalised.view_as(x)


def _normalised_by_step(norm: nn.BatchNorm1d, x: Tensor) -> Tensor:
    """Batch norm of x (T - 1, B, d) with statistics of each step, weights of all, and the mean of all to go on with."""
    if not norm.training:
        return _normalised(norm, x)
    gathered, share = (norm.running_mean, norm.running_var), MOMENTUM / len(x)
    steps = [batch_norm(step, *gathered, norm.weight, norm.bias, True, share, norm.eps) for step in x]
    return torch.stack(steps)

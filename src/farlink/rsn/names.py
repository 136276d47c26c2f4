"""Names as a part of what the network reads: an entity's vector is its own row and the sum of those of its n-grams.

Not in the paper, which closes with the wish for "a unified sequence model [of] both relational paths and textual
information". Both graphs share the vectors of n-grams, so that entities with like names start near each other.

Shapes in comments: E entities, G n-grams that more than one name has, N ids, d the width.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn


class NameReader(nn.Module):
    """The vectors of names: weighted sums of learned vectors of their character n-grams."""

    called: Tensor

    def __init__(self, grams: csr_array, width: int, scale: float) -> None:
        super().__init__()
        self.grams = grams * np.float32(scale)  # (E, G), the n-grams of each entity with their weights
        self.scale = scale
        self.table = nn.Parameter(torch.empty(grams.shape[1], width))
        self.register_buffer("called", torch.arange(grams.shape[0]))  # whose name stands for an entity's

    def forward(self, ids: Tensor) -> Tensor:
        """The vectors (*, d) of the names of entities (*)."""
        distinct, place = torch.unique(self.called[ids], return_inverse=True)
        vectors: Tensor = _Sums.apply(self.table, self.grams[distinct.numpy()])  # type: ignore[no-untyped-call]
        return nn.functional.embedding(place, vectors)

    def vectors(self) -> Tensor:
        """The vectors (E, d) of all names, when nothing is to be learned from them."""
        return torch.from_numpy(self.grams[self.called.numpy()] @ self.table.detach().numpy())

    def initialise(self, deviation: float) -> None:
        """Vectors of names that are as long as those of rows with such a deviation."""
        nn.init.normal_(self.table, std=deviation / self.scale)


class _Sums(torch.autograd.Function):
    """Weighted sums (N, d) of rows of a table (G, d); the gradient holds the rows that take part."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, weights: csr_array) -> Tensor:
        ctx.weights, ctx.shape = weights, table.shape
        return torch.from_numpy(weights @ table.detach().numpy())

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        rows, place = np.unique(ctx.weights.indices, return_inverse=True)
        shape = (ctx.weights.shape[0], len(rows))
        weights = csr_array((ctx.weights.data, place.astype(np.int32), ctx.weights.indptr), shape=shape)
        values = torch.from_numpy(weights.T.tocsr() @ upstream.numpy())
        at = torch.from_numpy(rows.astype(np.int64))[None]
        return torch.sparse_coo_tensor(at, values, ctx.shape, is_coalesced=True, check_invariants=False), None

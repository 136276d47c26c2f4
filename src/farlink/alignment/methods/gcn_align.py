"""GCN-Align (Wang, Lv, Lan, Zhang: Cross-lingual knowledge graph alignment via graph convolutional networks, EMNLP
2018): two convolutions over the graphs, learned from the seeds alone.

Left out: the second network, on attributes. Wrong pairs are drawn at random, anew for every step. The margin is wider
than the original's, which is kept after a few steps, so that nothing more would be learned.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.sparse import coo_array
from torch import Tensor, nn

from farlink.alignment.methods.base import Epoch, Method
from farlink.engine.plan import TrainingPlan
from farlink.graph.edges import Edges, distinct_ends
from farlink.graph.ids import Pairs

MARGIN = 20.0
WRONG = 5  # wrong counterparts of each end of a seed
STEPS = 20  # in an epoch
LEAST = 0.3  # weight of a neighbour, however many share it


class Convolutions(nn.Module):
    """h = A relu(A x): a vector for each entity, spread twice over its neighbours; the weight matrices are one."""

    def __init__(self, adjacency: Tensor, width: int) -> None:
        super().__init__()
        self.adjacency = adjacency
        self.entity = nn.Parameter(torch.randn(adjacency.shape[0], width) / width**0.5)

    def forward(self) -> Tensor:
        """Vectors of all entities."""
        spread: Tensor = torch.sparse.mm(self.adjacency, torch.sparse.mm(self.adjacency, self.entity).relu())
        return spread


@dataclass(frozen=True)
class SeedObjective:
    """Linked entities are to be nearer than others by a margin; all at once, as the network spans both graphs."""

    examples: Pairs  # all seeds, once for each step
    border: int

    def prepare(self, model: Convolutions) -> None:
        """A fresh network is ready as it is."""

    def loss(self, model: Convolutions, batch: Tensor) -> Tensor:
        """Hinge loss on L1 distances, with other entities in place of either end."""
        vectors = model()
        one, other = batch.unbind(1)
        right = _apart(vectors, one, other)
        total = torch.zeros(())
        for _ in range(WRONG):
            unseen = torch.randint(self.border, len(vectors), (len(one),))
            total = total + (MARGIN + right - _apart(vectors, one, unseen)).relu().mean()
            unseen = torch.randint(0, self.border, (len(one),))
            total = total + (MARGIN + right - _apart(vectors, unseen, other)).relu().mean()
        return total / (2 * WRONG)


def _apart(vectors: Tensor, one: Tensor, other: Tensor) -> Tensor:
    return (vectors[one] - vectors[other]).abs().sum(1)


class GCNAlign(Method[Convolutions]):
    """One network for both graphs, which no edge joins: the seeds bring their vectors together."""

    def fresh_model(self) -> Convolutions:
        """The graphs are the network."""
        return Convolutions(self._around(), self.settings.width)

    def objective(self, epoch: Epoch) -> SeedObjective:
        """The seeds, again and again."""
        return SeedObjective(np.tile(self.graphs.shifted(epoch.links), (STEPS, 1)), self.graphs.first_right)

    def plan(self) -> TrainingPlan:
        """As the settings say; a step takes all seeds, as the network spans both graphs anyway."""
        return replace(super().plan(), batch_size=len(self.seeds))

    @torch.no_grad()
    def vectors(self, model: Convolutions) -> Tensor:
        """What the last convolution gives."""
        spread: Tensor = model()
        return spread

    def _around(self) -> Tensor:
        """Neighbours weighed by how well their relations single an entity out, normalised on both sides."""
        edges = Edges.of(self.graphs.left, self.graphs.right)
        count = np.bincount(edges.relation, minlength=edges.relations)
        tails = distinct_ends(edges.relation, edges.tail, edges.relations)
        weight = np.maximum(tails / count.clip(1), LEAST)
        size = edges.entities
        own = np.arange(size)
        rows, columns = np.concatenate([edges.head, own]), np.concatenate([edges.tail, own])
        weights = np.concatenate([weight[edges.relation], np.ones(size)])
        matrix = coo_array((weights, (rows, columns)), shape=(size, size)).tocsr()
        scale = 1 / np.sqrt(matrix.sum(1))
        matrix = matrix.multiply(scale[:, None]).multiply(scale[None, :]).tocsr()
        first, places, shares = (
            torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data.astype(np.float32))
        )
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="Sparse CSR tensor support is in beta"
            )  # products are all we need
            return torch.sparse_csr_tensor(first, places, shares, size=(size, size), check_invariants=False)

"""MTransE (Chen, Tian, Yang, Zaniolo: Multilingual knowledge graph embeddings for cross-lingual knowledge alignment,
IJCAI 2017), the variant that learns a linear transition between two spaces.

Left out: relations are not aligned (no seed links of relations are given), and only the best of the five kinds of
transition is here. Corrupted triples are learned from, too, at a low weight; the original does without them.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from farlink.alignment.methods.base import Epoch, Method, Translation, TripleObjective, corrupted, nearness_loss

WRONG = 5  # corrupted triples for a right one
PULL = 5.0  # weight of the seeds


class TwoSpaces(Translation):
    """The left graph's vectors, the right graph's vectors, and a matrix that leads from the first to the second."""

    def __init__(self, entities: int, relations: int, width: int) -> None:
        super().__init__(entities, relations, width)
        self.transition = nn.Linear(width, width, bias=False)
        nn.init.orthogonal_(self.transition.weight)


class MTransE(Method[TwoSpaces]):
    """Two translations and a transition."""

    def fresh_model(self) -> TwoSpaces:
        """Nothing links the two spaces yet."""
        return TwoSpaces(self.graphs.entities, self.graphs.relations, self.settings.width)

    def objective(self, epoch: Epoch) -> TripleObjective[TwoSpaces]:
        """Triples of both graphs; with every batch, all seeds."""
        pairs = torch.from_numpy(self.graphs.shifted(epoch.links)).long()

        def learn(model: TwoSpaces, batch: Tensor) -> Tensor:
            wrong = corrupted(batch, self.graphs.entities, WRONG)
            fits = nearness_loss(*model.distances(batch, wrong))
            missed: Tensor = model.transition(model.unit(pairs[:, 0])) - model.unit(pairs[:, 1])
            return fits + PULL * missed.square().sum(1).mean()

        return TripleObjective.of_epoch(self.graphs.triples, self.settings.seed, epoch.number, learn)

    @torch.no_grad()
    def vectors(self, model: TwoSpaces) -> Tensor:
        """The left vectors as they are after the transition."""
        vectors, border = model.vectors(), self.graphs.first_right
        moved: Tensor = model.transition(vectors[:border])
        return torch.cat([moved, vectors[border:]])

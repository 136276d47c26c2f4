"""IPTransE (Zhu, Xie, Liu, Sun: Iterative entity alignment via joint knowledge embeddings, IJCAI 2017): translations
in one space, relations composed along paths, and links found on the way.

Instead of a margin, which entities of sparse graphs keep before they have found their places, the loss is JAPE's; and
the ends of a seed stand in for each other in the triples instead of sharing a vector, which is ahead in dense graphs.
Left out: paths have two steps; how far a path is to be trusted is whether it is among the commonest beside a relation;
and pairs that were found are drawn together (the soft variant) with equal weights.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from farlink.alignment.methods.base import (
    Epoch,
    Method,
    Translation,
    TripleObjective,
    corrupted,
    nearness_loss,
    one_way,
)
from farlink.graph.compositions import Sample, find_kinds
from farlink.graph.edges import Edges
from farlink.graph.ids import Pairs
from farlink.rsn.joint import join

WRONG = 5  # corrupted triples for a right one
KINDS = 20  # compositions of a relation
PATHS = 0.1  # weight of the compositions
PULL = 0.5  # weight of pairs that were found
CLOSE = 0.9  # cosine from which on a mutual nearest pair counts as found
ALONE = 3  # epochs before the first pairs are sought


class IPTransE(Method[Translation]):
    """One space for both graphs."""

    def fresh_model(self) -> Translation:
        """Nothing is known but the triples and the seeds."""
        self.joint = join(self.graphs.left, self.graphs.right, self.seeds)
        self.triples = one_way(self.joint, self.graphs)
        self.composed = self._compositions()
        return Translation(self.graphs.entities, self.graphs.relations, self.settings.width)

    def _compositions(self) -> Tensor:
        """Rows (first step, second step, relation): the steps often join the ends of the relation's triples."""
        triples, relations = self.joint.triples, 2 * self.graphs.relations
        sample = Sample.of(triples, relations, self.settings.seed)
        first, steps = find_kinds(Edges.of_triples(triples, self.graphs.entities, relations), sample, KINDS)
        relation = np.repeat(np.arange(relations), np.diff(first))
        rows = np.column_stack([steps, relation])[steps[:, 1] >= 0]
        return torch.from_numpy(rows).long()

    def objective(self, epoch: Epoch) -> TripleObjective[Translation]:
        """Triples of the joint graph; with every batch, all compositions and the pairs found so far."""
        found = torch.from_numpy(self.graphs.shifted(epoch.links[len(self.seeds) :])).long()

        def learn(model: Translation, batch: Tensor) -> Tensor:
            wrong = corrupted(batch, self.graphs.entities, WRONG)
            loss = nearness_loss(*model.distances(batch, wrong))
            if len(self.composed):
                loss = loss + PATHS * self._composition_loss(model)
            if len(found):
                loss = loss + PULL * model.apart(found).mean()
            return loss

        return TripleObjective.of_epoch(self.triples, self.settings.seed, epoch.number, learn)

    def _composition_loss(self, model: Translation) -> Tensor:
        """Two relations one after the other lead where the relation leads beside which they are met."""
        table = torch.cat([model.relation, -model.relation])  # a reverse leads back
        composed = table[self.composed[:, 0]] + table[self.composed[:, 1]]
        other = torch.randint(0, len(table), (len(composed),))
        right, wrong = ((composed - table[ids]).square().sum(1) for ids in (self.composed[:, 2], other))
        return nearness_loss(right, wrong)

    def vectors(self, model: Translation) -> Tensor:
        """Those of the translation."""
        return model.vectors()

    def find_links(self, number: int, known: Pairs, model: Translation) -> Pairs:
        """Pairs of entities that are each other's nearest, and near."""
        if number < ALONE:
            return self.seeds[:0]
        candidates = self.candidates(model, 1)
        sure = candidates.mutual() & (candidates.cosine > CLOSE)
        return np.stack([candidates.left[sure], candidates.right[sure]], axis=1)

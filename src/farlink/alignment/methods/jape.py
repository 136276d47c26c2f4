"""JAPE (Sun, Hu, Li: Cross-lingual entity alignment via joint attribute-preserving embedding, ISWC 2017): translations
in one space; where both graphs have attributes, entities with like attributes are drawn together.

The ends of a seed stand in for each other in the triples, as in the joint graph of RSNs; in the original they share one
vector, from which less is learned in sparse graphs. Left out: the attributes' types of values; and attribute vectors
come from a factorised table of which attributes are met together, which is what skip-gram learns, instead of skip-gram
itself.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import svds
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
from farlink.alignment.nearest import nearest
from farlink.graph.ids import lookup
from farlink.rsn.joint import join

WRONG = 1  # corrupted triples for a right one
ATTRIBUTES = 0.05  # weight of the attributes
WIDTH = 50  # of the attributes' vectors
ALIKE = 5  # entities of the other graph that an entity is drawn to; with more, to none
CLOSE = 0.9  # least cosine of the attributes of such entities


class JAPE(Method[Translation]):
    """One space for both graphs."""

    def fresh_model(self) -> Translation:
        """Nothing is known but the triples and the seeds."""
        self.triples = one_way(join(self.graphs.left, self.graphs.right, self.seeds), self.graphs)
        self.alike, self.weight = self._alike()
        return Translation(self.graphs.entities, self.graphs.relations, self.settings.width)

    def objective(self, epoch: Epoch) -> TripleObjective[Translation]:
        """Triples of the joint graph; with every batch, some pairs with like attributes."""
        return TripleObjective.of_epoch(self.triples, self.settings.seed, epoch.number, self._learn)

    def _learn(self, model: Translation, batch: Tensor) -> Tensor:
        loss = nearness_loss(*model.distances(batch, corrupted(batch, self.graphs.entities, WRONG)))
        if len(self.alike):
            some = torch.randint(0, len(self.alike), (len(batch),))
            pull = self.weight[some] * model.apart(self.alike[some])
            loss = loss + ATTRIBUTES * pull.mean()
        return loss

    def vectors(self, model: Translation) -> Tensor:
        """Those of the translation."""
        return model.vectors()

    def _alike(self) -> tuple[Tensor, Tensor]:
        """Pairs of a left and a right entity with like attributes, and the cosines; none without literals."""
        if any(graph.literals.is_empty() for graph in (self.graphs.left, self.graphs.right)):
            return torch.empty(0, 2, dtype=torch.int64), torch.empty(0)
        has, border = self._attributes(), self.graphs.first_right
        met = csr_array(has.T @ has)
        met.data = np.log1p(met.data)
        entity = torch.from_numpy(has @ self._factorised(met)).float()
        cosine, place = nearest(entity[:border], entity[border:], ALIKE + 1)
        alike = cosine > CLOSE
        rows, columns = np.nonzero(alike & (alike.sum(1) <= ALIKE)[:, None])  # a crowd tells nothing about one of it
        pairs = np.stack([rows, place[rows, columns] + border], axis=1)
        return torch.from_numpy(pairs).long(), torch.from_numpy(cosine[rows, columns])

    def _factorised(self, met: csr_array) -> NDArray[np.float64]:
        """Vectors of attributes whose products are how often two are met together; the table itself if it is small."""
        if met.shape[0] <= WIDTH:
            return np.asarray(met.todense(), dtype=np.float64)
        start = np.random.default_rng(self.settings.seed).normal(size=met.shape[0])
        vectors, sizes, _ = svds(met, k=WIDTH, v0=start)
        return np.asarray(vectors * np.sqrt(sizes))

    def _attributes(self) -> csr_array:
        """Which entity has which attribute, by the names of literals; those of one end of a seed are the other's."""
        tables = [
            graph.literals.select("relation", entity=pl.Series(graph.ids(graph.literals["head"]) + shift))
            for graph, shift in ((self.graphs.left, 0), (self.graphs.right, self.graphs.first_right))
        ]
        table = pl.concat(tables).unique(maintain_order=True)
        names = table["relation"].unique().sort()
        shape = (self.graphs.entities, len(names))
        places = table["entity"].to_numpy(), lookup(names, table["relation"])
        own = coo_array((np.ones(table.height), places), shape=shape).tocsr()
        links = self.graphs.shifted(self.seeds)
        twins = np.concatenate([links, links[:, ::-1]])
        partner = coo_array((np.ones(len(twins)), twins.T), shape=(shape[0], shape[0])).tocsr()
        both = csr_array(own + partner @ own)
        both.data[:] = 1
        return both

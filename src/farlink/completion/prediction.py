"""Predictions: the best answers to questions, and the likeliest new facts of the whole graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from torch import Tensor

from farlink.completion.ensemble import Ensemble
from farlink.completion.questions import Questions
from farlink.completion.ranking import CHUNK
from farlink.graph.edges import reverse
from farlink.graph.ids import Ids, Rows
from farlink.rsn.model import PathModel
from farlink.runs.tables import TRIPLE

LIKELY = 10  # relations of an entity that are asked about when looking for facts in the whole graph
ANSWERS = 10  # best new answers to such a question that come into question


@dataclass(frozen=True)
class Predictions:
    """The best answers to some questions, best first, (B, k)."""

    entity: NDArray[np.int64]
    score: NDArray[np.float64]  # log of the chance among all entities
    known: NDArray[np.bool_]

    def features(self) -> NDArray[np.float64]:
        """What tells right answers from wrong ones, (B · k, 2): the chance, and how far it is behind the best."""
        return np.stack([self.score.ravel(), (self.score - self.score[:, :1]).ravel()], axis=1)


def predictions(
    ensemble: Ensemble, head: Ids, relation: Ids, known: Questions, k: int, *, keep_known: bool
) -> Predictions:
    """The k best answers of each question; known ones are left out unless `keep_known`."""
    k = min(k, len(ensemble.seen_entities))
    shape = (len(head), k)
    entity, score, old = np.empty(shape, np.int64), np.empty(shape, np.float64), np.empty(shape, np.bool_)
    for start in range(0, len(head), CHUNK):
        chunk = slice(start, start + CHUNK)
        scores = ensemble(torch.from_numpy(head[chunk]).long(), torch.from_numpy(relation[chunk]).long())
        scores = scores.log_softmax(1)
        first, answers = known.known_answers(head[chunk], relation[chunk])
        rows = torch.from_numpy(np.repeat(np.arange(len(first) - 1), np.diff(first)))
        columns = torch.from_numpy(answers).long()
        is_known = torch.zeros(scores.shape, dtype=torch.bool)
        is_known[rows, columns] = True
        if not keep_known:
            scores[is_known] = -torch.inf
        best = scores.topk(k, dim=1)
        entity[chunk], score[chunk] = best.indices.numpy(), best.values.double().numpy()
        old[chunk] = is_known.gather(1, best.indices).numpy()
    return Predictions(entity, score, old)


@dataclass(frozen=True)
class FactSearch:
    """Looks for new facts in the whole graph.

    To ask every entity about every relation would take too long. Each is asked about the relations that the network
    holds likeliest for it, and a fact counts if its relation is among these for both of its ends.
    """

    ensemble: Ensemble
    network: PathModel
    known: Questions
    relations: int  # reverses not counted
    probability: Callable[[NDArray[np.float64]], NDArray[np.float64]]  # of answers with some features

    def best(self, k: int, progress: Callable[[int, int], None]) -> pl.DataFrame:
        """The k likeliest facts that are not known, by id: head, relation, tail, score, probability.

        Only the best so far are kept, so memory does not grow with the facts that are possible. `progress` is told how
        many entities of how many were asked about.
        """
        best = pl.DataFrame(
            schema=dict.fromkeys(TRIPLE, pl.Int64) | dict.fromkeys(("score", "probability"), pl.Float64)
        )
        likely = self._likely_relations()
        entities = self.ensemble.seen_entities.nonzero()[:, 0].numpy().astype(np.int32)
        step = max(1, CHUNK // likely.shape[1])
        for start in range(0, len(entities), step):
            some = entities[start : start + step]
            merged = pl.concat([best, self._facts_of(some, likely)])
            ordered = merged.sort("probability", "score", *TRIPLE, descending=True)
            best = ordered.unique(TRIPLE, keep="first", maintain_order=True).head(k)
            progress(start + len(some), len(entities))
        return best

    def _likely_relations(self) -> Rows:
        """The likeliest relations, reverses included, of every entity: (n, up to `LIKELY`) ids."""
        found = []
        for start in range(0, len(self.ensemble.seen_entities), CHUNK):
            some = torch.arange(start, min(start + CHUNK, len(self.ensemble.seen_entities)))
            chances = relation_chances(self.network, some)
            chances[:, ~self.ensemble.seen_relations] = 0
            found.append(chances.topk(min(LIKELY, chances.shape[1]), dim=1).indices.int())
        relations: Rows = torch.cat(found).numpy()
        return relations

    def _facts_of(self, entities: Ids, likely: Rows) -> pl.DataFrame:
        """The best new answers to the likely questions about some entities."""
        count = self.relations
        entity, relation = np.repeat(entities, likely.shape[1]), likely[entities].ravel()
        found = predictions(self.ensemble, entity, relation, self.known, ANSWERS, keep_known=False)
        width = found.entity.shape[1]
        own, step, other = np.repeat(entity, width), np.repeat(relation, width), found.entity.ravel()
        back = reverse(step, 2 * count)  # leads from the answer to the entity
        turned = step >= count
        facts = pl.DataFrame(
            {
                "head": np.where(turned, other, own).astype(np.int64),
                "relation": (step % count).astype(np.int64),
                "tail": np.where(turned, own, other).astype(np.int64),
                "score": found.score.ravel(),
                "probability": self.probability(found.features()),
            }
        )
        return facts.filter((likely[other] == back[:, None]).any(axis=1) & np.isfinite(found.score.ravel()))


@torch.no_grad()
def relation_chances(model: PathModel, entity: Tensor) -> Tensor:
    """How likely each relation, or its reverse, is the next one of a path at an entity (B, relations)."""
    # the state at an entity depends on the entity alone; a relation must follow for the network to read, any will do
    first = model.relation_in(torch.zeros_like(entity))
    state = model.read(model.entity_in(entity)[None], first[None]).for_relations[0]
    return torch.addmm(model.relation_bias, state, model.relation_out.weight.T).softmax(1)

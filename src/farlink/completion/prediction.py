"""Predictions: the best answers that are not known yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from farlink.completion.ensemble import Ensemble
from farlink.completion.questions import Questions
from farlink.completion.ranking import CHUNK
from farlink.graph.ids import Ids
from farlink.rsn.model import PathModel


@torch.no_grad()
def relation_chances(model: PathModel, entity: Tensor) -> Tensor:
    """How likely each relation, or its reverse, is the next one of a path at an entity (B, relations)."""
    # the state at an entity depends on the entity alone; a relation must follow for the network to read, any will do
    first = model.relation_in(torch.zeros_like(entity))
    state = model.read(model.entity_in(entity)[None], first[None]).for_relations[0]
    return torch.addmm(model.relation_bias, state, model.relation_out.weight.T).softmax(1)


@dataclass(frozen=True)
class Predictions:
    """The best answers of some questions that are not known yet, best first, (B, k)."""

    entity: NDArray[np.int64]
    score: NDArray[np.float64]  # log of the chance among all entities
    known: NDArray[np.bool_]

    def features(self) -> NDArray[np.float64]:
        """What tells a good guess from a bad one, (B · k, 2): its chance, and how far it is behind the best."""
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

"""Scores of all entities by PyKEEN's models, as products and distances of two tables.

PyKEEN makes a vector of every question and every entity before it compares them: gigabytes, and minutes to hours for
the test triples of a benchmark. For most models the same scores are a product, or a distance, between one vector for
each question and one for each entity.
"""

from __future__ import annotations

from typing import Any

import torch
from pykeen.utils import clamp_norm, project_entity
from torch import Tensor

from farlink.baselines.joint_models import convolved

TURNED = ("DistMult", "ComplEx", "RotatE")  # a relation multiplies, and its conjugate takes that back
PROJECTED = ("TransR", "TransD")  # a relation has a space of its own for the entities


class Scorer:
    """Asks a model of PyKEEN for tails, and for heads where the relation is a reverse."""

    def __init__(self, name: str, model: Any, relations: int) -> None:
        self.name, self.model, self.relations = name, model.eval(), relations

    @torch.no_grad()
    def __call__(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores of all entities for the questions (head, relation, ?)."""
        scores = torch.empty(len(head), self.model.num_entities)
        # of a model whose relations have their own spaces, each relation is a case of its own
        case = relation if self.name in PROJECTED else relation // self.relations
        for one in torch.unique(case):
            rows = (case == one).nonzero()[:, 0]
            scores[rows] = self._asked(head[rows], relation[rows])
        return scores

    def _asked(self, entity: Tensor, relation: Tensor) -> Tensor:
        """All questions ask for tails, or all for heads."""
        reverse = bool(relation[0] >= self.relations)
        relation = relation - self.relations if reverse else relation
        if self.name == "ConvE":
            return self._by_pykeen(entity, relation, reverse)
        entities, relations = self.model.entity_representations, self.model.relation_representations
        vectors, step = entities[0](), relations[0](relation)
        if self.name in TURNED:
            turned = vectors[entity] * (step.conj() if reverse else step)
            if self.name == "RotatE":
                return -torch.cdist(_real(turned), _real(vectors))
            return _real(turned) @ _real(vectors).T
        if self.name == "TransR":
            vectors = clamp_norm(vectors @ relations[1](relation[:1])[0], maxnorm=1.0, p=2, dim=-1)
        if self.name == "TransD":
            vectors = project_entity(vectors, entities[1](), relations[1](relation[:1]))
        moved = vectors[entity] - step if reverse else vectors[entity] + step
        return -torch.cdist(moved, vectors, p=1) if self.name == "TransE" else -torch.cdist(moved, vectors).square()

    def _by_pykeen(self, entity: Tensor, relation: Tensor, reverse: bool) -> Tensor:
        ends = (relation, entity) if reverse else (entity, relation)
        ask = self.model.predict_h if reverse else self.model.predict_t
        scores: Tensor = ask(torch.stack(ends, dim=1))
        return scores


def score_by_products(model: Any) -> None:
    """Let a ConvE of PyKEEN score all tails by a product of two tables, in training, too.

    Otherwise it multiplies every state with every tail element by element, which takes gigabytes and far too long.
    """

    def score_t(hr_batch: Tensor, **_: Any) -> Tensor:
        h, r, (tails, bias) = model._get_representations(h=hr_batch[:, 0], r=hr_batch[:, 1], t=None, mode=None)
        return torch.addmm(bias, convolved(model, h, r), tails.T)

    model.score_t = score_t


def _real(vectors: Tensor) -> Tensor:
    """Complex vectors as real ones twice as long."""
    return torch.view_as_real(vectors).flatten(1) if vectors.is_complex() else vectors

"""A tensor model of single triples, ComplEx with the nuclear 3-norm, to stand beside the network that reads paths.

The score of (s, r, o) is Re⟨s, r, ō⟩ for complex vectors. Every relation has a reverse with a vector of its own, so
that subjects are asked for in the same way as objects (Trouillon et al. 2016; Lacroix et al. 2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from farlink.graph import Ids
from farlink.loss import AllAnswersLoss
from farlink.questions import Questions

START = 0.1  # spread of the fresh vectors


class Factors(nn.Module):
    """Complex vectors of entities and relations; a row holds the real parts, then the imaginary ones."""

    def __init__(self, entities: int, relations: int, factors: int) -> None:
        super().__init__()
        self.entity = nn.Parameter(torch.randn(entities, 2 * factors) * START)
        self.relation = nn.Parameter(torch.randn(relations, 2 * factors) * START)

    def forward(self, head: Tensor, relation: Tensor) -> Tensor:
        """Vectors s∘r of questions, (B, 2f); their products with `entity` are the scores of all answers."""
        (a, b), (c, d) = self.entity[head].chunk(2, dim=1), self.relation[relation].chunk(2, dim=1)
        return torch.cat([a * c - b * d, a * d + b * c], dim=1)

    def size(self, vectors: Tensor) -> Tensor:
        """Σ|z|³ of each row."""
        real, imaginary = vectors.chunk(2, dim=1)
        return (real**2 + imaginary**2 + 1e-12).pow(1.5).sum(1)


@dataclass(frozen=True)
class FactorLessons:
    """Questions in the order of an epoch; the loss is the mean over the answers of a batch of questions."""

    questions: Questions
    examples: Ids  # (questions, 1): their places
    decay: float

    @classmethod
    def of_epoch(cls, questions: Questions, decay: float, seed: int, epoch: int) -> FactorLessons:
        """All questions in an order of their own for every epoch."""
        order = np.random.default_rng([seed, epoch]).permutation(len(questions)).astype(np.int32)
        return cls(questions, order[:, None], decay)

    def prepare(self, model: Factors) -> None:
        """A fresh tensor model is ready as it is."""

    def loss(self, model: Factors, batch: Tensor) -> Tensor:
        """Cross-entropy of the right answers among all entities, and the weight of the factors used."""
        known, places = self.questions, batch[:, 0].numpy()
        head, relation = known.head[places], known.relation[places]
        first, answers = known.known_answers(head, relation)
        count = torch.from_numpy(np.diff(first))
        heads, relations, tails = (torch.from_numpy(ids).long() for ids in (head, relation, answers))
        question = torch.repeat_interleave(torch.arange(len(places)), count)
        misses: Tensor = AllAnswersLoss.apply(model(heads, relations), model.entity, question, tails)  # type: ignore[no-untyped-call]
        asked = model.size(model.entity[heads]) + model.size(model.relation[relations])
        weight = (asked * count).sum() + model.size(model.entity[tails]).sum()
        return (misses + self.decay * weight) / len(answers)

"""KvsAll: all known answers of a question (head, relation, ?) are learned at once, with every entity a candidate.

Walks teach the network in which company entities and relations are met; these objective, at the end, are the exam
itself. All answers of a question are learned at once. There are far fewer questions than walks, so the network would
soon know them by heart: what it reads and what it says is dropped in parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from farlink.completion.complex_n3 import Factors
from farlink.completion.questions import Questions
from farlink.engine.dropout import dropout
from farlink.engine.row_adam import rows_of
from farlink.engine.softmax import AllAnswersLoss, rounded
from farlink.graph.ids import Rows
from farlink.rsn.model import PathModel

NOBODY = -1e4  # the score of a row that only fills up


@dataclass(frozen=True)
class QuestionBatch:
    """Some questions with all their known answers, as tensors: pairs (question, tail) are right."""

    head: Tensor
    relation: Tensor
    answers: Tensor  # how many each question has
    question: Tensor  # of each right pair, sorted
    tail: Tensor

    def cross_entropy(self, states: Tensor, vectors: Tensor, bias: Tensor, drawn: int) -> Tensor:
        """Cross-entropy of all right answers among all entities, the sum; a score is h·w + b.

        In a graph of more than `drawn` entities so many stand for all: the right answers of the batch for
        themselves, the others that were drawn also for those that were not.
        """
        entity, stands_for = self._candidates(len(vectors), drawn)
        place = torch.searchsorted(entity, self.tail)
        # a bias is one more element of an entity's vector, for one more element of the state that is always 1
        level = bias.index_select(0, entity) + stands_for.log()
        candidates = _with_level(rounded(rows_of(vectors, entity), 0.0), rounded(level, NOBODY))
        states = _with_level(states, states.new_ones(len(states)))
        total: Tensor = AllAnswersLoss.apply(states, candidates, self.question, place)  # type: ignore[no-untyped-call]
        return total

    def _candidates(self, entities: int, drawn: int) -> tuple[Tensor, Tensor]:
        """Entities to tell the answers from, in order, and how many each one stands for."""
        if entities <= drawn:
            return torch.arange(entities), torch.ones(entities)
        is_drawn = torch.zeros(entities, dtype=torch.bool)
        is_drawn[torch.randperm(entities)[:drawn]] = True
        is_right = torch.zeros(entities, dtype=torch.bool)
        is_right[self.tail] = True
        others, right = int((is_drawn & ~is_right).sum()), int(is_right.sum())
        entity = (is_drawn | is_right).nonzero()[:, 0]
        return entity, torch.where(is_right[entity], 1.0, (entities - right) / max(others, 1))


def _with_level(vectors: Tensor, level: Tensor) -> Tensor:
    """Vectors with one more element, and zeros up to a multiple of eight, a width that is multiplied faster."""
    return torch.cat([vectors, pad(level[:, None], (0, 7 - vectors.shape[1] % 8))], dim=1)


@dataclass(frozen=True)
class KvsAllObjective:
    """Questions in the order of an epoch: what a model learns from that answers them one by one."""

    questions: Questions
    examples: Rows  # (questions, 1): their places
    drawn: int  # entities that stand for all in a step

    @classmethod
    def of_epoch(cls, questions: Questions, seed: int, epoch: int, *, drawn: int, **more: float) -> Self:
        """All questions in an order of their own for every epoch, and what else the objective needs."""
        order = np.random.default_rng([seed, epoch]).permutation(len(questions)).astype(np.int32)
        return cls(questions, order[:, None], drawn, **more)

    def batch_of(self, batch: Tensor) -> QuestionBatch:
        """What a batch of examples asks."""
        places = batch[:, 0].numpy()
        head, relation = self.questions.head[places], self.questions.relation[places]
        first, tail = self.questions.known_answers(head, relation)
        heads, relations, tails = (torch.from_numpy(ids).long() for ids in (head, relation, tail))
        answers = torch.from_numpy(np.diff(first))
        return QuestionBatch(heads, relations, answers, torch.repeat_interleave(answers), tails)


@dataclass(frozen=True)
class NetworkKvsAll(KvsAllObjective):
    """The loss is the mean over the answers of a batch of questions."""

    dropout: float  # share of the elements of the states that are dropped; of the vectors read, half as many

    def prepare(self, model: PathModel) -> None:
        """A fresh network is ready as it is: no noise has to be outweighed."""

    def loss(self, model: PathModel, batch: Tensor) -> Tensor:
        """Cross-entropy of the right answers among all entities."""
        asked = self.batch_of(batch)
        head = dropout(model.entity_in(asked.head), self.dropout / 2)
        relation = dropout(model.relation_in(asked.relation), self.dropout / 2)
        state = dropout(model.read(head[None], relation[None]).for_entities[0], self.dropout)
        return asked.cross_entropy(state, model.entity_out.weight, model.entity_bias, self.drawn) / len(asked.tail)


@dataclass(frozen=True)
class ComplExKvsAll(KvsAllObjective):
    """The loss is the mean over the answers of a batch of questions."""

    decay: float  # weight of the norm

    def prepare(self, model: Factors) -> None:
        """A fresh tensor model is ready as it is."""

    def loss(self, model: Factors, batch: Tensor) -> Tensor:
        """Cross-entropy of the right answers among all entities, and the weight of the factors used."""
        asked = self.batch_of(batch)
        vectors = model(asked.head, asked.relation)
        misses = asked.cross_entropy(vectors, model.entity, torch.zeros(len(model.entity)), self.drawn)
        sizes = model.size(rows_of(model.entity, asked.head)) + model.size(model.relation[asked.relation])
        weight = (sizes * asked.answers).sum() + model.size(rows_of(model.entity, asked.tail)).sum()
        return (misses + self.decay * weight) / len(asked.tail)

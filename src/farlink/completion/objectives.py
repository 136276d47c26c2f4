"""KvsAll: all known answers of a question (head, relation, ?) are learned at once, with every entity a candidate.

From walks the network learns which entities and relations follow each other; at the end it learns the very questions
that it is to answer. These are far fewer than the walks, so that it would soon know them by heart: parts of the vectors
that it reads, and of the states that it answers from, are dropped.
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

PADDING = -1e4  # the bias of a padding row: its part of the softmax is exp(-10,000), which is zero
WIDTH = 8  # vectors are filled up to a multiple of this: processors multiply such widths faster


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

        In a larger graph `drawn` entities represent all: the right answers of the batch themselves, the
        others that were drawn also those that were not.
        """
        entity, stands_for = self._candidates(len(vectors), drawn)
        # Importance weights are biases: in the sum of the softmax, k candidates of score s are one of score s + log k.
        level = bias.index_select(0, entity) + stands_for.log()
        # Padding rows: products of a shape that was met before are faster, and draws differ in how many they are.
        rows, level = rounded(rows_of(vectors, entity), 0.0), rounded(level, PADDING)
        # Biases are a column: one product of matrices, h·w + 1·b, gives the scores, and its gradient that of the bias.
        candidates, states = _with_column(rows, level), _with_column(states, states.new_ones(len(states)))
        place = torch.searchsorted(entity, self.tail)  # of the right answers among the candidates
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


def _with_column(vectors: Tensor, column: Tensor) -> Tensor:
    """Vectors with one more element, and zeros behind it up to a multiple of `WIDTH`."""
    return torch.cat([vectors, pad(column[:, None], (0, (WIDTH - 1 - vectors.shape[1]) % WIDTH))], dim=1)


@dataclass(frozen=True)
class KvsAllObjective:
    """Questions in the order of an epoch: what a model learns from that answers them one by one."""

    questions: Questions
    examples: Rows  # (questions, 1): their places
    drawn: int  # entities that stand for all of them in a step

    @classmethod
    def of_epoch(cls, questions: Questions, seed: int, epoch: int, *, drawn: int, **more: float) -> Self:
        """All questions in an order of their own for every epoch, and what else the objective needs."""
        order = np.random.default_rng([seed, epoch]).permutation(len(questions)).astype(np.int32)
        return cls(questions, order[:, None], drawn, **more)

    def batch_of(self, batch: Tensor) -> QuestionBatch:
        """The questions of a batch of examples, with their known answers."""
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
        questions = self.batch_of(batch)
        head = dropout(model.entity_in(questions.head), self.dropout / 2)
        relation = dropout(model.relation_in(questions.relation), self.dropout / 2)
        state = dropout(model.read(head[None], relation[None]).for_entities[0], self.dropout)
        return questions.cross_entropy(state, model.entity_out.weight, model.entity_bias, self.drawn) / len(
            questions.tail
        )


@dataclass(frozen=True)
class ComplExKvsAll(KvsAllObjective):
    """The loss is the mean over the answers of a batch of questions."""

    decay: float  # weight of the norm

    def prepare(self, model: Factors) -> None:
        """A fresh tensor model is ready as it is."""

    def loss(self, model: Factors, batch: Tensor) -> Tensor:
        """Cross-entropy of the right answers among all entities, and the norm of the factors used."""
        questions = self.batch_of(batch)
        vectors = model(questions.head, questions.relation)
        total = questions.cross_entropy(vectors, model.entity, torch.zeros(len(model.entity)), self.drawn)
        sizes = model.size(rows_of(model.entity, questions.head)) + model.size(model.relation[questions.relation])
        norm = (sizes * questions.answers).sum() + model.size(rows_of(model.entity, questions.tail)).sum()
        return (total + self.decay * norm) / len(questions.tail)

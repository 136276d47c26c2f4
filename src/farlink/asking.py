"""Single questions as lessons of the network: what follows an entity and a relation, with every entity a candidate.

Walks teach the network in which company entities and relations are met; these lessons, at the end, are the exam
itself. All answers of a question are learned at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from farlink.loss import AllAnswersLoss
from farlink.model import PathModel
from farlink.questions import QuestionLessons


@dataclass(frozen=True)
class AskedLessons(QuestionLessons):
    """The loss is the mean over the answers of a batch of questions."""

    def prepare(self, model: PathModel) -> None:
        """A fresh network is ready as it is: no noise has to be outweighed."""

    def loss(self, model: PathModel, batch: Tensor) -> Tensor:
        """Cross-entropy of the right answers among all entities."""
        asked = self.lesson(batch)
        state = model.after(asked.head, asked.relation)
        # a bias is one more element of an entity's vector, for one more element of the state that is always 1
        states = torch.cat([state, state.new_ones(len(state), 1)], dim=1)
        vectors = torch.cat([model.entity_out.weight, model.entity_bias[:, None]], dim=1)
        misses: Tensor = AllAnswersLoss.apply(states, vectors, asked.question, asked.tail)  # type: ignore[no-untyped-call]
        return misses / len(asked.tail)

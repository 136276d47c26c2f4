"""Single questions as lessons of the network: what follows an entity and a relation, with every entity a candidate.

Walks teach the network in which company entities and relations are met; these lessons, at the end, are the exam
itself. All answers of a question are learned at once. There are far fewer questions than walks, so the network would
soon know them by heart: what it reads and what it says is dropped in parts.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from farlink.dropout import dropout
from farlink.model import PathModel
from farlink.questions import QuestionLessons


@dataclass(frozen=True)
class AskedLessons(QuestionLessons):
    """The loss is the mean over the answers of a batch of questions."""

    dropout: float  # share of the elements of the states that are dropped; of the vectors read, half as many

    def prepare(self, model: PathModel) -> None:
        """A fresh network is ready as it is: no noise has to be outweighed."""

    def loss(self, model: PathModel, batch: Tensor) -> Tensor:
        """Cross-entropy of the right answers among all entities."""
        asked = self.lesson(batch)
        head = dropout(model.entity_in(asked.head), self.dropout / 2)
        relation = dropout(model.relation_in(asked.relation), self.dropout / 2)
        state = dropout(model.read(head[None], relation[None]).for_entities[0], self.dropout)
        return asked.misses(state, model.entity_out.weight, model.entity_bias, self.drawn) / len(asked.tail)

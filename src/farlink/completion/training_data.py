"""What the models of a completion learn from, and the validation triples that they are measured by meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from farlink.completion.ensemble import Ensemble, seen
from farlink.completion.questions import Questions
from farlink.completion.ranking import Score, both_sides
from farlink.completion.task import CompletionTask
from farlink.rsn.joint import alone

VALIDATED = 2_000  # validation triples that models are measured by while they learn


class TrainingData:
    """A task's graph with its reverse relations, as triples to walk over and as questions with their answers."""

    def __init__(self, task: CompletionTask, seed: int) -> None:
        self.entities, self.relations = len(task.graph.entities), len(task.graph.relations)
        self.graph = alone(task.graph)
        self.questions = Questions.about(self.graph.triples)
        self.known = task.known(with_test=False)
        self.seen = seen(task.graph.triples, self.entities, self.relations)
        order = np.random.default_rng([seed, 0xBEE]).permutation(len(task.valid))
        self.valid = task.valid[order[:VALIDATED]]

    def ensemble(self, scorers: Mapping[str, Score]) -> Ensemble:
        """Scorers that all count the same."""
        return Ensemble(scorers, dict.fromkeys(scorers, 1.0), *self.seen)

    def mrr(self, scorers: Mapping[str, Score]) -> float | None:
        """Mean reciprocal rank of validation triples, on both sides; None if there are none."""
        if not len(self.valid):
            return None
        return both_sides(self.ensemble(scorers), self.valid, self.known, self.relations)["both"].summary()["mrr"]

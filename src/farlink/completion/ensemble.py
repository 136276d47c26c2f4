"""Answering questions: the network that reads paths, the tensor model of triples and the rules, put together.

Each of these scorers gives a distribution over all entities; the score is the mean of the logarithms, with weights
that validation triples choose. Entities without a triple to learn from come last, all alike, and a question about one
of them, or about such a relation, has no better and no worse answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
import torch
from torch import Tensor, nn

from farlink.completion.complex_n3 import Factors
from farlink.completion.questions import Questions
from farlink.completion.ranking import Score, sides_by_each
from farlink.completion.rules import Rules
from farlink.graph.ids import Triples
from farlink.measures.ranks import Ranks
from farlink.rsn.model import PathModel

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)  # of another scorer against the one that is best alone
FAR = -1e9  # the score of what was never seen: finite, so that sums stay numbers


@dataclass(frozen=True)
class Ensemble:
    """Scores all entities as answers: the weighed mean of the log p of each scorer."""

    scorers: Mapping[str, Score]
    weights: Mapping[str, float]
    seen_entities: Tensor  # bool: which entities have a triple to learn from
    seen_relations: Tensor  # reverse relations included

    @torch.no_grad()
    def __call__(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores (B, n) of all entities for the questions (head, relation, ?)."""
        total = torch.zeros(len(head), len(self.seen_entities))
        whole = sum(self.weights.values())  # a mean, not a sum, is as sure as its parts are
        for name, weight in self.weights.items():
            if weight:
                total.add_(self.scorers[name](head, relation), alpha=weight / whole)
        total[:, ~self.seen_entities] = FAR
        total[~(self.seen_entities[head] & self.seen_relations[relation])] = 0.0
        return total

    def alone(self, name: str) -> Ensemble:
        """One scorer by itself."""
        return replace(self, weights={name: 1.0})


def scorers(paths: PathModel | None, factors: Factors | None, rules: Rules | None) -> dict[str, Score]:
    """What answers questions, by name: log p of all entities, from each model that there is."""
    scores: dict[str, Score | None] = {
        "paths": partial(path_scores, paths) if paths else None,
        "factors": factors.scores if factors else None,
        "rules": rules,
    }
    return {name: partial(_log_chances, score) for name, score in scores.items() if score is not None}


def _log_chances(score: Score, head: Tensor, relation: Tensor) -> Tensor:
    return score(head, relation).log_softmax(1)


@torch.no_grad()
def path_scores(model: PathModel, head: Tensor, relation: Tensor) -> Tensor:
    """What the network expects after reading a head and a relation: the scores of all entities (B, n)."""
    return torch.addmm(model.entity_bias, model.after(head, relation), model.entity_out.weight.T)


def with_best_weights(
    ensemble: Ensemble, names: list[str], valid: Triples, known: Questions, relations: int
) -> Ensemble:
    """Some of the scorers, weighed so that the mean reciprocal rank of validation triples is best.

    The scorer that is best alone has weight 1, the others one of `WEIGHTS`.
    """
    if not len(valid):
        return replace(ensemble, weights=dict.fromkeys(names, 1.0))
    alone = _best(ensemble, [{name: 1.0} for name in names], valid, known, relations)
    (first,) = alone
    choices = product(*((1.0,) if name == first else WEIGHTS for name in names))
    weights = [dict(zip(names, choice, strict=True)) for choice in choices]
    return replace(ensemble, weights=_best(ensemble, weights, valid, known, relations))


def _best(
    ensemble: Ensemble, choices: list[dict[str, float]], valid: Triples, known: Questions, relations: int
) -> dict[str, float]:
    """The weights with the best mean reciprocal rank; of equals, the first."""
    ranks = ranks_of([replace(ensemble, weights=weights) for weights in choices], valid, known, relations)
    return choices[int(np.argmax([sides["both"].summary()["mrr"] for sides in ranks]))]


def ranks_of(
    ensembles: Sequence[Ensemble], triples: Triples, known: Questions, relations: int
) -> list[dict[str, Ranks]]:
    """Filtered ranks by several ensembles with the same scorers; a scorer answers each question once for all."""
    remembering = {name: _Remembered(scorer) for name, scorer in ensembles[0].scorers.items()}
    alike = [replace(ensemble, scorers=remembering) for ensemble in ensembles]
    return sides_by_each(alike, triples, known, relations)


class _Remembered:
    """A scorer that remembers its last scores, for ensembles that ask the same questions one after the other."""

    def __init__(self, scorer: Score) -> None:
        self.scorer, self.said = scorer, torch.empty(0)
        self.asked: tuple[Tensor, Tensor] | None = None

    def __call__(self, head: Tensor, relation: Tensor) -> Tensor:
        """The scores, from memory if these were the last questions."""
        if self.asked is None or not all(map(torch.equal, self.asked, (head, relation))):
            self.asked, self.said = (head, relation), self.scorer(head, relation)
        return self.said


def state(parts: dict[str, nn.Module | None]) -> dict[str, Tensor]:
    """The weights of the parts that are there, under their names."""
    return {
        f"{name}/{key}": tensor
        for name, module in parts.items()
        if module is not None
        for key, tensor in module.state_dict().items()
    }

"""The network that reads paths, the tensor model of triples and the rules answer questions together.

Each of these scorers gives a distribution over all entities; the score is the mean of the logarithms, with weights
that validation triples choose. Entities without a triple to learn from come last, all alike, and a question about one
of them, or about such a relation, has no better and no worse answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
import torch
from torch import Tensor, nn

from farlink.completion.complex_n3 import Factors
from farlink.completion.questions import Questions
from farlink.completion.ranking import Score, by_side, ranks_by_each
from farlink.completion.rules import Rules
from farlink.graph.edges import with_reverses
from farlink.graph.ids import Triples
from farlink.measures.ranks import Ranks
from farlink.rsn.model import PathModel

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)  # of another scorer against the one that is best alone
FAR = -1e9  # the score of what was never seen: finite, so that sums stay numbers


def seen(triples: Triples, entities: int, relations: int) -> tuple[Tensor, Tensor]:
    """Which entities, and which relations with their reverses, occur in the triples."""
    has_entity, has_relation = torch.zeros(entities, dtype=torch.bool), torch.zeros(relations, dtype=torch.bool)
    has_entity[torch.from_numpy(np.unique(triples[:, ::2])).long()] = True
    has_relation[torch.from_numpy(np.unique(triples[:, 1])).long()] = True
    return has_entity, torch.cat([has_relation, has_relation])


@dataclass(frozen=True)
class Ensemble:
    """Scores all entities as answers: the weighed mean of the log p of each scorer."""

    scorers: Mapping[str, Score]
    weights: Mapping[str, float]
    seen_entities: Tensor  # bool: which entities have a triple to learn from
    seen_relations: Tensor  # reverse relations included

    def __call__(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores (B, n) of all entities for the questions (head, relation, ?)."""
        used = [name for name, weight in self.weights.items() if weight]
        return self.combined({name: self.scorers[name](head, relation) for name in used}, head, relation)

    @torch.no_grad()
    def combined(self, scores: Mapping[str, Tensor], head: Tensor, relation: Tensor) -> Tensor:
        """What the scorers gave for some questions, put together."""
        total = torch.zeros(len(head), len(self.seen_entities))
        whole = sum(self.weights.values())  # a mean, not a sum, is as sure as its parts are
        for name, weight in self.weights.items():
            if weight:
                total.add_(scores[name], alpha=weight / whole)
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
    (first,) = _best(ensemble, [{name: 1.0} for name in names], valid, known, relations)
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
    """Filtered ranks by several ensembles of the same scorers; each scorer answers a question once for all of them."""
    scorers = ensembles[0].scorers
    used = [name for name in scorers if any(ensemble.weights.get(name) for ensemble in ensembles)]

    def scores(head: Tensor, relation: Tensor) -> Iterator[Tensor]:
        found = {name: scorers[name](head, relation) for name in used}
        return (ensemble.combined(found, head, relation) for ensemble in ensembles)

    ranks = ranks_by_each(scores, len(ensembles), with_reverses(triples, relations), known)
    return [by_side(whole) for whole in ranks]


def state(parts: dict[str, nn.Module | None]) -> dict[str, Tensor]:
    """The weights of the parts that are there, under their names."""
    return {
        f"{name}/{key}": tensor
        for name, module in parts.items()
        if module is not None
        for key, tensor in module.state_dict().items()
    }

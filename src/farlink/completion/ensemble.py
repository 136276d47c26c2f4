"""Answering questions: the network that reads paths, the tensor model of triples and the rules, put together.

Each of these voices gives a distribution over all entities; the score is the mean of the logarithms, with weights
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
from farlink.graph.ids import Ids
from farlink.measures.ranks import Ranks
from farlink.rsn.model import PathModel

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)  # of another voice against the one that is best alone
FAR = -1e9  # the score of what was never seen: finite, so that sums stay numbers


@dataclass(frozen=True)
class Answerer:
    """Scores all entities as answers: the weighed mean of what each voice says, log p."""

    voices: Mapping[str, Score]
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
                total.add_(self.voices[name](head, relation), alpha=weight / whole)
        total[:, ~self.seen_entities] = FAR
        total[~(self.seen_entities[head] & self.seen_relations[relation])] = 0.0
        return total

    def alone(self, name: str) -> Answerer:
        """One voice by itself."""
        return replace(self, weights={name: 1.0})


def voices(paths: PathModel | None, factors: Factors | None, rules: Rules | None) -> dict[str, Score]:
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


def with_best_weights(answerer: Answerer, names: list[str], valid: Ids, known: Questions, relations: int) -> Answerer:
    """Some of the voices, weighed so that the mean reciprocal rank of validation triples is best.

    The voice that is best alone has weight 1, the others one of `WEIGHTS`.
    """
    if not len(valid):
        return replace(answerer, weights=dict.fromkeys(names, 1.0))
    alone = _best(answerer, [{name: 1.0} for name in names], valid, known, relations)
    (first,) = alone
    choices = product(*((1.0,) if name == first else WEIGHTS for name in names))
    weights = [dict(zip(names, choice, strict=True)) for choice in choices]
    return replace(answerer, weights=_best(answerer, weights, valid, known, relations))


def _best(
    answerer: Answerer, choices: list[dict[str, float]], valid: Ids, known: Questions, relations: int
) -> dict[str, float]:
    """The weights with the best mean reciprocal rank; of equals, the first."""
    ranks = ranks_of([replace(answerer, weights=weights) for weights in choices], valid, known, relations)
    return choices[int(np.argmax([sides["both"].summary()["mrr"] for sides in ranks]))]


def ranks_of(answerers: Sequence[Answerer], triples: Ids, known: Questions, relations: int) -> list[dict[str, Ranks]]:
    """Filtered ranks by several answerers with the same voices; a voice answers each question once for all."""
    remembering = {name: _Remembering(voice) for name, voice in answerers[0].voices.items()}
    alike = [replace(answerer, voices=remembering) for answerer in answerers]
    return sides_by_each(alike, triples, known, relations)


class _Remembering:
    """A voice that is asked the same questions again and again, and thinks once."""

    def __init__(self, voice: Score) -> None:
        self.voice, self.said = voice, torch.empty(0)
        self.asked: tuple[Tensor, Tensor] | None = None

    def __call__(self, head: Tensor, relation: Tensor) -> Tensor:
        """What the voice says, from memory if these were the last questions."""
        if self.asked is None or not all(map(torch.equal, self.asked, (head, relation))):
            self.asked, self.said = (head, relation), self.voice(head, relation)
        return self.said


def state(parts: dict[str, nn.Module | None]) -> dict[str, Tensor]:
    """The weights of the parts that are there, under their names."""
    return {
        f"{name}/{key}": tensor
        for name, module in parts.items()
        if module is not None
        for key, tensor in module.state_dict().items()
    }

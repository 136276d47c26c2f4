"""Candidates: a sparse list of likely pairs, and the one place where what speaks for a pair adds up to its score.

What competes for an entity's attention is Σ weight · signal. A further signal, such as names, is one more term: a line
in `own_signals`, and one in `Candidates.features` if the probability of a pair is to know it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from farlink.alignment.evidence import Evidence
from farlink.alignment.nearest import nearest_both_ways
from farlink.alignment.sinkhorn import balanced
from farlink.graph.ids import Ids, Pools, unseeded
from farlink.measures.calibration import log_odds
from farlink.settings import AlignmentSettings


@dataclass(frozen=True)
class Candidates:
    """Likely pairs of entities (left, right) by id, sorted, with their scores."""

    left: Ids
    right: Ids
    cosine: NDArray[np.float32]
    logit: NDArray[np.float32]  # what speaks for the pair, before others compete
    score: NDArray[np.float64]  # what ranks the candidates of an entity: the cosine, or its balanced share
    shape: tuple[int, int]  # entities of either side
    rounds: int  # of the balance

    @classmethod
    def nearest(cls, left: Tensor, right: Tensor, pools: Pools, k: int, rounds: int) -> Candidates:
        """The k nearest of every left and every right entity of the pools, scored by cosine."""
        (left_scores, left_places), (right_scores, right_places) = nearest_both_ways(left[pools[0]], right[pools[1]], k)
        rows = np.concatenate([np.repeat(np.arange(len(pools[0])), left_places.shape[1]), right_places.ravel()])
        columns = np.concatenate([left_places.ravel(), np.repeat(np.arange(len(pools[1])), right_places.shape[1])])
        _, kept = np.unique(rows.astype(np.int64) * max(len(pools[1]), 1) + columns, return_index=True)
        cosine = np.concatenate([left_scores.ravel(), right_scores.ravel()])[kept]
        pairs = pools[0][rows[kept]], pools[1][columns[kept]]
        shape = (len(left), len(right))
        return cls(*pairs, cosine, cosine, cosine.clip(0, 1).astype(np.float64), shape, rounds)

    def balanced(self, logit: NDArray[np.floating]) -> Candidates:
        """The same pairs, competing with what now speaks for each of them."""
        logit = logit.astype(np.float32)
        return replace(self, logit=logit, score=balanced(self.left, self.right, logit, self.shape, self.rounds))

    def within(self, pools: Pools, *, compete: bool) -> Candidates:
        """The pairs of some entities only; if they `compete`, the balance is found anew among them."""
        kept = np.isin(self.left, pools[0]) & np.isin(self.right, pools[1])
        if kept.all():
            return self
        some = replace(
            self,
            left=self.left[kept],
            right=self.right[kept],
            cosine=self.cosine[kept],
            logit=self.logit[kept],
            score=self.score[kept],
        )
        return some.balanced(some.logit) if compete else some

    def reversed(self) -> Candidates:
        """The same pairs seen from the right, in the same order."""
        return replace(self, left=self.right, right=self.left, shape=self.shape[::-1])

    def best(self) -> NDArray[np.bool_]:
        """Which pairs have the best score of their left entity."""
        most = np.full(self.shape[0], -np.inf)
        np.maximum.at(most, self.left, self.score)
        return self.score >= most[self.left]

    def mutual(self) -> NDArray[np.bool_]:
        """Which pairs are each other's best."""
        return self.best() & self.reversed().best()

    def features(self) -> dict[str, NDArray[np.floating]]:
        """What the probability of a pair is made of, by name."""
        return {"score": log_odds(self.score), "cosine": self.cosine}


@dataclass(frozen=True)
class Signal:
    """Something that speaks for a pair, and how much that counts."""

    weight: float
    of: Callable[[Candidates], NDArray[np.floating]]  # a logit for each pair


def own_signals(settings: AlignmentSettings) -> list[Signal]:
    """What two entities say about themselves."""
    return [Signal(1.0, lambda pairs: pairs.cosine / settings.temperature)]


def context_signals(evidence: Evidence, settings: AlignmentSettings) -> list[Signal]:
    """What speaks for a pair in the light of who else is likely to be whom: it follows from the scores so far."""
    return [Signal(settings.evidence, evidence.of)]


def scored_candidates(left: Tensor, right: Tensor, evidence: Evidence, settings: AlignmentSettings) -> Candidates:
    """Candidates among all entities that are no seeds: near by their vectors, then scored by all that speaks for them.

    Without a temperature nothing competes, and the score is the cosine.
    """
    seeds = evidence.seeds
    pools = unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])
    candidates = Candidates.nearest(left, right, pools, settings.candidates, settings.sinkhorn_rounds)
    if not settings.temperature:
        return candidates
    own = own_signals(settings)
    context = [signal for signal in context_signals(evidence, settings) if signal.weight]
    candidates = candidates.balanced(total(own, candidates))
    for _ in range(settings.refinements if context else 0):
        candidates = candidates.balanced(total([*own, *context], candidates))
    return candidates


def total(signals: Sequence[Signal], candidates: Candidates) -> NDArray[np.floating]:
    """Σ weight · signal, for each pair."""
    return np.asarray(sum(signal.weight * signal.of(candidates) for signal in signals))

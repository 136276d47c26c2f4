"""Candidates that compete: a sparse list of likely pairs, and Sinkhorn's balance among them.

An entity that is near to many others says little about each of them. Sinkhorn's algorithm divides each
entity's attention among its candidates until every entity of both sides gives and takes about the same. It
runs on the nearest candidates of every entity only, so memory is linear in the entities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cosine_similarity

from farlink.graph import Ids
from farlink.matching import nearest_both_ways, target_ranks
from farlink.metrics import Ranks

ROUNDS = 15

Pools = tuple[Ids, Ids]  # the left and the right entities that come into question, sorted


@dataclass(frozen=True)
class Candidates:
    """Likely pairs of entities (left, right) by id, sorted, with their scores."""

    left: Ids
    right: Ids
    cosine: NDArray[np.float32]
    logit: NDArray[np.float32]  # what speaks for the pair, before others compete
    score: NDArray[np.float64]  # what ranks the candidates of an entity: the cosine, or its balanced share
    shape: tuple[int, int]  # entities of either side

    @classmethod
    def nearest(cls, left: Tensor, right: Tensor, pools: Pools, k: int) -> Candidates:
        """The k nearest of every left and every right entity of the pools, scored by cosine."""
        (left_scores, left_places), (right_scores, right_places) = nearest_both_ways(left[pools[0]], right[pools[1]], k)
        rows = np.concatenate([np.repeat(np.arange(len(pools[0])), left_places.shape[1]), right_places.ravel()])
        columns = np.concatenate([left_places.ravel(), np.repeat(np.arange(len(pools[1])), right_places.shape[1])])
        _, kept = np.unique(rows.astype(np.int64) * max(len(pools[1]), 1) + columns, return_index=True)
        cosine = np.concatenate([left_scores.ravel(), right_scores.ravel()])[kept]
        pairs = pools[0][rows[kept]], pools[1][columns[kept]]
        return cls(*pairs, cosine, cosine, cosine.clip(0, 1).astype(np.float64), (len(left), len(right)))

    def balanced(self, logit: NDArray[np.floating]) -> Candidates:
        """The same pairs, competing with what now speaks for each of them."""
        logit = logit.astype(np.float32)
        return replace(self, logit=logit, score=balanced(self.left, self.right, logit, self.shape))

    def within(self, pools: Pools, *, compete: bool) -> Candidates:
        """The pairs of some entities only; if they `compete`, the balance is found anew among them."""
        kept = np.isin(self.left, pools[0]) & np.isin(self.right, pools[1])
        if kept.all():
            return self
        some = Candidates(
            self.left[kept], self.right[kept], self.cosine[kept], self.logit[kept], self.score[kept], self.shape
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


def balanced(left: Ids, right: Ids, logit: NDArray[np.floating], shape: tuple[int, int]) -> NDArray[np.float64]:
    """Share of the left entity's attention that each pair keeps after Sinkhorn's balancing."""
    most = np.full(shape[0], -np.inf)
    np.maximum.at(most, left, logit)
    share: NDArray[np.float64] = np.exp(logit - most[left])
    for _ in range(ROUNDS):
        for ids, count in ((right, shape[1]), (left, shape[0])):
            share /= np.maximum(np.bincount(ids, share, minlength=count), 1e-300)[ids]
    return share


def candidate_ranks(candidates: Candidates, left: Tensor, right: Tensor, pairs: Ids, pool: Ids) -> Ranks:
    """Rank of the right entity of each pair for its left entity: listed candidates by score, then the others.

    The others, right entities of the `pool`, follow by their cosine. Each left entity is in one pair at the most.
    """
    target = np.full(candidates.shape[0], -1, dtype=np.int32)
    target[pairs[:, 0]] = pairs[:, 1]
    own_score, own_cosine = (np.full(candidates.shape[0], np.nan) for _ in range(2))
    hit = candidates.right == target[candidates.left]
    own_score[candidates.left[hit]] = candidates.score[hit]

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(candidates.left[which], minlength=candidates.shape[0])[pairs[:, 0]]

    own = own_score[candidates.left]
    better, equal = count(candidates.score > own), count(candidates.score == own)
    absent = np.isnan(own_score[pairs[:, 0]])
    if absent.any():
        rows = pairs[absent]
        places = np.searchsorted(pool, rows[:, 1]).astype(np.int32)
        cosine = target_ranks(left[rows[:, 0]], right[pool], places)
        own_cosine[rows[:, 0]] = cosine_similarity(left[rows[:, 0]], right[rows[:, 1]]).numpy()
        closer = count(candidates.cosine > own_cosine[candidates.left])[absent]
        better[absent] = count(np.ones(len(own), dtype=bool))[absent] + cosine.optimistic - 1 - closer
        equal[absent] = cosine.pessimistic - cosine.optimistic + 1
    return Ranks(optimistic=better + 1, pessimistic=better + equal)

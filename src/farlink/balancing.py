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


@dataclass(frozen=True)
class Candidates:
    """Likely pairs of places (left, right) with their scores."""

    left: Ids
    right: Ids
    cosine: NDArray[np.float64]
    score: NDArray[np.float64]  # what ranks the candidates of an entity: the cosine, or its balanced share
    shape: tuple[int, int]

    @classmethod
    def among(cls, left: Tensor, right: Tensor, k: int, temperature: float) -> Candidates:
        """The k nearest of every left and every right vector, balanced if the temperature is not zero."""
        (left_scores, left_places), (right_scores, right_places) = nearest_both_ways(left, right, k)
        shape = (len(left), len(right))
        rows = np.concatenate([np.repeat(np.arange(shape[0]), left_places.shape[1]), right_places.ravel()])
        columns = np.concatenate([left_places.ravel(), np.repeat(np.arange(shape[1]), right_places.shape[1])])
        cosine = np.concatenate([left_scores.ravel(), right_scores.ravel()]).astype(np.float64)
        _, kept = np.unique(rows.astype(np.int64) * max(shape[1], 1) + columns, return_index=True)
        pairs = rows[kept].astype(np.int32), columns[kept].astype(np.int32)
        score = balanced(*pairs, cosine[kept], shape, temperature) if temperature else cosine[kept].clip(0, 1)
        return cls(*pairs, cosine[kept], score, shape)

    def reversed(self) -> Candidates:
        """The same pairs seen from the right."""
        return replace(self, left=self.right, right=self.left, shape=self.shape[::-1])

    def best(self) -> NDArray[np.bool_]:
        """Which pairs have the best score of their left place."""
        most = np.full(self.shape[0], -np.inf)
        np.maximum.at(most, self.left, self.score)
        return self.score >= most[self.left]

    def mutual(self) -> NDArray[np.bool_]:
        """Which pairs are each other's best."""
        return self.best() & self.reversed().best()


def balanced(
    left: Ids, right: Ids, cosine: NDArray[np.float64], shape: tuple[int, int], temperature: float
) -> NDArray[np.float64]:
    """Share of the left entity's attention that each pair keeps after Sinkhorn's balancing."""
    share = np.exp((cosine - 1) / temperature)
    for _ in range(ROUNDS):
        for places, count in ((right, shape[1]), (left, shape[0])):
            share /= np.maximum(np.bincount(places, share, minlength=count), 1e-300)[places]
    return share


def candidate_ranks(candidates: Candidates, left: Tensor, right: Tensor, pairs: Ids) -> Ranks:
    """Rank of the right place of each pair for its left place: listed candidates by score, then the others.

    The others follow by their cosine. Each left place is in one pair at the most.
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
        cosine = target_ranks(left[rows[:, 0]], right, rows[:, 1])
        own_cosine[rows[:, 0]] = cosine_similarity(left[rows[:, 0]], right[rows[:, 1]]).numpy()
        closer = count(candidates.cosine > own_cosine[candidates.left])[absent]
        better[absent] = count(np.ones(len(own), dtype=bool))[absent] + cosine.optimistic - 1 - closer
        equal[absent] = cosine.pessimistic - cosine.optimistic + 1
    return Ranks(optimistic=better + 1, pessimistic=better + equal)

"""From vectors to counterparts: cosine similarity in blocks, and a one-to-one choice.

Nothing here holds more than one block of the similarity matrix: memory is that of the vectors, of the
result, and of `BLOCK` numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import normalize

from farlink.graph import Ids
from farlink.metrics import Ranks

Nearest = tuple[NDArray[np.float32], Ids]  # scores and places, best first, a row for each query

BLOCK = 2**24  # similarities computed at a time: 64 MiB
COLUMNS = 2**13  # candidates compared at a time
BID = 1e-4  # the least step of a price in the auction of `one_to_one`


def directions(vectors: Tensor) -> Tensor:
    """Vectors of length one, so that a product of two is their cosine. A zero vector stays zero."""
    return normalize(vectors, dim=1)


def target_ranks(queries: Tensor, candidates: Tensor, targets: Ids) -> Ranks:
    """Rank, for each query, of the candidate `targets[i]` by cosine among all candidates."""
    queries, candidates = directions(queries), directions(candidates)
    better, equal = [], []
    for rows in _row_blocks(len(queries), len(candidates)):
        scores = queries[rows] @ candidates.T
        own = scores.gather(1, torch.from_numpy(targets[rows]).long()[:, None])
        better.append((scores > own).sum(1))
        equal.append((scores == own).sum(1))
    above = _joined(better)
    return Ranks(optimistic=above + 1, pessimistic=above + _joined(equal))


def nearest(queries: Tensor, candidates: Tensor, k: int) -> Nearest:
    """The k candidates nearest to each query by cosine, exactly."""
    queries, candidates = directions(queries), directions(candidates)
    best = _Best(len(queries), min(k, len(candidates)))
    for rows in _row_blocks(len(queries), min(COLUMNS, len(candidates))):
        for start in range(0, len(candidates), COLUMNS):
            best.update(rows, queries[rows] @ candidates[start : start + COLUMNS].T, start)
    return best.result()


def nearest_both_ways(left: Tensor, right: Tensor, k: int) -> tuple[Nearest, Nearest]:
    """The k right vectors nearest to each left one, and the k left vectors nearest to each right one."""
    left, right = directions(left), directions(right)
    forth, back = _Best(len(left), min(k, len(right))), _Best(len(right), min(k, len(left)))
    for rows in _row_blocks(len(left), min(COLUMNS, len(right))):
        for start in range(0, len(right), COLUMNS):
            columns = slice(start, min(start + COLUMNS, len(right)))
            scores = left[rows] @ right[columns].T
            forth.update(rows, scores, start)
            back.update(columns, scores.T.contiguous(), rows.start)
    return forth.result(), back.result()


class _Best:
    """The best candidates seen so far of every query."""

    def __init__(self, queries: int, k: int) -> None:
        self.k = k
        self.scores = torch.full((queries, k), -torch.inf)
        self.places = torch.zeros((queries, k), dtype=torch.int32)

    def update(self, queries: slice, scores: Tensor, first: int) -> None:
        """Take in the scores of some queries with the candidates from `first` on."""
        top, place = scores.topk(min(self.k, scores.shape[1]), dim=1)
        merged, order = torch.cat([self.scores[queries], top], 1).topk(self.k, dim=1)
        places = torch.cat([self.places[queries], (place + first).int()], 1)
        self.scores[queries], self.places[queries] = merged, places.gather(1, order)

    def result(self) -> Nearest:
        return self.scores.numpy(), self.places.numpy()


def one_to_one(left: Ids, right: Ids, score: NDArray[np.floating], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Which of the candidate pairs to keep, so that each place is used once and the scores' sum is greatest.

    Scores are not negative. The sum is the greatest possible but for `BID` a left place at the most.
    """
    order = np.argsort(left, kind="stable")
    start = np.searchsorted(left[order], np.arange(shape[0] + 1))
    chosen = _auction(start, right[order], score[order].astype(np.float64), shape[1])
    kept = np.zeros(len(left), dtype=bool)
    kept[order[chosen[chosen >= 0]]] = True
    return kept


@njit(cache=True)
def _auction(start, right, score, rights):  # type: ignore[no-untyped-def]
    """The place in `right` and `score` that each left place wins, or -1 (Bertsekas' auction algorithm).

    A left place bids for the candidate that is worth most to it after the price, and pays as much as keeps it
    worth more than the second best. Who is outbid bids again, or gives up when nothing is worth its price.
    """
    lefts = len(start) - 1
    price, owner = np.zeros(rights), np.full(rights, -1)
    chosen = np.full(lefts, -1)
    waiting, count = np.arange(lefts), lefts
    while count:
        count -= 1
        bidder = waiting[count]
        best, most, second = -1, 0.0, 0.0
        for place in range(start[bidder], start[bidder + 1]):
            worth = score[place] - price[right[place]]
            if worth > most:
                best, most, second = place, worth, most
            elif worth > second:
                second = worth
        if best < 0:
            continue
        prize = right[best]
        price[prize] += most - second + BID
        if owner[prize] >= 0:
            chosen[owner[prize]] = -1
            waiting[count] = owner[prize]
            count += 1
        owner[prize] = bidder
        chosen[bidder] = best
    return chosen


def _row_blocks(rows: int, columns: int) -> Iterator[slice]:
    height = max(1, BLOCK // max(1, columns))
    return (slice(start, min(start + height, rows)) for start in range(0, rows, height))


def _joined(parts: list[Tensor]) -> NDArray[np.int64]:
    return torch.cat(parts).numpy() if parts else np.empty(0, dtype=np.int64)

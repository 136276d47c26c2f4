"""From vectors to counterparts: cosine similarity in blocks, and a one-to-one choice.

Nothing here holds more than one block of the similarity matrix: memory is that of the vectors, of the
result, and of `BLOCK` numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import normalize

from farlink.graph.ids import Ids, Rows
from farlink.measures.ranks import Ranks

Nearest = tuple[NDArray[np.float32], Rows]  # scores and places, best first, a row for each query
BLOCK = 2**24  # similarities computed at a time: 64 MiB
COLUMNS = 2**13  # candidates compared at a time


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


def _row_blocks(rows: int, columns: int) -> Iterator[slice]:
    height = max(1, BLOCK // max(1, columns))
    return (slice(start, min(start + height, rows)) for start in range(0, rows, height))


def _joined(parts: list[Tensor]) -> NDArray[np.int64]:
    return torch.cat(parts).numpy() if parts else np.empty(0, dtype=np.int64)


def cosines(left: Tensor, right: Tensor, rows: Ids, columns: Ids) -> NDArray[np.float32]:
    """The cosine of each pair of vectors; 0 for those that lead apart, which is as little as there is in common."""
    found: NDArray[np.float32] = _products(directions(left).numpy(), directions(right).numpy(), rows, columns)
    return found.clip(0)


@njit(cache=True, parallel=True, fastmath=True)  # the order of a sum may change, so that it is done in wide steps
def _products(left, right, rows, columns):  # type: ignore[no-untyped-def]
    found = np.empty(len(rows), np.float32)
    for pair in prange(len(rows)):
        one, other, total = left[rows[pair]], right[columns[pair]], np.float32(0)
        for place in range(left.shape[1]):
            total += one[place] * other[place]
        found[pair] = total
    return found

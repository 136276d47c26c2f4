"""From vectors to counterparts: cosine similarity in blocks, and a one-to-one choice.

Nothing here holds more than one block of the similarity matrix: memory is that of the vectors, of the
result, and of `BLOCK` numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from torch import Tensor
from torch.nn.functional import normalize

from farlink.graph import Ids
from farlink.metrics import Ranks

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


def nearest(queries: Tensor, candidates: Tensor, k: int) -> tuple[NDArray[np.float32], Ids]:
    """The k candidates nearest to each query by cosine, best first: (scores, places), exactly."""
    k = min(k, len(candidates))
    queries, candidates = directions(queries), directions(candidates)
    scores = np.empty((len(queries), k), dtype=np.float32)
    places = np.empty((len(queries), k), dtype=np.int32)
    for rows in _row_blocks(len(queries), min(COLUMNS, len(candidates))):
        best, where = _nearest_of_block(queries[rows], candidates, k)
        scores[rows], places[rows] = best.numpy(), where.numpy()
    return scores, places


def _nearest_of_block(queries: Tensor, candidates: Tensor, k: int) -> tuple[Tensor, Tensor]:
    best = torch.full((len(queries), k), -torch.inf)
    where = torch.zeros((len(queries), k), dtype=torch.long)
    for start in range(0, len(candidates), COLUMNS):
        scores = queries @ candidates[start : start + COLUMNS].T
        top, place = scores.topk(min(k, scores.shape[1]), dim=1)
        merged, order = torch.cat([best, top], 1).topk(k, dim=1)
        best, where = merged, torch.cat([where, place + start], 1).gather(1, order)
    return best, where


def one_to_one(scores: NDArray[np.float32], places: NDArray[np.int32], candidates: int) -> Ids:
    """For each query the column of `places` assigned to it, or -1, so that no candidate serves two queries.

    The assignment has the greatest sum of scores (shifted to be positive) among all that use the listed
    candidates only. A query may stay without: it then takes a dummy candidate of its own.
    """
    queries, k = scores.shape
    if not queries or not k:
        return np.full(queries, -1, dtype=np.int32)
    gain = scores.astype(np.float64) - float(scores.min()) + 1.0
    columns = np.concatenate([places, candidates + np.arange(queries)[:, None]], axis=1)
    # a dummy costs a little more than nothing gained, as zero would be read as "no edge"
    cost = np.concatenate([-gain, np.full((queries, 1), -1e-9)], axis=1)
    graph = csr_array(
        (cost.ravel(), columns.ravel(), np.arange(queries + 1) * (k + 1)),
        shape=(queries, candidates + queries),
    )
    _, chosen = min_weight_full_bipartite_matching(graph)
    matches = places == chosen[:, None]
    return np.where(matches.any(1), matches.argmax(1), -1).astype(np.int32)


def _row_blocks(rows: int, columns: int) -> Iterator[slice]:
    height = max(1, BLOCK // max(1, columns))
    return (slice(start, min(start + height, rows)) for start in range(0, rows, height))


def _joined(parts: list[Tensor]) -> NDArray[np.int64]:
    return torch.cat(parts).numpy() if parts else np.empty(0, dtype=np.int64)

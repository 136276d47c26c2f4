"""Nearest neighbours, ranks and a one-to-one choice, against the bare matrix products they need."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from torch import Tensor

from benchmarks.measure import CORES, GB, Row, measure
from farlink.alignment.assignment import one_to_one
from farlink.alignment.nearest import BLOCK, COLUMNS, nearest, target_ranks

WIDTH = 256
K = 10
NOISE = 3.0  # standard deviations; at this much the counterpart is often, and not always, the nearest
MEMORY = 4.0  # GB at most

QUICK = {"vectors": 500, "ranked": 200}


def run(vectors: int = 100_000, ranked: int = 10_500) -> list[Row]:
    """Measure with two sets of vectors, one a noisy copy of the other."""
    torch.set_num_threads(CORES)
    queries, candidates = noisy_pair(vectors)
    size = f"{vectors:,} × {vectors:,} vectors of width {WIDTH}"
    found = measure(partial(nearest, queries, candidates, K))
    scores, places = found.result
    bare = measure(partial(multiply, queries, candidates))
    left, right = np.repeat(np.arange(vectors, dtype=np.int32), places.shape[1]), places.ravel()
    chosen = measure(partial(one_to_one, left, right, scores.ravel().clip(0), (vectors, vectors)))
    return [
        Row(
            what=f"nearest {K} for {size}",
            figure=found.seconds,
            unit="s",
            peak_memory=found.peak_memory,
            baseline=bare.seconds,
            baseline_what="bare products in blocks",
        ),
        Row(
            what=f"peak memory of nearest {K} for {size}",
            figure=found.peak_memory / GB,
            unit="GB",
            peak_memory=found.peak_memory,
            baseline=2 * queries.nbytes / GB,
            baseline_what="the vectors",
            at_most=MEMORY,
        ),
        Row(
            what=f"one-to-one choice among the nearest {K} of {vectors:,}",
            figure=chosen.seconds,
            unit="s",
            peak_memory=chosen.peak_memory,
            baseline=found.seconds,
            baseline_what="finding them",
        ),
        _ranks_row(queries[:ranked], candidates[:ranked]),
    ]


def _ranks_row(queries: Tensor, candidates: Tensor) -> Row:
    targets = np.arange(len(queries), dtype=np.int32)
    ranks = measure(partial(target_ranks, queries, candidates, targets), warm_ups=1, repeats=5)
    bare = measure(partial(multiply, queries, candidates), warm_ups=1, repeats=5)
    return Row(
        what=f"ranks of targets, {len(queries):,} × {len(candidates):,}",
        figure=ranks.seconds,
        unit="s",
        peak_memory=ranks.peak_memory,
        baseline=bare.seconds,
        baseline_what="bare products in blocks",
    )


def noisy_pair(count: int) -> tuple[Tensor, Tensor]:
    """Random vectors, and a copy of each with noise."""
    generator = torch.Generator().manual_seed(0)
    queries, noise = (torch.randn(count, WIDTH, generator=generator) for _ in range(2))
    return queries, noise.mul_(NOISE).add_(queries)


def multiply(queries: Tensor, candidates: Tensor) -> None:
    """All products of queries with candidates, in blocks as large as those of the matching."""
    for rows in torch.split(queries, BLOCK // COLUMNS):
        for columns in torch.split(candidates, COLUMNS):
            torch.mm(rows, columns.T)

"""Paths per second, against a walker that does the same with numpy, path by path and step by step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.data import joint_graph
from benchmarks.measure import CORES, Measured, Row, measure, peak_memory
from farlink.graph.ids import Ids, Rows
from farlink.rsn.joint import JointGraph
from farlink.rsn.triple_walks import sample_triple_paths
from farlink.rsn.walks import bias_table, sample_paths

LENGTH = 15
BIAS = 0.9  # both α and β
PATHS_PER_SECOND = 1e6  # on two cores
TRIPLE_PATHS_PER_SECOND = 5e5

QUICK = {"walks_per_triple": 1, "repeats": 1, "slow_paths": 5}


def run(walks_per_triple: int = 5, repeats: int = 7, slow_paths: int = 300) -> list[Row]:
    """Measure with one thread and with two, then the memory of the graph."""
    graph, name = joint_graph()
    sizes = f"{name}, {len(graph.triples):,} triples"
    fast = {threads: _sampled(sample_paths, graph, threads, walks_per_triple, repeats) for threads in (1, 2)}
    by_triples = _sampled(sample_triple_paths, graph, 2, walks_per_triple, repeats)
    slow = measure(partial(walk_slowly, graph, slow_paths, np.random.default_rng(0)), repeats=min(3, repeats))
    rows = [
        Row(
            what=f"paths of length {LENGTH}, {threads} thread{'s'[: threads - 1]} ({sizes})",
            figure=len(measured.result) / measured.seconds,
            unit="paths/s",
            peak_memory=measured.peak_memory,
            baseline=slow_paths / slow.seconds,
            baseline_what="numpy, path by path",
            at_least=PATHS_PER_SECOND if threads == 2 else None,
        )
        for threads, measured in fast.items()
    ]
    authors = Row(
        what=f"paths of length {LENGTH} by triples, as in the authors' code, 2 threads ({sizes})",
        figure=len(by_triples.result) / by_triples.seconds,
        unit="paths/s",
        peak_memory=by_triples.peak_memory,
        at_least=TRIPLE_PATHS_PER_SECOND,
    )
    return [*rows, authors, _memory_row(graph)]


def _sampled(
    sampler: Callable[..., Rows], graph: JointGraph, threads: int, walks_per_triple: int, repeats: int
) -> Measured[Rows]:
    numba.set_num_threads(min(threads, CORES))
    sample = partial(
        sampler,
        graph,
        length=LENGTH,
        walks_per_triple=walks_per_triple,
        depth_bias=BIAS,
        cross_bias=BIAS,
        seed=0,
    )
    return measure(sample, warm_ups=1, repeats=repeats)


def _memory_row(graph: JointGraph) -> Row:
    near = graph.adjacency
    arrays: tuple[NDArray[Any], ...] = (
        graph.triples,
        near.row,
        near.neighbour,
        near.edge,
        near.relation,
    )
    return Row(
        what="memory of the graph that is walked on",
        figure=sum(array.nbytes for array in arrays) / len(graph.triples),
        unit="bytes/triple",
        peak_memory=peak_memory(),
        baseline=graph.triples.nbytes / len(graph.triples),
        baseline_what="the bare triples",
    )


def walk_slowly(graph: JointGraph, paths: int, rng: np.random.Generator) -> Rows:
    """Paths from random triples, by the definition: at each step the bias of every neighbour, and a draw."""
    bias = bias_table(BIAS, BIAS)
    starts = rng.integers(len(graph.triples), size=paths)
    return np.array([_path(graph, graph.triples[start], bias, rng) for start in starts], dtype=np.int32)


def _path(graph: JointGraph, triple: Ids, bias: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    near = graph.adjacency
    path: list[int] = triple.tolist()
    while len(path) < LENGTH:
        previous, current = path[-3], path[-1]
        candidates = _neighbours(graph, current)
        far = ~np.isin(candidates, np.append(_neighbours(graph, previous), previous))
        weight = bias[far.astype(int), graph.side[previous], graph.side[candidates]]
        place = near.row[current] + rng.choice(len(candidates), p=weight / weight.sum())
        relation = rng.choice(near.relation[near.edge[place] : near.edge[place + 1]])
        path += [int(relation), int(near.neighbour[place])]
    return path


def _neighbours(graph: JointGraph, entity: int) -> Ids:
    row = graph.adjacency.row
    return graph.adjacency.neighbour[row[entity] : row[entity + 1]]

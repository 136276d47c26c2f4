"""Segment-based random PageRank sampling (SRPRS, section 5.1 and appendix B of the paper).

A sample of a graph keeps some entities and all triples between them. Taken blindly it has lower degrees than the
graph; taken by PageRank or by degree alone it favours hubs. SRPRS divides the entities into segments by degree and
samples each segment by PageRank, with as many from each as the degree distribution of the original asks for. Each cut
lowers the degrees of those that stay, so the sample is made in many small cuts, and segments and their sizes are
found anew before each. For two graphs the entities are linked pairs, and both distributions are kept at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from farlink.errors import FarlinkError
from farlink.graph.ids import Ids, Rows, Triples

DAMPING, ITERATIONS = 0.85, 60
CUTS = (0.1, 0.05, 0.02)  # share of the entities that one cut takes away: finer ones where the distribution is missed
EXCHANGES, EXCHANGED = 10, 0.03  # times that a share of the finished sample is exchanged for entities that fit better
FITTINGS = 30  # rounds of fitting both sides' segments
LOW = 0.1  # the dense variant takes from this share of the entities, those with the lowest degrees
FEWEST = 50  # entities that a dense graph has at the least
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Side:
    """A graph to sample from."""

    triples: Triples
    size: int
    pagerank: Floats

    @classmethod
    def of(cls, triples: Triples, size: int) -> Side:
        """The side with its PageRank weights."""
        return cls(triples, size, pagerank(triples, size))

    def within(self, kept: Flags) -> Triples:
        """The triples between kept entities."""
        return self.triples[kept[self.triples[:, 0]] & kept[self.triples[:, 2]]]


def pagerank(triples: Triples, size: int) -> Floats:
    """PageRank of the entities along the triples, from head to tail."""
    head, _, tail = triples.T
    out = np.bincount(head, minlength=size)
    step = coo_array((1 / out[head], (tail, head)), shape=(size, size)).tocsr()
    stuck = out == 0
    rank = np.full(size, 1 / size)
    for _ in range(ITERATIONS):
        rank = DAMPING * (step @ rank + rank[stuck].sum() / size) + (1 - DAMPING) / size
    return np.asarray(rank)


def degrees(triples: Triples, size: int) -> NDArray[np.int64]:
    """Triples that each entity is part of; a loop counts once."""
    head, _, tail = triples.T
    return np.bincount(head, minlength=size) + np.bincount(tail[head != tail], minlength=size)


def distance(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """The Kolmogorov-Smirnov distance of two sets of degrees: the largest gap of their distribution functions."""
    most = int(max(one.max(initial=0), other.max(initial=0))) + 1
    below = [np.cumsum(np.bincount(found, minlength=most)) / max(len(found), 1) for found in (one, other)]
    return float(np.abs(below[0] - below[1]).max())


def sample(sides: Sequence[Side], units: Rows, size: int, epsilon: float, seed: int) -> tuple[Rows, list[float]]:
    """`size` of the `units` (rows of one entity of every side), and the K-S distances from the sides' own degrees.

    The cuts become finer until all distances are at most `epsilon`; if none is fine enough, the closest is given.
    """
    if size > len(units):
        raise FarlinkError(f"cannot sample {size:,} of {len(units):,} entities; choose a smaller size", "size")
    targets = [_present(degrees(side.triples, side.size)) for side in sides]
    edges = [_segments(target) for target in targets]
    aims = [_shares(target, edge) for target, edge in zip(targets, edges, strict=True)]
    pool = _connected(sides, units)
    best: tuple[Rows, list[float]] = (units[:0], [np.inf])
    for cut in CUTS:
        rng = np.random.default_rng([seed, int(1000 * cut)])
        chosen = pool
        while len(chosen) > size:
            goal = max(size, int(len(chosen) * (1 - cut)))
            chosen = _connected(sides, _cut(sides, chosen, edges, aims, goal, rng))
        for _ in range(EXCHANGES):
            chosen = _refilled(sides, chosen, pool, size, rng)
            gaps = distances(sides, chosen, targets)
            if max(gaps) < max(best[1]):
                best = chosen, gaps
            if max(gaps) <= epsilon:
                return best
            chosen = _connected(sides, _cut(sides, chosen, edges, aims, int(size * (1 - EXCHANGED)), rng))
    return best


def distances(sides: Sequence[Side], chosen: Rows, targets: Sequence[NDArray[np.int64]]) -> list[float]:
    """K-S distance of a sample's degrees from the target of each side."""
    return [
        distance(found[chosen[:, place]], target)
        for place, (found, target) in enumerate(zip(_sample_degrees(sides, chosen), targets, strict=True))
    ]


def _cut(
    sides: Sequence[Side],
    units: Rows,
    edges: Sequence[NDArray[np.int64]],
    aims: Sequence[Floats],
    goal: int,
    rng: np.random.Generator,
) -> Rows:
    """`goal` of the units: shares of the segments as near to the aims as can be, within a segment by PageRank."""
    found = _sample_degrees(sides, units)
    cell = np.zeros(len(units), dtype=np.int64)
    for place, edge in enumerate(edges):
        cell = cell * len(edge) + np.searchsorted(edge, found[place][units[:, place]], side="right") - 1
    wanted = [goal * aim for aim in aims]
    have = np.bincount(cell, minlength=int(np.prod([len(one) for one in wanted])))
    keep = fitted(have.reshape([len(one) for one in wanted]).astype(np.float64), wanted, goal).ravel()
    quota = np.minimum(have, np.floor(keep + rng.random(len(keep))).astype(np.int64))
    # the first of a random order by weight: a draw in proportion to the weights, without replacement
    weight = np.prod([side.pagerank[units[:, place]] for place, side in enumerate(sides)], axis=0) ** (1 / len(sides))
    order = np.lexsort((rng.exponential(size=len(units)) / weight, cell))
    first = np.concatenate([[0], np.cumsum(have)])[cell[order]]
    chosen = np.arange(len(units)) - first < quota[cell[order]]
    kept: Rows = units[np.sort(order[chosen])]
    return kept


def _segments(target: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where segments of degrees begin: single degrees as long as these are common, then wider ones."""
    edges = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 100, 300, 1000]
    return np.array([edge for edge in edges if edge <= target.max()])


def _shares(found: NDArray[np.int64], edges: NDArray[np.int64]) -> Floats:
    """Which share of the degrees is in each segment."""
    return np.bincount(np.searchsorted(edges, found, side="right") - 1, minlength=len(edges)) / len(found)


def fitted(have: Floats, wanted: Sequence[Floats], goal: int) -> Floats:
    """How many to keep of each cell: at most what is there, with sums along each side as near to the wanted as can be.

    Iterative proportional fitting; `have` has one axis for every side.
    """
    keep = have.copy()
    for _ in range(FITTINGS):
        for axis, aim in enumerate(wanted):
            others = tuple(other for other in range(have.ndim) if other != axis)
            sums = keep.sum(axis=others)
            shape = [-1 if other == axis else 1 for other in range(have.ndim)]
            keep = np.minimum(have, keep * (aim / np.maximum(sums, 1e-12)).reshape(shape))
    missing, room = goal - keep.sum(), have - keep
    if missing > 0 and room.sum() > 0:
        return np.asarray(keep + room * min(1.0, missing / room.sum()))
    return np.asarray(keep * min(1.0, goal / max(keep.sum(), 1e-12)))


def _connected(sides: Sequence[Side], units: Rows) -> Rows:
    """The units that have a triple on every side, among themselves."""
    while True:
        found = _sample_degrees(sides, units)
        bare = np.any([one[units[:, place]] == 0 for place, one in enumerate(found)], axis=0)
        if not bare.any():
            return units
        units = units[~bare]


def _refilled(sides: Sequence[Side], kept: Rows, pool: Rows, size: int, rng: np.random.Generator) -> Rows:
    """The kept units and, up to `size`, others of the pool that have neighbours among them on every side.

    Those with many such neighbours come first, as cuts leave degrees too low rather than too high.
    """
    while len(kept) < size:
        near = np.where(np.isin(pool[:, 0], kept[:, 0]), 0.0, 1.0)
        for place, side in enumerate(sides):
            inside = _flags(kept[:, place], side.size)
            head, _, tail = side.triples.T
            neighbours = np.bincount(np.concatenate([head[inside[tail]], tail[inside[head]]]), minlength=side.size)
            near *= neighbours[pool[:, place]]
        fresh = np.flatnonzero(near)
        if not len(fresh):
            return kept
        order = np.argsort(rng.exponential(size=len(fresh)) / near[fresh])
        kept = np.concatenate([kept, pool[fresh[order[: size - len(kept)]]]])
    return kept


def _sample_degrees(sides: Sequence[Side], units: Rows) -> list[NDArray[np.int64]]:
    """Degrees of all entities of each side when only the units' are kept."""
    return [degrees(side.within(_flags(units[:, place], side.size)), side.size) for place, side in enumerate(sides)]


def _flags(ids: Ids, size: int) -> Flags:
    flags = np.zeros(size, dtype=bool)
    flags[ids] = True
    return flags


def _present(found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Degrees without those of entities that have no triple."""
    return found[found > 0]


def thinned(triples: Triples, size: int, seed: int) -> Triples:
    """The dense variant's graph: entities of low degree are taken away at random until the average degree doubles."""
    rng = np.random.default_rng([seed, 2])
    before = best = _present(degrees(triples, size)).mean()
    while True:
        found = degrees(triples, size)
        there = np.flatnonzero(found)
        best = max(best, found[there].mean() if len(there) else 0.0)
        if best >= 2 * before:
            return triples
        if len(there) < FEWEST:
            raise FarlinkError(
                f"the average degree, {before:.2f}, cannot be doubled by taking away entities of low degree: "
                f"it gets to {best:.2f} at the most"
            )
        low = there[np.argsort(found[there] + rng.random(len(there)), kind="stable")[: int(LOW * len(there))]]
        gone = _flags(rng.permutation(low)[: len(there) // 50].astype(np.int32), size)
        triples = triples[~(gone[triples[:, 0]] | gone[triples[:, 2]])]


# the usual alternatives, to compare with


def alternatives(sides: Sequence[Side], units: Rows, size: int, seed: int) -> dict[str, Rows]:
    """Samples made in one go: uniformly, by PageRank, and those of the highest degrees only."""
    rng = np.random.default_rng([seed, 3])
    weight = np.prod([side.pagerank[units[:, place]] for place, side in enumerate(sides)], axis=0)
    whole = [degrees(side.triples, side.size) for side in sides]
    degree = np.prod([one[units[:, place]] for place, one in enumerate(whole)], axis=0).astype(np.float64)
    return {
        "uniform": units[rng.permutation(len(units))[:size]],
        "PageRank": units[np.argsort(rng.exponential(size=len(units)) / weight)[:size]],
        "high degree": units[np.argsort(-(degree + rng.random(len(units))))[:size]],
    }

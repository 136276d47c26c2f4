"""Biased random walks (equations 4 to 7 and algorithm 1 of the paper), compiled with numba.

Each step draws a neighbour uniformly and accepts it with probability μ / max μ, which is exactly a draw
in proportion to μ and needs no table over pairs of entities. Every walk has a random stream of its own, so
the result does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from farlink.engine.random_bits import GOLDEN, below, fraction, mix
from farlink.graph.ids import Ids, Rows
from farlink.rsn.joint import BOTH, LEFT, RIGHT, JointGraph

# After this many refusals the step enumerates all neighbours. Refusals do not depend on each other, so the
# distribution stays exact; the limit only bounds the time of a step whose neighbours all have a small bias.
PATIENCE = 24


def sample_paths(
    graph: JointGraph,
    *,
    length: int,
    walks_per_triple: float,
    depth_bias: float,
    cross_bias: float,
    seed: int,
    epoch: int = 0,
) -> Rows:
    """Paths of `length` elements, `walks_per_triple` from every triple, in random order.

    Half a walk per triple is a walk from every second triple, chosen at random.
    Columns alternate between entities and relations: e1, r1, e2, r2, ..., e.
    """
    if length < 3 or length % 2 == 0:
        raise ValueError("a path has an odd number of elements, at least 3")
    stream = np.random.SeedSequence([seed, epoch])
    begin = starts(len(graph.triples), walks_per_triple, np.random.default_rng(stream))
    paths = np.empty((len(begin), length), dtype=np.int32)
    near = graph.adjacency
    _walk(
        paths,
        graph.triples,
        begin,
        near.row,
        near.neighbour,
        near.edge,
        near.relation,
        graph.side,
        bias_table(depth_bias, cross_bias),
        cross_bias,
        stream.generate_state(1, np.uint64)[0],
    )
    return paths


def starts(triples: int, walks: float, rng: np.random.Generator) -> Ids:
    """The triples that walks begin with, in random order, as often as walks begin with them."""
    whole = np.tile(np.arange(triples, dtype=np.int32), int(walks))
    rest = rng.permutation(triples)[: round((walks - int(walks)) * triples)]
    chosen = np.concatenate([whole, rest.astype(np.int32)])
    rng.shuffle(chosen)
    return chosen


def bias_table(depth_bias: float, cross_bias: float) -> NDArray[np.float64]:
    """μ by [is the next entity at distance 2 from the previous?, side of the previous, side of the next]; equation 7.

    A next entity of both sides stands for the two ends of a link, one of either side, and has the sum of their biases.
    """
    stays, crosses = 1 - cross_bias, cross_bias
    return np.multiply.outer([1 - depth_bias, depth_bias], [[stays, crosses, 1.0], [crosses, stays, 1.0]])


@njit(cache=True)
def _adjacent(row, neighbour, a, b):  # type: ignore[no-untyped-def]
    low, end = row[a], row[a + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if neighbour[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < end and neighbour[low] == b


@njit(cache=True)
def _bias(row, neighbour, side, bias, previous, previous_side, candidate):  # type: ignore[no-untyped-def]
    close = candidate == previous or _adjacent(row, neighbour, previous, candidate)
    return bias[0 if close else 1, previous_side, side[candidate]]


@njit(cache=True)
def _next(row, neighbour, side, bias, most, previous, previous_side, current, state):  # type: ignore[no-untyped-def]
    """Place in `neighbour` of the next entity, and the advanced random state."""
    first = row[current]
    degree = row[current + 1] - first
    if degree == 1:
        return first, state
    for _ in range(PATIENCE):
        state += GOLDEN
        bits = mix(state)
        place = first + below(bits, degree)
        candidate = neighbour[place]
        threshold = fraction(bits) * most
        near, far = bias[0, previous_side, side[candidate]], bias[1, previous_side, side[candidate]]
        if threshold >= max(near, far):
            continue  # refused at any depth: no need to look up the distance
        if threshold < min(near, far):
            return place, state
        if threshold < _bias(row, neighbour, side, bias, previous, previous_side, candidate):
            return place, state
    total = 0.0
    for place in range(first, first + degree):
        total += _bias(row, neighbour, side, bias, previous, previous_side, neighbour[place])
    state += GOLDEN
    remaining = fraction(mix(state)) * total
    for place in range(first, first + degree):
        remaining -= _bias(row, neighbour, side, bias, previous, previous_side, neighbour[place])
        if remaining < 0:
            return place, state
    return first + degree - 1, state


@njit(cache=True)
def _passed_as(side, entity, previous_side, cross_bias, state):  # type: ignore[no-untyped-def]
    """The side as which a walk passes an entity, and the advanced random state.

    An entity of both sides is passed as one of its two ends: as the one of the other graph with chance β.
    """
    if side[entity] != BOTH:
        return side[entity], state
    state += GOLDEN
    crosses = fraction(mix(state)) < cross_bias
    return (RIGHT if crosses else LEFT) if previous_side == LEFT else (LEFT if crosses else RIGHT), state


@njit(parallel=True, cache=True, nogil=True)
def _walk(paths, triples, starts, row, neighbour, edge, relation, side, bias, cross_bias, seed):  # type: ignore[no-untyped-def]
    most = bias[:, :, : side.max() + 1].max() if len(side) else 1.0
    for walk in prange(len(starts)):
        state = mix(seed + GOLDEN * np.uint64(walk + 1))
        start = starts[walk]
        previous, current = triples[start, 0], triples[start, 2]
        paths[walk, 0], paths[walk, 1], paths[walk, 2] = previous, triples[start, 1], current
        # a triple stands for those with either end of a link, so that the first sides are drawn evenly
        previous_side, state = _passed_as(side, previous, LEFT, 0.5, state)
        current_side, state = _passed_as(side, current, LEFT, 0.5, state)
        for position in range(3, paths.shape[1], 2):
            place, state = _next(row, neighbour, side, bias, most, previous, previous_side, current, state)
            chosen = edge[place]
            parallel = edge[place + 1] - chosen
            if parallel > 1:
                state += GOLDEN
                chosen += below(mix(state), parallel)
            following_side, state = _passed_as(side, neighbour[place], previous_side, cross_bias, state)
            previous, previous_side = current, current_side
            current, current_side = neighbour[place], following_side
            paths[walk, position] = relation[chosen]
            paths[walk, position + 1] = current

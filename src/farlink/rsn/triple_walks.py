"""Random walks as in the authors' published code, which are not those of the paper (`walks`), compiled with numba.

A step is drawn among the triples that leave the current entity, not among the entities next to it. A triple has the
product of two weights:

- β if it leads to a linked entity, else 1 - β (the paper: if it leads to the other graph);
- 1 - α if its relation leads to its tail from the *first* entity of the walk, too, else α (the paper: by the distance
  from the previous entity).

The triple that a walk begins with is followed by one that has the first weight only. Triples are drawn by the first
weight, and then accepted or refused by the second (see `walks`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from farlink.engine.random_bits import GOLDEN, below, fraction, mix
from farlink.graph.edges import begins
from farlink.graph.ids import Ids, Rows, Triples
from farlink.rsn.joint import JointGraph
from farlink.rsn.walks import PATIENCE, starts


class Ways(NamedTuple):
    """The triples that leave each entity; compiled functions read the fields by their names."""

    first: NDArray[np.int64]  # where those of each entity begin, and their end
    known: Triples  # in order, to be looked up
    drawn: Triples  # those of each entity that lead to a linked one before the others, to be drawn from
    linked: Ids  # how many of each entity's lead to a linked one


def sample_triple_paths(
    graph: JointGraph,
    *,
    length: int,
    walks_per_triple: float,
    depth_bias: float,
    cross_bias: float,
    seed: int,
    epoch: int = 0,
) -> Rows:
    """Paths of `length` elements, as `walks.sample_paths` gives them."""
    if length < 3 or length % 2 == 0:
        raise ValueError("a path has an odd number of elements, at least 3")
    stream = np.random.SeedSequence([seed, epoch])
    begin = starts(len(graph.triples), walks_per_triple, np.random.default_rng(stream))
    paths = np.empty((len(begin), length), dtype=np.int32)
    _walk(paths, graph.triples, begin, ways_of(graph), depth_bias, cross_bias, stream.generate_state(1, np.uint64)[0])
    return paths


def ways_of(graph: JointGraph) -> Ways:
    """The ways that walks may go."""
    head, _, tail = graph.triples.T
    to_linked = graph.linked[tail]
    order = np.lexsort([~to_linked, head])
    count = np.bincount(head[to_linked], minlength=graph.entities)
    return Ways(begins(head, graph.entities), graph.triples, graph.triples[order], count.astype(np.int32))


@njit(cache=True)
def _leaves(ways, entity, relation, tail):  # type: ignore[no-untyped-def]
    """Whether (entity, relation, tail) is one of the triples."""
    low, end = ways.first[entity], ways.first[entity + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if ways.known[middle, 1] < relation or (ways.known[middle, 1] == relation and ways.known[middle, 2] < tail):
            low = middle + 1
        else:
            high = middle
    return low < end and ways.known[low, 1] == relation and ways.known[low, 2] == tail


@njit(cache=True)
def _depth_weight(ways, depth, origin, place):  # type: ignore[no-untyped-def]
    return 1 - depth if _leaves(ways, origin, ways.drawn[place, 1], ways.drawn[place, 2]) else depth


@njit(cache=True)
def _drawn(ways, cross, current, state):  # type: ignore[no-untyped-def]
    """Place of a triple drawn by its first weight, and the advanced random state."""
    begin, linked = ways.first[current], ways.linked[current]
    others = ways.first[current + 1] - begin - linked
    mass = cross * linked
    state += GOLDEN
    bits = mix(state)
    if fraction(bits) * (mass + (1 - cross) * others) < mass:
        return begin + below(bits, linked), state
    return begin + linked + below(bits, others), state


@njit(cache=True)
def _next(ways, depth, cross, origin, current, state):  # type: ignore[no-untyped-def]
    """Place of the next triple, and the advanced random state; `origin` is the entity that the walk began with."""
    begin, end = ways.first[current], ways.first[current + 1]
    if end - begin == 1:
        return begin, state
    most, least = max(depth, 1 - depth), min(depth, 1 - depth)
    for _ in range(PATIENCE):
        place, state = _drawn(ways, cross, current, state)
        state += GOLDEN
        threshold = fraction(mix(state)) * most
        if threshold < least or threshold < _depth_weight(ways, depth, origin, place):
            return place, state
    linked_end, total = begin + ways.linked[current], 0.0
    for place in range(begin, end):
        total += (cross if place < linked_end else 1 - cross) * _depth_weight(ways, depth, origin, place)
    state += GOLDEN
    remaining = fraction(mix(state)) * total
    for place in range(begin, end):
        remaining -= (cross if place < linked_end else 1 - cross) * _depth_weight(ways, depth, origin, place)
        if remaining < 0:
            return place, state
    return end - 1, state


@njit(parallel=True, cache=True, nogil=True)
def _walk(paths, triples, starts, ways, depth, cross, seed):  # type: ignore[no-untyped-def]
    for walk in prange(len(starts)):
        state = mix(seed + GOLDEN * np.uint64(walk + 1))
        start = starts[walk]
        origin, current = triples[start, 0], triples[start, 2]
        paths[walk, 0], paths[walk, 1], paths[walk, 2] = origin, triples[start, 1], current
        for position in range(3, paths.shape[1], 2):
            if position == 3 or current == origin:  # all triples of the first entity leave it, and weigh as much
                place, state = _drawn(ways, cross, current, state)
            else:
                place, state = _next(ways, depth, cross, origin, current, state)
            current = ways.drawn[place, 2]
            paths[walk, position], paths[walk, position + 1] = ways.drawn[place, 1], current

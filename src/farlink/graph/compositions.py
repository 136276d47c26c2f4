"""Kinds of path of one and two steps that join the ends of triples: what rules and IPTransE are made of.

A kind of path is a relation, or two relations one after the other; reverses count as relations.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from farlink.graph.edges import Edges, begins, reverse
from farlink.graph.ids import Pairs, Triples

SAMPLE = 300  # triples of each relation from which its kinds of path are found
MOST_KINDS = 20_000  # paths looked at between the ends of one triple


class Sample(NamedTuple):
    """Some triples of each relation: those of r are `triples[first[r]:first[r + 1]]`."""

    triples: Triples
    first: NDArray[np.int64]

    @classmethod
    def of(cls, triples: Triples, relations: int, seed: int) -> Sample:
        """At most `SAMPLE` of each relation, at random."""
        shuffled = triples[np.random.default_rng([seed, 0x12]).permutation(len(triples))]
        ordered = shuffled[np.argsort(shuffled[:, 1], kind="stable")]
        begin = begins(ordered[:, 1], relations)
        number = np.arange(len(ordered)) - np.repeat(begin[:-1], np.diff(begin))  # within its relation
        sample = ordered[number < SAMPLE]
        return cls(sample, begins(sample[:, 1], relations))


def find_kinds(edges: Edges, sample: Sample, most: int) -> tuple[NDArray[np.int64], Pairs]:
    """The commonest kinds of path that join the ends of each relation's triples, as `first` and `steps` of `Rules`."""
    near = edges.by_tail()
    kinds = [
        _commonest(_keys_beside(near, sample.triples[begin:end]), edges.relations, most)
        for begin, end in pairwise(sample.first)
    ]
    return np.concatenate([[0], np.cumsum([len(some) for some in kinds])]), np.concatenate(kinds)


def _commonest(keys: NDArray[np.int64], relations: int, most: int) -> Pairs:
    """The kinds of path that occur beside most triples, and beside two at least, commonest first (kinds, 2)."""
    kinds, times = np.unique(keys, return_counts=True)
    chosen = kinds[np.argsort(-times, kind="stable")[: min(most, np.count_nonzero(times > 1))]]
    return np.stack([chosen // (relations + 1), chosen % (relations + 1) - 1], axis=1).astype(np.int32)


def _keys_beside(near: Edges, triples: Triples) -> NDArray[np.int64]:
    """Every kind of path that joins the ends of triples of one relation, once for each triple, as a number."""
    keys, triple = _paths_beside(near, *np.ascontiguousarray(triples.T))
    room = (near.relations + 1) ** 2
    return np.unique(triple * room + keys) % room


@njit(cache=True)
def _paths_beside(near, head, relation, tail):  # type: ignore[no-untyped-def]
    """The kinds of all paths of two steps, and of one, that join the ends of triples; the triple itself is none.

    The edges are in the order of their tails, so that what is next to both ends is met in one pass over either row.
    """
    keys, triple, count = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    for i in range(len(head)):
        most, x, y = count + MOST_KINDS, head[i], tail[i]
        a, b = near.first[x], near.first[y]
        while a < near.first[x + 1] and b < near.first[y + 1] and count < most:
            if near.tail[a] < near.tail[b]:
                a += 1
            elif near.tail[a] > near.tail[b]:
                b += 1
            else:
                a_end, b_end = _run_end(near.tail, a, near.first[x + 1]), _run_end(near.tail, b, near.first[y + 1])
                if near.tail[a] != x and near.tail[a] != y and x != y:
                    for p in range(a, a_end):
                        for q in range(b, b_end):
                            back = reverse(near.relation[q], near.relations)
                            keys, _ = appended(keys, count, _key(near.relation[p], back, near.relations))
                            triple, count = appended(triple, count, i)
                a, b = a_end, b_end
        for p in range(near.first[x], near.first[x + 1]):
            if near.tail[p] == y and near.relation[p] != relation[i]:
                keys, _ = appended(keys, count, _key(near.relation[p], -1, near.relations))
                triple, count = appended(triple, count, i)
    return keys[:count], triple[:count]


@njit(cache=True)
def _key(step, next_step, relations):  # type: ignore[no-untyped-def]
    return np.int64(step) * (relations + 1) + next_step + 1


@njit(cache=True)
def _run_end(values, begin, end):  # type: ignore[no-untyped-def]
    """Where the run of equal values ends that begins here."""
    place = begin
    while place < end and values[place] == values[begin]:
        place += 1
    return place


@njit(cache=True)
def appended(numbers, count, number):  # type: ignore[no-untyped-def]
    """The first `count` numbers and one more, in twice the room if there is none left."""
    if count == len(numbers):
        larger = np.empty(2 * count, numbers.dtype)
        larger[:count] = numbers
        numbers = larger
    numbers[count] = number
    return numbers, count + 1

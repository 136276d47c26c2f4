"""What structure cannot tell: entities that look exactly alike.

Two people of whom a graph knows nothing but that they were born in London can change places, and nobody would notice.
Which of them is the counterpart of a third can only be guessed, by any method that goes by structure: if k entities
look the same, a guess is right once in k times at the best. That gives every pair of graphs a ceiling.

Entities are told apart by colour refinement. Seeds have colours of their own; then an entity's colour follows from the
colours around it, again and again, until no more colours appear.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from farlink.graph.edges import Edges
from farlink.graph.ids import Ids, Pairs, Pools
from farlink.graph.knowledge_graph import KnowledgeGraph

Colours = NDArray[np.int64]


def ceiling(left: Colours, right: Colours, links: Pairs, pools: Pools) -> float:
    """The best Hits@1 of the links that structure allows to expect, in either direction, given the `colours`.

    Queries and candidates are the entities of the pools, left and right, in which the links have their ends.
    """
    alike = [_lookalikes(colour, pool) for colour, pool in zip((left, right), pools, strict=True)]
    return float((1 / np.maximum(alike[0][links[:, 0]], alike[1][links[:, 1]])).mean())


def _lookalikes(colour: Colours, pool: Ids) -> NDArray[np.int64]:
    """How many entities of the pool look like each entity, itself included if it is in the pool."""
    return np.bincount(colour[pool], minlength=len(colour))[colour]


def colours(graph: KnowledgeGraph, known: Ids) -> Colours:
    """Numbers from 0, the same for entities that the triples do not tell apart, given that each known one is unique."""
    edges = Edges.of(graph)
    head = edges.head
    colour = np.zeros(len(graph.entities), dtype=np.int64)
    colour[known] = 1 + np.arange(len(known))
    rng, before = np.random.default_rng(0), 0
    while before < (now := len(np.unique(colour))):
        # a set of surroundings is the sum of random numbers, one for each kind of surrounding: equal sums by chance
        # are as good as impossible
        seen = _labels(colour[edges.tail] * edges.relations + edges.relation, rng)
        around = _labels(colour, rng)
        np.add.at(around, head, seen)
        _, colour = np.unique(around, return_inverse=True)
        before = now
    return colour


def _labels(kinds: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.uint64]:
    """A random number for every distinct kind."""
    distinct, place = np.unique(kinds, return_inverse=True)
    return rng.integers(0, 2**64, len(distinct), dtype=np.uint64)[place]

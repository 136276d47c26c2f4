"""Directed triples: reverses, two graphs side by side, and who is next to whom in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farlink.graph.ids import Ids, Triples
from farlink.graph.knowledge_graph import KnowledgeGraph


@dataclass(frozen=True)
class Adjacency:
    """Who is next to whom, in compressed rows.

    The neighbours of entity e are `neighbour[row[e]:row[e + 1]]`, distinct and sorted. The relations that
    lead to the j-th entry of `neighbour` are `relation[edge[j]:edge[j + 1]]`. All are 32 bits wide, which is
    enough for two billion triples and halves what a walk drags through the cache.
    """

    row: Ids
    neighbour: Ids
    edge: Ids
    relation: Ids

    @classmethod
    def of(cls, triples: Triples, entities: int) -> Adjacency:
        """Adjacency of a set of distinct triples."""
        head, relation, tail = triples[np.lexsort((triples[:, 1], triples[:, 2], triples[:, 0]))].T
        first = np.ones(len(head), dtype=bool)  # first of the parallel edges between two entities
        first[1:] = (head[1:] != head[:-1]) | (tail[1:] != tail[:-1])
        degree = np.bincount(head[first], minlength=entities)
        return cls(
            row=np.concatenate([[0], np.cumsum(degree)]).astype(np.int32),
            neighbour=np.ascontiguousarray(tail[first]),
            edge=np.append(np.flatnonzero(first), len(head)).astype(np.int32),
            relation=np.ascontiguousarray(relation),
        )


def with_reverses(triples: Triples, relations: int) -> Triples:
    """The triples and, for each (s, r, o), its reverse (o, r + relations, s)."""
    head, relation, tail = triples.T
    return np.concatenate([triples, np.stack([tail, relation + np.int32(relations), head], axis=1)])


def side_by_side(left: KnowledgeGraph, right: KnowledgeGraph) -> Triples:
    """Triples of both graphs, the right ids behind the left ones."""
    shift = np.array([len(left.entities), len(left.relations), len(left.entities)], dtype=np.int32)
    return np.concatenate([left.triples, right.triples + shift])


class Edges(NamedTuple):
    """Triples, reverses among them, by head: those of e are `first[e]:first[e + 1]`, ordered by relation, tail."""

    first: NDArray[np.int64]
    relation: Ids
    tail: Ids

    @classmethod
    def of(cls, triples: Triples, entities: int) -> Edges:
        """The edges of distinct triples."""
        ordered = triples[np.lexsort((triples[:, 2], triples[:, 1], triples[:, 0]))]
        return cls(begins(ordered[:, 0], entities), *(np.ascontiguousarray(ordered[:, column]) for column in (1, 2)))

    @property
    def triples(self) -> Triples:
        """The triples in order."""
        head = np.repeat(np.arange(len(self.first) - 1, dtype=np.int32), np.diff(self.first))
        return np.stack([head, self.relation, self.tail], axis=1)


def begins(ordered: Ids, count: int) -> NDArray[np.int64]:
    """Where each of the numbers below `count` begins among ordered ones, and their end."""
    return np.searchsorted(ordered, np.arange(count + 1))

"""The index of directed triples: every triple from both of its ends, in compressed rows by entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from farlink.graph.ids import Ids, Triples, sorted_distinct
from farlink.graph.knowledge_graph import KnowledgeGraph

Relation = TypeVar("Relation", int, Ids)


@register_jitable  # a plain function, which compiled code may call, too
def reverse(relation: Relation, relations: int) -> Relation:
    """The relation that leads back, where `relations` counts the reverses too: that of r is r + relations / 2."""
    return (relation + relations // 2) % relations


def with_reverses(triples: Triples, relations: int) -> Triples:
    """The triples and the reverse of each; `relations` is their number without the reverses."""
    head, relation, tail = triples.T
    return np.concatenate([triples, np.stack([tail, reverse(relation, 2 * relations), head], axis=1)])


def side_by_side(*graphs: KnowledgeGraph) -> Triples:
    """Triples of all graphs, the ids of each behind those of the graphs before it."""
    parts, entities, relations = [], 0, 0
    for graph in graphs:
        parts.append(graph.triples + np.array([entities, relations, entities], dtype=np.int32))
        entities, relations = entities + len(graph.entities), relations + len(graph.relations)
    return np.concatenate(parts)


def both_ways(*graphs: KnowledgeGraph) -> Triples:
    """Triples of all graphs side by side, and their reverses."""
    return with_reverses(side_by_side(*graphs), sum(len(graph.relations) for graph in graphs))


class Edges(NamedTuple):
    """Directed triples by head: those of entity e are `first[e]:first[e + 1]`, in the order of relation and tail.

    Compiled functions take it as it is, and read its fields by their names.
    """

    first: NDArray[np.int64]
    relation: Ids
    tail: Ids
    relations: int  # reverses included

    @classmethod
    def of(cls, *graphs: KnowledgeGraph) -> Edges:
        """The triples of one graph, or of several side by side, with their reverses."""
        entities = sum(len(graph.entities) for graph in graphs)
        relations = sum(len(graph.relations) for graph in graphs)
        return cls.of_triples(both_ways(*graphs), entities, 2 * relations)

    @classmethod
    def of_triples(cls, triples: Triples, entities: int, relations: int) -> Edges:
        """Triples that already are directed: with a reverse of each, or without."""
        head, relation, tail = np.ascontiguousarray(sorted_distinct(triples).T)
        return cls(begins(head, entities), relation, tail, relations)

    @property
    def entities(self) -> int:
        """Heads that there may be."""
        return len(self.first) - 1

    @property
    def head(self) -> Ids:
        """The head of every edge."""
        return np.repeat(np.arange(self.entities, dtype=np.int32), np.diff(self.first))

    @property
    def triples(self) -> Triples:
        """The triples in order."""
        return np.stack([self.head, self.relation, self.tail], axis=1)

    def row(self, entity: int) -> slice:
        """Where the edges of an entity are."""
        return slice(int(self.first[entity]), int(self.first[entity + 1]))

    def by_tail(self) -> Edges:
        """The same edges, those of each head in the order of tail and relation."""
        order = np.argsort(self.head.astype(np.int64) * self.entities + self.tail, kind="stable")
        return self._replace(relation=self.relation[order], tail=self.tail[order])

    def sharers(self) -> NDArray[np.int64]:
        """How many heads have the relation and the tail of each edge, its own included."""
        end = self.relation.astype(np.int64) * self.entities + self.tail
        _, place, count = np.unique(end, return_inverse=True, return_counts=True)
        return np.asarray(count[place])


@dataclass(frozen=True)
class Adjacency:
    """Who is next to whom, whatever the relation: what walks step along.

    The neighbours of entity e are `neighbour[row[e]:row[e + 1]]`, distinct and sorted. The relations that
    lead to the j-th entry of `neighbour` are `relation[edge[j]:edge[j + 1]]`. All are 32 bits wide, which is
    enough for two billion triples and halves what a walk drags through the cache.
    """

    row: Ids
    neighbour: Ids
    edge: Ids
    relation: Ids

    @classmethod
    def of(cls, edges: Edges) -> Adjacency:
        """The edges, those between the same two entities as one."""
        head, near = edges.head, edges.by_tail()
        edge = runs(head, near.tail)
        row = begins(head[edge[:-1]], edges.entities)
        return cls(row.astype(np.int32), near.tail[edge[:-1]], edge.astype(np.int32), near.relation)


def begins(ordered: Ids, count: int) -> NDArray[np.int64]:
    """Where each of the numbers below `count` begins among ordered ones, and their end."""
    return np.searchsorted(ordered, np.arange(count + 1))


def runs(*columns: Ids) -> NDArray[np.int64]:
    """Where each run of rows that are equal in all columns begins, and the end of the last one."""
    new = np.ones(len(columns[0]), dtype=bool)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.append(np.flatnonzero(new), len(new))


def distinct_ends(relation: Ids, end: Ids, relations: int) -> NDArray[np.int64]:
    """How many different entities each relation has at an end of its triples."""
    width = int(end.max(initial=0)) + 1
    return np.bincount(np.unique(relation.astype(np.int64) * width + end) // width, minlength=relations)

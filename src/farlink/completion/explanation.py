"""Why a fact may be true: paths of the graph that lead from its head to its tail, and how often such paths hold.

A path speaks for a relation if its ends are often joined by the relation: of all pairs of entities that the same
steps lead from and to, how many have the relation?
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.sparse import coo_array, csr_array

from farlink.graph.edges import Edges, begins, reverse
from farlink.graph.ids import Triples
from farlink.graph.knowledge_graph import KnowledgeGraph

MOST_PAIRS = 5_000_000  # ends of a kind of path that are looked at; commoner kinds say little and cost much
MOST_PATHS = 200  # paths between two entities that are judged


@dataclass(frozen=True)
class SupportingPath:
    """A path from the head to the tail of a fact; relations from the number of relations on are reverses."""

    entities: tuple[int, ...]
    relations: tuple[int, ...]
    agree: int  # pairs of entities with such a path that have the relation
    cases: int  # pairs of entities with such a path

    @property
    def confidence(self) -> float:
        """How often such a path holds, with two cases against it to begin with."""
        return self.agree / (self.cases + 2)


class Support:
    """Finds paths of one and two steps in a graph."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.edges = Edges.of(graph)
        self.judged = lru_cache(maxsize=4096)(self._judged)

    def paths(self, head: int, relation: int, tail: int) -> list[SupportingPath]:
        """Paths from head to tail that speak for the relation, the most reliable first."""
        found = [
            SupportingPath(entities, steps, *self.judged(steps, relation))
            for entities, steps in self._between(head, relation, tail)[:MOST_PATHS]
        ]
        found = [path for path in found if path.agree]
        return sorted(found, key=lambda path: (-path.confidence, len(path.relations), path.relations, path.entities))

    def _between(self, head: int, relation: int, tail: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Paths of one and two steps; the fact itself is none."""
        (steps, next_entities), (back, entities_before) = (
            (self.edges.relation[row], self.edges.tail[row]) for row in map(self.edges.row, (head, tail))
        )
        direct = [
            ((head, tail), (int(step),)) for step in np.unique(steps[next_entities == tail]) if int(step) != relation
        ]
        middle = np.intersect1d(next_entities, entities_before)
        middle = middle[(middle != head) & (middle != tail)]
        return direct + [
            ((head, int(entity), tail), (int(first), reverse(int(second), self.edges.relations)))
            for entity in middle
            for first in np.unique(steps[next_entities == entity])
            for second in np.unique(back[entities_before == entity])
        ]

    def _judged(self, steps: tuple[int, ...], relation: int) -> tuple[int, int]:
        """Of the pairs that such a path joins, how many have the relation; (0, 0) if there are too many to look."""
        joined = self._matrix(steps[0])
        if len(steps) == 2:
            other = self._matrix(steps[1])
            if int(joined.sum(0) @ other.sum(1)) > MOST_PAIRS:
                return 0, 0
            joined = csr_array(joined @ other)
        joined.data[:] = 1
        joined.setdiag(0)
        joined.eliminate_zeros()
        return int(joined.multiply(self._matrix(relation)).sum()), int(joined.nnz)

    def _matrix(self, relation: int) -> csr_array:
        rows, size = self._by_relation[relation], self.edges.entities
        return coo_array((np.ones(len(rows), np.int32), (rows[:, 0], rows[:, 2])), shape=(size, size)).tocsr()

    @cached_property
    def _by_relation(self) -> list[Triples]:
        ordered = self.edges.triples[np.argsort(self.edges.relation, kind="stable")]
        return np.split(ordered, begins(ordered[:, 1], self.edges.relations)[1:-1])

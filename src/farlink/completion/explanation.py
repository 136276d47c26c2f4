"""Why a fact may be true: paths of the graph that lead from its head to its tail, and how often such paths hold.

A path speaks for a relation if its ends are often joined by the relation: of all pairs of entities that the same
steps lead from and to, how many have the relation?
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.sparse import coo_array, csr_array

from farlink.graph.edges import with_reverses
from farlink.graph.ids import Ids, Triples
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
        self.size, self.relations = len(graph.entities), len(graph.relations)
        triples = with_reverses(graph.triples, self.relations)
        self.triples = triples[np.argsort(triples[:, 0], kind="stable")]
        self.first = np.searchsorted(self.triples[:, 0], np.arange(self.size + 1))
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
        steps, next_entities = self._from(head)
        back, entities_before = self._from(tail)
        direct = [
            ((head, tail), (int(step),)) for step in np.unique(steps[next_entities == tail]) if int(step) != relation
        ]
        middle = np.intersect1d(next_entities, entities_before)
        middle = middle[(middle != head) & (middle != tail)]
        return direct + [
            ((head, int(entity), tail), (int(first), int(self._reverse(second))))
            for entity in middle
            for first in np.unique(steps[next_entities == entity])
            for second in np.unique(back[entities_before == entity])
        ]

    def _from(self, entity: int) -> tuple[Ids, Ids]:
        """Relations and neighbours of an entity."""
        rows = self.triples[self.first[entity] : self.first[entity + 1]]
        return rows[:, 1], rows[:, 2]

    def _reverse(self, relation: int) -> int:
        return int((relation + self.relations) % (2 * self.relations))

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
        rows = self._by_relation[relation]
        return coo_array((np.ones(len(rows), np.int32), (rows[:, 0], rows[:, 2])), shape=(self.size, self.size)).tocsr()

    @cached_property
    def _by_relation(self) -> list[Triples]:
        ordered = self.triples[np.argsort(self.triples[:, 1], kind="stable")]
        return np.split(ordered, np.searchsorted(ordered[:, 1], np.arange(1, 2 * self.relations)))

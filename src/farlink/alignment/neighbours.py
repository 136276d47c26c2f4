"""Pairs that come into question because neighbours of both are likely the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from farlink.graph.edges import Edges
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph

CROWD = 10_000  # pairs of neighbours: two hubs that have more tell none of them apart


class SharedNeighbours:
    """Who is next to whom in two graphs; a neighbour that has many others counts less."""

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph) -> None:
        self.left, self.right = _next_to(left), _next_to(right)

    def pairs(self, likely: Pairs, chance: NDArray[np.floating], k: int) -> Pairs:
        """For each entity of both sides, the k others with whom it shares most of its likely neighbours."""
        crowd = np.diff(self.left.indptr)[likely[:, 0]].astype(np.int64) * np.diff(self.right.indptr)[likely[:, 1]]
        telling = crowd <= CROWD
        near = likely[telling].T
        same = coo_array((chance[telling], (near[0], near[1])), shape=(self.left.shape[0], self.right.shape[0]))
        shared = (self.left @ same.tocsr() @ self.right.T).tocoo()
        kept = _first_of_each(shared.row, shared.data, k) | _first_of_each(shared.col, shared.data, k)
        return np.stack([shared.row[kept], shared.col[kept]], axis=1).astype(np.int32)


def _next_to(graph: KnowledgeGraph) -> csr_array:
    """For each entity its neighbours, each weighted by how few others it is next to."""
    edges = Edges.of(graph)
    shape = (edges.entities, edges.entities)
    matrix = coo_array((np.ones(len(edges.tail)), (edges.head, edges.tail)), shape=shape).tocsr()
    degree = np.diff(matrix.indptr)
    matrix.data = 1 / np.log1p(1.0 + degree[matrix.indices])
    return matrix


def _first_of_each(ids: NDArray[np.integer], value: NDArray[np.floating], k: int) -> NDArray[np.bool_]:
    """Which entries are among the k of their id with the greatest values."""
    order = np.lexsort((-value, ids))
    ordered = ids[order]
    kept = np.empty(len(ids), dtype=bool)
    kept[order] = np.arange(len(ids)) - np.searchsorted(ordered, ordered) < k
    return kept

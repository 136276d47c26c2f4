"""What a graph is like, in figures."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from farlink.graph.knowledge_graph import KnowledgeGraph


def describe(graph: KnowledgeGraph) -> dict[str, int | float]:
    """Sizes, degrees and connectedness of a graph."""
    degrees = graph.degrees()
    head, _, tail = graph.triples.T
    size = len(graph.entities)
    links = coo_array((np.ones(len(head), dtype=np.int8), (head, tail)), shape=(size, size))
    components, label = connected_components(links, directed=False)
    return {
        "entities": size,
        "relations": len(graph.relations),
        "triples": len(graph.triples),
        "repeated triples": graph.duplicates,
        "literals": graph.literals.height,
        "loops": int((head == tail).sum()),
        "degree, mean": float(degrees.mean()),
        "degree, median": float(np.median(degrees)),
        "degree, most": int(degrees.max()),
        "entities of degree 1": int((degrees == 1).sum()),
        "entities without a triple": int((degrees == 0).sum()),
        "components": int(components),
        "entities in the largest component": int(np.bincount(label).max()),
    }

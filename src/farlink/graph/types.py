"""Triples that say what kind of thing an entity is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import RDF_TYPE

TYPES = (RDF_TYPE, "rdf:type", "a")  # as RDF has it, and as tables shorten it


def says_type(graph: KnowledgeGraph) -> NDArray[np.bool_]:
    """Which triples tell the type of their head."""
    return np.asarray(graph.relations.is_in(TYPES).to_numpy()[graph.triples[:, 1]])


def without_types(graph: KnowledgeGraph) -> KnowledgeGraph:
    """The graph without these triples; classes stay entities, as links may name them."""
    return graph.without(says_type(graph), np.zeros(len(graph.entities), dtype=bool))

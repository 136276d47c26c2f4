"""Graphs like those of the web of data: few hubs, many entities with hardly a triple."""

from __future__ import annotations

import networkx as nx
import numpy as np

from farlink.graph.ids import Triples


def scale_free(size: int, seed: int = 0) -> Triples:
    """A graph with hubs and many entities of low degree, relations of three kinds."""
    edges = np.array(nx.dual_barabasi_albert_graph(size, 1, 5, 0.6, seed=seed).edges)
    relation = np.random.default_rng(seed).integers(0, 3, len(edges))
    return np.stack([edges[:, 0], relation, edges[:, 1]], axis=1).astype(np.int32)

import networkx as nx
import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.summary import describe


def test_the_figures_of_a_small_graph():
    frame = pl.DataFrame(
        [("a", "r", "b"), ("a", "r", "b"), ("b", "s", "c"), ("d", "r", "d")], schema=["h", "r", "t"], orient="row"
    )
    literals = pl.DataFrame({"head": ["a"], "relation": ["name"], "value": ["A"]})
    figures = describe(KnowledgeGraph.from_frame(frame, literals=literals, entities=pl.Series(["alone"])))
    assert figures == {
        "entities": 5,
        "relations": 2,
        "triples": 3,
        "repeated triples": 1,
        "literals": 1,
        "loops": 1,
        "degree, mean": 1.0,
        "degree, median": 1.0,
        "degree, most": 2,
        "entities of degree 1": 3,
        "entities without a triple": 1,
        "components": 3,
        "entities in the largest component": 3,
    }


def test_components_are_those_of_networkx(pair):
    graph = nx.Graph([(int(h), int(t)) for h, _, t in pair.left.triples])
    assert describe(pair.left)["components"] == nx.number_connected_components(graph)

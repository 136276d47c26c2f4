import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.types import says_type, without_types

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
GRAPH = KnowledgeGraph.from_frame(
    pl.DataFrame(
        {
            "h": ["rome", "oslo", "rome", "rome", "kyiv"],
            "r": [RDF_TYPE, "a", "capital of", "type", "rdf:type"],
            "t": ["City", "City", "italy", "metropolis", "City"],
        }
    )
)


def named(graph):
    return {(graph.entities[h], graph.relations[r], graph.entities[t]) for h, r, t in graph.triples.tolist()}


def test_a_type_is_told_by_rdf_type_however_it_is_written_and_by_nothing_else():
    told = {GRAPH.relations[r] for r in GRAPH.triples[says_type(GRAPH), 1].tolist()}
    assert told == {RDF_TYPE, "a", "rdf:type"}


def test_without_types_all_else_stays_and_classes_are_entities():
    less = without_types(GRAPH)
    assert named(less) == {("rome", "capital of", "italy"), ("rome", "type", "metropolis")}
    assert less.entities.equals(GRAPH.entities)
    assert set(less.relations) == {"capital of", "type"}

import networkx as nx
import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.summary import LOCAL_NAME, describe, describe_attributes, describe_names
from farlink.io.benchmark import read_alignment_folder


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


LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def graph_of(literals, entities=()):
    schema = dict.fromkeys(("head", "relation", "value"), pl.String)
    return KnowledgeGraph.from_frame(
        pl.DataFrame(schema=schema),
        literals=pl.DataFrame(literals, schema=schema, orient="row"),
        entities=pl.Series(list(entities), dtype=pl.String),
    )


def test_attributes_are_told_with_what_their_values_are_like():
    ages = [("a", "age", "7"), ("a", "age", "7.0"), ("b", "age", "7"), ("c", "age", "nine"), ("d", "age", "8")]
    seen = [("a", "seen", "2014-02-14"), ("a", "seen", "14/02/2014"), ("a", "seen", "2014-02-15")]
    assert describe_attributes(graph_of([*ages, *seen, ("a", "bare", None)])) == [
        {
            "attribute": "age",
            "entities": 4,
            "values": 3,
            "functionality": 1.0,
            "inverse functionality": 0.75,
            "kind": "number",
            "example": "7",
        },
        {
            "attribute": "bare",
            "entities": 1,
            "values": None,
            "functionality": None,
            "inverse functionality": None,
            "kind": None,
            "example": None,
        },
        {
            "attribute": "seen",
            "entities": 1,
            "values": 2,
            "functionality": 0.5,
            "inverse functionality": 1.0,
            "kind": "date",
            "example": "2014-02-14",
        },
    ]


def test_names_are_labels_or_what_people_can_read_of_identifiers():
    literals = [("http://x/Q1", LABEL, "Nanjing"), ("http://x/Q1", LABEL, "NANJING"), ("http://x/Rome", "p", "x")]
    unnamed = ["http://x/Q2", "http://x/88d6ef1dca6e", "http://x/12", "_:node"]
    told = describe_names(graph_of(literals, [*unnamed, "http://x/New_York", "http://x/Caf%C3%A9"]))
    assert told["entities with a readable name"] == 4
    label, local = told["names"]
    assert (label["attribute"], label["entities"], label["values"]) == (LABEL, 1, 1)
    assert (local["attribute"], local["entities"], local["values"]) == (LOCAL_NAME, 3, 3)


def test_a_graph_without_literals_has_no_attributes(pair):
    assert describe_attributes(pair.left) == []
    assert describe_names(pair.left)["entities with a readable name"] == 0  # a0 has as many digits as letters


def test_attributes_of_real_graphs(shared_data):
    left = read_alignment_folder(shared_data / "named" / "movies_tmdb_tvdb").left
    attributes = describe_attributes(left)
    assert [row["entities"] for row in attributes] == sorted((row["entities"] for row in attributes), reverse=True)
    kinds = {row["attribute"].rsplit("/", 1)[-1]: row["kind"] for row in attributes}
    assert (kinds["releaseDate"], kinds["seasonNumber"], kinds["title"]) == ("date", "number", "text")
    assert all(0 < row[name] <= 1 for row in attributes for name in ("functionality", "inverse functionality"))

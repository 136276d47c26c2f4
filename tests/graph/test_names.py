import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import equal_names, readable_names


def graph_of(names, labels=()):
    frame = pl.DataFrame({"h": names, "r": ["r"] * len(names), "t": names})
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    literals = pl.DataFrame(
        [(head, label, value) for head, value in labels],
        schema={"head": pl.String, "relation": pl.String, "value": pl.String},
        orient="row",
    )
    return KnowledgeGraph.from_frame(frame, literals=literals)


def readable(names, labels=()):
    graph = graph_of(names, labels)
    return dict(zip(graph.entities, readable_names(graph), strict=True))


def test_an_identifier_is_read_by_its_last_part():
    assert readable(["http://x.org/resource/New_York", "http://x.org/onto#City", "http://x.org/a/", "Plain name"]) == {
        "http://x.org/resource/New_York": "New York",
        "http://x.org/onto#City": "City",
        "http://x.org/a/": "a",
        "Plain name": "Plain name",
    }


def test_a_label_is_better_than_an_identifier():
    assert readable(["q:1", "q:2"], [("q:1", "Nanjing"), ("q:1", "Nankin")]) == {"q:1": "Nanjing", "q:2": "q:2"}


def test_equal_names_pair_up_whatever_their_case():
    left, right = graph_of(["http://x.org/New_York", "http://x.org/Rome"]), graph_of(["new york", "Paris"])
    pairs = equal_names(left, right)
    assert [(left.entities[int(a)], right.entities[int(b)]) for a, b in pairs] == [
        ("http://x.org/New_York", "new york")
    ]


def test_a_name_that_two_entities_share_pairs_nobody():
    assert len(equal_names(graph_of(["http://x.org/Rome", "http://y.org/Rome"]), graph_of(["Rome"]))) == 0

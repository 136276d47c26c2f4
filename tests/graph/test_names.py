import time

import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import closest, equal_names, readable_names


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


def test_a_mistyped_name_is_answered_with_those_most_like_it():
    names, labels = pl.Series(["x.org/Q1", "x.org/Q2"]), pl.Series(["Nanking", "Rome"])
    assert closest("Nanjing", names, labels) == "; did you mean 'Nanking'?"
    assert closest("Athens", names, labels) == ""


def test_names_that_differ_in_case_alone_come_first():
    names = pl.Series(["Romea", "ROME", "Roma", "rome"])
    assert closest("Rome", names) == "; did you mean 'ROME' or 'rome' or 'Romea' or 'Roma'?"


def test_a_million_names_are_searched_in_a_moment():
    names = pl.select(pl.format("http://x.org/resource/{}", pl.int_range(1_000_000)).alias("name"))["name"]
    started = time.process_time()  # of this process alone, as the machine may be busy
    assert "did you mean 'http://x.org/resource/" in closest("http://x.org/resource/123x", names)
    assert time.process_time() - started < 3

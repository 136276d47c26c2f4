import time

import polars as pl
import pytest

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import (
    LABEL_RELATIONS,
    aliases,
    closest,
    equal_names,
    has_names,
    not_names,
    readable_names,
)


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


def said(*rows):
    return pl.DataFrame(rows, schema=["head", "relation", "value"], orient="row")


def called(graph):
    names = aliases(graph)
    return sorted(zip(graph.entities.gather(names["entity"]), names["name"], strict=True))


def graph_with(triples, *literals):
    frame = pl.DataFrame(triples, schema=dict.fromkeys(("h", "r", "t"), pl.String), orient="row")
    return KnowledgeGraph.from_frame(frame, literals=said(*literals) if literals else None)


LABEL = LABEL_RELATIONS[0]


@pytest.mark.parametrize(
    "relation",
    [*LABEL_RELATIONS, "x.org/birthName", "x.org/altLabel", "x.org/hasExactSynonym", "x#alias", "title", "x/names/"],
)
def test_values_of_relations_like_a_label_are_names(relation):
    graph = graph_with([("q:1", "r", "q:2")], ("q:1", relation, "Nanjing"))
    assert called(graph) == [("q:1", "Nanjing")]
    assert not_names(graph.literals).is_empty()


@pytest.mark.parametrize("relation", ["x.org/label/age", "x.org/titlePage", "x.org/population"])
def test_other_values_are_none(relation):
    graph = graph_with([("q:1", "r", "q:2")], ("q:1", relation, "Nanjing"))
    assert called(graph) == []
    assert not_names(graph.literals).height == 1


def test_an_entity_may_have_several_names_each_once():
    rows = [("q:1", LABEL, "Nanjing"), ("q:1", "x/alias", "Nankin"), ("q:1", "x/name", "Nanjing")]
    assert called(graph_with([("q:1", "r", "q:2")], *rows)) == [("q:1", "Nanjing"), ("q:1", "Nankin")]


def test_without_a_label_the_end_of_an_identifier_is_a_name_where_it_reads_like_a_word():
    read = {"x.org/New_York": "New_York", "x#City": "City", "x.org/Caf%C3%A9/": "Café", "Route 66": "Route 66"}
    unread = ["x.org/Q1234", "x.org/3f2a-9bc1-77de", "x.org/deadbeef01", "x.org/12", "_:node", "x.org/C19", "x/%20"]
    names = [*read, *unread]
    graph = graph_with([(name, "r", name) for name in names])
    assert dict(called(graph)) == read


def test_a_label_takes_the_place_of_the_identifier():
    assert called(graph_with([("x/Rome", "r", "x/Paris")], ("x/Rome", LABEL, "Roma"))) == [
        ("x/Paris", "Paris"),
        ("x/Rome", "Roma"),
    ]


TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def test_the_labels_of_a_node_that_a_name_leads_to_are_those_of_the_entity():
    triples = [("q:1", "x#hasRelatedSynonym", "x/synonym-node"), ("x/synonym-node", TYPE, "q:0")]
    literals = [("q:1", LABEL, "lung"), ("x/synonym-node", LABEL, "pulmo")]
    assert called(graph_with(triples, *literals)) == [("q:1", "lung"), ("q:1", "pulmo")]


@pytest.mark.parametrize("more", [("x/node", "knows", "q:0"), ("q:0", "knows", "x/node")])
def test_what_has_other_triples_is_an_entity_of_its_own(more):
    triples = [("q:1", "x#title", "x/node"), more]
    assert called(graph_with(triples, ("x/node", LABEL, "king"))) == [("x/node", "king")]


def test_a_node_without_a_label_lends_none_and_is_called_as_it_reads():
    assert called(graph_with([("q:1", "x#title", "x/King")])) == [("x/King", "King")]


def test_a_graph_of_codes_has_no_names():
    assert not has_names(graph_with([("q:1", "r", "q:2")]))
    assert has_names(graph_with([("q:1", "r", "Rome")]))
    assert has_names(graph_with([], ("q:1", LABEL, "Rome")))

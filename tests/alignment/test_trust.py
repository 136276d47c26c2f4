"""Links that the graphs themselves hold: which statements join two graphs, and what becomes of them."""

import numpy as np
import polars as pl
import pytest

from farlink.alignment.task import open_task
from farlink.alignment.trust import SAME_AS, checked_trust, parted, same_names
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.progress import Silent
from farlink.settings import make_settings

SAME = SAME_AS[0]
LEFT = [("l:a", "l:p", "l:b"), ("l:b", "l:p", "l:c")]
RIGHT = [("r:a", "r:p", "r:b"), ("r:b", "r:p", "r:c")]


def graph_of(rows, literals=()):
    frames = [
        pl.DataFrame(part, schema=dict.fromkeys(("head", "relation", last), pl.String), orient="row")
        for part, last in ((rows, "tail"), (list(literals), "value"))
    ]
    return KnowledgeGraph.from_frame(frames[0], literals=frames[1], source=f"{rows[0][0][0]}.nt")


def named(graph):
    head, relation, tail = graph.triples.T
    columns = graph.entities.gather(head), graph.relations.gather(relation), graph.entities.gather(tail)
    return sorted(zip(*columns, strict=True))


def stated(left, right):
    return sorted(parted(left, right).stated.rows())


# Which statements join two graphs


@pytest.mark.parametrize("relation", SAME_AS)
def test_a_statement_in_either_graph_and_either_direction_joins_them(relation):
    left = graph_of([*LEFT, ("l:a", relation, "r:a"), ("r:b", relation, "l:b")])
    right = graph_of([*RIGHT, ("r:c", relation, "l:c"), ("r:a", relation, "l:a")])
    assert stated(left, right) == [("l:a", "r:a"), ("l:b", "r:b"), ("l:c", "r:c")]


def test_statements_leave_the_triples_with_the_entities_that_they_brought_in():
    graphs = parted(graph_of([*LEFT, ("l:a", SAME, "r:a")]), graph_of(RIGHT))
    assert named(graphs.left) == LEFT
    assert set(graphs.left.entities) == {"l:a", "l:b", "l:c"}
    assert graphs.left.relations.to_list() == ["l:p"]
    assert np.array_equal(graphs.left.triples, np.unique(graphs.left.triples, axis=0))


def test_without_such_statements_the_graphs_stay_as_they_are():
    left, right = graph_of(LEFT), graph_of(RIGHT)
    graphs = parted(left, right)
    assert graphs.left is left
    assert graphs.right is right


def test_an_entity_of_which_nothing_else_is_said_is_of_the_graph_whose_subject_it_is():
    graphs = parted(graph_of([*LEFT, ("l:new", SAME, "r:a")]), graph_of(RIGHT))
    assert graphs.stated.rows() == [("l:new", "r:a")]
    assert "l:new" in graphs.left.entities


def test_a_literal_makes_an_entity_one_of_its_graph():
    left = graph_of([*LEFT, ("r:a", SAME, "l:x")], [("l:x", "l:name", "X")])
    assert stated(left, graph_of(RIGHT)) == [("l:x", "r:a")]
    assert stated(left, graph_of([("r:b", "r:p", "r:c")], [("r:a", "r:name", "A")])) == [("l:x", "r:a")]


@pytest.mark.parametrize(
    "statement",
    [
        ("l:a", SAME, "l:b"),  # within the graph
        ("l:a", SAME, "other:a"),  # with a third one
        ("r:a", SAME, "other:a"),  # about the other and a third one
        ("r:a", SAME, "r:b"),  # within the other
        ("l:a", "l:like", "r:a"),  # no such statement
    ],
)
def test_other_statements_are_triples_like_any(statement):
    graphs = parted(graph_of([*LEFT, statement]), graph_of(RIGHT))
    assert named(graphs.left) == sorted([*LEFT, statement])
    assert graphs.stated.is_empty()


def test_entities_that_both_graphs_describe_are_joined_by_no_statement():
    left = graph_of([*LEFT, ("x:s", "l:p", "l:a"), ("l:b", SAME, "x:s")])
    assert stated(left, graph_of([*RIGHT, ("x:s", "r:p", "r:a")])) == []


# Names


def test_names_of_blank_nodes_mean_nothing_in_another_file():
    left = graph_of([("x:a", "p", "_:b"), ("x:c", "p", "x:d")])
    right = graph_of([("x:a", "p", "_:b"), ("x:d", "q", "x:e")])
    pairs = same_names(left, right)
    assert sorted(left.entities[int(one)] for one in pairs[:, 0]) == ["x:a", "x:d"]
    assert all(left.entities[int(one)] == right.entities[int(other)] for one, other in pairs)


def test_what_can_be_trusted_has_a_name():
    assert checked_trust("same-as") == ("same-as",)
    assert checked_trust(["same-iris", "same-as"]) == ("same-iris", "same-as")
    with pytest.raises(FarlinkError, match=r"'names' is nothing that can be trusted; choose same-iris or same-as"):
        checked_trust(["names"])


# What a task makes of them


def opened(left=LEFT, right=RIGHT, **options):
    return open_task(graph_of(left), graph_of(right), settings=make_settings(), reporter=Silent(), **options)


def seeds_of(task):
    return [(task.left.entities[int(one)], task.right.entities[int(other)]) for one, other in task.seeds]


JOINED = {
    "left": [*LEFT, ("l:a", SAME, "r:a"), ("l:b", SAME, "r:a")],
    "right": [*RIGHT, ("r:c", SAME, "l:c")],
}


def test_statements_that_are_not_trusted_are_told_and_used_for_nothing():
    task = opened(**JOINED)
    assert len(task.seeds) == 0
    assert named(task.left) == LEFT
    assert task.notes == [
        "3 pairs of a left and a right entity stated in the graphs by owl:sameAs, skos:exactMatch or schema:sameAs: "
        "left out of the triples and not used; trust same-as to take them as seeds"
    ]


def test_statements_that_are_trusted_are_seeds_and_no_triples():
    task = opened(**JOINED, trust="same-as")
    assert seeds_of(task) == [("l:c", "r:c")]
    assert named(task.left) == LEFT
    assert "2 trusted links contradict each other (one entity, several counterparts), left out" in task.notes
    assert any(note.endswith("taken as seeds, and out of the triples") for note in task.notes)


def test_a_seed_that_is_given_wins_over_statements():
    task = opened(**JOINED, trust="same-as", seeds=[("l:c", "r:a")])
    assert seeds_of(task) == [("l:c", "r:a")]
    assert "1 trusted link contradicts a seed, left out of the trusted part" in task.notes


def test_that_there_is_nothing_to_trust_is_told():
    assert opened(trust=["same-as", "same-iris"]).notes == [
        "no owl:sameAs, skos:exactMatch or schema:sameAs joins the graphs, so there is none to trust",
        "no entity name occurs in both graphs, so there is none to trust",
    ]

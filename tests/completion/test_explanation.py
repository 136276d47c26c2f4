import polars as pl
import pytest

from farlink.completion.explanation import Support
from farlink.graph.knowledge_graph import KnowledgeGraph

FACTS = [
    ("anna", "born in", "rome"),
    ("rome", "in", "italy"),
    ("anna", "citizen of", "italy"),
    ("carl", "born in", "oslo"),
    ("oslo", "in", "norway"),
    ("carl", "citizen of", "norway"),
    ("dora", "born in", "oslo"),
    ("eric", "born in", "rome"),
    ("eric", "lives in", "rome"),
]


@pytest.fixture
def graph():
    return KnowledgeGraph.from_frame(pl.DataFrame(FACTS, schema=["head", "relation", "tail"], orient="row"))


def found(graph, head, relation, tail):
    place = {name: i for i, name in enumerate(graph.entities)}
    kind = {name: i for i, name in enumerate(graph.relations)}
    paths = Support(graph).paths(place[head], kind[relation], place[tail])
    names = [*graph.relations, *(f"{name}, back" for name in graph.relations)]
    return [
        ([graph.entities[e] for e in path.entities], [names[r] for r in path.relations], path.agree, path.cases)
        for path in paths
    ]


def test_a_path_of_two_steps_speaks_for_a_fact(graph):
    # four people have such a path to a country, two of them are its citizens
    assert found(graph, "dora", "citizen of", "norway") == [
        (["dora", "oslo", "norway"], ["born in", "in"], 2, 4),
    ]


def test_another_relation_between_the_same_two_speaks_for_a_fact(graph):
    assert found(graph, "eric", "lives in", "rome") == [(["eric", "rome"], ["born in"], 1, 4)]


def test_a_step_back_is_one_by_the_reverse_relation(graph):
    reverse = found(graph, "rome", "in", "italy")
    assert reverse == [(["rome", "anna", "italy"], ["born in, back", "citizen of"], 2, 2)]


def test_a_fact_does_not_speak_for_itself(graph):
    assert found(graph, "anna", "born in", "rome") == [(["anna", "italy", "rome"], ["citizen of", "in, back"], 2, 2)]


def test_no_path_no_reason(graph):
    assert found(graph, "dora", "citizen of", "italy") == []

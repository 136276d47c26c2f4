import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from farlink.graph.knowledge_graph import KnowledgeGraph

NAMES = st.text(alphabet="abcé 漢", min_size=1, max_size=3)
TRIPLES = st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=30)


def graph_of(triples, **options) -> KnowledgeGraph:
    return KnowledgeGraph.from_frame(pl.DataFrame(triples, schema=["h", "r", "t"], orient="row"), **options)


def names_of(graph: KnowledgeGraph) -> list[tuple[str, str, str]]:
    return [(graph.entities[int(h)], graph.relations[int(r)], graph.entities[int(t)]) for h, r, t in graph.triples]


@given(TRIPLES, st.integers(0, 99))
def test_a_graph_holds_each_distinct_triple_once(triples, seed):
    graph = graph_of(triples).shuffled(seed)
    assert sorted(names_of(graph)) == sorted(set(triples))
    assert graph.duplicates == len(triples) - len(set(triples))


@given(TRIPLES, st.randoms())
def test_ids_do_not_depend_on_the_order_of_the_triples(triples, random):
    mixed = list(triples)
    random.shuffle(mixed)
    one, two = graph_of(triples), graph_of(mixed)
    assert one.entities.equals(two.entities)
    assert np.array_equal(one.triples, two.triples)


@given(TRIPLES, st.integers(0, 99))
def test_new_ids_are_a_shuffle_of_the_sorted_names(triples, seed):
    graph = graph_of(triples).shuffled(seed)
    names = sorted({name for head, _, tail in triples for name in (head, tail)})
    order = np.random.default_rng(seed).permutation(len(names))
    assert graph.entities.to_list() == [names[place] for place in order]
    assert np.array_equal(graph.triples, np.unique(graph.triples, axis=0))


@given(TRIPLES, st.integers(0, 99), st.integers(0, 99))
def test_new_ids_do_not_depend_on_the_old_ones(triples, first, second):
    one, two = graph_of(triples).shuffled(first).shuffled(second), graph_of(triples).shuffled(second)
    assert one.entities.equals(two.entities)
    assert one.relations.equals(two.relations)
    assert np.array_equal(one.triples, two.triples)


def test_another_seed_gives_other_ids():
    graph = graph_of([(f"e{i}", "r", f"e{i + 1}") for i in range(50)])
    assert not graph.shuffled(0).entities.equals(graph.shuffled(1).entities)


def test_an_entity_may_have_no_triple():
    graph = graph_of([("a", "r", "b")], entities=pl.Series(["a", "b", "lonely"]))
    assert set(graph.entities) == {"a", "b", "lonely"}
    assert graph.degrees()[graph.ids(pl.Series(["lonely"]))[0]] == 0


def test_an_entity_may_have_literals_alone():
    literals = pl.DataFrame({"head": ["hermit", "a"], "relation": ["name", "name"], "value": ["H", "A"]})
    graph = graph_of([("a", "r", "b")], literals=literals)
    assert set(graph.entities) == {"a", "b", "hermit"}
    assert set(graph.connected) == {"a", "b"}
    alone = KnowledgeGraph.from_frame(pl.DataFrame(schema=dict.fromkeys("hrt", pl.String)), literals=literals)
    assert (set(alone.entities), len(alone.relations), alone.triples.shape) == ({"a", "hermit"}, 0, (0, 3))
    assert set(alone.shuffled(7).entities) == {"a", "hermit"}


def test_degrees_count_triples_and_a_loop_once():
    graph = graph_of([("a", "r", "b"), ("a", "s", "b"), ("a", "r", "a"), ("b", "r", "c")])
    degrees = dict(zip(graph.entities, graph.degrees().tolist(), strict=True))
    assert degrees == {"a": 3, "b": 3, "c": 1}


def test_two_graphs_are_the_same_if_their_triples_are():
    triples = [("a", "r", "b"), ("b", "r", "c")]
    assert graph_of(triples).shuffled(1).same_as(graph_of(triples[::-1]).shuffled(2))
    assert not graph_of(triples).same_as(graph_of([("a", "r", "b"), ("c", "r", "b")]))
    assert not graph_of(triples).same_as(graph_of([("a", "s", "b"), ("b", "s", "c")]))


def test_two_graphs_differ_if_their_literals_do():
    rows = [("a", "name", "A"), ("b", "name", "B")]
    one, other, less = (
        graph_of([("a", "r", "b")], literals=pl.DataFrame(some, schema=["head", "relation", "value"], orient="row"))
        for some in (rows, rows[::-1], rows[:1])
    )
    assert one.same_as(other)
    assert not one.same_as(less)


def test_literals_without_datatypes_and_languages_have_nulls_there():
    literals = pl.DataFrame({"head": ["a"], "relation": ["name"], "value": ["A"]})
    assert graph_of([("a", "r", "b")], literals=literals).literals.rows() == [("a", "name", "A", None, None)]


def test_its_repr_is_short():
    assert repr(graph_of([("a", "r", "b")])) == "KnowledgeGraph(2 entities, 1 relation, 1 triple)"

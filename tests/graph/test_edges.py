from bisect import bisect_left
from itertools import groupby

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy.sparse import coo_array

from farlink.graph.edges import (
    Adjacency,
    Edges,
    begins,
    both_ways,
    distinct_ends,
    reverse,
    runs,
    side_by_side,
    with_reverses,
)
from farlink.graph.knowledge_graph import KnowledgeGraph

ENTITIES, RELATIONS = 7, 3
ROWS = st.lists(
    st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1), st.integers(0, ENTITIES - 1)), min_size=1
)


def triples(rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def as_set(rows):
    return {tuple(row) for row in rows.tolist()}


def edges_of(rows):
    return Edges.of_triples(triples(rows), ENTITIES, RELATIONS)


def graph(*rows):
    return KnowledgeGraph.from_frame(pl.DataFrame(rows, schema=["head", "relation", "tail"], orient="row"))


# reverses


def test_every_triple_gets_a_reverse_twin_with_a_relation_of_its_own():
    assert as_set(with_reverses(triples([(0, 0, 1), (1, 1, 2)]), 2)) == {(0, 0, 1), (1, 1, 2), (1, 2, 0), (2, 3, 1)}


def test_the_reverse_of_a_reverse_is_the_relation_itself_in_compiled_code_too():
    relations = np.arange(6, dtype=np.int32)
    assert reverse(relations, 6).tolist() == [3, 4, 5, 0, 1, 2]
    assert reverse(relations, 6).dtype == np.int32
    assert [reverse(reverse(relation, 6), 6) for relation in range(6)] == list(range(6))
    compiled = njit(lambda relation: reverse(relation, 6))
    assert [compiled(relation) for relation in relations] == [3, 4, 5, 0, 1, 2]


@given(ROWS)
def test_turning_every_triple_round_gives_the_same_triples(rows):
    both = with_reverses(triples(rows), RELATIONS)
    head, relation, tail = both.T
    assert as_set(np.stack([tail, reverse(relation, 2 * RELATIONS), head], axis=1)) == as_set(both)


# graphs side by side


def test_graphs_side_by_side_share_no_entity_and_no_relation():
    one, two = graph(("a", "r", "b"), ("b", "s", "c")), graph(("a", "r", "b"))
    assert np.array_equal(side_by_side(one), one.triples)
    shifted = [(head + 3, relation + 2, tail + 3) for head, relation, tail in two.triples.tolist()]
    assert side_by_side(one, two).tolist() == [*one.triples.tolist(), *map(list, shifted)]


def test_the_edges_of_graphs_are_their_triples_and_the_reverses():
    one, two = graph(("a", "r", "b"), ("b", "s", "c")), graph(("a", "r", "b"))
    for graphs, entities, relations in (((one,), 3, 4), ((one, two), 5, 6)):
        edges = Edges.of(*graphs)
        assert (edges.entities, edges.relations) == (entities, relations)
        assert as_set(edges.triples) == as_set(both_ways(*graphs))
        assert len(edges.triples) == 2 * sum(len(graph.triples) for graph in graphs)


# rows by head


@given(ROWS)
def test_edges_are_the_compressed_rows_of_scipy(rows):
    head, relation, tail = triples(sorted(set(rows))).T
    columns = relation * ENTITIES + tail
    expected = coo_array((np.ones(len(head)), (head, columns)), shape=(ENTITIES, ENTITIES * RELATIONS)).tocsr()
    edges = edges_of(rows)
    assert np.array_equal(edges.first, expected.indptr)
    assert np.array_equal(edges.relation * ENTITIES + edges.tail, expected.indices)


@given(ROWS, st.randoms())
def test_neither_the_order_nor_repetitions_of_triples_make_a_difference(rows, random):
    shuffled = random.sample(rows, len(rows)) + rows[:2]
    assert all(np.array_equal(one, two) for one, two in zip(edges_of(rows), edges_of(shuffled), strict=True))


@given(ROWS)
def test_edges_give_the_triples_back_and_each_entity_its_own(rows):
    edges = edges_of(rows)
    assert [tuple(row) for row in edges.triples.tolist()] == sorted(set(rows))
    for entity in range(ENTITIES):
        row = edges.row(entity)
        found = list(zip(edges.relation[row].tolist(), edges.tail[row].tolist(), strict=True))
        assert found == sorted({(relation, tail) for head, relation, tail in rows if head == entity})


@given(ROWS)
def test_by_tail_each_entity_has_the_same_edges_in_the_order_of_tails(rows):
    near = edges_of(rows).by_tail()
    ordered = [tuple(row) for row in near.triples.tolist()]
    assert ordered == sorted(set(rows), key=lambda row: (row[0], row[2], row[1]))


@given(ROWS)
def test_sharers_are_the_heads_with_the_same_relation_and_tail(rows):
    edges = edges_of(rows)
    for (_, relation, tail), sharers in zip(edges.triples.tolist(), edges.sharers(), strict=True):
        assert sharers == len({row[0] for row in rows if row[1:] == (relation, tail)})


def test_there_may_be_entities_without_an_edge_and_no_edges_at_all():
    edges = Edges.of_triples(np.empty((0, 3), dtype=np.int32), 4, 2)
    assert edges.first.tolist() == [0] * 5
    assert len(edges.sharers()) == len(edges.by_tail().tail) == 0
    assert Adjacency.of(edges).row.tolist() == [0] * 5


# neighbours, whatever the relation


@pytest.mark.slow
@given(ROWS)
def test_adjacency_lists_what_networkx_lists(rows):
    expected = nx.MultiDiGraph()
    expected.add_nodes_from(range(ENTITIES))
    expected.add_edges_from((head, tail, relation) for head, relation, tail in set(rows))
    near = Adjacency.of(edges_of(rows))
    for entity in range(ENTITIES):
        places = range(near.row[entity], near.row[entity + 1])
        assert [int(near.neighbour[place]) for place in places] == sorted(expected.successors(entity))
        for place in places:
            relations = near.relation[near.edge[place] : near.edge[place + 1]].tolist()
            assert relations == sorted(expected[entity][int(near.neighbour[place])])


def test_what_walks_step_along_is_32_bits_wide():
    near = Adjacency.of(edges_of([(0, 0, 1), (0, 1, 1), (1, 2, 0)]))
    assert {array.dtype for array in (near.row, near.neighbour, near.edge, near.relation)} == {np.dtype(np.int32)}


# parts of the index


@given(st.lists(st.integers(0, 9)).map(sorted))
def test_begins_are_where_binary_search_finds_each_number(numbers):
    assert begins(np.array(numbers, dtype=np.int32), 10).tolist() == [bisect_left(numbers, n) for n in range(11)]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1).map(sorted))
def test_runs_are_the_groups_of_equal_rows(rows):
    lengths = [len(list(group)) for _, group in groupby(rows)]
    assert runs(*np.array(rows).T).tolist() == [0, *np.cumsum(lengths)]


def test_nothing_has_no_runs():
    nothing = np.empty(0, dtype=np.int32)
    assert runs(nothing, nothing).tolist() == [0]


@given(ROWS)
def test_distinct_ends_are_counted_once_for_each_relation(rows):
    _, relation, tail = triples(rows).T
    expected = [len({row[2] for row in rows if row[1] == kind}) for kind in range(RELATIONS)]
    assert distinct_ends(relation, tail, RELATIONS).tolist() == expected

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment import neighbours
from farlink.alignment.neighbours import SharedNeighbours
from farlink.graph.knowledge_graph import KnowledgeGraph
from helpers.rings import graph


def pairs_of(found):
    return {tuple(pair) for pair in found.tolist()}


def by_name(left, right, *names):
    return np.array([(left.ids(pl.Series([a]))[0], right.ids(pl.Series([b]))[0]) for a, b in names], dtype=np.int32)


def weights(graph):
    """Of each neighbour of each entity, densely."""
    size = len(graph.entities)
    dense = np.zeros((size, size))
    relations = len(graph.relations)
    steps = {(h, r, t) for h, r, t in graph.triples.tolist()} | {
        (t, r + relations, h) for h, r, t in graph.triples.tolist()
    }
    for head, _, tail in steps:
        dense[head, tail] += 1
    near = dense > 0
    return near / np.log1p(1.0 + near.sum(1))[None, :]


def test_entities_with_a_common_neighbour_come_into_question():
    left, right = graph(("a", "r", "b"), ("c", "r", "d")), graph(("x", "q", "y"), ("z", "q", "w"))
    found = SharedNeighbours(left, right).pairs(by_name(left, right, ("b", "y")), np.ones(1), 3)
    assert pairs_of(found) == pairs_of(by_name(left, right, ("a", "x")))


def test_of_those_the_k_with_most_in_common_are_kept_on_either_side():
    left = graph(("a", "r", "m"), ("a", "r", "n"))
    right = graph(*((f"x{i}", "q", "m") for i in range(4)), ("x3", "q", "n"))
    likely = by_name(left, right, ("m", "m"), ("n", "n"))
    shared = SharedNeighbours(left, right)
    # a is for each x the one that it has in common, and x3 is for a the best
    assert len(shared.pairs(likely, np.ones(2), 1)) == 4
    assert pairs_of(by_name(left, right, ("a", "x3"))) <= pairs_of(shared.pairs(likely, np.ones(2), 1))


def test_a_neighbour_that_has_many_others_counts_less():
    left = graph(("a", "r", "hub"), ("b", "r", "own"), *((f"o{i}", "r", "hub") for i in range(9)))
    right = graph(("x", "q", "hub"), ("x", "q", "own"))
    found = SharedNeighbours(left, right).pairs(by_name(left, right, ("hub", "hub"), ("own", "own")), np.ones(2), 1)
    best = [pair for pair in found.tolist() if pair[1] == by_name(left, right, ("a", "x"))[0, 1]]
    assert by_name(left, right, ("b", "x"))[0].tolist() in best


def test_two_hubs_tell_none_of_their_neighbours_apart(monkeypatch):
    left = graph(*((f"a{i}", "r", "hub") for i in range(3)))
    right = graph(*((f"b{i}", "q", "hub") for i in range(4)))
    likely = by_name(left, right, ("hub", "hub"))
    assert len(SharedNeighbours(left, right).pairs(likely, np.ones(1), 9)) == 12
    monkeypatch.setattr(neighbours, "CROWD", 12)
    assert len(SharedNeighbours(left, right).pairs(likely, np.ones(1), 9)) == 12
    monkeypatch.setattr(neighbours, "CROWD", 11)
    assert len(SharedNeighbours(left, right).pairs(likely, np.ones(1), 9)) == 0


TRIPLES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=15)
LIKELY = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([0.25, 0.5, 1.0])), max_size=6)


@settings(deadline=None, max_examples=60)
@given(TRIPLES, TRIPLES, LIKELY)
def test_they_are_those_of_dense_matrices(ours, theirs, likely):
    left, right = (
        KnowledgeGraph.from_frame(pl.DataFrame([tuple(map(str, triple)) for triple in triples], orient="row"))
        for triples in (ours, theirs)
    )
    sizes = len(left.entities), len(right.entities)
    kept = {(a % sizes[0], b % sizes[1]): chance for a, b, chance in likely}
    same = np.zeros(sizes)
    for pair, chance in kept.items():
        same[pair] = chance
    shared = weights(left) @ same @ weights(right).T
    pairs, chance = np.array(list(kept), dtype=np.int32).reshape(-1, 2), np.array(list(kept.values()))
    found = SharedNeighbours(left, right).pairs(pairs, chance, 100)
    assert pairs_of(found) == pairs_of(np.argwhere(shared > 0))
    for a, b in SharedNeighbours(left, right).pairs(pairs, chance, 1).tolist():
        assert shared[a, b] >= min(shared[a].max(), shared[:, b].max()) - 1e-9

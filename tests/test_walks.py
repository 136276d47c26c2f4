from collections import Counter

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from farlink.joint import Adjacency, JointGraph, join, with_reverses
from farlink.walks import bias_table, sample_paths


def make_graph(edges, entities, first_right, relations=2) -> JointGraph:
    triples = np.unique(with_reverses(np.array(edges, dtype=np.int32), relations), axis=0)
    return JointGraph(
        triples, entities, first_right, 2 * relations, Adjacency.of(triples, entities), np.arange(entities)
    )


# Two triangles that share an entity, a pendant, parallel edges, a loop; entities 3 to 5 are of the other KG.
SMALL = make_graph(
    [(0, 0, 1), (1, 0, 2), (2, 0, 0), (2, 0, 3), (3, 0, 4), (4, 0, 2), (4, 1, 5), (0, 1, 1), (1, 1, 3), (3, 1, 3)],
    entities=6,
    first_right=3,
)


def walks(graph, **changes):
    options = {"length": 7, "walks_per_triple": 1, "depth_bias": 0.9, "cross_bias": 0.8, "seed": 0, **changes}
    return sample_paths(graph, **options)


def expected_step(graph, previous, current, depth_bias, cross_bias) -> dict[int, float]:
    """Equations 5 to 8 by the book: the distribution of the next entity."""
    neighbours = {e: {int(t) for h, _, t in graph.triples if h == e} for e in range(graph.entities)}
    weight = {}
    for candidate in neighbours[current]:
        distance = 0 if candidate == previous else 1 if candidate in neighbours[previous] else 2
        depth = depth_bias if distance == 2 else 1 - depth_bias
        cross = cross_bias if (previous >= graph.first_right) != (candidate >= graph.first_right) else 1 - cross_bias
        weight[candidate] = depth * cross
    total = sum(weight.values())
    return {candidate: value / total for candidate, value in weight.items()}


@pytest.mark.parametrize(("depth_bias", "cross_bias"), [(0.9, 0.9), (0.5, 0.5), (0.7, 0.2), (0.999, 0.999)])
def test_steps_follow_the_transition_probabilities(depth_bias, cross_bias):
    paths = walks(SMALL, walks_per_triple=4000, depth_bias=depth_bias, cross_bias=cross_bias, length=9)
    steps = np.concatenate([paths[:, [at, at + 2, at + 4]] for at in range(0, 5, 2)])
    seen = {}
    for (previous, current, following), count in Counter(map(tuple, steps.tolist())).items():
        seen.setdefault((previous, current), {})[following] = count
    for (previous, current), counts in seen.items():
        expected = expected_step(SMALL, previous, current, depth_bias, cross_bias)
        assert set(counts) <= set(expected)
        total = sum(counts.values())
        often = [entity for entity in expected if expected[entity] * total >= 5]
        if len(often) > 1:
            observed = np.array([counts.get(entity, 0) for entity in often])
            share = np.array([expected[entity] for entity in often])
            p = chisquare(observed, share / share.sum() * observed.sum()).pvalue
            assert p > 1e-5, (previous, current, counts, expected)


def test_the_relation_is_drawn_evenly_among_parallel_edges():
    paths = walks(SMALL, walks_per_triple=5000)
    relations = [int(r) for e1, r, e2 in paths[:, 2:5] if (e1, e2) == (0, 1)]
    counts = Counter(relations)
    assert set(counts) == {0, 1}
    assert chisquare(list(counts.values())).pvalue > 1e-5


def test_every_path_is_a_chain_of_triples_of_the_graph(pair):
    graph = join(pair.left, pair.right, np.empty((0, 2), dtype=np.int32))
    known = {tuple(triple) for triple in graph.triples.tolist()}
    paths = walks(graph, length=15)
    for at in range(0, 13, 2):
        assert {tuple(triple) for triple in paths[:, at : at + 3].tolist()} <= known


def test_walks_start_from_every_triple_equally_often():
    starts = Counter(map(tuple, walks(SMALL, walks_per_triple=3)[:, :3].tolist()))
    assert starts == {tuple(triple): 3 for triple in SMALL.triples.tolist()}


def test_half_a_walk_per_triple_starts_from_every_second_one():
    starts = Counter(map(tuple, walks(SMALL, walks_per_triple=1.5)[:, :3].tolist()))
    assert set(starts.values()) == {1, 2}
    assert starts.total() == round(1.5 * len(SMALL.triples))
    few = {tuple(map(tuple, walks(SMALL, walks_per_triple=0.5, epoch=epoch)[:, :3].tolist())) for epoch in range(5)}
    assert len(few) == 5  # others in every epoch


def test_a_walk_that_can_only_go_back_goes_back():
    line = make_graph([(0, 0, 1)], entities=2, first_right=2)
    paths = walks(line, length=9)
    assert {tuple(path) for path in paths[:, ::2].tolist()} == {(0, 1, 0, 1, 0), (1, 0, 1, 0, 1)}


def test_a_star_whose_candidates_are_all_close_still_gives_the_right_distribution():
    # from a leaf the centre leads to far leaves or back; with an extreme bias almost every draw is refused
    star = make_graph([(0, 0, leaf) for leaf in range(1, 4)], entities=4, first_right=4)
    paths = walks(star, walks_per_triple=20_000, depth_bias=0.001, cross_bias=0.5, length=5)
    inward = paths[paths[:, 2] == 0]
    back = np.mean(inward[:, 4] == inward[:, 0])
    assert back == pytest.approx(0.999 / (0.999 + 2 * 0.001), abs=0.002)


def test_the_same_seed_gives_the_same_walks_whatever_the_number_of_threads():
    several = numba.get_num_threads()
    paths = walks(SMALL, walks_per_triple=200, seed=7)
    numba.set_num_threads(1)
    try:
        alone = walks(SMALL, walks_per_triple=200, seed=7)
    finally:
        numba.set_num_threads(several)
    assert np.array_equal(paths, alone)


def test_every_epoch_and_every_seed_has_walks_of_its_own():
    first = walks(SMALL, walks_per_triple=50)
    assert not np.array_equal(first, walks(SMALL, walks_per_triple=50, epoch=1))
    assert not np.array_equal(first, walks(SMALL, walks_per_triple=50, seed=1))


@pytest.mark.parametrize("length", [1, 2, 4])
def test_a_path_has_an_odd_length(length):
    with pytest.raises(ValueError, match="odd"):
        walks(SMALL, length=length)


def test_the_biases_are_multiplied():
    assert bias_table(0.9, 0.8) == pytest.approx(np.array([[0.1 * 0.2, 0.1 * 0.8], [0.9 * 0.2, 0.9 * 0.8]]))

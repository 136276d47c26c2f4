from collections import Counter

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from farlink.graph.edges import Adjacency, Edges, with_reverses
from farlink.rsn.joint import JointGraph, join
from farlink.rsn.triple_walks import sample_triple_paths

# Triangles that share entities, parallel edges, a loop, a pendant; entities 0, 3 and 5 are linked.
EDGES = [(0, 0, 1), (1, 0, 2), (2, 0, 0), (2, 0, 3), (3, 0, 4), (4, 0, 2), (4, 1, 5), (0, 1, 1), (1, 1, 3), (3, 1, 3)]
LINKED = (0, 3, 5)


def make_graph(edges=EDGES, entities=6, relations=2, linked=LINKED) -> JointGraph:
    triples = np.unique(with_reverses(np.array(edges, dtype=np.int32), relations), axis=0)
    near = Adjacency.of(Edges.of_triples(triples, entities, 2 * relations))
    ends = np.isin(np.arange(entities), linked)
    return JointGraph(triples, entities, entities, 2 * relations, near, np.zeros(entities, np.uint8), ends)


def walks(graph, **changes):
    options = {"length": 7, "walks_per_triple": 1, "depth_bias": 0.9, "cross_bias": 0.8, "seed": 0, **changes}
    return sample_triple_paths(graph, **options)


def expected_step(graph, first, current, begins, depth_bias, cross_bias) -> dict[tuple[int, int], float]:
    """The distribution of the next (relation, entity), weight by weight."""
    known = {tuple(triple) for triple in graph.triples.tolist()}
    weight = {}
    for _, relation, tail in (triple for triple in known if triple[0] == current):
        depth = 1 if begins else 1 - depth_bias if (first, relation, tail) in known else depth_bias
        weight[relation, tail] = depth * (cross_bias if graph.linked[tail] else 1 - cross_bias)
    total = sum(weight.values())
    return {step: value / total for step, value in weight.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("depth_bias", "cross_bias"), [(0.9, 0.9), (0.5, 0.5), (0.3, 0.8), (0.7, 0.2), (0.999, 0.999)])
@pytest.mark.parametrize("linked", [LINKED, (), tuple(range(6))], ids=["some linked", "none linked", "all linked"])
def test_steps_follow_both_weights(depth_bias, cross_bias, linked):
    graph = make_graph(linked=linked)
    paths = walks(graph, walks_per_triple=4000, depth_bias=depth_bias, cross_bias=cross_bias, length=9)
    for at in (3, 5, 7):
        seen = Counter(map(tuple, paths[:, [0, at - 1, at, at + 1]].tolist()))
        for first, current in {key[:2] for key in seen}:
            expected = expected_step(graph, first, current, at == 3, depth_bias, cross_bias)
            counts = {step: seen[first, current, *step] for step in expected}
            total = sum(counts.values())
            assert total == sum(count for key, count in seen.items() if key[:2] == (first, current))
            often = [step for step in expected if expected[step] * total >= 5]
            if len(often) > 1:
                share = np.array([expected[step] for step in often])
                observed = np.array([counts[step] for step in often])
                p = chisquare(observed, share / share.sum() * observed.sum()).pvalue
                assert p > 1e-5, (at, first, current, counts, expected)


def test_where_all_ways_are_as_near_still_the_distribution_is_right():
    """Two entities with the same triples, but for one: with a bias so strong, nearly every draw is refused."""
    edges = [(one, 0, leaf) for one in (0, 1) for leaf in range(2, 8)] + [(0, 1, 1), (1, 0, 8)]
    graph = make_graph(edges, entities=9, linked=())
    paths = walks(graph, walks_per_triple=20_000, depth_bias=0.999, length=7)
    come = paths[(paths[:, 0] == 0) & (paths[:, 4] == 1)]
    steps = Counter(map(tuple, come[:, 5:].tolist()))
    for step, share in expected_step(graph, 0, 1, False, 0.999, 0.8).items():
        assert steps[step] / len(come) == pytest.approx(share, abs=0.01)


def test_every_path_is_a_chain_of_triples_of_the_graph(pair):
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)[:10]
    graph = join(pair.left, pair.right, links)
    known = {tuple(triple) for triple in graph.triples.tolist()}
    paths = walks(graph, length=15)
    for at in range(0, 13, 2):
        assert {tuple(triple) for triple in paths[:, at : at + 3].tolist()} <= known


def test_walks_start_from_every_triple_equally_often():
    starts = Counter(map(tuple, walks(make_graph(), walks_per_triple=3)[:, :3].tolist()))
    assert starts == {tuple(triple): 3 for triple in make_graph().triples.tolist()}


def test_the_same_seed_and_epoch_give_the_same_walks_whatever_the_number_of_threads():
    several = numba.get_num_threads()
    paths = walks(make_graph(), walks_per_triple=200, seed=7)
    numba.set_num_threads(1)
    try:
        assert np.array_equal(paths, walks(make_graph(), walks_per_triple=200, seed=7))
    finally:
        numba.set_num_threads(several)
    for change in ({"epoch": 1}, {"seed": 8}):
        assert not np.array_equal(paths, walks(make_graph(), walks_per_triple=200, **{"seed": 7, **change}))


@pytest.mark.parametrize("length", [1, 2, 4])
def test_a_path_has_an_odd_length(length):
    with pytest.raises(ValueError, match="odd"):
        walks(make_graph(), length=length)

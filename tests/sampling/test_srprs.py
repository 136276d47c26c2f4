import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from farlink.errors import FarlinkError
from farlink.sampling.srprs import Side, alternatives, degrees, distance, distances, fitted, pagerank, sample, thinned
from helpers.scale_free import scale_free


def own_degrees(side, entities):
    kept = np.zeros(side.size, dtype=bool)
    kept[entities] = True
    return degrees(side.within(kept), side.size)[entities]


def test_pagerank_is_that_of_networkx():
    triples = scale_free(60)[::2]  # some entities have no outgoing triple
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(60))
    graph.add_edges_from(triples[:, [0, 2]].tolist())
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)
    np.testing.assert_allclose(pagerank(triples, 60), [expected[i] for i in range(60)], atol=1e-6)


@given(st.lists(st.integers(0, 30), min_size=1), st.lists(st.integers(0, 30), min_size=1))
def test_the_distance_is_that_of_kolmogorov_and_smirnov(one, other):
    assert distance(np.array(one), np.array(other)) == pytest.approx(ks_2samp(one, other).statistic)


def test_a_loop_counts_once():
    assert degrees(np.array([[0, 0, 0], [0, 1, 1]], np.int32), 3).tolist() == [2, 1, 0]


cells = st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=4).filter(
    lambda rows: sum(map(sum, rows)) > 0
)


@given(cells, st.floats(0.1, 1.0), st.randoms(use_true_random=False))
def test_what_is_kept_is_there_and_sums_up(rows, share, random):
    have = np.array(rows, dtype=np.float64)
    goal = max(1, int(have.sum() * share))
    wanted = []
    for axis in (0, 1):
        parts = np.array([random.random() + 0.01 for _ in range(have.shape[axis])])
        wanted.append(goal * parts / parts.sum())
    keep = fitted(have, wanted, goal)
    assert (keep >= 0).all()
    assert (keep <= have + 1e-9).all()
    assert keep.sum() == pytest.approx(goal)


def test_both_sums_are_met_where_they_can_be():
    have = np.full((3, 2), 100.0)
    wanted = [np.array([10.0, 20, 30]), np.array([40.0, 20])]
    keep = fitted(have, wanted, 60)
    np.testing.assert_allclose(keep.sum(1), wanted[0])
    np.testing.assert_allclose(keep.sum(0), wanted[1])


@pytest.fixture(scope="module")
def pair():
    """Two views of one graph of 4,000 entities, each with four of five triples; 3,000 entities are linked."""
    rng = np.random.default_rng(0)
    whole, names = scale_free(4000), rng.permutation(4000).astype(np.int32)
    left, right = (whole[rng.random(len(whole)) < 0.8] for _ in range(2))
    right = np.stack([names[right[:, 0]], right[:, 1], names[right[:, 2]]], axis=1)
    linked = rng.permutation(4000)[:3000].astype(np.int32)
    return [Side.of(left, 4000), Side.of(right, 4000)], np.stack([linked, names[linked]], axis=1)


def test_a_sample_of_two_graphs_keeps_both_distributions(pair):
    sides, links = pair
    chosen, gaps = sample(sides, links, 1000, 0.08, seed=0)
    assert len(chosen) == 1000
    assert max(gaps) <= 0.08  # a random graph has no neighbourhoods to keep together, so 5 % is out of reach
    assert {tuple(row) for row in chosen.tolist()} <= {tuple(row) for row in links.tolist()}
    targets = [degrees(side.triples, side.size) for side in sides]
    for place, side in enumerate(sides):
        mine = own_degrees(side, chosen[:, place])
        assert mine.min() >= 1  # nobody is left without a triple
        assert gaps[place] == pytest.approx(ks_2samp(mine, targets[place][targets[place] > 0]).statistic)
    best_other = min(max(distances(sides, one, targets)) for one in alternatives(sides, links, 1000, 0).values())
    assert max(gaps) < 0.5 * best_other


def test_a_sample_of_one_graph_keeps_its_distribution():
    side = Side.of(scale_free(4000), 4000)
    chosen, gaps = sample([side], np.arange(4000, dtype=np.int32)[:, None], 1000, 0.05, seed=0)
    assert (len(chosen), len(np.unique(chosen))) == (1000, 1000)
    assert gaps[0] <= 0.05


def test_the_same_seed_gives_the_same_sample(pair):
    sides, links = pair
    one, two, other = (sample(sides, links, 600, 0.05, seed)[0] for seed in (0, 0, 1))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_more_than_there_is_cannot_be_sampled(pair):
    sides, links = pair
    with pytest.raises(FarlinkError, match="cannot sample 3,001 of 3,000"):
        sample(sides, links, 3001, 0.05, seed=0)


def test_a_thinned_graph_has_twice_the_average_degree():
    # a dense core with many entities that hang on it by one triple
    rng = np.random.default_rng(0)
    core = np.stack([rng.integers(0, 200, 2000), np.zeros(2000, int), rng.integers(0, 200, 2000)], axis=1)
    rim = np.stack([np.arange(200, 1200), np.zeros(1000, int), rng.integers(0, 200, 1000)], axis=1)
    triples = np.unique(np.concatenate([core, rim]), axis=0).astype(np.int32)
    before, after = (degrees(rows, 1200) for rows in (triples, thinned(triples, 1200, seed=0)))
    assert 2 <= after[after > 0].mean() / before[before > 0].mean() < 2.3


def test_a_graph_without_a_core_cannot_be_thinned():
    ring = np.array([[i, 0, (i + 1) % 500] for i in range(500)], np.int32)
    with pytest.raises(FarlinkError, match="cannot be doubled"):
        thinned(ring, 500, seed=0)


def test_alternatives_are_of_the_size_asked_for(pair):
    sides, links = pair
    drawn = alternatives(sides, links, 500, seed=0)
    assert set(drawn) == {"uniform", "PageRank", "high degree"}
    assert all(len(np.unique(one, axis=0)) == 500 for one in drawn.values())
    whole = degrees(sides[0].triples, sides[0].size)
    assert whole[drawn["high degree"][:, 0]].mean() > 1.5 * whole[drawn["uniform"][:, 0]].mean()

from collections import Counter
from itertools import product

import numba
import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency, chisquare

from farlink.graph.edges import Adjacency, Edges, with_reverses
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.benchmark import read_alignment_folder
from farlink.rsn.joint import BOTH, LEFT, RIGHT, JointGraph, join, merge, shared_rows
from farlink.rsn.walks import bias_table, sample_paths


def make_graph(edges, entities, first_right, relations=2, both=()) -> JointGraph:
    triples = np.unique(with_reverses(np.array(edges, dtype=np.int32), relations), axis=0)
    side = (np.arange(entities) >= first_right).astype(np.uint8)
    side[list(both)] = BOTH
    adjacency = Adjacency.of(Edges.of_triples(triples, entities, 2 * relations))
    return JointGraph(triples, entities, first_right, 2 * relations, adjacency, side, side == BOTH)


# Two triangles that share an entity, a pendant, parallel edges, a loop; entities 3 to 5 are of the other KG.
EDGES = [(0, 0, 1), (1, 0, 2), (2, 0, 0), (2, 0, 3), (3, 0, 4), (4, 0, 2), (4, 1, 5), (0, 1, 1), (1, 1, 3), (3, 1, 3)]
SMALL = make_graph(EDGES, entities=6, first_right=3)


def walks(graph, **changes):
    options = {"length": 7, "walks_per_triple": 1, "depth_bias": 0.9, "cross_bias": 0.8, "seed": 0, **changes}
    return sample_paths(graph, **options)


def expected_step(graph, previous, current, depth_bias, cross_bias) -> dict[int, float]:
    """Equations 4 to 7 by the book: the distribution of the next entity.

    An entity of both sides is two entities, one of either side; as the previous one it is each half of the time.
    """
    neighbours = {e: {int(t) for h, _, t in graph.triples if h == e} for e in range(graph.entities)}
    share = dict.fromkeys(neighbours[current], 0.0)
    sides = [[side] if side != BOTH else [LEFT, RIGHT] for side in graph.side.tolist()]
    for own in sides[previous]:
        weight = {}
        for candidate in neighbours[current]:
            distance = 0 if candidate == previous else 1 if candidate in neighbours[previous] else 2
            depth = depth_bias if distance == 2 else 1 - depth_bias
            cross = sum(cross_bias if own != other else 1 - cross_bias for other in sides[candidate])
            weight[candidate] = depth * cross
        for candidate, value in weight.items():
            share[candidate] += value / sum(weight.values()) / len(sides[previous])
    return share


@pytest.mark.slow
@pytest.mark.parametrize(("depth_bias", "cross_bias"), [(0.9, 0.9), (0.5, 0.5), (0.7, 0.2), (0.999, 0.999)])
@pytest.mark.parametrize("both", [(), (1, 2)], ids=["entities of one side", "some entities of both sides"])
def test_steps_follow_the_transition_probabilities(depth_bias, cross_bias, both):
    graph = make_graph(EDGES, entities=6, first_right=3, both=both)
    # where a walk has come from tells as which of its two ends it passes an entity, so only the first step is as simple
    length = 5 if both else 9
    paths = walks(graph, walks_per_triple=4000, depth_bias=depth_bias, cross_bias=cross_bias, length=length)
    for (previous, current), counts in steps_of(paths).items():
        expected = expected_step(graph, previous, current, depth_bias, cross_bias)
        assert set(counts) <= set(expected)
        total = sum(counts.values())
        often = [entity for entity in expected if expected[entity] * total >= 5]
        if len(often) > 1:
            observed = np.array([counts.get(entity, 0) for entity in often])
            share = np.array([expected[entity] for entity in often])
            p = chisquare(observed, share / share.sum() * observed.sum()).pvalue
            assert p > 1e-5, (previous, current, counts, expected)


def steps_of(paths):
    """How often each entity followed two others: {(previous, current): {next: count}}."""
    steps = np.concatenate([paths[:, [at, at + 2, at + 4]] for at in range(0, paths.shape[1] - 4, 2)])
    seen = {}
    for (previous, current, following), count in Counter(map(tuple, steps.tolist())).items():
        seen.setdefault((previous, current), {})[following] = count
    return seen


LEFT_GRAPH = KnowledgeGraph.from_frame(pl.DataFrame({"h": list("abcadbe"), "r": list("rrrrsss"), "t": list("bcadead")}))
RIGHT_GRAPH = KnowledgeGraph.from_frame(
    pl.DataFrame({"h": list("ABCADBEC"), "r": list("uuuuvvvv"), "t": list("BCADEADE")})
)


def links_of(names, left=LEFT_GRAPH, right=RIGHT_GRAPH):
    return np.array([[left.ids(pl.Series([one]))[0], right.ids(pl.Series([other]))[0]] for one, other in names])


@pytest.mark.slow
@pytest.mark.parametrize("cross_bias", [0.9, 0.3])
def test_walks_in_the_merged_graph_are_those_in_the_swapped_graph_with_linked_ends_seen_as_one(cross_bias):
    """At every step of a walk; without a bias by depth, as to go from an end of a link to the other is to go back in
    the merged graph, and to go on in the swapped one."""
    links = links_of(["bB", "dD"]).astype(np.int32)
    merged, swapped = merge(LEFT_GRAPH, RIGHT_GRAPH, links), join(LEFT_GRAPH, RIGHT_GRAPH, links)
    options = {"depth_bias": 0.5, "cross_bias": cross_bias, "length": 11}
    lumped = walks(swapped, walks_per_triple=5_000, **options)
    lumped[:, ::2] = shared_rows(LEFT_GRAPH, RIGHT_GRAPH, links)[lumped[:, ::2]]
    lumped = lumped[_evenly_begun(lumped)]
    here, there = (steps_of(paths) for paths in (walks(merged, walks_per_triple=5_000, **options), lumped))
    assert set(here) == set(there)
    for pair, counts in here.items():
        entities = sorted({*counts, *there[pair]})
        table = np.array([[seen.get(entity, 0) for entity in entities] for seen in (counts, there[pair])])
        if table.shape[1] > 1:
            assert chi2_contingency(table).pvalue > 1e-5, (pair, table)


@pytest.mark.slow
@pytest.mark.parametrize("cross_bias", [0.9, 0.3])
def test_two_steps_in_the_merged_graph_are_as_likely_as_in_the_swapped_graph_by_the_equations(cross_bias):
    """The second step depends on the end of a link as which the first one passed it."""
    links = links_of(["bB", "dD"]).astype(np.int32)
    merged, swapped = merge(LEFT_GRAPH, RIGHT_GRAPH, links), join(LEFT_GRAPH, RIGHT_GRAPH, links)
    paths = walks(merged, walks_per_triple=20_000, depth_bias=0.5, cross_bias=cross_bias)[:, :9:2]
    for begin in np.unique(paths[:, :2], axis=0).tolist():
        expected = expected_two_steps(swapped, shared_rows(LEFT_GRAPH, RIGHT_GRAPH, links), begin, 0.5, cross_bias)
        counts = Counter(map(tuple, paths[(paths[:, :2] == begin).all(axis=1), 2:4].tolist()))
        assert set(counts) <= set(expected)
        share = np.array(list(expected.values()))
        observed = [counts[steps] for steps in expected]
        assert min(share) * sum(observed) > 5
        assert chisquare(observed, share * sum(observed)).pvalue > 1e-5, (begin, counts, expected)


def expected_two_steps(swapped, row, begin, depth_bias, cross_bias) -> dict[tuple[int, int], float]:
    """Where two steps lead after two entities, in the swapped graph, with linked ends seen as one."""
    ends = [np.flatnonzero(row == entity).tolist() for entity in begin]
    share: dict[tuple[int, int], float] = {}
    for previous, current in product(*ends):
        for third, first_step in expected_step(swapped, previous, current, depth_bias, cross_bias).items():
            for fourth, second_step in expected_step(swapped, current, third, depth_bias, cross_bias).items():
                place = int(row[third]), int(row[fourth])
                share[place] = share.get(place, 0.0) + first_step * second_step / len(ends[0]) / len(ends[1])
    return share


def _evenly_begun(paths):
    """As many paths from every triple: the swapped graph has several of one with a linked end."""
    _, place, counts = np.unique(paths[:, :3], axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    number = np.arange(len(paths)) - np.repeat(np.cumsum(counts) - counts, counts)  # within the paths of a triple
    return order[number < counts.min()]


@pytest.mark.slow
def test_exchanging_the_graphs_changes_nothing_but_names():
    links = links_of(["bB", "dD"]).astype(np.int32)
    one, other = merge(LEFT_GRAPH, RIGHT_GRAPH, links), merge(RIGHT_GRAPH, LEFT_GRAPH, links[:, ::-1])
    size = len(LEFT_GRAPH.entities), len(RIGHT_GRAPH.entities)
    renamed = np.concatenate([np.arange(size[0]) + size[1], np.arange(size[1])])  # an id of `one` → its id in `other`
    renamed[links[:, 0]] = links[:, 1]
    for previous, current in {(int(h), int(t)) for h, _, t in one.triples}:
        here = expected_step(one, previous, current, 0.9, 0.8)
        there = expected_step(other, int(renamed[previous]), int(renamed[current]), 0.9, 0.8)
        assert {int(renamed[entity]): share for entity, share in here.items()} == pytest.approx(there)
    seen = [steps_of(walks(graph, walks_per_triple=5000)) for graph in (one, other)]
    for (previous, current), counts in seen[0].items():
        there = seen[1][int(renamed[previous]), int(renamed[current])]
        assert set(there) == {int(renamed[entity]) for entity in counts}
        table = np.array([[counts[entity], there.get(int(renamed[entity]), 0)] for entity in counts]).T
        if table.shape[1] > 1:
            assert chi2_contingency(table).pvalue > 1e-5, (previous, current, table)


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
    depth, cross = [0.1, 0.9], [[0.2, 0.8, 1], [0.8, 0.2, 1]]
    assert bias_table(0.9, 0.8) == pytest.approx(np.multiply.outer(depth, cross))


@pytest.mark.slow
# Share of the steps from inside one graph (previous and current entity have no link) that lead to a linked entity.
@pytest.mark.parametrize(
    ("folder", "weave", "cross_bias", "from_left", "from_right"),
    [
        ("dbp_wd_15k_v1", join, 0.9, 0.581, 0.583),
        ("dbp_wd_15k_v1", merge, 0.9, 0.586, 0.582),
        ("dbp_wd_15k_v1", join, 0.5, 0.361, 0.359),
        ("dbp_wd_15k_v1", merge, 0.5, 0.359, 0.356),
        ("dbp_yg_15k_v1", join, 0.9, 0.561, 0.580),
        ("dbp_yg_15k_v1", merge, 0.9, 0.565, 0.586),
        ("dbp_yg_15k_v1", join, 0.5, 0.346, 0.358),
        ("dbp_yg_15k_v1", merge, 0.5, 0.344, 0.359),
    ],
)
def test_walks_reach_the_seeds_from_either_graph(shared_data, folder, weave, cross_bias, from_left, from_right):
    data = read_alignment_folder(shared_data / "srprs" / folder)
    seeds = np.stack([data.left.ids(data.seeds["left"]), data.right.ids(data.seeds["right"])], axis=1)
    graph = weave(data.left, data.right, seeds)
    entities = walks(graph, length=15, walks_per_triple=0.25, cross_bias=cross_bias)[:, ::2]
    linked = np.zeros(graph.entities, dtype=bool)
    linked[seeds[:, 0]] = linked[seeds[:, 1] + graph.first_right] = True
    previous, current, following = (entities[:, at : at - 2 or None].ravel() for at in range(3))
    shares = []
    for right in (False, True):
        inside = ~linked[previous] & ~linked[current] & ((previous >= graph.first_right) == right)
        shares.append(linked[following[inside]].mean())
    assert shares == pytest.approx([from_left, from_right], abs=0.008)

import numpy as np
import polars as pl
import pytest

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.benchmark import read_alignment_folder
from farlink.rsn.joint import BOTH, join, merge, shared_rows, swapped


def triples(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def as_set(rows):
    return {tuple(row) for row in rows.tolist()}


def test_swapping_gives_all_combinations_of_seeded_ends():
    partner = np.array([10, 11, -1], dtype=np.int32)
    assert as_set(swapped(triples((0, 5, 1)), partner)) == {(10, 5, 1), (0, 5, 11), (10, 5, 11)}
    assert as_set(swapped(triples((0, 5, 2)), partner)) == {(10, 5, 2)}
    assert as_set(swapped(triples((2, 5, 2)), partner)) == set()


def test_joining_keeps_entities_and_relations_of_the_two_sides_apart():
    graphs = [KnowledgeGraph.from_frame(pl.DataFrame({"h": ["x"], "r": ["r"], "t": ["y"]})) for _ in range(2)]
    joint = join(*graphs, np.empty((0, 2), dtype=np.int32))
    assert joint.entities == 4
    assert joint.relations == 4  # two and their reverses, though they share a name
    assert joint.first_right == 2
    assert len(joint.triples) == 4


def test_seeds_weave_the_sides_together(pair):
    ids = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)[:5]
    joint = join(pair.left, pair.right, ids)
    sides = joint.triples[:, [0, 2]] >= joint.first_right
    assert (sides[:, 0] != sides[:, 1]).any()
    half = joint.relations // 2
    reverse = {(t, r + half if r < half else r - half, h) for h, r, t in joint.triples.tolist()}
    assert reverse == as_set(joint.triples)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "count"),
    [
        ("dbp_wd_15k_v1", 265_854),
        ("dbp_yg_15k_v1", 237_012),
        ("en_fr_15k_v1", 235_200),
        ("en_de_15k_v1", 255_318),
    ],
)
def test_joint_triple_counts_of_the_published_data_sets(shared_data, folder, count):
    data = read_alignment_folder(shared_data / "srprs" / folder)
    seeds = np.stack([data.left.ids(data.seeds["left"]), data.right.ids(data.seeds["right"])], axis=1)
    assert len(join(data.left, data.right, seeds).triples) == count


def test_merging_gives_linked_entities_one_place_and_keeps_every_triple_once(pair):
    links = np.array([[0, 5], [3, 1]], dtype=np.int32)
    joint, apart = merge(pair.left, pair.right, links), join(pair.left, pair.right, links[:0])
    first_right = joint.first_right
    row = shared_rows(pair.left, pair.right, links)
    assert row[first_right + 5] == 0
    assert row[first_right + 1] == 3
    assert (np.flatnonzero(row != np.arange(joint.entities)) == first_right + np.array([1, 5])).all()
    head, relation, tail = apart.triples.T
    assert as_set(joint.triples) == as_set(np.stack([row[head], relation, row[tail]], axis=1))
    assert not np.isin(joint.triples[:, [0, 2]], [first_right + 1, first_right + 5]).any()
    assert np.flatnonzero(joint.side == BOTH).tolist() == [0, 3]
    assert np.array_equal(apart.side, np.arange(apart.entities) >= first_right)


def test_without_links_joining_and_merging_are_the_same(pair):
    nothing = np.empty((0, 2), dtype=np.int32)
    assert np.array_equal(join(pair.left, pair.right, nothing).triples, merge(pair.left, pair.right, nothing).triples)

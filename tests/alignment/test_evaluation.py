import numpy as np
import pytest
import torch

from farlink.alignment.candidates import Candidates
from farlink.alignment.evaluation import pair_quality, protocol_ranks, rank_links, summaries


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


# right entities 0 to 3 lie where left entities 0 to 3 lie; right entity 4 stands in the way of left entity 1
LEFT = torch.eye(4)
RIGHT = torch.cat([torch.eye(4) * 0.5 + torch.eye(4)[:, [1, 0, 2, 3]] * 0.1, torch.eye(4)[1:2]])


def listing(left, right, balanced):
    """No list at all, or the balanced list of all pairs."""
    if not balanced:
        return None
    candidates = Candidates.nearest(left, right, (np.arange(len(left)), np.arange(len(right))), 5, rounds=15)
    return candidates.balanced(candidates.cosine / 0.05)


@pytest.mark.parametrize("balanced", [False, True])
def test_candidates_decide_what_stands_in_the_way(balanced):
    links = ids((1, 1))
    alone = rank_links(LEFT, RIGHT, links, (np.arange(4), np.arange(4)), listing(LEFT, RIGHT, balanced))
    crowded = rank_links(LEFT, RIGHT, links, (np.arange(4), np.arange(5)), listing(LEFT, RIGHT, balanced))
    assert alone["left_to_right"].optimistic.tolist() == [1]
    assert crowded["left_to_right"].optimistic.tolist() == [2]


@pytest.mark.parametrize("balanced", [False, True])
def test_right_to_left_exchanges_the_sides(balanced):
    links = ids((1, 1), (2, 2))
    there = rank_links(LEFT, RIGHT, links, (np.arange(4), np.arange(5)), listing(LEFT, RIGHT, balanced))
    back = rank_links(RIGHT, LEFT, links[:, ::-1], (np.arange(5), np.arange(4)), listing(RIGHT, LEFT, balanced))
    assert there["right_to_left"].optimistic.tolist() == back["left_to_right"].optimistic.tolist()


def test_the_two_protocols_differ_in_their_candidates_and_both_directions_are_named():
    links, seeds = ids((1, 1)), ids((0, 0))
    ranks = protocol_ranks(LEFT, RIGHT, links, linked=ids((1, 1), (2, 2)), seeds=seeds, candidates=None)
    figures = summaries(ranks)
    assert figures["linked"]["left_to_right"]["hits@1"] == 1
    assert figures["all"]["left_to_right"]["hits@1"] == 0  # entity 4 has no link, yet it is a candidate
    assert figures["all"]["right_to_left"]["hits@1"] == 1


def test_where_every_entity_is_linked_the_protocols_are_the_same():
    links = ids((1, 1), (2, 2), (3, 3))
    ranks = protocol_ranks(LEFT, RIGHT[:4], links, linked=links, seeds=ids((0, 0)), candidates=None)
    assert ranks["linked"] is ranks["all"]


@pytest.mark.parametrize("balanced", [False, True])
def test_right_counterparts_of_an_entity_do_not_stand_in_each_others_way(balanced):
    right = torch.cat([RIGHT, RIGHT[2:3] * 0.9 + 0.01])  # 5 lies beside 2
    links = ids((2, 2), (2, 5), (3, 3))
    ranks = rank_links(LEFT, right, links, (np.arange(4), np.arange(6)), listing(LEFT, right, balanced))
    best = [1, 1, 1] if balanced else [1, 2, 1]  # by cosine alone nothing is left out
    assert ranks["left_to_right"].optimistic.tolist() == best


def test_pairs_are_judged_by_all_links_of_their_entities():
    truth = ids((0, 0), (0, 1), (1, 1))
    figures = pair_quality(ids((0, 0), (0, 1), (1, 2), (5, 5)), truth)
    assert (figures["right"], figures["judged"], figures["not_judged"]) == (2, 3, 1)
    assert (figures["precision"], figures["recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))

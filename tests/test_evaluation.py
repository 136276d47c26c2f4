import numpy as np
import torch

from farlink.evaluation import protocol_ranks, rank_links, summaries, unseeded


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


# right entities 0 to 3 lie where left entities 0 to 3 lie; right entity 4 stands in the way of left entity 1
LEFT = torch.eye(4)
RIGHT = torch.cat([torch.eye(4) * 0.5 + torch.eye(4)[:, [1, 0, 2, 3]] * 0.1, torch.eye(4)[1:2]])


def test_candidates_decide_what_stands_in_the_way():
    links = ids((1, 1))
    assert rank_links(LEFT, RIGHT, links, (np.arange(4), np.arange(4))).optimistic.tolist() == [1]
    assert rank_links(LEFT, RIGHT, links, (np.arange(4), np.arange(5))).optimistic.tolist() == [2]


def test_right_to_left_exchanges_the_sides():
    links = ids((1, 1), (2, 2))
    there = rank_links(LEFT, RIGHT, links, (np.arange(4), np.arange(5)), "right_to_left")
    assert there.optimistic.tolist() == rank_links(RIGHT, LEFT, links, (np.arange(5), np.arange(4))).optimistic.tolist()


def test_the_two_protocols_differ_in_their_candidates_and_both_directions_are_named():
    links, seeds = ids((1, 1)), ids((0, 0))
    figures = summaries(protocol_ranks(LEFT, RIGHT, links, linked=ids((1, 1), (2, 2)), seeds=seeds))
    assert figures["linked"]["left_to_right"]["hits@1"] == 1
    assert figures["all"]["left_to_right"]["hits@1"] == 0  # entity 4 has no link, yet it is a candidate
    assert figures["all"]["right_to_left"]["hits@1"] == 1


def test_seeds_are_no_candidates():
    assert unseeded(5, np.array([1, 3], dtype=np.int32)).tolist() == [0, 2, 4]

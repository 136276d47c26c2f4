import numpy as np
import torch

from farlink.bootstrapping import confident_pairs, grown_pairs
from farlink.settings import make_settings

SETTINGS = make_settings(rounds=3)


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def test_sure_pairs_are_found_and_seeds_are_left_alone():
    pairs = confident_pairs(torch.eye(4), torch.eye(4)[[1, 0, 2, 3]], ids((2, 2)), SETTINGS)
    assert sorted(pairs.tolist()) == [[0, 1], [1, 0], [3, 3]]


def test_entities_that_look_the_same_stay_undecided():
    alike = torch.ones(3, 4)
    assert len(confident_pairs(alike, alike, ids(), SETTINGS)) == 0
    plain = make_settings(temperature=0.0, confidence=0.0)
    assert len(confident_pairs(alike, alike, ids(), plain)) == 0


def test_every_round_chooses_afresh_from_what_is_known():
    seen = []

    def views(known):
        seen.append(known.tolist())
        # the pair (1, 1) is in sight at first and out of sight once it is known
        right = torch.eye(3) if len(seen) == 1 else torch.eye(3)[[0, 2, 1]]
        return torch.eye(3), right

    pairs = grown_pairs(ids((0, 0)), ids((0, 0)), views, make_settings(rounds=2))
    assert seen == [[[0, 0]], [[0, 0], [1, 1], [2, 2]]]
    assert pairs.tolist() == [[0, 0], [1, 2], [2, 1]]


def test_without_rounds_nothing_is_added():
    assert grown_pairs(ids((0, 0)), ids((0, 0)), lambda known: None, make_settings(rounds=0)).tolist() == [[0, 0]]

import numpy as np
import torch

from farlink.alignment.bootstrapping import confident_pairs, grown_pairs
from farlink.alignment.candidates import scored_candidates
from farlink.alignment.evidence import Evidence
from farlink.settings import make_settings
from helpers.pairs import Pair

SETTINGS = make_settings(rounds=3, temperature=0.05, evidence=0.0)


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def judged(left, right, seeds=(), settings=SETTINGS):
    pair = Pair.make(entities=6)
    return scored_candidates(left, right, Evidence(pair.left, pair.right, ids(*seeds), settings), settings)


def test_sure_pairs_are_found_and_seeds_are_left_alone():
    pairs = confident_pairs(judged(torch.eye(4), torch.eye(4)[[1, 0, 2, 3]], [(2, 2)]), SETTINGS)
    assert sorted(pairs.tolist()) == [[0, 1], [1, 0], [3, 3]]


def test_entities_that_look_the_same_stay_undecided():
    alike = torch.ones(3, 4)
    assert len(confident_pairs(judged(alike, alike), SETTINGS)) == 0
    plain = make_settings(temperature=0.0, confidence=0.0)
    assert len(confident_pairs(judged(alike, alike, settings=plain), plain)) == 0


def test_agreeing_triples_decide_where_vectors_cannot():
    pair = Pair.make(entities=40)
    same = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    alike = torch.ones(40, 4)
    evidence = Evidence(pair.left, pair.right, same[:20], SETTINGS)
    blind = scored_candidates(alike, alike, evidence, make_settings(evidence=0.0))
    seeing = scored_candidates(alike, alike, evidence, make_settings())
    assert len(confident_pairs(blind, SETTINGS)) == 0
    found = confident_pairs(seeing, SETTINGS).tolist()
    assert len(found) >= 15
    assert all(link in same.tolist() for link in found)


def test_every_round_chooses_afresh_from_what_is_known():
    seen = []

    def judge(known):
        seen.append(known.tolist())
        # the pair (1, 1) is in sight at first and out of sight once it is known
        right = torch.eye(3) if len(seen) == 1 else torch.eye(3)[[0, 2, 1]]
        return judged(torch.eye(3), right, [(0, 0)])

    pairs = grown_pairs(ids((0, 0)), judge, make_settings(rounds=2, temperature=0.05, evidence=0.0))
    assert seen == [[[0, 0]], [[0, 0], [1, 1], [2, 2]]]
    assert pairs.tolist() == [[0, 0], [1, 2], [2, 1]]


def test_without_rounds_nothing_is_added():
    assert grown_pairs(ids((0, 0)), lambda known: None, make_settings(rounds=0)).tolist() == [[0, 0]]

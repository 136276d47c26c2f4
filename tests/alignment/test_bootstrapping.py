import numpy as np
import pytest
import torch

from farlink.alignment.bootstrapping import FEW, LITTLE, grown_pairs
from farlink.alignment.candidates import Candidates, scored_candidates
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
    pairs = judged(torch.eye(4), torch.eye(4)[[1, 0, 2, 3]], [(2, 2)]).confident(0.5)
    assert sorted(pairs.tolist()) == [[0, 1], [1, 0], [3, 3]]


def test_entities_that_look_the_same_stay_undecided():
    alike = torch.ones(3, 4)
    assert len(judged(alike, alike).confident(0.5)) == 0
    plain = make_settings(temperature=0.0)
    assert len(judged(alike, alike, settings=plain).confident(0.0)) == 0


def test_agreeing_triples_decide_where_vectors_cannot():
    pair = Pair.make(entities=40)
    same = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    alike = torch.ones(40, 4)
    evidence = Evidence(pair.left, pair.right, same[:20], SETTINGS)
    blind = scored_candidates(alike, alike, evidence, make_settings(evidence=0.0))
    seeing = scored_candidates(alike, alike, evidence, make_settings())
    assert len(blind.confident(0.5)) == 0
    found = seeing.confident(0.5).tolist()
    assert len(found) >= 15
    assert all(link in same.tolist() for link in found)


def test_every_round_chooses_afresh_from_what_is_known():
    seen = []

    def judge(known):
        seen.append(known.tolist())
        # the pair (1, 1) is in sight at first and out of sight once it is known
        right = torch.eye(3) if len(seen) == 1 else torch.eye(3)[[0, 2, 1]]
        return judged(torch.eye(3), right, [(0, 0)])

    pairs = grown_pairs(ids((0, 0)), judge, 2, 0.5)
    assert seen == [[[0, 0]], [[0, 0], [1, 1], [2, 2]]]
    assert pairs.tolist() == [[0, 0], [1, 2], [2, 1]]


def test_without_rounds_nothing_is_added():
    assert grown_pairs(ids((0, 0)), lambda known: None, 0, 0.5).tolist() == [[0, 0]]


def sure_of(*pairs):
    """Candidates that all are beyond doubt."""
    found = ids(*pairs)
    score = np.full(len(found), 0.9)
    return Candidates(found[:, 0], found[:, 1], score, score, score, (1000, 1000), 1)


def test_rounds_end_when_nothing_changes():
    asked = []

    def judge(known):
        asked.append(len(known))
        return sure_of((1, 1), (2, 2))

    assert grown_pairs(ids((0, 0)), judge, 9, 0.5).tolist() == [[0, 0], [1, 1], [2, 2]]
    assert asked == [1, 3]


def rounds_made(exchanged, most=6):
    """How many rounds are made in which of 800 pairs so many are exchanged, round by round."""
    asked, moved = [], {}

    def judge(known):
        for i in range(1, 1 + exchanged[min(len(asked), len(exchanged) - 1)]):
            moved[i] = 900 + (len(asked) + 1) * 1000 + i
        asked.append(len(known))
        found = ids(*((i, moved.get(i, i)) for i in range(1, 800)))
        score = np.full(len(found), 0.9)
        return Candidates(found[:, 0], found[:, 1], score, score, score, (1000, 100_000), 1)

    grown_pairs(ids((0, 0)), judge, most, 0.5)
    return len(asked)


@pytest.mark.parametrize(("exchanged", "rounds"), [([0], 2), ([0, 1], 2), ([0, 40, 20, 10, 5, 1], 6)])
def test_rounds_end_when_little_changes(exchanged, rounds):
    """Of 800 pairs one exchanged is two that differ, and 2.4 would be little."""
    assert 2 <= LITTLE * 800 < 4
    assert rounds_made(exchanged) == rounds


def test_rounds_end_when_as_many_change_as_before():
    assert rounds_made([0, 30, 20, 20]) == 4


def test_rounds_go_on_as_long_as_much_changes():
    assert FEW * 800 < 2 * 60
    assert rounds_made([0, 60, 60, 60, 60, 60]) == 6


@pytest.mark.parametrize(
    ("found", "rounds"), [([10, 20, 40, 50, 51, 60], 5), ([10, 10.3, 20], 2), ([10, 20, 40, 80], 4)]
)
def test_more_rounds_are_made_as_long_as_each_finds_many_more(found, rounds):
    asked = []

    def judge(known):
        asked.append(len(known))
        count = int(found[len(asked) - 1] * 10)
        return sure_of(*((i, i) for i in range(1, count)))

    grown_pairs(ids((0, 0)), judge, 2, 0.5, most=len(found))
    assert len(asked) == rounds


def test_only_as_many_rounds_are_made_as_allowed():
    found = iter([(1, 1), (1, 2), (1, 1), (1, 2)])
    assert grown_pairs(ids((0, 0)), lambda known: sure_of(next(found)), 3, 0.5).tolist() == [[0, 0], [1, 1]]
    assert next(found) == (1, 2)

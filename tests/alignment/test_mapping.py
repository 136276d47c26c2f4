from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.candidates import Candidates
from farlink.alignment.mapping import make_mapping
from farlink.graph.ids import unseeded
from farlink.settings import make_settings


def ids(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def everyone(count):
    return np.arange(count, dtype=np.int32)


def mapping_of(left, right, seeds=(), valid=(), connected=None, candidates=5):
    connected = connected or (everyone(len(left)), everyone(len(right)))
    settings = make_settings(candidates=candidates, temperature=0.0)
    pools = unseeded(len(left), ids(*seeds)[:, 0]), unseeded(len(right), ids(*seeds)[:, 1])
    candidates = Candidates.nearest(left, right, pools, candidates, rounds=15)
    return make_mapping(candidates, ids(*seeds), ids(*valid), connected, settings)


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_no_right_entity_is_used_twice(left_count, right_count, seed):
    torch.manual_seed(seed)
    mapping = mapping_of(torch.randn(left_count, 3), torch.randn(right_count, 3), seeds=[(0, 0)])
    used = mapping.right[mapping.right >= 0]
    assert len(used) == len(set(used.tolist()))
    assert mapping.right[0] == 0
    assert mapping.status[0] == "seed"


def test_every_left_entity_has_a_row_and_names_come_back():
    names = pl.Series(["l0", "l1", "l2"]), pl.Series(["r0", "r1"])
    frame = mapping_of(torch.eye(3), torch.eye(3)[:2], seeds=[(0, 0)]).frame(*names)
    assert frame.columns == ["left", "right", "score", "margin", "probability", "status"]
    assert frame["left"].to_list() == ["l0", "l1", "l2"]
    assert frame["right"].to_list() == ["r0", "r1", None]
    assert frame["status"].to_list() == ["seed", "matched", "unmatched"]
    assert frame["score"].to_list() == [1.0, 1.0, None]


def test_pairs_below_the_threshold_of_the_validation_links_are_not_matched():
    left = torch.eye(6)
    right = torch.eye(6)
    right[3:] = torch.eye(6)[3:] + 2 * torch.ones(6)  # a weak resemblance
    valid = [(0, 0), (1, 1), (3, 4)]  # the weak one is wrong
    mapping = mapping_of(left, right, valid=valid)
    assert mapping.status.tolist() == ["matched"] * 3 + ["unmatched"] * 3
    assert mapping.matched().tolist() == [[0, 0], [1, 1], [2, 2]]


def test_an_entity_without_a_triple_is_never_matched():
    mapping = mapping_of(torch.eye(2), torch.eye(2), connected=(np.array([0]), everyone(2)))
    assert mapping.right.tolist() == [0, -1]


def test_the_margin_is_the_lead_over_the_next_best():
    left = torch.tensor([[1.0, 0.0]])
    right = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    assert mapping_of(left, right).margin[0] == pytest.approx(0.4)


def test_a_forced_second_choice_has_a_negative_margin():
    left = torch.tensor([[1.0, 0.0], [0.98, 0.2]])
    right = torch.tensor([[1.0, 0.0], [0.5, 0.8]])
    mapping = mapping_of(left, right)
    assert sorted(mapping.right.tolist()) == [0, 1]
    assert mapping.margin[mapping.right == 1][0] < 0


def test_probabilities_come_from_validation_links_and_are_unknown_without():
    left, right = torch.eye(6), torch.eye(6)
    right[3:] += 2
    mapping = mapping_of(left, right, valid=[(0, 0), (1, 1), (3, 4)])
    assert mapping.probability[:3].min() > mapping.probability[3:].max()
    assert np.isnan(mapping_of(left, right).probability).all()
    assert (mapping_of(left, right).status == "matched").all()


def several(cosine, cardinality, chance=None, seeds=()):
    """The mapping of a table of cosines, as shares; with their chances, if these are known."""
    table = np.array(cosine)
    left, right = (ends.astype(np.int32) for ends in np.nonzero(table))
    score = table[left, right]
    some = Candidates(left, right, score, score, score, table.shape, 15)
    chosen = make_settings(temperature=0.0, cardinality=cardinality)
    known = None if chance is None else np.array(chance)[left, right]
    some = replace(some, several=chosen.several, chance=known)
    return make_mapping(some, ids(*seeds), ids(), tuple(map(everyone, table.shape)), chosen)


SHARES = [[0.9, 0.8, 0.0], [0.7, 0.1, 0.0], [0.0, 0.2, 0.3]]


@pytest.mark.parametrize(
    ("cardinality", "pairs"),
    [
        ("many-to-one", [[0, 0], [1, 0]]),
        ("one-to-many", [[0, 0], [0, 1]]),
        ("many-to-many", [[0, 0], [0, 1], [1, 0]]),
    ],
)
def test_every_pair_that_is_likely_enough_by_itself_is_matched(cardinality, pairs):
    mapping = several(SHARES, cardinality, SHARES)
    assert mapping.matched().tolist() == pairs
    assert mapping.left[mapping.status == "unmatched"].tolist() == sorted({0, 1, 2} - {a for a, _ in pairs})
    assert mapping.right[mapping.left == 2].tolist() == [2]  # what came nearest is shown


def test_where_nothing_tells_how_likely_pairs_are_the_best_of_every_entity_are_matched():
    mapping = several(SHARES, "many-to-many")
    assert mapping.matched().tolist() == [[0, 0], [0, 1], [1, 0], [2, 2]]
    assert several(SHARES, "one-to-many").matched().tolist() == [[0, 0], [0, 1], [2, 2]]


def test_a_known_pair_and_further_counterparts_of_its_ends_have_a_row_each():
    mapping = several([[0.0, 0.8], [0.9, 0.0]], "many-to-many", [[0.0, 0.8], [0.2, 0.0]], seeds=[(0, 0)])
    assert mapping.pairs.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert mapping.status.tolist() == ["seed", "matched", "unmatched"]
    names = pl.Series(["l0", "l1"]), pl.Series(["r0", "r1"])
    assert mapping.frame(*names).select("left", "right", "status").rows() == [
        ("l0", "r0", "seed"),
        ("l0", "r1", "matched"),
        ("l1", "r0", "unmatched"),
    ]


def test_the_margin_is_the_lead_over_the_best_that_is_not_in_the_mapping():
    mapping = several([[0.9, 0.8, 0.3]], "one-to-many", [[0.9, 0.8, 0.3]])
    assert mapping.margin == pytest.approx([0.6, 0.5])

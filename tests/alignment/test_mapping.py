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

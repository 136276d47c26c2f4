import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from farlink.alignment import nearest as matching
from farlink.alignment.assignment import BID, one_to_one
from farlink.alignment.nearest import nearest, nearest_both_ways, target_ranks


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(matching, "BLOCK", 40)
    monkeypatch.setattr(matching, "COLUMNS", 7)
    torch.manual_seed(0)


def cosines(queries, candidates):
    return torch.nn.functional.cosine_similarity(queries[:, None], candidates[None], dim=2).numpy()


def test_the_nearest_are_those_of_a_full_sort():
    queries, candidates = torch.randn(23, 6), torch.randn(31, 6)
    scores, places = nearest(queries, candidates, 4)
    full = cosines(queries, candidates)
    assert np.array_equal(places, np.argsort(-full, axis=1)[:, :4])
    assert scores == pytest.approx(np.take_along_axis(full, places, axis=1), abs=1e-6)


def test_asking_for_more_than_there_are_gives_all():
    scores, places = nearest(torch.randn(3, 4), torch.randn(2, 4), 10)
    assert scores.shape == places.shape == (3, 2)


def test_ranks_are_those_of_a_full_sort():
    queries, candidates = torch.randn(23, 6), torch.randn(31, 6)
    targets = np.random.default_rng(0).integers(0, 31, 23).astype(np.int32)
    full = cosines(queries, candidates)
    expected = [1 + sum(row > row[target]) for row, target in zip(full, targets, strict=True)]
    ranks = target_ranks(queries, candidates, targets)
    assert ranks.optimistic.tolist() == expected
    assert ranks.pessimistic.tolist() == expected


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_constant_vectors_earn_nothing(constant):
    vectors = torch.full((20, 6), constant)
    ranks = target_ranks(vectors, vectors, np.arange(20, dtype=np.int32))
    assert ranks.realistic.tolist() == [10.5] * 20
    assert ranks.summary("optimistic")["hits@1"] == 1  # the trap that realistic ranks avoid


def test_both_ways_is_the_nearest_there_and_back():
    left, right = torch.randn(23, 6), torch.randn(31, 6)
    forth, back = nearest_both_ways(left, right, 4)
    for found, expected in ((forth, nearest(left, right, 4)), (back, nearest(right, left, 4))):
        assert np.array_equal(found[1], expected[1])
        assert found[0] == pytest.approx(expected[0], abs=1e-6)


@settings(max_examples=100)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 1000), st.sampled_from([1, 10, 1000]))
def test_with_all_pairs_listed_the_assignment_is_scipys(lefts, rights, seed, steps):
    # few steps give many equal scores
    full = np.ceil(np.random.default_rng(seed).random((lefts, rights)) * steps) / steps
    left, right = (places.ravel() for places in np.indices(full.shape))
    kept = one_to_one(left, right, full.ravel(), full.shape)
    assert len(set(left[kept].tolist())) == len(set(right[kept].tolist())) == kept.sum()
    best = full[linear_sum_assignment(-full)].sum()
    assert best - BID * lefts <= full.ravel()[kept].sum() <= best + 1e-9


def test_a_crowd_of_equals_is_settled_quickly():
    crowd = np.arange(2000)
    left, right = np.repeat(crowd, 50), np.tile(np.arange(50), 2000)
    kept = one_to_one(left, right, np.full(len(left), 0.02), (2000, 50))
    assert kept.sum() == 50


def test_a_left_place_whose_candidates_are_all_taken_stays_without():
    left, right = np.array([0, 1, 2]), np.array([0, 0, 1])
    assert one_to_one(left, right, np.array([0.9, 0.8, 0.7]), (3, 2)).tolist() == [True, False, True]


def test_nothing_to_match_is_fine():
    nobody = np.empty(0, dtype=np.int32)
    assert one_to_one(nobody, nobody, np.empty(0), (2, 0)).tolist() == []
    assert target_ranks(torch.empty(0, 3), torch.randn(4, 3), nobody).summary() == {}

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from farlink import matching
from farlink.matching import nearest, one_to_one, target_ranks


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


@settings(max_examples=50)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 1000))
def test_with_all_candidates_listed_the_assignment_is_scipys(queries, candidates, seed):
    full = np.random.default_rng(seed).random((queries, candidates)).astype(np.float32)
    places = np.argsort(-full, axis=1).astype(np.int32)
    scores = np.take_along_axis(full, places, axis=1)
    column = one_to_one(scores, places, candidates)
    found = np.flatnonzero(column >= 0)
    chosen = places[found, column[found]]
    assert len(set(chosen.tolist())) == len(found) == min(queries, candidates)
    best = full[linear_sum_assignment(-full)].sum()
    assert full[found, chosen].sum() == pytest.approx(best, abs=1e-5)


def test_a_query_whose_candidates_are_all_taken_stays_without():
    scores = np.array([[0.9], [0.8], [0.7]], dtype=np.float32)
    places = np.array([[0], [0], [1]], dtype=np.int32)
    assert one_to_one(scores, places, 2).tolist() == [0, -1, 0]


def test_nothing_to_match_is_fine():
    assert one_to_one(np.empty((0, 3), np.float32), np.empty((0, 3), np.int32), 5).tolist() == []
    assert one_to_one(np.empty((2, 0), np.float32), np.empty((2, 0), np.int32), 0).tolist() == [-1, -1]
    assert target_ranks(torch.empty(0, 3), torch.randn(4, 3), np.empty(0, np.int32)).summary() == {}

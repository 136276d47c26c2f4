import numpy as np
import pytest
import torch

from farlink.alignment import nearest as matching
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


def test_without_queries_there_are_no_ranks():
    nobody = np.empty(0, dtype=np.int32)
    assert target_ranks(torch.empty(0, 3), torch.randn(4, 3), nobody).summary() == {}

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.candidates import Candidates
from farlink.alignment.evaluation import candidate_ranks
from farlink.alignment.sinkhorn import balanced

ROUNDS = 15


def listed_among(left, right, k, temperature=0.0):
    pools = np.arange(len(left), dtype=np.int32), np.arange(len(right), dtype=np.int32)
    candidates = Candidates.nearest(left, right, pools, k, ROUNDS)
    return candidates.balanced(candidates.cosine / temperature) if temperature else candidates


def cosines(left, right):
    return torch.nn.functional.cosine_similarity(left[:, None], right[None], dim=2).double().numpy()


@pytest.fixture
def vectors():
    torch.manual_seed(0)
    return torch.randn(12, 5), torch.randn(9, 5)


def test_candidates_are_the_nearest_of_either_side(vectors):
    full = cosines(*vectors)
    candidates = listed_among(*vectors, k=3)
    rows = {(i, j) for i, row in enumerate(full) for j in np.argsort(-row)[:3]}
    columns = {(i, j) for j, column in enumerate(full.T) for i in np.argsort(-column)[:3]}
    assert set(zip(candidates.left.tolist(), candidates.right.tolist(), strict=True)) == rows | columns
    assert candidates.cosine == pytest.approx(full[candidates.left, candidates.right], abs=1e-6)


def test_with_all_pairs_listed_the_balance_is_the_dense_sinkhorn(vectors):
    full = cosines(*vectors)
    kernel = np.exp((full - full.max(1, keepdims=True)) / 0.1)
    for _ in range(ROUNDS):
        kernel /= kernel.sum(0, keepdims=True)
        kernel /= kernel.sum(1, keepdims=True)
    candidates = listed_among(*vectors, k=12, temperature=0.1)
    assert candidates.score == pytest.approx(kernel[candidates.left, candidates.right], rel=1e-3)


def test_each_left_entity_divides_its_attention(vectors):
    candidates = listed_among(*vectors, k=4, temperature=0.05)
    assert np.bincount(candidates.left, candidates.score) == pytest.approx(np.ones(12))


def test_a_hub_loses_to_a_rival_who_has_nobody_else():
    # right 0 is the nearest of both left entities, right 1 is near to left 1 alone
    left, right = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    cosine = np.array([0.9, 0.8, 0.1, 0.75])
    share = balanced(left, right, cosine / 0.05, (2, 2), ROUNDS)
    assert share[1] < share[3]


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(2, 9), st.integers(1, 4), st.integers(0, 99))
def test_ranks_put_listed_candidates_first_and_the_others_by_cosine(lefts, rights, k, seed):
    torch.manual_seed(seed)
    left, right = torch.randn(lefts, 4), torch.randn(rights, 4)
    candidates = listed_among(left, right, k, temperature=0.1)
    pairs = np.stack([np.arange(min(lefts, rights)), np.random.default_rng(seed).permutation(rights)[:lefts]][:2], 1)
    full, score = cosines(left, right), np.full((lefts, rights), -np.inf)
    score[candidates.left, candidates.right] = candidates.score
    better, equal = [], []
    for a, b in pairs.tolist():
        before = score[a] > score[a, b]
        same = score[a] == score[a, b]
        if np.isinf(score[a, b]):  # not candidates: behind all that are, and among the others by cosine
            before |= same & (full[a] > full[a, b])
            same &= full[a] == full[a, b]
        better.append(int(before.sum()))
        equal.append(int(same.sum()))
    ranks = candidate_ranks(candidates, left, right, pairs.astype(np.int32), np.arange(rights))
    assert ranks.optimistic.tolist() == [count + 1 for count in better]
    assert ranks.pessimistic.tolist() == [count + ties for count, ties in zip(better, equal, strict=True)]


def test_mutual_pairs_are_each_others_best():
    candidates = Candidates(
        left=np.array([0, 0, 1]),
        right=np.array([0, 1, 0]),
        cosine=np.zeros(3),
        logit=np.zeros(3),
        score=np.array([0.9, 0.5, 0.8]),
        shape=(2, 2),
        rounds=ROUNDS,
    )
    assert candidates.best().tolist() == [True, False, True]
    assert candidates.mutual().tolist() == [True, False, False]


def test_within_a_pool_only_its_entities_compete(vectors):
    candidates = listed_among(*vectors, k=12, temperature=0.1)
    pools = np.array([0, 3, 5]), np.array([1, 2, 7, 8])
    some = candidates.within(pools, compete=True)
    assert set(some.left) == {0, 3, 5}
    assert set(some.right) == {1, 2, 7, 8}
    fresh = Candidates.nearest(*vectors, pools, 12, ROUNDS)
    assert some.score == pytest.approx(fresh.balanced(fresh.cosine / 0.1).score, rel=1e-5)
    assert candidates.within(pools, compete=False).score == pytest.approx(
        candidates.score[np.isin(candidates.left, pools[0]) & np.isin(candidates.right, pools[1])]
    )
    everyone = np.arange(12), np.arange(9)
    assert candidates.within(everyone, compete=True) is candidates

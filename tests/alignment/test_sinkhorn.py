import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.candidates import Candidates
from farlink.alignment.evaluation import candidate_ranks
from farlink.alignment.sinkhorn import balanced, shared_out, transported, uncontested

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


def full(lefts, rights):
    return np.indices((lefts, rights)).reshape(2, -1)


LOGITS = st.lists(st.floats(-3, 3), min_size=36, max_size=36).map(np.array)


@settings(max_examples=40)
@given(LOGITS, st.integers(1, 6), st.integers(1, 6))
def test_the_smaller_side_gives_all_it_has_and_the_larger_takes_as_much_as_one_has(logit, lefts, rights):
    left, right = full(lefts, rights)
    share = transported(left, right, logit[: lefts * rights], (lefts, rights), 300)
    sums = np.bincount(left, share), np.bincount(right, share)
    smaller, larger = sums if lefts <= rights else sums[::-1]
    np.testing.assert_allclose(smaller, 1, atol=1e-6)
    assert (larger <= 1 + 1e-2).all()


@settings(max_examples=40)
@given(LOGITS, st.integers(1, 6))
def test_between_sides_of_one_size_it_is_sinkhorns_balance(logit, size):
    left, right = full(size, size)
    share = transported(left, right, logit[: size**2], (size, size), 200)
    np.testing.assert_allclose(share, balanced(left, right, logit[: size**2], (size, size), 200), atol=1e-4)


@settings(max_examples=40)
@given(LOGITS, st.integers(1, 6), st.integers(1, 6))
def test_it_is_the_same_seen_from_either_side(logit, lefts, rights):
    left, right = full(lefts, rights)
    share = transported(left, right, logit[: lefts * rights], (lefts, rights), 200)
    exchanged = transported(right, left, logit[: lefts * rights], (rights, lefts), 200)
    np.testing.assert_allclose(exchanged, share, atol=1e-4)


def test_many_who_are_left_over_do_not_drive_the_sure_ones_apart():
    left, right = full(2, 50)
    logit = np.where(left == right, 20.0, 0.0)
    share = transported(left, right, logit, (2, 50), 30).reshape(2, 50)
    assert share[0, 0] > 0.99
    assert share[1, 1] > 0.99


def test_no_pairs_share_nothing():
    none = np.empty(0, dtype=np.int32)
    assert len(transported(none, none, np.empty(0), (2, 3), 5)) == 0
    assert len(shared_out(none, none, np.empty(0), (2, 3), 5, 0.0)[0]) == 0


def test_where_all_have_a_counterpart_the_chances_are_sinkhorns_balance():
    left, right = full(5, 5)
    logit = np.where(left == right, 9.0, 0.0) + np.random.default_rng(0).random(25)
    chance, overlap = shared_out(left, right, logit, (5, 5), 200, 5.0)
    np.testing.assert_allclose(chance, balanced(left, right, logit, (5, 5), 200), atol=0.02)
    assert overlap == pytest.approx(5, abs=0.1)


def test_where_nothing_is_in_common_the_overlap_falls_to_half():
    left, right = full(8, 8)
    chance, overlap = shared_out(left, right, np.full(64, -8.0), (8, 8), 100, 6.0)
    assert overlap == pytest.approx(3)
    assert chance.max() < 0.01


def test_the_overlap_follows_what_is_found():
    left, right = full(8, 8)
    logit = np.where((left == right) & (left < 6), 15.0, -15.0)
    chance, overlap = shared_out(left, right, logit, (8, 8), 100, 3.0)
    assert overlap == pytest.approx(6, abs=0.1)
    np.testing.assert_allclose(chance.reshape(8, 8).sum(1), [1] * 6 + [0] * 2, atol=0.05)


@settings(max_examples=60)
@given(LOGITS, st.integers(1, 6), st.integers(1, 6), st.floats(0, 6))
def test_no_entity_has_more_than_one_counterpart_by_chance(logit, lefts, rights, overlap):
    left, right = full(lefts, rights)
    shape = lefts, rights
    chance, found = shared_out(left, right, 5 * logit[: lefts * rights], shape, 200, min(overlap, *shape))
    assert np.isfinite(chance).all()
    assert (chance >= 0).all()
    assert np.bincount(left, chance).max() <= 1 + 1e-6
    assert np.bincount(right, chance).max() <= 1 + 0.05  # but for what the last step of the other side changed
    assert min(overlap, *shape) / 2 - 1e-9 <= found <= min(shape)


def test_what_is_certain_beyond_numbers_stays_a_number():
    chance, _ = shared_out(np.array([0]), np.array([0]), np.array([900.0]), (9, 9), 30, 1.0)
    assert chance == pytest.approx([1.0], abs=0.05)


SEVERAL = [(False, True), (True, False), (True, True)]


@pytest.mark.parametrize("several", SEVERAL)
def test_who_may_have_several_is_not_competed_for(several):
    # left 0 and 1 both look like right 0, and left 2 looks like right 1 and 2
    left, right = np.array([0, 1, 2, 2]), np.array([0, 0, 1, 2])
    logit = np.full(4, 9.0)
    chance, _ = shared_out(left, right, logit, (3, 3), ROUNDS, 2.0, several)
    share = uncontested(left, right, logit, (3, 3), several)
    assert (chance[:2] > 0.9).all() == several[1]
    assert (chance[2:] > 0.9).all() == several[0]
    assert share[:2] == pytest.approx([1.0 if several[1] else 0.5] * 2)
    assert share[2:] == pytest.approx([1.0 if several[0] else 0.5] * 2)


def test_without_competition_a_pair_is_judged_by_its_own_odds():
    logit = np.array([3.0, 8.0])
    chance, overlap = shared_out(np.array([0, 0]), np.array([0, 1]), logit, (10, 10), 200, 1.0, (True, True))
    odds = np.exp(logit) * overlap / 100 / (1 - overlap / 100)
    assert chance == pytest.approx(odds / (1 + odds), rel=1e-3)
    assert overlap == pytest.approx(chance.sum(), rel=1e-3)


def test_a_lone_entity_shares_itself_out_as_bayes_says():
    logit = np.array([4.0, 6.0])
    chance, overlap = shared_out(np.array([0, 0]), np.array([0, 1]), logit, (10, 10), 200, 5.0, (False, True))
    weight = np.exp(logit) * overlap / 100
    assert chance == pytest.approx(weight / (weight.sum() + 1 - overlap / 10), rel=1e-3)


def test_a_share_without_competition_is_that_of_the_best_of_both_ends():
    left, right, logit = np.array([0, 0, 1]), np.array([0, 1, 1]), np.log([4.0, 1.0, 2.0])
    assert uncontested(left, right, logit, (2, 2), (True, True)) == pytest.approx([1.0, 0.25, 1.0])
    assert uncontested(left, right, logit, (2, 2), (False, True)) == pytest.approx([0.8, 0.2, 1.0])
    assert uncontested(left, right, logit, (2, 2), (True, False)) == pytest.approx([1.0, 1 / 3, 2 / 3])

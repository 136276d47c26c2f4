import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from farlink.alignment.assignment import BID, one_to_one


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

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.alignment.likelihood import (
    BINS,
    PRIOR,
    SURE,
    Background,
    LikelihoodRatio,
    OfKinds,
    against_others,
    bins_of,
)

SOME = st.lists(st.sampled_from([-1.0, 0.0, 0.1, 0.5, 0.77, 1.0]), min_size=1, max_size=30).map(np.array)


@pytest.mark.parametrize(
    ("likeness", "place"),
    [(-1, -1), (0, 0), (0.049, 0), (0.051, 1), (0.98, BINS - 1), (0.9998, BINS - 1), (0.99995, BINS), (1, BINS)],
)
def test_likenesses_have_bins_and_equal_ones_a_bin_of_their_own(likeness, place):
    assert bins_of(np.array([likeness], dtype=float)).tolist() == [place]


def test_the_nearest_are_counted_among_all_pairs_and_the_others_as_they_were_drawn():
    # of 1,000 pairs five are equal, which is more than was drawn; of a hundred drawn all but one have nothing in common
    drawn = np.array([0.0] * 99 + [0.5])
    share = Background.of(np.ones(5), 1000.0, drawn).share
    assert share[BINS] == pytest.approx(0.005 / 1.005)
    assert share[0] == pytest.approx(0.99 / 1.005)
    assert share[BINS // 2] == pytest.approx(0.01 / 1.005)
    assert share[3] == 1 / 1000  # never seen, but it may be


def test_pairs_without_a_likeness_are_not_counted():
    drawn, nothing = np.array([0.0, 1.0]), np.full(50, -1.0)
    with_them = Background.of(nothing, 100.0, np.concatenate([drawn, nothing]))
    np.testing.assert_array_equal(with_them.share, Background.of(nothing[:0], 100.0, drawn).share)


def test_where_nothing_was_seen_a_likeness_says_nothing():
    background = Background.of(np.empty(0), 1e12, np.full(3, -1.0))
    assert np.isfinite(background.share).all()
    weight = LikelihoodRatio.fit(background, np.empty(0), np.empty(0)).of(np.array([-1.0, 0.0, 1.0]))
    np.testing.assert_allclose(weight, 0, atol=1e-9)


def test_a_weight_is_the_logarithm_of_how_much_more_often_a_likeness_is_seen():
    share = np.full(BINS + 1, 1e-9)
    share[0], share[BINS] = 0.9, 0.1
    ratio = LikelihoodRatio.fit(Background(share), np.array([0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.5]))
    count = np.array([1 + PRIOR * 0.9, 1.5 + PRIOR * 0.1])
    expected = np.log(count / (2.5 + PRIOR)) - np.log([0.9, 0.1])
    np.testing.assert_allclose(ratio.of(np.array([0.0, 1.0])), expected, rtol=1e-6)


@given(SOME, SOME)
def test_the_more_alike_the_more_it_weighs(listed, seen):
    background = Background.of(listed, 1000.0, np.array([0.0, 0.2, 0.2, 0.6]))
    weight = LikelihoodRatio.fit(background, seen, np.ones(len(seen))).of(np.linspace(0, 1, 50))
    assert (np.diff(weight) >= -1e-9).all()


@given(SOME)
def test_where_there_is_no_likeness_it_weighs_nothing(seen):
    background = Background.of(seen, 1000.0, np.array([0.0, 0.5]))
    assert LikelihoodRatio.fit(background, seen, np.ones(len(seen))).of(np.array([-1.0])).tolist() == [0]


def test_pairs_that_are_not_likely_teach_nothing():
    background = Background.of(np.ones(5), 100.0, np.zeros(100))
    likeness = np.array([1.0] * 10 + [0.0] * 10)
    unlikely = LikelihoodRatio.fit(background, likeness, np.array([1.0] * 10 + [0.0] * 10))
    known = LikelihoodRatio.fit(background, likeness[:10], np.ones(10))
    np.testing.assert_allclose(unlikely.weight, known.weight)


def test_what_is_the_same_for_all_pairs_tells_nothing():
    drawn = np.array([0.0] * 500 + [0.4] * 500)
    background = Background.of(np.empty(0), 1e6, drawn)
    weight = LikelihoodRatio.fit(background, drawn, np.ones(1000)).of(np.array([0.0, 0.4]))
    np.testing.assert_allclose(weight, 0, atol=1e-3)


def test_what_right_pairs_alone_look_like_weighs_more_than_against_any_two():
    weight = np.repeat([0.0, 3.0, 7.0], 100)
    chance = np.concatenate([np.zeros(100), np.full(100, 0.1), np.ones(100)])
    found = against_others(weight, chance)
    assert found[[0, 100, 200]] == pytest.approx([0.0, 3.0 - np.log(0.9), 7.0 - np.log(1 - SURE)], abs=0.02)


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(0, 1)), max_size=30))
def test_against_others_a_weight_never_falls_and_keeps_its_order(pairs):
    weight, chance = np.array(pairs).reshape(-1, 2).T
    found = against_others(weight, chance)
    assert (found >= weight - 1e-9).all()
    told = np.flatnonzero(weight)
    order = told[np.argsort(np.round(weight[told] * 2), kind="stable")]
    assert (np.diff((found - weight)[order]) >= -1e-9).all()


def test_each_kind_of_pairs_is_learned_apart():
    rng = np.random.default_rng(0)
    alike, kind = rng.uniform(0, 1, 4000), rng.integers(0, 2, 4000)
    chance = np.where(kind == 1, alike > 0.8, rng.uniform(0, 1, 4000) > 0.8).astype(float)  # kind 0 means nothing
    drawn = rng.uniform(0, 1, 20_000), rng.integers(0, 2, 20_000)
    weight = OfKinds.of(2, (alike, kind), 1e6, drawn).weight((alike, kind), (alike, kind), chance)
    assert np.abs(weight[kind == 0]).max() < 1
    assert weight[(kind == 1) & (alike > 0.9)].min() > 1
    assert weight[(kind == 1) & (alike < 0.5)].max() < -1


def test_with_one_kind_it_is_the_ratio_of_all():
    rng = np.random.default_rng(1)
    alike, drawn, chance = rng.uniform(0, 1, 500), rng.uniform(0, 1, 900), rng.uniform(0, 1, 500)
    kind, drawn_kind = np.zeros(500, int), np.zeros(900, int)
    plain = LikelihoodRatio.fit(Background.of(alike, 1e4, drawn), alike, chance).of(alike)
    apart = OfKinds.of(1, (alike, kind), 1e4, (drawn, drawn_kind)).weight((alike, kind), (alike, kind), chance)
    np.testing.assert_array_equal(apart, plain)

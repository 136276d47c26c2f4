import numpy as np
import pytest

from farlink.measures.calibration import Calibration, log_odds, reliability


def test_the_probabilities_are_those_the_pairs_were_drawn_with():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20_000, 2))
    chance = 1 / (1 + np.exp(-(0.5 + 1.5 * features[:, 0] - features[:, 1])))
    right = rng.random(len(features)) < chance
    learned = Calibration.fit(features, right)
    assert learned.weights == pytest.approx([0.5, 1.5, -1.0], abs=0.1)
    assert reliability(learned(features), right)["gap"] < 0.02


@pytest.mark.parametrize("right", [True, False])
def test_validation_pairs_that_are_all_alike_give_no_certainty(right):
    features = np.linspace(-1, 1, 20)[:, None]
    probability = Calibration.fit(features, np.full(20, right))(features)
    assert np.isfinite(probability).all()
    assert ((probability > 0.5) == right).all()
    assert (probability > 0).all()
    assert (probability < 1).all()


def test_log_odds_stay_finite():
    assert np.isfinite(log_odds(np.array([0.0, 0.5, 1.0]))).all()
    assert log_odds(np.array([0.5]))[0] == pytest.approx(0)


def test_reliability_compares_what_was_said_with_what_was():
    figures = reliability(np.array([0.95, 0.95, 0.15, 0.15]), np.array([True, False, False, False]))
    assert figures["pairs"] == [2, 2]
    assert figures["right"] == [0.0, 0.5]
    assert figures["gap"] == pytest.approx((0.15 + 0.45) / 2)

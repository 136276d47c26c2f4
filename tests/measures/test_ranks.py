import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.alignment.evaluation import pair_quality
from farlink.measures.calibration import best_threshold
from farlink.measures.ranks import Ranks


def pairs(*rows):
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def test_a_realistic_rank_lies_in_the_middle_of_its_ties():
    ranks = Ranks(optimistic=np.array([1, 2]), pessimistic=np.array([4, 2]))
    assert ranks.realistic.tolist() == [2.5, 2]


def test_the_summary_follows_the_definitions():
    ranks = Ranks(optimistic=np.array([1, 2, 7, 40]), pessimistic=np.array([1, 2, 7, 40]))
    summary = ranks.summary()
    assert (summary["hits@1"], summary["hits@5"], summary["hits@10"]) == (0.25, 0.5, 0.75)
    assert summary["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 7 + 1 / 40) / 4)
    assert summary["mr"] == 12.5
    assert summary["queries"] == 4


def test_the_kind_of_rank_decides_on_ties():
    ranks = Ranks(optimistic=np.array([1]), pessimistic=np.array([3]))
    assert ranks.summary("optimistic")["hits@1"] == 1
    assert ranks.summary("realistic")["hits@1"] == 0
    assert ranks.summary("pessimistic")["mr"] == 3


def test_no_queries_give_no_figures():
    assert Ranks(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)).summary() == {}


def test_pair_quality_judges_only_pairs_that_touch_the_truth():
    quality = pair_quality(pairs((0, 0), (1, 5), (9, 9), (8, 1)), pairs((0, 0), (1, 1), (2, 2)))
    assert quality["judged"] == 3  # (0, 0) right; (1, 5) and (8, 1) wrong; (9, 9) unknown
    assert quality["not_judged"] == 1
    assert quality["precision"] == pytest.approx(1 / 3)
    assert quality["recall"] == pytest.approx(1 / 3)
    assert quality["f1"] == pytest.approx(1 / 3)


def test_pair_quality_of_nothing_is_zero():
    assert pair_quality(pairs(), pairs((0, 0)))["f1"] == 0


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=30))
def test_the_threshold_has_the_best_f1_of_all(predictions):
    scores = np.array([score / 8 for score, _ in predictions])
    right = np.array([flag for _, flag in predictions])

    def f1(threshold):
        accepted = scores >= threshold
        return 2 * right[accepted].sum() / (accepted.sum() + len(scores))

    assert f1(best_threshold(scores, right)) == pytest.approx(max(f1(score) for score in scores))


def test_without_predictions_everything_is_accepted():
    assert best_threshold(np.empty(0), np.empty(0, dtype=bool)) == -np.inf


def test_where_all_known_answers_are_best_accepted_less_probable_ones_are_up_to_half_of_the_f1():
    probability, right = np.array([0.9, 0.8, 0.7]), np.array([True, True, False])
    assert best_threshold(probability, np.array([True, True, True])) == pytest.approx(1 / 2)
    assert best_threshold(probability, right) == pytest.approx(0.8)

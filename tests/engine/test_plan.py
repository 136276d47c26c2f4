from dataclasses import replace

import pytest

from farlink.engine.plan import TrainingPlan
from farlink.settings import make_completion_settings, make_settings


def test_a_plan_is_what_the_settings_say():
    settings = make_settings(seed=3, max_epochs=7, batch_size=64, patience=2, minutes=1.5, precision="float32")
    plan = TrainingPlan.of(settings)
    assert (plan.seed, plan.epochs, plan.batch_size, plan.learning_rate) == (3, 7, 64, settings.learning_rate)
    assert (plan.patience, plan.minutes, plan.precision, plan.clip_norm) == (2, 1.5, "float32", settings.clip_norm)


@pytest.mark.parametrize("make", [make_settings, make_completion_settings])
def test_the_rate_stays_or_falls_evenly_to_zero(make):
    linear, constant = (
        TrainingPlan.of(make(schedule=schedule, learning_rate=0.4)) for schedule in ("linear", "constant")
    )
    assert [linear.rate(share) for share in (0, 0.25, 1)] == pytest.approx([0.4, 0.3, 0])
    assert {constant.rate(share) for share in (0, 0.25, 1)} == {0.4}


def test_the_rate_may_fall_in_part():
    plan = replace(TrainingPlan.of(make_settings(learning_rate=0.4)), fall=0.5)
    assert [plan.rate(share) for share in (0, 0.5, 1)] == pytest.approx([0.4, 0.3, 0.2])

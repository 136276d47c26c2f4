import math

import numba
import numpy as np
import pytest
import torch
from torch.nn.functional import softplus

from farlink.engine import logistic


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("columns", [1, 17, logistic.COLUMNS + 5])
@pytest.mark.parametrize("spread", [0.1, 4, 60])
def test_losses_and_gradients_are_those_of_the_logistic_function(precision, columns, spread):
    torch.manual_seed(0)
    scores, bias = (spread * torch.randn(9, columns)).to(precision), torch.randn(columns)
    sums = torch.ones(columns)
    exact = scores.double() + bias
    gradient = scores.clone()
    loss = logistic.noise_losses(gradient, bias, sums)
    assert loss == pytest.approx(softplus(exact).sum().item(), rel=1e-5)
    digits = 0.004 if precision == torch.bfloat16 else 1e-5
    torch.testing.assert_close(gradient.double(), exact.sigmoid(), rtol=digits, atol=1e-20)
    torch.testing.assert_close(sums.double(), 1 + exact.sigmoid().sum(0), rtol=1e-5, atol=1e-5)


def test_a_score_that_counts_for_nothing_has_no_loss_and_no_gradient():
    scores, sums = torch.zeros(2, 3), torch.zeros(3)
    assert logistic.noise_losses(scores, torch.full((3,), -torch.inf), sums) == pytest.approx(0, abs=1e-20)
    assert scores.max() < 1e-30


def test_functions_have_the_digits_they_promise():
    def both(numbers):
        powers, logs = np.empty_like(numbers), np.empty_like(numbers)
        for i, x in enumerate(numbers):
            powers[i] = logistic.exp_of_negative(x)
            logs[i] = logistic.log_above_one(powers[i])
        return powers, logs

    x = -np.linspace(0, 80, 20_001, dtype=np.float32)
    powers, logs = numba.njit(both)(x)
    np.testing.assert_allclose(powers, np.exp(x.astype(float)), rtol=1e-5)
    np.testing.assert_allclose(logs, np.log1p(powers.astype(float)), rtol=3e-5)
    assert math.isclose(logs[0], math.log(2), rel_tol=3e-5)

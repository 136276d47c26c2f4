from typing import get_args

import pytest
import torch
from torch.nn.functional import logsigmoid

from farlink.engine import softmax
from farlink.engine.softmax import AllAnswersLoss
from farlink.rsn.log_uniform import LogUniformLoss
from farlink.rsn.loss import LOSSES, Noise, NoiseContrastiveLoss, SampledSoftmaxLoss, make_loss
from farlink.settings import LossKind

ROWS, IDS, WIDTH = 11, 6, 5


@pytest.fixture(params=[4, 256], ids=["in slices", "at once"])
def data(request, monkeypatch):
    monkeypatch.setattr(softmax, "SLICE", request.param)
    torch.manual_seed(1)
    states = torch.randn(ROWS, WIDTH, dtype=torch.float64, requires_grad=True)
    table = torch.randn(IDS, WIDTH, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(IDS, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, IDS, (ROWS,))
    return states, targets, table, bias


def same_noise(noise, count):
    return noise.draw(count, torch.Generator().manual_seed(3))


def check(value, expected, inputs):
    torch.testing.assert_close(value, expected)
    for got, wanted in zip(torch.autograd.grad(value, inputs), torch.autograd.grad(expected, inputs), strict=True):
        torch.testing.assert_close(got.to_dense(), wanted)


def test_nce_is_equation_8(data):
    states, targets, table, bias = data
    loss = NoiseContrastiveLoss(Noise(torch.tensor([5, 1, 0, 7, 2, 2])), negatives=9)
    value = loss(states, targets, table, bias, torch.Generator().manual_seed(3))

    ids, counts = same_noise(loss.noise, 9)
    draws = ids.repeat_interleave(counts)  # the k draws one by one
    total = 0
    for h, y in zip(states, targets, strict=True):
        total = total - logsigmoid(h @ table[y] + bias[y])
        for noise in draws:
            total = total - logsigmoid(-(h @ table[noise] + bias[noise]))
    check(value, total / ROWS, (states, table, bias))


def test_sampled_softmax_is_cross_entropy_among_target_and_noise(data):
    states, targets, table, bias = data
    loss = SampledSoftmaxLoss(Noise(torch.tensor([5, 1, 0, 7, 2, 2])), negatives=4)
    value = loss(states, targets, table, bias, torch.Generator().manual_seed(3))

    ids, _ = same_noise(loss.noise, 4)
    scores = states @ table.T + bias - loss.log_expected
    total = 0
    for row, target in zip(scores, targets, strict=True):
        others = ids[ids != target]
        total = total + torch.cat([row[target, None], row[others]]).logsumexp(0) - row[target]
    check(value, total / ROWS, (states, table, bias))


def test_with_every_id_drawn_the_correction_vanishes():
    noise = Noise(torch.ones(4))
    torch.testing.assert_close(noise.log_expected(1000), torch.zeros(4))


def test_noise_is_proportional_to_frequency_to_the_three_quarters():
    noise = Noise(torch.tensor([16, 1, 0, 81]))
    torch.testing.assert_close(noise.probability, torch.tensor([8, 1, 0, 27], dtype=torch.float64) / 36)
    ids, counts = noise.draw(36_000, torch.Generator().manual_seed(0))
    assert ids.tolist() == [0, 1, 3]
    assert counts.tolist() == pytest.approx([8000, 1000, 27_000], rel=0.1)


def test_the_chance_to_be_drawn_matches_a_count():
    noise = Noise(torch.tensor([1, 10, 100]))
    generator = torch.Generator().manual_seed(0)
    drawn = torch.zeros(3)
    for _ in range(4000):
        drawn[noise.draw(3, generator)[0]] += 1
    torch.testing.assert_close(drawn / 4000, noise.log_expected(3).exp(), atol=0.03, rtol=0)


@pytest.mark.parametrize(("kind", "draws"), [("nce", 100), ("log-uniform", 45)])
def test_nce_starts_where_a_guess_is_right_once_among_the_negatives(kind, draws):
    loss = make_loss(kind, torch.ones(50), draws)
    states, table = torch.zeros(1, 8, 4), torch.zeros(50, 4)
    targets = torch.zeros(1, 8, dtype=torch.long)
    cold = loss(states, targets, table, torch.zeros(50), torch.Generator())
    warm = loss(states, targets, table, torch.full((50,), loss.initial_bias()), torch.Generator())
    assert cold > 0.6 * draws
    assert warm < 6


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("nce", NoiseContrastiveLoss), ("softmax", SampledSoftmaxLoss), ("log-uniform", LogUniformLoss)],
)
def test_the_loss_is_chosen_by_name(kind, expected):
    assert isinstance(make_loss(kind, torch.ones(5), 3), expected)


@pytest.mark.parametrize(("negatives", "count"), [(3, 3), (0.34, 2), (0.01, 1)])
def test_noise_is_a_number_of_draws_or_a_share_of_what_there_is(negatives, count):
    assert make_loss("nce", torch.ones(5), negatives).negatives == count


@pytest.mark.parametrize("kind", ["nce", "softmax"])
def test_positions_of_a_path_count_as_predictions_like_others(kind):
    torch.manual_seed(1)
    states, targets, table = torch.randn(3, 4, WIDTH), torch.randint(0, IDS, (3, 4)), torch.randn(IDS, WIDTH)
    loss = make_loss(kind, torch.ones(IDS), 4)
    by_position, flat = (
        loss(h, y, table, torch.zeros(IDS), torch.Generator().manual_seed(3))
        for h, y in ((states, targets), (states.flatten(0, 1), targets.flatten()))
    )
    assert torch.equal(by_position, flat)


def test_every_loss_of_the_settings_is_there():
    assert set(LOSSES) == set(get_args(LossKind))


@pytest.mark.parametrize("kind", ["nce", "softmax", "all answers"])
def test_with_short_numbers_losses_and_gradients_are_nearly_the_same(kind):
    torch.manual_seed(2)
    states, table = (torch.randn(count, 32, requires_grad=True) for count in (40, 30))
    targets = torch.randint(0, 30, (40,))

    def both():
        if kind == "all answers":
            value = AllAnswersLoss.apply(states, table, torch.arange(40), targets)
        else:
            loss = make_loss(kind, torch.ones(30), 50)
            value = loss(states, targets, table, torch.zeros(30), torch.Generator().manual_seed(3))
        return value, torch.autograd.grad(value, (states, table))

    exact, (d_states, d_table) = both()
    with torch.autocast("cpu", torch.bfloat16):
        short, (short_d_states, short_d_table) = both()
    torch.testing.assert_close(short, exact, rtol=0.01, atol=0)
    for got, wanted in ((short_d_states, d_states), (short_d_table.to_dense(), d_table.to_dense())):
        assert got.dtype == torch.float32
        assert not torch.equal(got, wanted)  # they were indeed short
        assert (got - wanted).norm() < 0.02 * wanted.norm()

import math
from collections import Counter

import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from farlink.engine.machine import multiplies_bfloat16
from farlink.rsn import log_uniform
from farlink.rsn.log_uniform import LogUniformLoss, LogUniformNoise

FREQUENCY = torch.tensor([3, 0, 9, 9, 1, 5])
BY_RANK = [2, 3, 5, 0, 4, 1]  # ids by falling frequency
POSITIONS, BATCH, WIDTH = 3, 7, 5


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_an_id_is_as_likely_as_its_rank_by_frequency_says():
    noise = LogUniformNoise(FREQUENCY)
    expected = {id: math.log((k + 1) / k) / math.log(7) for k, id in enumerate(BY_RANK, 1)}
    assert noise.probability.tolist() == pytest.approx([expected[id] for id in range(6)])
    assert noise.probability.sum() == pytest.approx(1)
    gen = generator()
    drawn = Counter(int(noise.draw(1, gen).ids) for _ in range(20_000))
    for id, share in expected.items():
        assert drawn[id] / 20_000 == pytest.approx(share, abs=0.012)


def test_ids_are_distinct_and_rarer_ones_come_later():
    """Drawing one after the other until there are enough, by hand: P(a first, b second) = p_a p_b / (1 - p_a)."""
    noise, gen = LogUniformNoise(FREQUENCY), generator()
    pairs = Counter(tuple(noise.draw(2, gen).ids.tolist()) for _ in range(20_000))
    p = noise.probability.tolist()
    assert all(a != b for a, b in pairs)
    for a, b in ((2, 3), (3, 2), (2, 1), (1, 2)):
        assert pairs[a, b] / 20_000 == pytest.approx(p[a] * p[b] / (1 - p[a]), abs=0.012)


def test_of_few_ids_all_are_drawn():
    assert sorted(LogUniformNoise(FREQUENCY).draw(100, generator()).ids.tolist()) == list(range(6))


def test_what_is_expected_of_an_id_is_the_chance_that_so_many_draws_hit_it():
    noise = LogUniformNoise(FREQUENCY)
    chance = 1 - (1 - noise.probability) ** 4
    torch.testing.assert_close(noise.log_expected(4), chance.log().float())
    assert noise.draw(6, generator()).log_expected.max() < 0
    # as many draws as it took: at least as many as ids were found
    assert (noise.draw(5, generator()).log_expected >= noise.log_expected(5) - 1e-6).all()


def plain_loss(states, targets, table, bias, draws):
    """The loss, prediction by prediction: the target among positives, every id that was drawn among negatives."""
    corrected = [bias - log_expected for _, log_expected in draws]
    total = 0
    for h, target, (ids, _), level in zip(states, targets, draws, corrected, strict=True):
        scores = h @ table.T + level
        right = scores.gather(1, target[:, None])
        total = total + binary_cross_entropy_with_logits(right, torch.ones_like(right), reduction="sum")
        wrong = scores[:, ids]
        total = total + binary_cross_entropy_with_logits(wrong, torch.zeros_like(wrong), reduction="sum")
    return total / states.shape[1]


def make_predictions(ids=6, width=WIDTH):
    torch.manual_seed(1)
    states = torch.randn(POSITIONS, BATCH, width, requires_grad=True)
    table, bias = torch.randn(ids, width, requires_grad=True), torch.randn(ids, requires_grad=True)
    return states, torch.randint(0, ids, (POSITIONS, BATCH)), table, bias


@pytest.mark.parametrize("size", [4, 256], ids=["in slices", "at once"])
def test_the_loss_is_the_sum_over_a_path_against_noise_of_each_position(monkeypatch, size):
    monkeypatch.setattr(log_uniform, "SLICE", size)
    states, targets, table, bias = make_predictions()
    loss = LogUniformLoss(LogUniformNoise(FREQUENCY), negatives=4)
    value = loss(states, targets, table, bias, generator())
    gen = generator()
    draws = [loss.noise.draw(4, gen) for _ in range(POSITIONS)]
    assert len({tuple(draw.ids.tolist()) for draw in draws}) > 1
    expected = plain_loss(states, targets, table, bias, draws)
    torch.testing.assert_close(value, expected, rtol=1e-5, atol=0)
    for upstream in (1.0, 0.5):
        inputs = (states, table, bias)
        value = loss(states, targets, table, bias, generator())
        ours, theirs = (
            torch.autograd.grad(upstream * value, inputs),
            torch.autograd.grad(expected, inputs, retain_graph=True),
        )
        for got, wanted in zip(ours, theirs, strict=True):
            torch.testing.assert_close(got, upstream * wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not multiplies_bfloat16(), reason="this processor does not multiply bfloat16")
def test_with_short_numbers_loss_and_gradients_are_nearly_the_same():
    states, targets, table, bias = make_predictions(ids=40, width=32)
    loss = LogUniformLoss(LogUniformNoise(torch.arange(40)), negatives=30)
    inputs = (states, table, bias)

    def both():
        value = loss(states, targets, table, bias, generator())
        return value, torch.autograd.grad(value, inputs)

    exact, gradients = both()
    with torch.autocast("cpu", torch.bfloat16):
        short, short_gradients = both()
    torch.testing.assert_close(short, exact, rtol=0.01, atol=0)
    for got, wanted in zip(short_gradients, gradients, strict=True):
        assert got.dtype == torch.float32
        assert not torch.equal(got, wanted)
        assert (got - wanted).norm() < 0.02 * wanted.norm()

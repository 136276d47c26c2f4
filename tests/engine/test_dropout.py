import numba
import pytest
import torch

from farlink.engine.dropout import Dropout, dropout


@pytest.mark.parametrize("share", [0.1, 0.4, 0.5, 0.9])
def test_about_the_share_is_dropped_and_the_mean_stays(share):
    torch.manual_seed(0)
    kept = dropout(torch.ones(400, 500), share)
    assert (kept == 0).float().mean().item() == pytest.approx(share, abs=0.01)
    assert kept.mean().item() == pytest.approx(1, abs=0.03)
    assert kept[kept > 0].unique().tolist() == pytest.approx([1 / (1 - share)], rel=1e-3)


def test_neighbouring_elements_are_dropped_independently():
    torch.manual_seed(0)
    gone = (dropout(torch.ones(200_000), 0.5) == 0).float()
    for lag in (1, 2, 3, 4, 8, 256):
        assert (gone[lag:] * gone[:-lag]).mean().item() == pytest.approx(0.25, abs=0.005)


def test_the_mask_follows_from_the_generator_of_torch_whatever_the_threads():
    x = torch.randn(1_001)
    several = numba.get_num_threads()
    masks = []
    for threads in (1, several, several):
        numba.set_num_threads(threads)
        torch.manual_seed(3)
        masks.append(dropout(x, 0.5))
    numba.set_num_threads(several)
    assert torch.equal(masks[0], masks[1])
    assert torch.equal(masks[1], masks[2])
    assert not torch.equal(masks[0], dropout(x, 0.5))


def test_gradients_reach_what_was_kept():
    x = torch.randn(64, requires_grad=True)
    y = dropout(x, 0.5)
    y.sum().backward()
    assert torch.equal(x.grad == 0, y == 0)


def test_nothing_is_dropped_outside_of_training_or_without_a_share():
    x = torch.randn(10)
    assert dropout(x, 0.0) is x
    assert Dropout(0.5).eval()(x) is x
    assert torch.equal(Dropout(0.0).train()(x), x)


def test_short_numbers_stay_short():
    assert dropout(torch.ones(5, dtype=torch.bfloat16), 0.5).dtype == torch.bfloat16

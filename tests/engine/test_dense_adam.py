import pytest
import torch
from torch import nn

from farlink.engine.dense_adam import DenseAdam
from farlink.engine.row_adam import rows_of


def test_it_is_adam_whatever_has_a_gradient():
    torch.manual_seed(0)
    ours = {"matrix": nn.Parameter(torch.randn(6, 40)), "vector": nn.Parameter(torch.randn(5))}
    theirs = [nn.Parameter(p.detach().clone()) for p in ours.values()]
    reference, optimiser = torch.optim.Adam(theirs, lr=0.01), DenseAdam(ours.items())
    for step in range(30):
        for mine, other in zip(ours.values(), theirs, strict=True):
            mine.grad = torch.randn_like(mine)
            mine.grad[step % 4 :] = 0
            other.grad = mine.grad.clone()
        optimiser.step(0.01, clip_norm=1e9)
        reference.step()
    for mine, other in zip(ours.values(), theirs, strict=True):
        torch.testing.assert_close(mine, other, atol=1e-6, rtol=1e-5)


def test_rows_that_are_taken_move_as_with_the_whole_gradient_and_others_go_on():
    torch.manual_seed(0)
    whole, taken = (nn.Parameter(torch.arange(12.0).view(4, 3)) for _ in range(2))
    one, two = DenseAdam([("p", whole)]), DenseAdam([("p", taken)])
    for ids in (torch.tensor([2, 0, 2]), torch.tensor([0, 3, 0])):
        factors = torch.randn(3, 3)
        (whole[ids] * factors).sum().backward()
        (rows_of(taken, ids) * factors).sum().backward()
        assert taken.grad.is_sparse
        before = taken[2].detach().clone()
        one.step(0.1, clip_norm=1.0)
        two.step(0.1, clip_norm=1.0)
    torch.testing.assert_close(whole, taken)
    assert not torch.equal(taken[2], before)  # it had no gradient in the last step
    assert torch.equal(taken[1], torch.arange(3.0, 6.0))  # nor ever


def test_long_gradients_are_scaled_down_together():
    clipped, plain = (nn.Parameter(torch.zeros(3)) for _ in range(2))
    one, two = DenseAdam([("p", clipped)]), DenseAdam([("p", plain)])
    for scale in (10.0, 1.0):  # of the direction (3, 4, 0) / 5, cut to length 1 where longer
        clipped.grad = torch.tensor([3.0, 4.0, 0.0]) / 5 * scale
        plain.grad = torch.tensor([3.0, 4.0, 0.0]) / 5
        one.step(0.1, clip_norm=1.0)
        two.step(0.1, clip_norm=1e9)
    torch.testing.assert_close(clipped, plain)


@pytest.mark.parametrize("sign", [1, -1])
def test_no_moment_is_ever_a_denormal_number(sign):
    table = nn.Parameter(torch.zeros(2, 20))
    optimiser = DenseAdam([("p", table)])
    for step in range(900):
        ids = torch.tensor([0 if step == 0 else 1])
        (rows_of(table, ids) * sign * 1e-12).sum().backward()
        optimiser.step(0.1, clip_norm=1.0)
    for part in ("mean", "square"):
        moments = optimiser.state["p"][part].abs()
        assert not ((moments > 0) & (moments < torch.finfo(torch.float32).tiny)).any()
    assert not optimiser.state["p"]["mean"][0].any()


def test_gradients_are_cleared():
    parameter = nn.Parameter(torch.zeros(3))
    parameter.grad = torch.ones(3)
    DenseAdam([("p", parameter)]).step(0.1, 1.0)
    assert parameter.grad is None

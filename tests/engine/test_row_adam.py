import torch
from torch import nn

from farlink.engine.row_adam import RowAdam, rows_of


def test_with_full_gradients_it_is_adam():
    torch.manual_seed(0)
    ours = {"matrix": nn.Parameter(torch.randn(6, 4)), "vector": nn.Parameter(torch.randn(5))}
    theirs = [nn.Parameter(p.detach().clone()) for p in ours.values()]
    reference, optimiser = torch.optim.Adam(theirs, lr=0.01), RowAdam(ours.items())
    for _ in range(20):
        for mine, other in zip(ours.values(), theirs, strict=True):
            mine.grad = torch.randn_like(mine)
            other.grad = mine.grad.clone()
        optimiser.step(0.01, clip_norm=1e9)
        reference.step()
    for mine, other in zip(ours.values(), theirs, strict=True):
        torch.testing.assert_close(mine, other, atol=1e-6, rtol=1e-5)


def test_a_row_without_gradient_rests_and_later_moves_like_a_fresh_one():
    rested, fresh = (nn.Parameter(torch.ones(2, 3)) for _ in range(2))
    one, two = RowAdam([("p", rested)]), RowAdam([("p", fresh)])
    for _ in range(10):
        rested.grad = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
        one.step(0.1, clip_norm=1e9)
    assert torch.equal(rested[1], torch.ones(3))
    rested.grad = fresh.grad = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    one.step(0.1, clip_norm=1e9)
    fresh.grad = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    two.step(0.1, clip_norm=1e9)
    torch.testing.assert_close(rested[1], fresh[1])


def test_long_gradients_are_scaled_down_together():
    clipped, plain = (nn.Parameter(torch.zeros(3)) for _ in range(2))
    one, two = RowAdam([("p", clipped)]), RowAdam([("p", plain)])
    for scale in (10.0, 1.0):  # of the direction (3, 4, 0) / 5, cut to length 1 where longer
        clipped.grad = torch.tensor([3.0, 4.0, 0.0]) / 5 * scale
        plain.grad = torch.tensor([3.0, 4.0, 0.0]) / 5
        one.step(0.1, clip_norm=1.0)
        two.step(0.1, clip_norm=1e9)
    torch.testing.assert_close(clipped, plain)


def test_gradients_are_cleared():
    parameter = nn.Parameter(torch.zeros(3))
    parameter.grad = torch.ones(3)
    RowAdam([("p", parameter)]).step(0.1, 1.0)
    assert parameter.grad is None


def test_rows_that_are_taken_move_as_with_the_whole_gradient():
    torch.manual_seed(0)
    whole, taken = (nn.Parameter(torch.arange(12.0).view(4, 3)) for _ in range(2))
    ids, factors = torch.tensor([2, 0, 2]), torch.randn(3, 3)
    one, two = RowAdam([("p", whole)]), RowAdam([("p", taken)])
    for _ in range(3):
        (whole[ids] * factors).sum().backward()
        (rows_of(taken, ids) * factors).sum().backward()
        assert taken.grad.is_sparse
        one.step(0.1, clip_norm=1.0)
        two.step(0.1, clip_norm=1.0)
    torch.testing.assert_close(whole, taken)
    assert torch.equal(taken[1], torch.arange(3.0, 6.0))

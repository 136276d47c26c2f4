import pytest
import torch

from farlink.engine import softmax
from farlink.engine.softmax import AllAnswersLoss, rounded


@pytest.mark.parametrize("size", [4, 256], ids=["in slices", "at once"])
def test_the_loss_is_the_cross_entropy_of_every_right_answer_among_all_candidates(size, monkeypatch):
    monkeypatch.setattr(softmax, "SLICE", size)
    torch.manual_seed(0)
    states = torch.randn(11, 5, dtype=torch.float64, requires_grad=True)
    vectors = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    right = torch.rand(11, 7) < 0.3  # some questions have several answers, some have none
    question, answer = right.nonzero(as_tuple=True)
    loss = AllAnswersLoss.apply(states, vectors, question, answer)
    expected = -(states @ vectors.T).log_softmax(1)[question, answer].sum()
    torch.testing.assert_close(loss, expected)
    gradients = (torch.autograd.grad(value, (states, vectors)) for value in (loss, expected))
    for got, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(got, wanted)


def test_rows_are_filled_up_to_a_round_number():
    rows = torch.arange(6.0).reshape(3, 2)
    filled = rounded(rows, -1.0)
    assert filled.shape == (softmax.ROUND, 2)
    assert torch.equal(filled[:3], rows)
    assert (filled[3:] == -1).all()
    assert torch.equal(rounded(filled, 7.0), filled)

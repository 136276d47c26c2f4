import pytest
import torch

from farlink.engine.machine import multiplies_bfloat16
from farlink.rsn.identity_lstm import IdentityLSTM

STEPS, BATCH, WIDTH = 5, 3, 4


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return IdentityLSTM(WIDTH, WIDTH)


def by_hand(layer, x):
    """The equations of an LSTM step by step, without tanh."""
    weight, again, bias, more = layer.parameters()
    h = c = torch.zeros(x.shape[1], x.shape[2])
    states = []
    for element in x:
        i, f, g, o = (element @ weight.T + bias + h @ again.T + more).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g
        h = o.sigmoid() * c
        states.append(h)
    return torch.stack(states)


def test_states_and_gradients_are_those_of_the_equations(layer):
    x, direction = torch.randn(STEPS, BATCH, WIDTH, requires_grad=True), torch.randn(STEPS, BATCH, WIDTH)
    states, last = layer(x)
    torch.testing.assert_close(states, by_hand(layer, x))
    torch.testing.assert_close(last[0], states[-1])
    inputs = [x, *layer.parameters()]
    ours, theirs = (torch.autograd.grad((h * direction).sum(), inputs) for h in (states, by_hand(layer, x)))
    for got, wanted in zip(ours, theirs, strict=True):
        torch.testing.assert_close(got, wanted)


@pytest.mark.skipif(not multiplies_bfloat16(), reason="this processor does not multiply bfloat16")
def test_with_short_numbers_states_and_gradients_are_nearly_the_same():
    torch.manual_seed(0)
    layer, x = IdentityLSTM(64, 64), torch.randn(STEPS, BATCH, 64)
    exact = layer(x)[0]
    with torch.autocast("cpu", torch.bfloat16):
        short = layer(x)[0]
    assert short.dtype == torch.float32
    assert not torch.equal(short, exact)
    assert (short - exact).norm() < 0.02 * exact.norm()
    ours, theirs = (torch.autograd.grad(h.square().sum(), [*layer.parameters()]) for h in (short, exact))
    for got, wanted in zip(ours, theirs, strict=True):
        assert (got - wanted).norm() < 0.03 * wanted.norm()

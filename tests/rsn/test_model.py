from typing import get_args

import pytest
import torch
from torch import nn

from farlink.engine.machine import multiplies_bfloat16
from farlink.rsn.model import CORES, PathModel
from farlink.settings import Cell, Kind

ENTITIES, RELATIONS, WIDTH = 7, 3, 4


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def make_paths(batch=5, triples=3):
    entities = torch.randint(0, ENTITIES, (batch, triples + 1))
    relations = torch.randint(0, RELATIONS, (batch, triples))
    paths = torch.empty(batch, 2 * triples + 1, dtype=torch.long)
    paths[:, 0::2], paths[:, 1::2] = entities, relations
    return paths


def lstm_step(layer: nn.LSTM, x, h, c):
    """Output and memory of an LSTM; its gates lie in the order input, forget, cell, output."""
    gates = x @ layer.weight_ih_l0.T + layer.bias_ih_l0 + h @ layer.weight_hh_l0.T + layer.bias_hh_l0
    i, f, g, o = gates.chunk(4, dim=-1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def identity_lstm_step(layer: nn.LSTM, x, h, c):
    """Output and memory of an LSTM without tanh."""
    gates = x @ layer.weight_ih_l0.T + layer.bias_ih_l0 + h @ layer.weight_hh_l0.T + layer.bias_hh_l0
    i, f, g, o = gates.chunk(4, dim=-1)
    c = f.sigmoid() * c + i.sigmoid() * g
    return o.sigmoid() * c, c


def gru_step(layer: nn.GRU, x, h, c):
    """Output of a GRU, which has no other memory; its gates lie in the order reset, update, new."""
    given, known = x @ layer.weight_ih_l0.T + layer.bias_ih_l0, h @ layer.weight_hh_l0.T + layer.bias_hh_l0
    (r, z, n), (r_known, z_known, n_known) = given.chunk(3, dim=-1), known.chunk(3, dim=-1)
    update = (z + z_known).sigmoid()
    return (1 - update) * (n + (r + r_known).sigmoid() * n_known).tanh() + update * h, c


STEPS = {"lstm": lstm_step, "gru": gru_step, "lstm-identity": identity_lstm_step}


def plain_states(model: PathModel, paths, kind, step):
    """The equations, one step at a time, without dropout and with running statistics.

    In an RRN every layer learns the residual to its own previous state, and goes on from the sum.
    """
    model.eval()

    def normalise(norm, x):
        return (x - norm.running_mean) / torch.sqrt(norm.running_var + norm.eps) * norm.weight + norm.bias

    batch, length = paths.shape
    layers = len(model.core)
    h = [torch.zeros(batch, WIDTH) for _ in range(layers)]
    c = [torch.zeros(batch, WIDTH) for _ in range(layers)]
    states, x_before = [], None
    for t in range(length - 1):
        table = model.entity_in if t % 2 == 0 else model.relation_in
        x = normalise(model.input_norm, table.weight[paths[:, t]])
        below = x
        for layer in range(layers):
            learned, c[layer] = step(model.core[layer], below, h[layer], c[layer])
            h[layer] = learned + h[layer] if kind == "rrn" else learned
            below = h[layer]
        out = below
        if kind == "rsn" and t % 2 == 1:
            out = below @ model.s1.weight.T + x_before @ model.s2.weight.T
        states.append(normalise(model.output_norm, out))
        x_before = x
    return torch.stack(states)


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize(("cell", "step"), STEPS.items())
@pytest.mark.parametrize("layers", [1, 2])
def test_the_network_computes_the_equations(kind, cell, step, layers):
    model = PathModel(ENTITIES, RELATIONS, width=WIDTH, layers=layers, kind=kind, cell=cell, dropout=0.5)
    for norm in (model.input_norm, model.output_norm):
        nn.init.normal_(norm.running_mean)
        nn.init.uniform_(norm.running_var, 0.5, 2)
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
    paths = make_paths()
    expected = plain_states(model, paths, kind, step)
    hidden = model(paths)
    torch.testing.assert_close(hidden.for_relations, expected[0::2])
    torch.testing.assert_close(hidden.for_entities, expected[1::2])


def test_only_an_rsn_lets_the_subject_skip_to_the_object():
    paths = make_paths(batch=1, triples=1)
    for kind, reaches in (("rsn", True), ("rnn", False)):
        model = PathModel(ENTITIES, RELATIONS, width=WIDTH, kind=kind).eval()
        for parameter in model.core.parameters():
            nn.init.zeros_(parameter)  # nothing passes through the recurrent core
        model(paths).for_entities.sum().backward()
        assert bool(model.entity_in.weight.grad.to_dense()[paths[0, 0]].any()) is reaches


def test_the_skipping_matrices_are_the_only_parameters_an_rsn_adds():
    count = {kind: sum(p.numel() for p in PathModel(9, 4, width=8, kind=kind).parameters()) for kind in ("rsn", "rnn")}
    assert count["rsn"] - count["rnn"] == 2 * 8 * 8


@pytest.mark.parametrize("cell", get_args(Cell))
def test_the_steps_of_a_cell_are_those_of_its_layer(cell):
    core = CORES[cell]
    layer, x = core.layer(WIDTH, WIDTH), torch.randn(5, 3, WIDTH)
    state, outputs = tuple(torch.zeros(core.parts, 3, WIDTH)), []
    for element in x:
        state = core.step(element, state, *layer.parameters())
        outputs.append(state[0])
    assert len(state) == core.parts
    torch.testing.assert_close(torch.stack(outputs), layer(x)[0])


def test_every_cell_of_the_settings_is_there():
    assert set(CORES) == set(STEPS) == set(get_args(Cell))


@pytest.mark.parametrize("cell", get_args(Cell))
def test_in_training_inputs_and_outputs_are_normalised_over_the_batch(cell):
    model = PathModel(ENTITIES, RELATIONS, width=WIDTH, cell=cell, dropout=0.0)
    hidden = model(make_paths(batch=64))
    states = torch.cat([hidden.for_relations, hidden.for_entities]).flatten(0, 1)
    torch.testing.assert_close(states.mean(0), torch.zeros(WIDTH), atol=1e-5, rtol=0)
    assert states.std(0).min() > 0.5


def test_by_step_every_step_is_normalised_over_the_batch_by_itself():
    model = PathModel(ENTITIES, RELATIONS, width=WIDTH, dropout=0.0, norm="step")
    nn.init.normal_(model.output_norm.weight)
    nn.init.normal_(model.output_norm.bias)
    x = torch.randn(6, 9, WIDTH) * torch.arange(1, 7)[:, None, None]
    expected = []
    for step in x:  # weights and shifts are those of all steps
        centred = step - step.mean(0)
        spread = (centred.square().mean(0) + model.output_norm.eps).sqrt()
        expected.append(centred / spread * model.output_norm.weight + model.output_norm.bias)
    torch.testing.assert_close(model.norm(model.output_norm, x), torch.stack(expected))


def test_by_step_the_mean_statistics_of_all_steps_are_gathered_to_go_on_with():
    model = PathModel(ENTITIES, RELATIONS, width=WIDTH, norm="step")
    norm, x = model.input_norm, 3 + 2 * torch.randn(6, 500, WIDTH)
    for _ in range(120):
        model.norm(norm, x)
    torch.testing.assert_close(norm.running_mean, x.mean((0, 1)), rtol=1e-2, atol=0)
    torch.testing.assert_close(norm.running_var, x.var(1).mean(0), rtol=1e-2, atol=0)
    model.eval()
    plain = (x - norm.running_mean) / torch.sqrt(norm.running_var + norm.eps)
    torch.testing.assert_close(model.norm(norm, x), plain)


def test_dropout_makes_training_random_and_evaluation_not():
    model = PathModel(ENTITIES, RELATIONS, width=WIDTH)
    paths = make_paths()
    assert not torch.equal(model(paths).for_entities, model(paths).for_entities)
    model.eval()
    assert torch.equal(model(paths).for_entities, model(paths).for_entities)


@pytest.mark.skipif(not multiplies_bfloat16(), reason="this processor does not multiply bfloat16")
@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("cell", get_args(Cell))
def test_with_short_numbers_the_states_are_nearly_the_same(kind, cell):
    model, paths = PathModel(ENTITIES, RELATIONS, width=64, kind=kind, cell=cell, dropout=0.0), make_paths()
    exact = model(paths)
    with torch.autocast("cpu", torch.bfloat16):
        short = model(paths)
    assert short.for_entities.dtype == torch.float32
    torch.testing.assert_close(short.for_entities, exact.for_entities, atol=0.1, rtol=0)


def test_a_sequence_of_two_gives_one_prediction_of_an_entity():
    model = PathModel(ENTITIES, RELATIONS, width=WIDTH).eval()
    assert model(make_paths(batch=3, triples=1)).for_entities.shape == (1, 3, WIDTH)


def test_weights_start_as_xavier_says_and_the_forget_gate_open():
    model = PathModel(300, 20, width=64)
    bound = (6 / (300 + 64)) ** 0.5
    assert model.entity_in.weight.abs().max() <= bound
    assert model.entity_in.weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.05)
    forget = model.core[0].bias_ih_l0[64:128] + model.core[0].bias_hh_l0[64:128]
    assert torch.equal(forget, torch.ones(64))


def test_without_tanh_the_recurrent_matrices_start_orthogonal():
    model = PathModel(300, 20, width=64, cell="lstm-identity")
    for layer in model.core:
        torch.testing.assert_close(layer.weight_hh_l0.T @ layer.weight_hh_l0, torch.eye(64), atol=1e-5, rtol=0)
        assert torch.equal(layer.bias_ih_l0[64:128] + layer.bias_hh_l0[64:128], torch.ones(64))


def test_entities_start_from_given_directions_and_others_at_random():
    model = PathModel(4, 2, width=8)
    before = model.entity_in.weight.detach().clone()
    vectors = torch.zeros(4, 8)
    vectors[1, 3] = 5.0
    model.start_from(vectors)
    after = model.entity_in.weight.detach()
    assert torch.equal(after[[0, 2, 3]], before[[0, 2, 3]])
    assert after[1].nonzero().tolist() == [[3]]
    assert after[1].norm() == pytest.approx(before.norm(dim=1).mean().item(), rel=1e-5)


def test_rows_are_shared_where_entities_are_one():
    model = PathModel(3, 2, width=8)
    model.share_rows(torch.tensor([0, 0, 2]))
    assert torch.equal(model.entity_in.weight[0], model.entity_in.weight[1])
    assert torch.equal(model.entity_out.weight[0], model.entity_out.weight[1])
    assert not torch.equal(model.entity_in.weight[0], model.entity_in.weight[2])

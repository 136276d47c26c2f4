import numpy as np
import torch

from farlink.completion.objectives import NetworkKvsAll
from farlink.completion.questions import Questions
from farlink.engine.row_adam import RowAdam
from farlink.graph.edges import with_reverses
from farlink.rsn.model import PathModel

TRIPLES = with_reverses(np.array([[0, 0, 1], [0, 0, 2], [1, 0, 2], [2, 1, 3]], dtype=np.int32), 2)
QUESTIONS = Questions.about(TRIPLES)


def network():
    torch.manual_seed(0)
    return PathModel(4, 4, width=8, layers=1, cell="gru", dropout=0.0)


def test_the_loss_is_the_cross_entropy_of_each_answer_among_all_entities():
    model = network().eval()
    torch.nn.init.normal_(model.entity_bias)
    objective = NetworkKvsAll.of_epoch(QUESTIONS, seed=0, epoch=0, drawn=4, dropout=0.0)
    loss = objective.loss(model, torch.from_numpy(objective.examples).long())
    head, relation, tail = (torch.from_numpy(column).long() for column in TRIPLES.T)
    states = torch.cat([model(torch.tensor([[s, r, 0]])).for_entities[0] for s, r in zip(head, relation, strict=True)])
    expected = torch.nn.functional.cross_entropy(states @ model.entity_out.weight.T + model.entity_bias, tail)
    torch.testing.assert_close(loss, expected)


def test_the_biases_learn_too_and_the_loss_falls():
    model = network().train()
    optimiser, losses = RowAdam(model.named_parameters()), []
    for epoch in range(30):
        objective = NetworkKvsAll.of_epoch(QUESTIONS, seed=0, epoch=epoch, drawn=4, dropout=0.0)
        objective.prepare(model)
        loss = objective.loss(model, torch.from_numpy(objective.examples).long())
        loss.backward()
        optimiser.step(0.02, 2.0)
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 2
    assert model.entity_bias.abs().min() > 0


def test_states_and_what_is_read_are_dropped_in_parts():
    model = network().eval()
    read = []
    model.input_norm.register_forward_hook(lambda module, given, out: read.append(given[0].detach()))
    objective = NetworkKvsAll.of_epoch(QUESTIONS, seed=0, epoch=0, drawn=4, dropout=0.8)
    losses = {float(objective.loss(model, torch.from_numpy(objective.examples).long()).detach()) for _ in range(5)}
    assert len(losses) == 5
    dropped = (torch.cat(read) == 0).float().mean()
    assert 0.3 < dropped < 0.5  # half of 0.8

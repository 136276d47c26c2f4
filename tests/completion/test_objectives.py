import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from farlink.completion.objectives import WIDTH, KvsAllObjective, NetworkKvsAll, _with_column
from farlink.completion.questions import Questions
from farlink.engine.row_adam import RowAdam
from farlink.graph.edges import with_reverses
from farlink.rsn.model import PathModel

TRIPLES = with_reverses(np.array([[0, 0, 1], [0, 0, 2], [1, 0, 2], [2, 1, 3]], dtype=np.int32), 2)
QUESTIONS = Questions.about(TRIPLES)
ENTITIES, RELATIONS = 7, 3
triple = st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1), st.integers(0, ENTITIES - 1))
some_triples = st.sets(triple, min_size=1, max_size=25).map(lambda rows: np.array(sorted(rows), dtype=np.int32))


def batch_of(triples):
    objective = KvsAllObjective.of_epoch(Questions.about(triples), 0, 0, drawn=ENTITIES)
    return objective.batch_of(torch.from_numpy(objective.examples).long())


@given(some_triples)
def test_the_sum_is_the_cross_entropy_of_every_answer_among_all_entities(triples):
    batch = batch_of(triples)
    states, vectors, bias = torch.randn(len(batch.head), 4), torch.randn(ENTITIES, 4), torch.randn(ENTITIES)
    total = batch.cross_entropy(states, vectors, bias, drawn=ENTITIES)
    scores = (states @ vectors.T + bias)[batch.question]
    torch.testing.assert_close(total, torch.nn.functional.cross_entropy(scores, batch.tail, reduction="sum"))


@given(some_triples, st.integers(1, ENTITIES - 1))
def test_entities_that_are_drawn_stand_for_those_that_are_not(triples, drawn):
    batch = batch_of(triples)
    right = torch.unique(batch.tail)
    entity, stands_for = batch._candidates(ENTITIES, drawn)
    assert torch.isin(right, entity).all()
    assert (stands_for[torch.isin(entity, right)] == 1).all()
    assert len(entity) <= drawn + len(right)
    if len(entity) > len(right):
        assert stands_for.sum() == pytest.approx(ENTITIES)


def test_a_draw_loses_nothing_where_all_wrong_answers_are_alike():
    batch = batch_of(np.array([[0, 0, 1], [0, 0, 2], [3, 1, 1]], dtype=np.int32))
    states, vectors = torch.randn(2, 4), torch.randn(1, 4).repeat(50, 1)
    vectors[1:3] = torch.randn(2, 4)
    bias = torch.full((50,), 0.3)
    torch.testing.assert_close(
        batch.cross_entropy(states, vectors, bias, drawn=7), batch.cross_entropy(states, vectors, bias, drawn=50)
    )


@given(st.integers(1, 40), st.integers(1, 30))
def test_padding_and_the_column_of_biases_change_no_score(width, entities):
    vectors, bias, states = torch.randn(entities, width), torch.randn(entities), torch.randn(3, width)
    candidates, with_ones = _with_column(vectors, bias), _with_column(states, torch.ones(3))
    assert candidates.shape[1] % WIDTH == 0
    torch.testing.assert_close(with_ones @ candidates.T, states @ vectors.T + bias, atol=1e-5, rtol=1e-4)


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

import numpy as np
import pytest
import torch

from farlink.alignment.methods.base import (
    AGAINST,
    PASSES,
    REACH,
    Translation,
    TripleObjective,
    TwoGraphs,
    corrupted,
    nearness_loss,
    one_way,
)
from farlink.rsn.joint import join
from helpers.pairs import Pair

TRIPLES = torch.tensor([[0, 1, 2], [2, 0, 0], [1, 1, 1], [0, 1, 2]])


@pytest.fixture
def graphs(pair: Pair):
    return TwoGraphs(pair.left, pair.right)


def test_the_right_graph_stands_behind_the_left_one(graphs, pair):
    left, right = len(pair.left.entities), len(pair.right.entities)
    assert (graphs.entities, graphs.first_right) == (left + right, left)
    assert graphs.relations == len(pair.left.relations) + len(pair.right.relations)
    ends = graphs.triples[len(pair.left.triples) :, ::2]
    assert ends.min() >= left
    assert graphs.shifted(np.array([[3, 4]], dtype=np.int32)).tolist() == [[3, left + 4]]


def test_an_epoch_is_several_passes_each_in_an_order_of_its_own(graphs):
    objective = TripleObjective.of_epoch(graphs.triples, 0, 3, lambda model, batch: batch.sum())
    size = len(graphs.triples)
    assert len(objective.examples) == PASSES * size
    passes = objective.examples.reshape(PASSES, size, 3)
    for one in passes:
        np.testing.assert_array_equal(np.unique(one, axis=0), np.unique(graphs.triples, axis=0))
    assert (passes[0] != passes[1]).any()
    again = TripleObjective.of_epoch(graphs.triples, 0, 3, lambda model, batch: batch.sum())
    np.testing.assert_array_equal(objective.examples, again.examples)


def test_a_corrupted_triple_has_one_end_exchanged_at_the_most():
    torch.manual_seed(0)
    wrong = corrupted(TRIPLES, 3, 50)
    assert len(wrong) == 200
    changed = wrong != TRIPLES.repeat(50, 1)
    assert not changed[:, 1].any()
    assert (changed.sum(1) <= 1).all()
    assert changed[:, 0].any()
    assert changed[:, 2].any()


def test_the_distance_and_its_gradient_are_those_of_the_formula():
    torch.manual_seed(0)
    model = Translation(3, 2, 10)
    upstream = torch.randn(len(TRIPLES))
    upstream[1] = 0  # a triple that is good enough changes nothing
    (torch.cat(model.distances(TRIPLES[:1], TRIPLES[1:])) * upstream).sum().backward()
    found = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    entity = torch.nn.functional.normalize(model.entity, dim=1)
    head, relation, tail = TRIPLES.T
    expected = (entity[head] + model.relation[relation] - entity[tail]).square().sum(1)
    torch.testing.assert_close(torch.cat(model.distances(TRIPLES[:1], TRIPLES[1:])), expected)
    (expected * upstream).sum().backward()
    for gradient, parameter in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(gradient, parameter.grad)


def test_vectors_have_length_one_and_pairs_their_distance():
    model = Translation(3, 2, 10)
    torch.testing.assert_close(model.vectors().norm(dim=1), torch.ones(3))
    pairs = torch.tensor([[0, 1], [2, 2]])
    between = (model.vectors()[0] - model.vectors()[1]).norm() ** 2
    torch.testing.assert_close(model.apart(pairs), torch.stack([between, torch.tensor(0.0)]))


def test_right_triples_are_drawn_together_and_wrong_ones_apart_up_to_a_reach():
    right, wrong = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 9.0])
    assert nearness_loss(right, wrong) == pytest.approx(1.5 - AGAINST * (1.0 + REACH) / 2)


def test_the_ends_of_a_seed_stand_in_for_each_other_one_way(graphs):
    left, right = 0, 5
    joint = join(graphs.left, graphs.right, np.array([[left, right]], dtype=np.int32))
    own, found = ({tuple(row) for row in triples.tolist()} for triples in (graphs.triples, one_way(joint, graphs)))
    twin = {left: right + graphs.first_right, right + graphs.first_right: left}
    swapped = {(twin.get(s, s), r, o) for s, r, o in own} | {(s, r, twin.get(o, o)) for s, r, o in own}
    assert own < found
    assert swapped <= found
    assert all(r < graphs.relations for _, r, _ in found)

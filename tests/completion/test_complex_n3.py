import numpy as np
import torch

from farlink.completion.complex_n3 import Factors
from farlink.completion.objectives import ComplExKvsAll
from farlink.completion.questions import Questions

TRIPLES = np.array([[0, 0, 1], [0, 0, 2], [1, 1, 3], [3, 0, 0]], dtype=np.int32)


def model():
    torch.manual_seed(0)
    return Factors(5, 2, 3)


def complex_rows(rows):
    real, imaginary = rows.detach().chunk(2, dim=1)
    return torch.complex(real, imaginary)


def test_scores_are_those_of_the_complex_product():
    factors = model()
    entity, relation = complex_rows(factors.entity), complex_rows(factors.relation)
    scores = factors(torch.tensor([0, 3]), torch.tensor([1, 0])) @ factors.entity.T
    expected = [(entity[h] * relation[r] * entity.conj()).sum(1).real for h, r in ((0, 1), (3, 0))]
    torch.testing.assert_close(scores, torch.stack(expected))


def test_the_size_is_the_sum_of_the_cubes():
    factors = model()
    torch.testing.assert_close(
        factors.size(factors.entity), complex_rows(factors.entity).abs().pow(3).sum(1), atol=1e-5, rtol=1e-4
    )


def test_the_loss_is_the_mean_over_triples():
    factors, questions = model(), Questions.about(TRIPLES)
    objective = ComplExKvsAll.of_epoch(questions, decay=0.1, drawn=5, seed=0, epoch=0)
    loss = objective.loss(factors, torch.from_numpy(objective.examples).long())
    head, relation, tail = torch.from_numpy(TRIPLES).long().T
    scores = factors(head, relation) @ factors.entity.T
    weight = sum(
        factors.size(table[ids])
        for table, ids in ((factors.entity, head), (factors.relation, relation), (factors.entity, tail))
    )
    expected = torch.nn.functional.cross_entropy(scores, tail) + 0.1 * weight.mean()
    torch.testing.assert_close(loss, expected)


def test_gradients_are_those_of_the_plain_formula():
    one, two = model(), model()
    objective = ComplExKvsAll.of_epoch(Questions.about(TRIPLES), decay=0.0, drawn=5, seed=0, epoch=0)
    objective.loss(one, torch.from_numpy(objective.examples).long()).backward()
    head, relation, tail = torch.from_numpy(TRIPLES).long().T
    torch.nn.functional.cross_entropy(two(head, relation) @ two.entity.T, tail).backward()
    torch.testing.assert_close(one.entity.grad.to_dense(), two.entity.grad.to_dense())
    torch.testing.assert_close(one.relation.grad, two.relation.grad)


def test_every_epoch_asks_all_questions_in_an_order_of_its_own():
    questions = Questions.about(TRIPLES)
    epochs = [ComplExKvsAll.of_epoch(questions, 0, epoch, drawn=5, decay=0.1) for epoch in range(8)]
    orders = [objective.examples[:, 0].tolist() for objective in epochs]
    assert all(sorted(order) == list(range(len(questions))) for order in orders)
    assert len({tuple(order) for order in orders}) > 1

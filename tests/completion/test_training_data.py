import numpy as np
import pytest
import torch

from farlink.completion.task import open_task
from farlink.completion.training_data import VALIDATED, TrainingData
from farlink.progress import Silent
from farlink.settings import make_completion_settings
from helpers.rings import graph, parts


def opened(graph, valid=None, test=None):
    return open_task(graph, valid=valid, test=test, settings=make_completion_settings(), reporter=Silent())


@pytest.fixture(scope="module")
def task():
    return opened(*parts())


def test_questions_are_asked_both_ways(task):
    data = TrainingData(task, seed=0)
    assert set(data.questions.relation.tolist()) == set(range(6))  # three relations and their reverses
    assert len(data.questions.answer) == 2 * len(task.graph.triples)


def test_no_more_validation_triples_are_looked_at_than_it_takes():
    many = graph(*((f"e{place}", "r", f"e{place + 1}") for place in range(2 * VALIDATED)))
    train = graph(("e0", "r", "e2"))
    data = TrainingData(opened(train, many), seed=0)
    assert len(data.valid) == VALIDATED


def test_a_scorer_is_measured_by_how_it_ranks_the_validation_triples(task):
    data = TrainingData(task, seed=0)
    answers = {(head, relation): tail for head, relation, tail in task.valid.tolist()}
    answers |= {(tail, relation + data.relations): head for head, relation, tail in task.valid.tolist()}

    def knowing(head, relation):
        scores = torch.zeros(len(head), data.entities)
        right = [answers[question] for question in zip(head.tolist(), relation.tolist(), strict=True)]
        scores[np.arange(len(head)), right] = 1
        return scores

    assert data.mrr({"knowing": knowing}) == 1
    assert data.mrr({"alike": lambda head, relation: torch.zeros(len(head), data.entities)}) < 0.1


def test_without_validation_triples_nothing_is_measured():
    task = opened(graph(("a", "r", "b")))
    assert TrainingData(task, seed=0).mrr({}) is None

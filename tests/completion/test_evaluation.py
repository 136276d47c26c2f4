import numpy as np
import polars as pl
import torch

from farlink.completion.ensemble import Ensemble, seen
from farlink.completion.evaluation import by_class, calibrated, mapping_classes, relation_table
from farlink.completion.questions import Questions
from farlink.graph.edges import with_reverses
from farlink.measures.ranks import Ranks


def test_mapping_classes_are_told_from_the_mean_number_of_ends():
    rows = [(0, 0, 1), (2, 0, 3)]  # 1-1
    rows += [(0, 1, 1), (0, 1, 2), (3, 1, 4), (3, 1, 5)]  # 1-N
    rows += [(1, 2, 0), (2, 2, 0), (4, 2, 3), (5, 2, 3)]  # N-1
    rows += [(h, 3, t) for h in (0, 1) for t in (2, 3)]  # N-N
    assert mapping_classes(np.array(rows, np.int32), 4).tolist() == ["1-1", "1-N", "N-1", "N-N"]


def test_probabilities_are_learned_from_new_answers_to_validation_questions():
    size = 30
    train = np.array([[i, 0, (i + 1) % size] for i in range(15)], np.int32)
    valid = np.array([[i, 0, (i + 1) % size] for i in range(15, size)], np.int32)

    class Oracle(Ensemble):
        def __call__(self, head, relation):
            step = torch.where(relation == 0, 1, -1)
            return 10.0 * torch.nn.functional.one_hot((head + step) % size, size)

    oracle = Oracle({}, {}, *seen(train, size, 1))
    figures = calibrated(oracle, valid, Questions.about(with_reverses(train, 1)), 1)
    assert figures["gap"] < 0.05
    assert sum(figures["pairs"]) == 30 * 10
    assert max(figures["right"]) > 0.9


def ranks_of(*ranks):
    places = np.array(ranks)
    return Ranks(places, places)


def test_figures_by_class_and_side():
    ranks = {"tail": ranks_of(1, 2, 4), "head": ranks_of(1, 1, 10)}
    figures = by_class(ranks, np.array(["1-1", "N-N", "N-N"]))
    assert figures["1-1"]["tail"]["mrr"] == 1
    assert figures["N-N"]["tail"]["mrr"] == 0.375
    assert figures["N-N"]["head"]["queries"] == 2


def test_figures_by_relation_with_most_triples_first():
    ranks = {"tail": ranks_of(1, 2, 4), "head": ranks_of(1, 1, 20)}
    names, classes = pl.Series(["few", "many"]), np.array(["1-1", "N-N"])
    table = relation_table(ranks, np.array([0, 1, 1], np.int32), names, classes)
    assert table["relation"].to_list() == ["many", "few"]
    assert table.row(0, named=True) == {
        "relation": "many", "class": "N-N", "triples": 2,
        "mrr_tail": 0.375, "mrr_head": 0.525, "mrr": 0.45, "hits@10": 0.75,
    }  # fmt: skip

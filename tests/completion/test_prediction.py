import numpy as np
import pytest
import torch

from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import Ensemble, scorers, seen
from farlink.completion.prediction import FactSearch, predictions, relation_chances
from farlink.completion.questions import Questions
from farlink.graph.edges import with_reverses
from farlink.rsn.model import PathModel

TRIPLES = np.array([[0, 0, 1], [1, 0, 2], [2, 1, 0]], dtype=np.int32)
ENTITIES, RELATIONS = 5, 2  # entities 3 and 4 have no triple
KNOWN = Questions.about(with_reverses(TRIPLES, RELATIONS))


@pytest.fixture
def network():
    torch.manual_seed(0)
    return PathModel(ENTITIES, 2 * RELATIONS, width=8, layers=1, cell="gru").eval()


@pytest.fixture
def ensemble(network):
    models = scorers(network, Factors(ENTITIES, 2 * RELATIONS, 4), None)
    return Ensemble(models, {"paths": 1.0, "factors": 2.0}, *seen(TRIPLES, ENTITIES, RELATIONS))


def test_the_chances_of_relations_are_those_after_the_first_entity(network):
    state = network(torch.tensor([[2, 1, 0]])).for_relations[0]
    expected = (state @ network.relation_out.weight.T + network.relation_bias).softmax(1)
    torch.testing.assert_close(relation_chances(network, torch.tensor([2])), expected)


def test_predictions_leave_out_what_is_known_or_mark_it(ensemble):
    head, relation = np.array([0, 1], np.int32), np.array([0, 0], np.int32)
    new = predictions(ensemble, head, relation, KNOWN, 5, keep_known=False)
    assert not new.known[np.isfinite(new.score)].any()
    assert np.isneginf(new.score[:, -1]).all()  # the known answer, with nothing left to say
    all_of_them = predictions(ensemble, head, relation, KNOWN, 5, keep_known=True)
    assert all_of_them.known.sum(axis=1).tolist() == [1, 1]
    assert (np.diff(all_of_them.score, axis=1) <= 0).all()
    np.testing.assert_allclose(np.exp(all_of_them.score).sum(axis=1), 1, rtol=1e-5)


def test_facts_of_the_whole_graph_are_the_likeliest_that_are_not_known(ensemble, network):
    search = FactSearch(ensemble, network, KNOWN, RELATIONS, lambda features: features[:, 0])  # as likely as they score
    found = search.best(100, lambda done, total: None)
    scores = {}
    for head in range(3):  # so few entities and relations are all asked about
        for relation in range(2 * RELATIONS):
            answers = ensemble(torch.tensor([head]), torch.tensor([relation])).log_softmax(1)[0]
            for tail in range(3):
                forward = relation < RELATIONS
                fact = (head, relation, tail) if forward else (tail, relation - RELATIONS, head)
                scores[fact] = max(scores.get(fact, -np.inf), float(answers[tail]))
    expected = {fact: score for fact, score in scores.items() if list(fact) not in TRIPLES.tolist()}
    within = {row[:3]: row[3] for row in found.rows() if max(row[0], row[2]) < 3}
    assert within == pytest.approx(expected, abs=1e-5)
    assert found["score"].is_sorted(descending=True)

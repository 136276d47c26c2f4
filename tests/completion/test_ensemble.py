from dataclasses import replace

import numpy as np
import pytest
import torch

from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import Ensemble, path_scores, ranks_of, scorers, seen, state, with_best_weights
from farlink.completion.questions import Questions
from farlink.completion.ranking import both_sides
from farlink.completion.rules import learn_rules
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
    rules = learn_rules(with_reverses(TRIPLES, RELATIONS), ENTITIES, 2 * RELATIONS, 10, seed=0)
    scores = scorers(network, Factors(ENTITIES, 2 * RELATIONS, 4), rules)
    return Ensemble(scores, {"paths": 1.0, "factors": 2.0, "rules": 0.5}, *seen(TRIPLES, ENTITIES, RELATIONS))


def test_a_question_is_read_as_a_path_of_two(network):
    whole = network(torch.tensor([[1, 3, 0]]))  # the last element is not read
    expected = whole.for_entities[0] @ network.entity_out.weight.T + network.entity_bias
    torch.testing.assert_close(path_scores(network, torch.tensor([1]), torch.tensor([3])), expected)


def test_the_scores_are_the_weighed_mean_of_the_scorers(ensemble):
    head, relation = torch.tensor([0, 2]), torch.tensor([0, 1])
    paths, factors, rules = (ensemble.alone(name)(head, relation) for name in ("paths", "factors", "rules"))
    known = ensemble.seen_entities
    expected = (paths + 2 * factors + 0.5 * rules)[:, known] / 3.5
    torch.testing.assert_close(ensemble(head, relation)[:, known], expected)


def test_every_scorer_gives_a_distribution(ensemble):
    for scorer in ensemble.scorers.values():
        chances = scorer(torch.tensor([0, 2]), torch.tensor([0, 1])).exp().sum(1)
        torch.testing.assert_close(chances, torch.ones(2))


def test_only_models_that_are_there_are_scorers(network):
    assert set(scorers(network, None, None)) == {"paths"}


def test_what_was_never_seen_comes_last_and_all_alike(ensemble):
    scores = ensemble(torch.tensor([0]), torch.tensor([0]))[0]
    assert scores[3] == scores[4] < scores[:3].min()


def test_a_question_about_something_never_seen_has_no_best_answer(ensemble):
    assert (ensemble(torch.tensor([3]), torch.tensor([0])) == 0).all()


def test_several_ensembles_let_each_scorer_answer_once(ensemble):
    calls = []

    def counted(name, scorer):
        return lambda head, relation: calls.append(name) or scorer(head, relation)

    watched = replace(ensemble, scorers={name: counted(name, scorer) for name, scorer in ensemble.scorers.items()})
    several = [watched, watched.alone("paths"), watched.alone("rules")]
    together = ranks_of(several, TRIPLES, KNOWN, RELATIONS)
    assert sorted(calls) == ["factors", "paths", "rules"]
    for one, sides in zip(several, together, strict=True):
        expected = both_sides(one, TRIPLES, KNOWN, RELATIONS)
        assert {side: ranks.summary() for side, ranks in sides.items()} == {
            side: ranks.summary() for side, ranks in expected.items()
        }


def scoring(right, height):
    """A scorer that gives the right answers, or any others, some score."""

    def scorer(head, relation):
        first, answers = KNOWN.known_answers(head.numpy(), relation.numpy())
        scores = torch.zeros(len(head), ENTITIES)
        rows = torch.from_numpy(np.repeat(np.arange(len(head)), np.diff(first)))
        scores[rows, torch.from_numpy(answers).long()] = height if right else -height
        return scores.log_softmax(1)

    return scorer


def test_the_scorer_that_is_best_alone_leads_and_the_others_help_or_weigh_nothing(ensemble):
    scores = {"wrong": scoring(False, 1.0), "right": scoring(True, 0.4), "worse": scoring(False, 2.0)}
    mixed = Ensemble(scores, {}, ensemble.seen_entities, ensemble.seen_relations)
    weights = with_best_weights(mixed, list(scores), TRIPLES, KNOWN, RELATIONS).weights
    assert weights == {"wrong": 0.0, "right": 1.0, "worse": 0.0}


def test_scorers_that_know_different_things_all_weigh_something(ensemble):
    """One knows the answers of the reverse relations only, the other those of the relations."""
    right = scoring(True, 3.0)

    def knowing(reverse):
        def scorer(head, relation):
            known = (relation >= RELATIONS) == reverse
            return torch.where(known[:, None], right(head, relation), 0.0).log_softmax(1)

        return scorer

    scores = {"forward": knowing(False), "backward": knowing(True)}
    mixed = Ensemble(scores, {}, ensemble.seen_entities, ensemble.seen_relations)
    weights = with_best_weights(mixed, list(scores), TRIPLES, KNOWN, RELATIONS).weights
    assert min(weights.values()) > 0


def test_one_scorer_needs_no_weight_and_no_validation_triples_leave_all_alike(ensemble):
    assert with_best_weights(ensemble, ["rules"], TRIPLES, KNOWN, RELATIONS).weights == {"rules": 1.0}
    names = ["paths", "factors"]
    assert with_best_weights(ensemble, names, TRIPLES[:0], KNOWN, RELATIONS).weights == dict.fromkeys(names, 1.0)


def test_weights_are_kept_under_the_names_of_their_models(network):
    names = state({"paths": network, "factors": Factors(3, 2, 4), "rules": None})
    assert {"factors/entity", "paths/entity_bias"} <= set(names)
    assert state({"paths": None}) == {}


def test_seen_is_what_the_triples_name():
    triples = np.array([[0, 0, 1], [1, 0, 2]], dtype=np.int32)
    entities, relations = seen(triples, 5, 2)
    assert entities.tolist() == [True, True, True, False, False]
    assert relations.tolist() == [True, False, True, False]  # with the reverses behind

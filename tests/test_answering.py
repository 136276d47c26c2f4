import numpy as np
import pytest
import torch

from farlink.answering import Answerer, best_weight, guesses, path_scores, relation_chances, seen, state
from farlink.factors import Factors
from farlink.joint import with_reverses
from farlink.model import PathModel
from farlink.questions import Questions

TRIPLES = np.array([[0, 0, 1], [1, 0, 2], [2, 1, 0]], dtype=np.int32)
ENTITIES, RELATIONS = 5, 2  # entities 3 and 4 have no triple
KNOWN = Questions.about(with_reverses(TRIPLES, RELATIONS))


@pytest.fixture
def answerer():
    torch.manual_seed(0)
    paths = PathModel(ENTITIES, 2 * RELATIONS, width=8, layers=1, cell="gru").eval()
    return Answerer(paths, Factors(ENTITIES, 2 * RELATIONS, 4), 2.0, *seen(TRIPLES, ENTITIES, RELATIONS))


def test_a_question_is_read_as_a_path_of_two(answerer):
    model = answerer.paths
    whole = model(torch.tensor([[1, 3, 0]]))  # the last element is not read
    expected = whole.for_entities[0] @ model.entity_out.weight.T + model.entity_bias
    torch.testing.assert_close(path_scores(model, torch.tensor([1]), torch.tensor([3])), expected)


def test_the_chances_of_relations_are_those_after_the_first_entity(answerer):
    model = answerer.paths
    state = model(torch.tensor([[2, 1, 0]])).for_relations[0]
    expected = (state @ model.relation_out.weight.T + model.relation_bias).softmax(1)
    torch.testing.assert_close(relation_chances(model, torch.tensor([2])), expected)


def test_the_word_of_the_tensor_model_is_weighed(answerer):
    head, relation = torch.tensor([0, 2]), torch.tensor([0, 1])
    paths, factors = (answerer.alone(part)(head, relation) for part in ("paths", "factors"))
    known = answerer.seen_entities
    torch.testing.assert_close(answerer(head, relation)[:, known], (paths + 2 * factors)[:, known] / 3)


def test_what_was_never_seen_comes_last_and_all_alike(answerer):
    scores = answerer(torch.tensor([0]), torch.tensor([0]))[0]
    assert scores[3] == scores[4] < scores[:3].min()


def test_a_question_about_something_never_seen_has_no_best_answer(answerer):
    assert (answerer(torch.tensor([3]), torch.tensor([0])) == 0).all()


def test_seen_is_what_the_triples_name():
    entities, relations = seen(TRIPLES[:2], ENTITIES, RELATIONS)
    assert entities.tolist() == [True, True, True, False, False]
    assert relations.tolist() == [True, False, True, False]  # with the reverses behind


def test_the_best_weight_is_the_one_that_ranks_validation_triples_best(answerer):
    class Right(Answerer):
        """Knows the answers if the tensor model counts half."""

        def __call__(self, head, relation):
            scores = torch.zeros(len(head), ENTITIES)
            if self.weight == 0.5:
                first, answers = KNOWN.known_answers(head.numpy(), relation.numpy())
                scores[np.repeat(np.arange(len(head)), np.diff(first)), answers] = 1.0
            return scores

    right = Right(answerer.paths, answerer.factors, 1.0, answerer.seen_entities, answerer.seen_relations)
    assert best_weight(right, TRIPLES, KNOWN, RELATIONS) == 0.5


def test_a_model_alone_needs_no_weight(answerer):
    assert best_weight(answerer.alone("paths"), TRIPLES, KNOWN, RELATIONS) == 0
    assert best_weight(answerer.alone("factors"), TRIPLES, KNOWN, RELATIONS) == 1


def test_guesses_leave_out_what_is_known_or_mark_it(answerer):
    head, relation = np.array([0, 1], np.int32), np.array([0, 0], np.int32)
    new = guesses(answerer, head, relation, KNOWN, 5, keep_known=False)
    assert not new.known[np.isfinite(new.score)].any()
    assert np.isneginf(new.score[:, -1]).all()  # the known answer, with nothing left to say
    all_of_them = guesses(answerer, head, relation, KNOWN, 5, keep_known=True)
    assert all_of_them.known.sum(axis=1).tolist() == [1, 1]
    assert (np.diff(all_of_them.score, axis=1) <= 0).all()
    np.testing.assert_allclose(np.exp(all_of_them.score).sum(axis=1), 1, rtol=1e-5)


def test_weights_are_kept_under_the_names_of_their_parts(answerer):
    names = state({"paths": answerer.paths, "factors": answerer.factors})
    assert {"factors/entity", "paths/entity_bias"} <= set(names)
    assert state({"paths": None}) == {}

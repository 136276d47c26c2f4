from types import SimpleNamespace

import pytest
import torch

from farlink.experiments.baselines import ASKED, BASELINES, Scorer, train_baseline

pykeen = pytest.importorskip("pykeen.datasets.nations", reason="PyKEEN, of the extra 'baselines', is not installed")


@pytest.fixture
def nations():
    """A small data set that comes with PyKEEN."""
    return pykeen.NATIONS_TRAIN_PATH.parent


@pytest.mark.parametrize("name", BASELINES)
def test_every_model_learns_and_is_measured(nations, name):
    trained = train_baseline(nations, name, seed=0, seconds=0)
    assert trained["epochs"] == 1
    test = trained["metrics"]["test"]
    assert test["tail"]["queries"] == test["head"]["queries"] == 201
    assert 0 < test["both"]["mrr"] < 1


def test_more_time_is_more_epochs_and_less_loss(nations):
    short, longer = (train_baseline(nations, "DistMult", seed=0, seconds=seconds) for seconds in (0, 4))
    assert longer["epochs"] > short["epochs"]
    assert longer["loss"] < short["loss"]


class Countable(SimpleNamespace):
    """A model that scores by arithmetic, and remembers how much it was asked at once."""

    def eval(self):
        return self

    def predict_t(self, pairs):
        return self._scores(pairs[:, 0], pairs[:, 1], 1)

    def predict_h(self, pairs):
        return self._scores(pairs[:, 1], pairs[:, 0], -1)

    def _scores(self, entity, relation, sign):
        self.most = max(self.most, len(entity))
        return sign * (100 * entity + 10 * relation)[:, None] + torch.arange(self.num_entities).float()


def test_both_sides_are_asked_for_a_few_questions_at_a_time():
    model = Countable(num_entities=3, most=0)
    head = torch.arange(5 * ASKED)
    relation = head % 4  # two relations and their reverses
    scores = Scorer(model, relations=2)(head, relation)
    tails = 100 * head + 10 * relation
    heads = -(100 * head + 10 * (relation - 2))
    assert torch.equal(scores, (torch.where(relation < 2, tails, heads)[:, None] + torch.arange(3)).float())
    assert model.most == ASKED

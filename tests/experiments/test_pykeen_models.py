import sys

import pytest
import torch

from farlink.errors import FarlinkError
from farlink.experiments.pykeen_models import BASELINES, train_baseline

pykeen = pytest.importorskip("pykeen.datasets.nations", reason="PyKEEN, of the extra 'baselines', is not installed")


@pytest.fixture
def nations():
    """A small data set that comes with PyKEEN."""
    return pykeen.NATIONS_TRAIN_PATH.parent


@pytest.mark.slow
@pytest.mark.parametrize("name", BASELINES)
def test_every_model_learns_and_is_measured(nations, name):
    trained = train_baseline(nations, name, seed=0, seconds=0)
    assert trained["epochs"] == 1
    test = trained["metrics"]["test"]
    assert test["tail"]["queries"] == test["head"]["queries"] == 201
    assert 0 < test["both"]["mrr"] < 1
    assert torch.tensor(1e-40) * 1.0 > 0  # the smallest numbers are what they were


@pytest.mark.slow
def test_more_epochs_are_less_loss(nations, monkeypatch):
    monkeypatch.setattr("farlink.experiments.pykeen_training.MOST_EPOCHS", 20)
    short, longer = (train_baseline(nations, "DistMult", seed=0, seconds=seconds) for seconds in (0, 1e6))
    assert (short["epochs"], longer["epochs"]) == (1, 20)
    assert longer["loss"] < short["loss"]


def test_without_pykeen_it_says_what_to_install(nations, monkeypatch):
    monkeypatch.delitem(sys.modules, "farlink.experiments.pykeen_training", raising=False)
    monkeypatch.setitem(sys.modules, "pykeen.models", None)
    with pytest.raises(FarlinkError, match="install farlink with the extra 'baselines'"):
        train_baseline(nations, "TransE", seed=0, seconds=0)

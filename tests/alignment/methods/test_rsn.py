import numpy as np
import pytest

from farlink.alignment.methods.base import TwoGraphs
from farlink.alignment.methods.rsn import RSN
from farlink.settings import make_settings
from helpers.pairs import TINY, Pair


@pytest.fixture(scope="module")
def pair():
    return Pair.make()


def method(pair, **changes):
    seeds = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)[:20]
    return RSN(TwoGraphs(pair.left, pair.right), seeds, make_settings(**{**TINY, **changes}))


def found(rsn, number):
    """What is found for an epoch if the last two links of the graphs were found before."""
    known = np.concatenate([rsn.seeds, np.array([[38, 38], [39, 39]], np.int32)])
    return rsn.find_links(number, known, rsn.model.eval()).tolist()


def test_without_rounds_nothing_is_found_before_training(pair):
    assert found(method(pair, rounds=0), 0) == []
    assert found(method(pair, rounds=2), 0) != []


def test_without_bootstrapping_the_links_found_before_training_stay_the_same(pair):
    assert found(method(pair, bootstrapping=False), 1) == [[38, 38], [39, 39]]
    assert found(method(pair, bootstrapping=True), 1) not in ([], [[38, 38], [39, 39]])

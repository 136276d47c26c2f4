import numpy as np
import pytest

from farlink.rsn.joint import alone, join
from farlink.rsn.objective import path_losses, walks_of
from farlink.settings import make_settings
from helpers.pairs import TINY


def paths(pair, epoch, **changes):
    settings = make_settings("paper", **{**TINY, "walks_per_triple": 0.5, **changes})
    return walks_of(join(pair.left, pair.right, np.empty((0, 2), dtype=np.int32)), settings, epoch, settings.cross_bias)


@pytest.mark.parametrize("steps", ["entities", "triples"])
def test_walks_that_are_not_drawn_anew_come_again_in_another_order(pair, steps):
    drawn = [paths(pair, epoch, walk_epochs=2, walk_steps=steps) for epoch in range(5)]
    assert not np.array_equal(*(np.sort(drawn[epoch], axis=0) for epoch in (0, 1)))
    for first, *later in ((0, 2, 4), (1, 3)):
        for epoch in later:
            assert not np.array_equal(drawn[first], drawn[epoch])
            assert sorted(drawn[first].tolist()) == sorted(drawn[epoch].tolist())
    assert not np.array_equal(drawn[2], drawn[4])


def test_the_first_walks_are_the_same_whether_they_come_again_or_not(pair):
    for epoch in (0, 1):
        assert np.array_equal(paths(pair, epoch), paths(pair, epoch, walk_epochs=2))
    assert not np.array_equal(paths(pair, 2), paths(pair, 0))


def test_a_share_of_the_relations_is_drawn_as_noise(pair):
    graph = alone(pair.left)
    _, relation_loss = path_losses(graph, make_settings("authors"))
    assert relation_loss.negatives == round(0.333 * graph.relations)

from collections import Counter

import numpy as np
import pytest
import torch
from scipy.stats import chisquare
from torch import nn

from farlink.experiments.authors_code import IdentityLSTM, authors_paths
from farlink.graph.edges import Adjacency, Edges, with_reverses
from farlink.rsn.joint import JointGraph

TRIPLES = np.unique(
    with_reverses(np.array([(0, 0, 1), (1, 0, 2), (2, 0, 0), (2, 1, 3), (3, 0, 0), (1, 1, 3), (0, 1, 1)], np.int32), 2),
    axis=0,
)
NEAR = Adjacency.of(Edges.of_triples(TRIPLES, 4, 4))
GRAPH = JointGraph(TRIPLES, 4, 2, 4, NEAR, np.array([0, 0, 1, 1], dtype=np.uint8), np.zeros(4, dtype=bool))
LINKED = np.array([True, False, True, False])
OPTIONS = {"length": 7, "walks_per_triple": 3000, "depth": 0.9, "cross": 0.8, "seed": 0, "epoch": 0}


def expected_step(first, current, begins):
    """The distribution of the next (relation, entity), as the authors' code has it."""
    known = {tuple(triple) for triple in TRIPLES.tolist()}
    weight = {}
    for _, relation, tail in (triple for triple in known if triple[0] == current):
        depth = 1 if begins else 0.1 if (first, relation, tail) in known else 0.9
        weight[relation, tail] = depth * (0.8 if LINKED[tail] else 0.2)
    total = sum(weight.values())
    return {step: value / total for step, value in weight.items()}


@pytest.mark.parametrize("at", [3, 5])
def test_steps_follow_the_biases_of_the_authors(at):
    paths = authors_paths(GRAPH, LINKED, **OPTIONS)
    seen = Counter(map(tuple, paths[:, [0, at - 1, at, at + 1]].tolist()))
    for first, current in {key[:2] for key in seen}:
        expected = expected_step(first, current, at == 3)
        counts = np.array([seen[first, current, *step] for step in expected])
        share = np.array([*expected.values()])
        assert counts.sum() == sum(count for key, count in seen.items() if key[:2] == (first, current))
        assert chisquare(counts, share * counts.sum()).pvalue > 1e-5


def test_walks_depend_on_seed_and_epoch_alone():
    few = {**OPTIONS, "walks_per_triple": 5}
    paths = authors_paths(GRAPH, LINKED, **few)
    assert np.array_equal(paths, authors_paths(GRAPH, LINKED, **few))
    assert not np.array_equal(paths, authors_paths(GRAPH, LINKED, **{**few, "epoch": 1}))


def test_an_lstm_without_tanh():
    torch.manual_seed(0)
    layer, x = nn.LSTM(3, 3), torch.randn(4, 2, 3)
    states, last = IdentityLSTM(layer)(x)
    h = c = torch.zeros(2, 3)
    for step in range(4):
        gates = x[step] @ layer.weight_ih_l0.T + layer.bias_ih_l0 + h @ layer.weight_hh_l0.T + layer.bias_hh_l0
        i, f, g, o = gates.chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g
        h = o.sigmoid() * c
        torch.testing.assert_close(states[step], h)
    torch.testing.assert_close(last, h)

import numpy as np
import pytest
import torch

from farlink.alignment.candidates import Candidates, Signal, scored_candidates, total
from farlink.alignment.evidence import Evidence
from farlink.settings import make_settings
from helpers.pairs import Pair


@pytest.fixture
def evidence():
    pair = Pair.make()
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    return Evidence(pair.left, pair.right, links[:20], make_settings())


@pytest.fixture
def vectors():
    torch.manual_seed(0)
    return torch.randn(40, 8), torch.randn(40, 8)


def test_a_score_is_the_weighted_sum_of_its_signals():
    candidates = Candidates.nearest(torch.eye(3), torch.eye(3), (np.arange(3), np.arange(3)), 2, 15)
    names = Signal("names", 3.0, lambda pairs: (pairs.left == pairs.right).astype(np.float64))
    cosine = Signal("vectors", 2.0, lambda pairs: pairs.cosine)
    same = candidates.left == candidates.right
    assert total([cosine, names], candidates).tolist() == np.where(same, 5.0, 0.0).tolist()


def test_by_vectors_alone_pairs_compete_with_their_cosine(evidence, vectors):
    settings = make_settings(temperature=0.2, evidence=0.0)
    candidates = scored_candidates(*vectors, evidence, settings)
    one, other = vectors[0][candidates.left], vectors[1][candidates.right]
    expected = torch.cosine_similarity(one, other).numpy() / 0.2
    np.testing.assert_allclose(candidates.logit, expected, atol=1e-5)


def test_agreeing_triples_are_added_with_their_weight_to_what_the_vectors_say(evidence, vectors):
    settings = make_settings(temperature=0.2, evidence=0.25)
    candidates = scored_candidates(*vectors, evidence, settings)
    before = candidates.balanced(candidates.cosine / 0.2)
    for _ in range(2):
        before = before.balanced(before.cosine / 0.2 + 0.25 * evidence.of(before))
    np.testing.assert_allclose(candidates.logit, before.cosine / 0.2 + 0.25 * evidence.of(before), rtol=1e-5)


def test_without_a_temperature_the_score_is_the_cosine(evidence, vectors):
    candidates = scored_candidates(*vectors, evidence, make_settings(temperature=0.0))
    np.testing.assert_array_equal(candidates.score, candidates.cosine.clip(0, 1))


def test_seeds_are_no_candidates(evidence, vectors):
    candidates = scored_candidates(*vectors, evidence, make_settings())
    assert not np.isin(candidates.left, evidence.seeds[:, 0]).any()
    assert not np.isin(candidates.right, evidence.seeds[:, 1]).any()


def test_features_of_a_probability_go_by_name(evidence, vectors):
    candidates = scored_candidates(*vectors, evidence, make_settings())
    features = candidates.features()
    score = candidates.score.clip(1e-4, 1 - 1e-4)
    np.testing.assert_allclose(features["score"], np.log(score / (1 - score)))
    assert features["cosine"] is candidates.cosine

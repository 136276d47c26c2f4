from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch

from farlink.alignment.candidates import Candidates, PairScorer, Signal, scored_candidates, total
from farlink.alignment.evidence import Evidence
from farlink.alignment.sinkhorn import transported
from farlink.graph.knowledge_graph import KnowledgeGraph
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


def listed(*rows, shape=(5, 5), **columns):
    """Candidates (left, right, score)."""
    left, right, score = (np.array(column) for column in zip(*rows, strict=True))
    logit = np.log(score).astype(np.float32)
    return Candidates(left, right, logit, logit, score, shape, 15, **columns)


def pairs_in(candidates):
    return list(zip(candidates.left.tolist(), candidates.right.tolist(), strict=True))


ROWS = [(0, 0, 0.9), (0, 1, 0.3), (1, 1, 0.6), (2, 2, 0.4), (2, 3, 0.4)]


def test_some_of_the_pairs_keep_all_that_is_known_of_them():
    alike = np.arange(5, dtype=np.float32)
    candidates = listed(*ROWS, alike=alike, parts={"names": alike + 1}, chance=alike + 2)
    some = candidates.only(np.array([True, False, False, True, False]))
    assert pairs_in(some) == [(0, 0), (2, 2)]
    assert some.score.tolist() == [0.9, 0.4]
    assert some.alike.tolist() == [0, 3]
    assert some.parts["names"].tolist() == [1, 4]
    assert some.chance.tolist() == [2, 5]
    assert some.shape == candidates.shape
    plain = listed(*ROWS).only(np.ones(5, dtype=bool))
    assert plain.alike is plain.parts is plain.chance is None


def test_pairs_can_be_left_out():
    candidates = listed(*ROWS)
    assert pairs_in(candidates.without(np.array([[2, 2], [0, 1], [4, 4]], dtype=np.int32))) == [(0, 0), (1, 1), (2, 3)]
    assert candidates.without(np.empty((0, 2), dtype=np.int32)) is candidates


@pytest.mark.parametrize(
    ("confidence", "expected"), [(0.0, [[0, 0], [1, 1]]), (0.6, [[0, 0]]), (0.7, [[0, 0]]), (0.9, [])]
)
def test_confident_pairs_are_each_others_best_above_a_score_and_undecided_by_none(confidence, expected):
    assert listed(*ROWS).confident(confidence).tolist() == expected


def test_what_is_learned_is_learned_from_each_others_best():
    candidates = listed((0, 0, 0.9), (0, 1, 0.1), (1, 1, 0.6), (2, 1, 0.3))
    assert candidates.of_the_best().score.tolist() == [0.9, 0.0, 0.6, 0.0]
    assert candidates.score.tolist() == [0.9, 0.1, 0.6, 0.3]


def test_neighbours_count_by_their_chance_once_it_is_known():
    candidates = listed((0, 0, 0.9), (1, 1, 0.6))
    assert candidates.by_chance() is candidates
    assert replace(candidates, chance=np.array([0.7, 0.2])).by_chance().score.tolist() == [0.7, 0.2]


def test_where_names_are_read_the_smaller_side_gives_all_it_has():
    rows = [(0, right, 0.2) for right in range(4)]
    named = listed(*rows, shape=(1, 4), alike=np.zeros(4, np.float32))
    logit = np.array([2.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        named.competing(logit).score, transported(named.left, named.right, logit, (1, 4), 15), rtol=1e-6
    )
    plain = listed(*rows, shape=(1, 4)).competing(logit)
    np.testing.assert_array_equal(plain.score, plain.balanced(logit).score)
    assert named.competing(logit).alike is named.alike


def test_chances_are_those_of_pairs_that_have_a_counterpart_at_all():
    candidates = replace(listed(*ROWS), logit=np.array([12.0, -5.0, 12.0, -9.0, -9.0], np.float32), rounds=100)
    chance = candidates.with_chances().chance
    assert chance[[0, 2]].min() > 0.9
    assert chance[[1, 3, 4]].max() < 0.01


WORDS = [
    f"{first} {last}"
    for first in ("Anna", "Boris", "Clara", "David", "Elena")
    for last in ("Ito", "Kahn", "Lee", "Mora")
]


@pytest.fixture(scope="module")
def named():
    """Twenty people twice, in a ring each, and the links between them."""

    def graph(prefix):
        heads = [f"{prefix}:{i}" for i in range(20)]
        triples = pl.DataFrame({"h": heads, "r": ["knows"] * 20, "t": heads[1:] + heads[:1]})
        literals = pl.DataFrame({"head": heads, "relation": [f"{prefix}/name"] * 20, "value": WORDS})
        return KnowledgeGraph.from_frame(triples, literals=literals)

    left, right = graph("a"), graph("b")
    links = [
        graph.ids(pl.Series([f"{prefix}:{i}" for i in range(20)])) for graph, prefix in ((left, "a"), (right, "b"))
    ]
    return left, right, np.stack(links, axis=1)


def test_with_names_alone_those_who_are_called_alike_are_found(named):
    left, right, links = named
    scorer = PairScorer(left, right, links[:0], make_settings())
    assert not scorer.by_structure_alone
    found = scorer.scored(None, links[:0])
    assert set(map(tuple, found.confident(0.5).tolist())) == set(map(tuple, links.tolist()))
    assert found.chance is not None
    assert set(found.parts) == {"names", "triples"}
    np.testing.assert_allclose(sum(found.parts.values()), found.logit, atol=1e-4)


def test_seeds_are_never_listed_where_names_are_read(named):
    left, right, links = named
    found = PairScorer(left, right, links[:5], make_settings()).scored(None, links[:5])
    assert not np.isin(found.left, links[:5, 0]).any()
    assert not np.isin(found.right, links[:5, 1]).any()
    assert len(found.confident(0.5)) == 15


@pytest.mark.parametrize("signals", ["all", "structure"])
def test_rejected_pairs_are_never_listed(named, signals):
    left, right, links = named
    scorer = PairScorer(left, right, links[:5], make_settings(signals=signals), links[5:9])
    torch.manual_seed(0)
    vectors = torch.randn(20, 8)
    places = torch.empty(20, dtype=torch.long)
    places[torch.from_numpy(links[:, 1]).long()] = torch.from_numpy(links[:, 0]).long()
    found = scorer.scored((vectors, vectors[places]), links[:5])
    assert set(pairs_in(found)) & set(map(tuple, links[9:].tolist()))
    assert not set(pairs_in(found)) & set(map(tuple, links[5:9].tolist()))
    assert not set(pairs_in(scorer.scored((vectors, vectors[places]), links))) & set(map(tuple, links[5:9].tolist()))


def test_structure_is_alone_where_nothing_else_is_read_or_there(named, evidence):
    left, right, links = named
    assert PairScorer(left, right, links, make_settings(signals="structure")).by_structure_alone
    assert PairScorer(left, right, links, make_settings(signals="values")).by_structure_alone
    assert not PairScorer(left, right, links, make_settings(signals="names")).by_structure_alone
    pair = Pair.make()  # names of single letters before many digits are codes
    bare = [
        KnowledgeGraph.from_frame(graph.with_columns(pl.col("head", "tail") + "000"))
        for graph in (pair.left_frame, pair.right_frame)
    ]
    assert PairScorer(*bare, evidence.seeds, make_settings()).by_structure_alone


def test_by_structure_alone_the_scores_are_those_of_vectors_and_triples(named, vectors):
    left, right, links = named
    settings = make_settings(signals="structure")
    some = vectors[0][:20], vectors[1][:20]
    found = PairScorer(left, right, links[:5], settings).scored(some, links[:5])
    expected = scored_candidates(*some, Evidence(left, right, links[:5], settings), settings)
    assert pairs_in(found) == pairs_in(expected)
    np.testing.assert_array_equal(found.score, expected.score)

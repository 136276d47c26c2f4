import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from farlink.completion.questions import Questions
from farlink.completion.ranking import CHUNK, both_sides, filtered_ranks, ranks_by_each
from farlink.graph.edges import with_reverses

ENTITIES, RELATIONS = 7, 3
triple = st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1), st.integers(0, ENTITIES - 1))
some_triples = st.sets(triple, min_size=1, max_size=25).map(lambda rows: np.array(sorted(rows), dtype=np.int32))


def table_score(table):
    return lambda head, relation: torch.from_numpy(table)[head, relation]


@given(some_triples, some_triples, st.integers(0, 2**31))
def test_filtered_ranks_are_those_of_brute_force(triples, others, seed):
    # few different scores, so that many are equal
    table = np.random.default_rng(seed).integers(0, 4, (ENTITIES, RELATIONS, ENTITIES)).astype(np.float32)
    known = np.unique(np.concatenate([triples, others]), axis=0)
    ranks = filtered_ranks(table_score(table), triples, Questions.about(known))
    for i, (head, relation, tail) in enumerate(triples.tolist()):
        answers = {t for h, r, t in known.tolist() if (h, r) == (head, relation)}
        rivals = [table[head, relation, e] for e in range(ENTITIES) if e not in answers]
        own = table[head, relation, tail]
        assert ranks.optimistic[i] == 1 + sum(rival > own for rival in rivals)
        assert ranks.pessimistic[i] == 1 + sum(rival >= own for rival in rivals)


def test_ranks_are_those_of_pykeens_evaluator():
    # PyKEEN takes scores with NaN where another known answer stands, and gives realistic ranks
    evaluation = pytest.importorskip("pykeen.evaluation", reason="PyKEEN, of the extra 'baselines', is not installed")
    rng = np.random.default_rng(1)
    known = np.unique(rng.integers(0, [30, 4, 30], (300, 3)), axis=0).astype(np.int32)
    triples = rng.permutation(known)[:80]
    table = rng.integers(0, 12, (30, 4, 30)).astype(np.float32)
    ours = filtered_ranks(table_score(table), triples, Questions.about(known)).summary()
    scores = table[triples[:, 0], triples[:, 1]].copy()
    for row, (head, relation, tail) in enumerate(triples.tolist()):
        others = known[(known[:, 0] == head) & (known[:, 1] == relation) & (known[:, 2] != tail), 2]
        scores[row, others] = np.nan
    evaluator = evaluation.RankBasedEvaluator()
    evaluator.process_scores_(
        hrt_batch=torch.from_numpy(triples).long(),
        target="tail",
        scores=torch.from_numpy(scores),
        true_scores=torch.from_numpy(scores[np.arange(len(triples)), triples[:, 2]])[:, None],
    )
    theirs = evaluator.finalize()
    for mine, name in (("mrr", "inverse_harmonic_mean_rank"), ("mr", "arithmetic_mean_rank")):
        assert ours[mine] == pytest.approx(theirs.get_metric(f"tail.realistic.{name}"))
    for k in (1, 3, 10):
        assert ours[f"hits@{k}"] == pytest.approx(theirs.get_metric(f"tail.realistic.hits_at_{k}"))


def test_both_sides_ask_for_tails_and_for_heads():
    triples = np.array([[0, 0, 1]], dtype=np.int32)
    table = np.zeros((3, 2, 3), dtype=np.float32)
    table[0, 0] = [2, 1, 0]  # tails of (0, r, ?): the right one, 1, is second
    table[1, 1] = [3, 1, 2]  # heads of (?, r, 1): the right one, 0, is first
    ranks = both_sides(table_score(table), triples, Questions.about(with_reverses(triples, 1)), 1)
    assert ranks["tail"].realistic.tolist() == [2]
    assert ranks["head"].realistic.tolist() == [1]
    assert sorted(ranks["both"].realistic.tolist()) == [1, 2]


def test_every_distinct_question_is_scored_once_and_few_at_a_time():
    rng = np.random.default_rng(0)
    triples = np.unique(rng.integers(0, 40, (3000, 3)), axis=0).astype(np.int32)
    asked = []

    def score(head, relation):
        asked.extend(zip(head.tolist(), relation.tolist(), strict=True))
        assert len(head) <= CHUNK
        return torch.zeros(len(head), 40)

    filtered_ranks(score, triples, Questions.about(triples))
    assert len(asked) == len(set(asked)) == len(np.unique(triples[:, :2], axis=0))


@given(some_triples)
def test_several_ways_to_score_are_ranked_in_one_pass(triples):
    tables = [table_score(np.random.default_rng(seed).random((ENTITIES, RELATIONS, ENTITIES))) for seed in (1, 2)]
    known = Questions.about(triples)
    together = ranks_by_each(lambda head, relation: (table(head, relation) for table in tables), 2, triples, known)
    for one, table in zip(together, tables, strict=True):
        alone = filtered_ranks(table, triples, known)
        np.testing.assert_array_equal(one.optimistic, alone.optimistic)
        np.testing.assert_array_equal(one.pessimistic, alone.pessimistic)

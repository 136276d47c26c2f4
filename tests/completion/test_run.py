import numpy as np
import polars as pl
import pytest

import farlink
from farlink.errors import FarlinkError
from helpers.rings import parts


@pytest.fixture
def run(ring_run):
    return ring_run


@pytest.mark.slow
def test_a_run_read_again_answers_the_same(run):
    again = farlink.load(run.folder)
    assert isinstance(again, farlink.CompletionRun)
    assert again.settings == run.settings
    question = {"head": "e35", "relation": "previous", "k": 4}
    assert again.predict(**question).equals(run.predict(**question))


def test_tails_are_predicted(run):
    found = run.predict(head="e38", relation="previous", k=3)
    assert found.columns == ["head", "relation", "tail", "rank", "answer", "score", "probability", "known"]
    assert found.row(0)[:4] == ("e38", "previous", "e37", 1)
    assert found["known"][0]  # a test triple, given to the run
    assert found["score"].is_sorted(descending=True)


def test_heads_are_predicted_by_the_reverse_relation(run):
    found = run.predict(tail="e37", relation="previous", k=3)
    assert found.row(0)[:3] == ("e38", "previous", "e37")


def test_known_facts_can_be_left_out(run):
    found = run.predict(head="e3", relation="next", k=5, new_only=True)
    assert not found["known"].any()
    assert "e4" not in found["tail"]


def test_probabilities_are_between_zero_and_one_and_follow_the_score(run):
    found = run.predict(head="e3", relation="next", k=10)
    assert found["probability"].is_between(0, 1).all()
    assert found["probability"].is_sorted(descending=True)


def test_many_questions_are_answered_in_one_table(run):
    found = run.predict_many([("e1", "next", None), (None, "next", "e1")], k=2)
    assert found["rank"].to_list() == [1, 2, 1, 2]
    assert found.row(0)[:3] == ("e1", "next", "e2")
    assert found.row(2)[:3] == ("e0", "next", "e1")


def test_a_question_asks_for_one_end(run):
    with pytest.raises(FarlinkError, match="either a head or a tail"):
        run.predict(relation="next")
    with pytest.raises(FarlinkError, match="either a head or a tail"):
        run.predict(head="e1", relation="next", tail="e2")


def test_names_that_do_not_exist_get_the_closest(run):
    with pytest.raises(FarlinkError, match=r"no entity 'e350'; did you mean 'e3"):
        run.predict(head="e350", relation="next")
    with pytest.raises(FarlinkError, match=r"no relation 'nexts'; did you mean 'next'"):
        run.predict(head="e1", relation="nexts")


def test_new_facts_are_new_and_the_likeliest_first(run):
    told = []
    found = run.new_facts(20, lambda done, total: told.append((done, total)))
    known = {tuple(row) for part in parts() for row in _named(part)}
    assert found.height == 20
    assert not known & set(found.select("head", "relation", "tail").rows())
    assert found["probability"].is_sorted(descending=True)
    assert told[-1] == (40, 40)
    assert found.head(5).equals(run.new_facts(5))  # how many are asked for does not change the best


def test_new_facts_are_the_best_that_asking_one_by_one_gives(run):
    best = run.new_facts(1).row(0, named=True)
    answers = [
        run.predict(head=best["head"], relation=best["relation"], k=40, new_only=True),
        run.predict(tail=best["tail"], relation=best["relation"], k=40, new_only=True),
    ]
    mine = pl.concat(answers).filter(head=best["head"], tail=best["tail"])
    assert np.isclose(mine["probability"].to_numpy(), best["probability"], atol=1e-6).any()


def test_a_prediction_is_explained_by_paths(run):
    reasons = run.explain("e36", "previous", "e35")
    assert reasons[0] == "e36 ←next─ e35 (true for 28 of 40 such paths)"


def test_evaluating_the_test_triples_gives_the_figures_of_the_run(run):
    _, _, test = parts()
    figures = run.evaluate(test)
    assert figures["both"] == pytest.approx(run.metrics["test"]["both"])
    assert figures["left_out"] == {"unknown": 0, "learned": 0}


def test_what_was_learned_or_is_unknown_is_left_out_of_an_evaluation(run, tmp_path):
    path = tmp_path / "more.tsv"
    path.write_text("e0\tnext\te1\ne36\tprevious\te35\nstranger\tnext\te1\n")
    figures = run.evaluate(path)
    assert (figures["triples"], figures["left_out"]) == (1, {"unknown": 1, "learned": 1})
    path.write_text("stranger\tnext\te1\n")
    with pytest.raises(FarlinkError, match="no triple here is of known entities"):
        run.evaluate(path)


def test_figures_by_relation(run):
    assert run.by_relation.columns == ["relation", "class", "triples", "mrr_tail", "mrr_head", "mrr", "hits@10"]
    row = run.by_relation.row(0, named=True)
    assert (row["relation"], row["class"], row["triples"]) == ("previous", "1-1", 6)
    assert row["mrr"] == pytest.approx(run.metrics["test"]["both"]["mrr"], abs=1e-3)


def _named(graph):
    return [(graph.entities[h], graph.relations[r], graph.entities[t]) for h, r, t in graph.triples.tolist()]

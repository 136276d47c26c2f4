import itertools
import os
import signal
from collections import Counter
from contextlib import suppress

import pytest

import farlink
from farlink.engine.trainer import Trainer
from farlink.errors import FarlinkError, Interrupted
from helpers.rings import QUICK, graph, parts

# a training that learns next to nothing
BRIEF = {**QUICK, "max_epochs": 1, "question_epochs": 0, "factors": 0, "factor_epochs": 1, "rules": 0, "min_steps": 4}


def test_rules_of_a_graph_are_learned(ring_run):
    assert ring_run.metrics["test"]["both"]["mrr"] > 0.8  # a guess would have about 0.1


def test_the_metrics_are_nested_by_part_and_side(ring_run):
    for part in ("validation", "test"):
        figures = ring_run.metrics[part]
        assert {"tail", "head", "both", "alone", "without", "classes", "unseen"} == set(figures)
        assert set(figures["alone"]) == set(figures["without"]) == {"paths", "factors", "rules"}
        assert figures["tail"]["queries"] == figures["head"]["queries"] == 6
        assert figures["both"]["mrr"] == pytest.approx((figures["tail"]["mrr"] + figures["head"]["mrr"]) / 2)
        assert figures["unseen"] == {"entities": 0, "triples": 0}


def test_entities_and_relations_never_seen_are_counted(tmp_path):
    train, valid, _ = parts()
    test = graph(("e1", "previous", "e0"), ("e3", "previous", "stranger"), ("e5", "likes", "e6"))
    run = farlink.complete(train, valid=valid, test=test, out=tmp_path / "run", **BRIEF)
    assert run.metrics["test"]["unseen"] == {"entities": 1, "triples": 2}
    assert "1 entity of the test part has no triple to learn from and ranks last" in run.about["notes"]


def test_a_graph_too_small_to_hold_anything_out(tmp_path):
    changes = {**BRIEF, "factors": 8}
    run = farlink.complete(graph(("a", "r", "b"), ("b", "r", "c")), out=tmp_path / "run", **changes)
    assert run.by_relation.is_empty()
    assert run.metrics["calibration"] is None
    assert run.predict(head="a", relation="r", k=2)["probability"].is_nan().all()
    assert "No triples were kept to measure with." in (run.folder / "README.md").read_text()


@pytest.mark.slow
def test_what_is_left_to_choose_is_chosen_by_the_best_trial(tmp_path):
    train, valid, test = parts()
    changes = {**BRIEF, "factors": 8, "factor_decay": "auto", "question_dropout": "auto", "question_epochs": 1}
    run = farlink.complete(train, valid=valid, test=test, out=tmp_path / "run", **changes)
    assert set(run.trials) == {"dropout 0.4", "dropout 0", "decay 0.05", "decay 0.01"}
    best = max((0.4, 0.0), key=lambda dropout: run.trials[f"dropout {dropout:g}"])
    told = farlink.complete(
        train, valid=valid, test=test, out=tmp_path / "told", **{**changes, "question_dropout": best}
    )
    assert set(told.trials) == {"decay 0.05", "decay 0.01"}
    assert told.metrics == run.metrics


def test_walks_come_first_then_questions(ring_run):
    examples = [0, *ring_run.trace["examples"]]
    objective = [after - before for before, after in itertools.pairwise(examples)]
    assert len(objective) == QUICK["max_epochs"] + QUICK["question_epochs"]
    walks, questions = objective[: QUICK["max_epochs"]], objective[QUICK["max_epochs"] :]
    assert len(set(walks)) == len(set(questions)) == 1
    assert walks[0] != questions[0]


@pytest.mark.slow
def test_a_run_cut_off_in_every_training_ends_like_an_undisturbed_one(ring_run, tmp_path, monkeypatch):
    train, valid, test = parts()
    step, steps, cut = Trainer.step, Counter(), set()

    def stopped(self, *arguments):
        training = self.checkpoint.name, self.plan.stage
        steps[training] += 1
        if steps[training] == 150:
            cut.add(training)
            os.kill(os.getpid(), signal.SIGINT)
        return step(self, *arguments)

    monkeypatch.setattr(Trainer, "step", stopped)
    again = None
    while again is None:
        with suppress(Interrupted):
            again = farlink.complete(train, valid=valid, test=test, out=tmp_path / "run", resume=True, **QUICK)
    trials = {(f"checkpoint-trial-dropout-{dropout}.safetensors", 0) for dropout in ("0.4", "0")}
    paths, factors = "checkpoint-paths.safetensors", "checkpoint-factors.safetensors"
    assert cut == trials | {(paths, 0), (paths, 1), (factors, 0)}
    assert again.metrics == ring_run.metrics
    assert (again.stages, again.trials) == (ring_run.stages, ring_run.trials)
    assert not list(again.folder.glob("checkpoint*"))


def test_a_finished_run_is_left_alone(ring_run):
    before = ring_run.metrics
    train, valid, test = parts()
    again = farlink.complete(train, valid=valid, test=test, out=ring_run.folder, resume=True, **QUICK)
    assert again.metrics == before


def test_a_resume_with_other_data_is_refused(ring_run):
    train, valid, _ = parts()
    with pytest.raises(FarlinkError, match="not the data that the run started with"):
        farlink.complete(train, valid=valid, out=ring_run.folder, resume=True, **QUICK)


def test_the_network_alone(tmp_path):
    train, valid, test = parts()
    changes = {**BRIEF, "question_epochs": 1, "question_dropout": 0}
    run = farlink.complete(train, valid=valid, test=test, out=tmp_path / "run", **changes)
    assert set(run.metrics["test"]["alone"]) == {"paths"}
    assert run.metrics["weights"] == {"paths": 1}
    assert run.factor_trace.is_empty()

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch

from farlink.engine.trainer import Trainer
from farlink.errors import FarlinkError, Interrupted
from farlink.rsn.joint import join
from farlink.rsn.objective import path_objective, path_trainer
from farlink.settings import make_settings

SETTINGS = {
    "walk_length": 7,
    "width": 8,
    "walks_per_triple": 1,
    "entity_negatives": 16,
    "relation_negatives": 4,
    "batch_size": 64,
    "max_epochs": 4,
    "patience": 0,
}
# what the preset `authors` does otherwise than others
AUTHORS = {
    "walk_steps": "triples",
    "walk_epochs": 2,
    "cell": "lstm-identity",
    "norm": "step",
    "loss": "log-uniform",
    "optimiser": "dense",
}


class Watcher:
    """Remembers what it saw; may do something at a certain step."""

    def __init__(self, at_step=None, action=None):
        self.losses, self.records, self.at_step, self.action = [], [], at_step, action

    def step(self, done, total, epoch, loss, best):
        self.losses.append(loss)
        if done == self.at_step:
            self.action()

    def epoch(self, record):
        self.records.append(record)


@pytest.fixture
def make_trainer(pair, tmp_path):
    seeds = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)[:20]
    graph = join(pair.left, pair.right, seeds)

    def make(name="run", scores=(0.1, 0.2, 0.3, 0.4), **changes):
        settings = make_settings("best", **{**SETTINGS, **changes})
        trainer = path_trainer(
            graph.entities,
            graph.relations,
            lambda epoch, model: path_objective(graph, settings, epoch, settings.cross_bias),
            lambda model: scores[trainer.progress.epoch],
            settings,
            tmp_path / f"{name}.safetensors",
        )
        return trainer

    return make


def same_weights(one, two):
    return all(torch.equal(a, b) for a, b in zip(one.state_dict().values(), two.state_dict().values(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, AUTHORS], ids=["best", "authors"])
def test_the_loss_falls(make_trainer, changes):
    trace = make_trainer(max_epochs=4, learning_rate=0.01, **changes).run(Watcher())
    assert trace[-1].loss < trace[0].loss - 0.2


@pytest.mark.slow
def test_the_best_weights_are_restored_not_the_last(make_trainer):
    short, long = (
        make_trainer("short", max_epochs=2, schedule="constant"),
        make_trainer("long", scores=(0.1, 0.9, 0.3, 0.2), schedule="constant"),
    )
    short.run(Watcher())
    trace = long.run(Watcher())
    assert [record.best for record in trace] == [True, True, False, False]
    assert same_weights(short.model, long.model)


def test_training_stops_when_validation_stops_rising(make_trainer):
    trace = make_trainer(scores=(0.5, 0.4, 0.3, 0.9), patience=2).run(Watcher())
    assert len(trace) == 3


@pytest.mark.slow
def test_training_ends_with_the_epoch_in_which_the_time_is_over(make_trainer):
    assert len(make_trainer("short", minutes=1e-6).run(Watcher())) == 1
    assert len(make_trainer("long", minutes=60).run(Watcher())) == 4


def test_without_validation_the_last_weights_count(make_trainer):
    trace = make_trainer(scores=(None, None, None, None), patience=1).run(Watcher())
    assert len(trace) == 4
    assert trace[-1].best


@pytest.mark.slow
def test_one_seed_decides_everything(make_trainer):
    one, two, other = make_trainer("one"), make_trainer("two"), make_trainer("other", seed=1)
    for trainer in (one, two, other):
        trainer.run(Watcher())
    assert same_weights(one.model, two.model)
    assert not same_weights(one.model, other.model)


@pytest.mark.slow
@pytest.mark.parametrize("at_step", [1, 6, 13])
@pytest.mark.parametrize("changes", [{}, AUTHORS], ids=["best", "authors"])
def test_an_interrupted_run_ends_like_an_undisturbed_one(make_trainer, at_step, changes):
    whole = make_trainer("whole", **changes)
    expected = whole.run(Watcher())
    with pytest.raises(Interrupted, match="can be resumed from here"):
        make_trainer(**changes).run(Watcher(at_step, lambda: os.kill(os.getpid(), signal.SIGINT)))
    resumed = make_trainer(**changes)
    trace = resumed.run(Watcher())
    assert same_weights(whole.model, resumed.model)
    assert [(r.epoch, r.loss, r.validation, r.best) for r in trace] == [
        (r.epoch, r.loss, r.validation, r.best) for r in expected
    ]


@pytest.mark.slow
def test_a_finished_run_trains_no_more(make_trainer):
    make_trainer().run(Watcher())
    watcher = Watcher()
    make_trainer().run(watcher)
    assert watcher.losses == []


@pytest.fixture
def make_stages(make_trainer):
    """Two stages of two epochs with one checkpoint, the second at half the rate of the first."""

    def make(name="stages", **changes):
        stages = make_trainer(name, max_epochs=2, **changes), make_trainer(name, max_epochs=2, **changes)
        stages[1].plan = replace(stages[1].plan, stage=1, learning_rate=stages[1].plan.learning_rate / 2)
        return stages

    return make


@pytest.mark.slow
def test_a_second_stage_goes_on_where_the_first_one_ended_at_its_own_rate(make_stages, monkeypatch):
    rates = []

    def watched(self, objective, batch, rate):
        rates.append((self.progress.epoch, rate))
        return step(self, objective, batch, rate)

    step = Trainer.step
    monkeypatch.setattr(Trainer, "step", watched)
    first, second = make_stages()
    assert len(first.run(Watcher())) == 2
    trace = second.run(Watcher())
    assert [record.epoch for record in trace] == [1, 2, 3, 4]
    assert trace[3].examples > trace[2].examples > trace[1].examples
    for stage, rate in enumerate((first.plan.learning_rate, second.plan.learning_rate)):
        falls = [own for epoch, own in rates if epoch // 2 == stage]
        assert falls == pytest.approx(np.linspace(rate, 0, len(falls), endpoint=False))


@pytest.mark.slow
def test_a_stage_that_is_over_trains_no_more(make_stages):
    for stage in make_stages():
        stage.run(Watcher())
    for stage in make_stages():
        watcher = Watcher()
        stage.run(watcher)
        assert watcher.losses == []


def test_a_stage_stops_by_its_own_epochs_without_a_better_score(make_stages):
    first, second = make_stages(scores=(0.5, 0.4, 0.3, 0.9), patience=1)
    assert len(first.run(Watcher())) == 2
    assert len(second.run(Watcher())) == 3


@pytest.mark.slow
def test_a_run_interrupted_in_its_second_stage_ends_like_an_undisturbed_one(make_stages):
    for stage in (whole := make_stages("whole")):
        stage.run(Watcher())
    first, second = make_stages()
    first.run(Watcher())
    with pytest.raises(Interrupted):
        second.run(Watcher(2, lambda: os.kill(os.getpid(), signal.SIGINT)))
    for stage in (resumed := make_stages()):
        stage.run(Watcher())
    assert same_weights(whole[1].model, resumed[1].model)


@pytest.mark.slow
def test_walks_are_fresh_every_epoch_and_drawn_once(make_trainer):
    trainer = make_trainer()
    draw, drawn = trainer.epochs, {}

    def epoch(number, model):
        assert number not in drawn
        drawn[number], after_epoch = draw(number, model)
        return drawn[number], after_epoch

    trainer.epochs = epoch
    trainer.run(Watcher())
    assert list(drawn) == [0, 1, 2, 3]
    assert not np.array_equal(drawn[0].examples, drawn[1].examples)


def test_epochs_may_differ_in_length(make_trainer):
    trainer = make_trainer()
    draw = trainer.epochs

    def epoch(number, model):
        whole, after_epoch = draw(number, model)
        return replace(whole, examples=whole.examples[: 100 * (number + 1)]), after_epoch

    trainer.epochs = epoch
    assert [record.examples for record in trainer.run(Watcher())] == [100, 300, 600, 1000]


def test_a_broken_checkpoint_is_a_clear_error(make_trainer):
    trainer = make_trainer()
    trainer.checkpoint.write_bytes(b"not a checkpoint")
    with pytest.raises(FarlinkError, match="not a checkpoint of farlink"):
        trainer.run(Watcher())


def test_training_works_outside_the_main_thread(make_trainer):
    with ThreadPoolExecutor(1) as thread:  # only the main thread may handle signals
        trace = thread.submit(make_trainer("thread", max_epochs=1).run, Watcher()).result()
    assert [record.epoch for record in trace] == [1]

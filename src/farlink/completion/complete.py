"""The completion task: one graph in, a run folder that answers (s, r, ?) and (?, r, o) out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from farlink.completion import report as completion_report
from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import scorers, state
from farlink.completion.evaluation import measured
from farlink.completion.rules import Rules, learn_rules
from farlink.completion.run import CompletionRun
from farlink.completion.stages import Stage, factor_stage, question_stage, walk_stage
from farlink.completion.task import CompletionTask, open_task
from farlink.completion.training_data import TrainingData
from farlink.completion.trials import chosen_decay, chosen_dropout, fresh_factors
from farlink.engine.machine import use_threads
from farlink.io.sources import GraphSource
from farlink.progress import Reporter, reporter_of
from farlink.rsn.model import PathModel
from farlink.rsn.objective import fresh_model
from farlink.settings import CompletionSettings, make_completion_settings


def complete(
    graph: GraphSource,
    *,
    valid: GraphSource | None = None,
    test: GraphSource | None = None,
    out: str | Path | None = None,
    preset: str = "best",
    seed: int = 0,
    resume: bool = False,
    progress: bool | Reporter = False,
    **settings: Any,
) -> CompletionRun:
    """Learn from a knowledge graph to tell what is missing in it.

    Args:
        graph: the graph, or the path of a file to read it from. A benchmark folder brings the other parts, too.
        valid: triples to choose the best weights by; without them a tenth of the graph's is held out.
        test: triples to measure the result with; they are used for nothing else.
        out: the run folder; by default a temporary one.
        preset: `best`, `fast` or `paper`.
        seed: the one source of all randomness.
        resume: go on with the run in `out` if there is one.
        progress: show progress on the terminal, or tell it to a reporter of your own.
        settings: any setting of `farlink.settings.CompletionSettings` by name.
    """
    chosen = make_completion_settings(preset, seed=seed, **settings)
    reporter = reporter_of(progress)
    task = open_task(graph, valid=valid, test=test, settings=chosen, reporter=reporter)
    run = CompletionRun(out if out is not None else tempfile.mkdtemp(prefix="farlink-"))
    return complete_task(task, run, chosen, resume=resume, reporter=reporter)


def complete_task(
    task: CompletionTask, run: CompletionRun, settings: CompletionSettings, *, resume: bool, reporter: Reporter
) -> CompletionRun:
    """Train, measure and report, all in the run's folder."""
    run.carry_out(
        settings,
        run.about_task(task),
        run.tables_of_task(task),
        lambda: _carry_out(task, run, settings, reporter),
        resume=resume,
        reporter=reporter,
    )
    return run


def _carry_out(task: CompletionTask, run: CompletionRun, settings: CompletionSettings, reporter: Reporter) -> None:
    use_threads(settings.threads)
    data = TrainingData(task, settings.seed)
    network = _trained_network(data, run, settings, reporter)
    factors = trained_factors(data, run, settings, reporter) if settings.factors else None
    with reporter.working("learning rules"):
        rules = learned_rules(data, settings) if settings.rules else None
    run.write_weights(state({"paths": network, "factors": factors, "rules": rules}))
    with reporter.working("measuring"):
        metrics, by_relation = measured(task, data, scorers(network, factors, rules))
        run.write_json("metrics.json", metrics)
        if by_relation is not None:
            run.write_by_relation(by_relation)
    with reporter.working("drawing the report"):
        completion_report.write(run, task.notes)


def _trained_network(
    data: TrainingData, run: CompletionRun, settings: CompletionSettings, reporter: Reporter
) -> PathModel:
    """Walks first, then the questions themselves: one training in two stages."""
    network, checkpoint = fresh_model(settings, data.entities, 2 * data.relations), run.checkpoint("paths")

    def train(stage: Stage[PathModel], title: str) -> None:
        run.write_stage(stage.name, stage.record())
        with reporter.training(stage.last_epoch, title, "MRR") as watcher:
            run.write_trace(stage.trainer(network, checkpoint).run(watcher))

    train(walk_stage(data, settings), "the network")
    if settings.question_epochs:
        dropout = chosen_dropout(data, settings, network, run, reporter)
        train(question_stage(data, settings, dropout), "the network on questions")
    return network


def trained_factors(
    data: TrainingData, run: CompletionRun, settings: CompletionSettings, reporter: Reporter
) -> Factors:
    """The tensor model, with a decay that is chosen first where the settings leave it open."""
    stage = factor_stage(data, settings, chosen_decay(data, settings, run, reporter), settings.factor_epochs)
    run.write_stage(stage.name, stage.record())
    trainer = stage.trainer(fresh_factors(data, settings, settings.factors), run.checkpoint("factors"))
    with reporter.training(stage.last_epoch, "the tensor model", "MRR") as watcher:
        run.write_factor_trace(trainer.run(watcher))
    return trainer.model


def learned_rules(data: TrainingData, settings: CompletionSettings) -> Rules:
    """The rules of the graph, as many as the settings say."""
    return learn_rules(data.graph.triples, data.entities, 2 * data.relations, settings.rules, settings.seed)

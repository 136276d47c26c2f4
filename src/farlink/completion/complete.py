"""The completion task: one graph in, a run folder that answers (s, r, ?) and (?, r, o) out."""

from __future__ import annotations

import datetime
import tempfile
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch

from farlink.completion import report as completion_report
from farlink.completion.complex_n3 import Factors
from farlink.completion.ensemble import Ensemble, ranks_of, scorers, state, with_best_weights
from farlink.completion.evaluation import by_class, calibrated, mapping_classes, relation_table
from farlink.completion.objectives import ComplExKvsAll, NetworkKvsAll
from farlink.completion.questions import Questions
from farlink.completion.ranking import Score, both_sides
from farlink.completion.rules import Rules, learn_rules
from farlink.completion.run import CompletionRun
from farlink.completion.task import CompletionTask, prepare, seen
from farlink.completion.trials import best_by_trial
from farlink.engine.machine import use_threads
from farlink.engine.trainer import Trainer
from farlink.graph import names
from farlink.graph.ids import Triples
from farlink.io.sources import GraphSource, graph_from
from farlink.progress import Reporter
from farlink.rsn.joint import alone
from farlink.rsn.model import PathModel
from farlink.rsn.objective import PathObjective, path_losses, path_trainer, walks_of
from farlink.runs.folder import fingerprint, graph_sizes
from farlink.settings import CompletionSettings, make_completion_settings

VALIDATED = 2_000  # validation triples that choose the best weights after every epoch
STEPS = 100  # at least so many in an epoch: a small graph is read in small batches
DECAYS = (0.05, 0.01)  # of the tensor model, to choose from
DECAY_EPOCHS, DECAY_FACTORS = 4, 128  # a shorter or smaller trial favours too small a decay
DROPOUTS = (0.4, 0.0)  # of the network when it learns from questions, to choose from
DROPOUT_EPOCHS = 2  # of a trial
BY_HEART = 3  # times as many epochs on questions where nothing is dropped: to know a graph by heart takes longer
NO_CROSSING = 0.5  # one graph only: the bias towards the other one is off


def complete(
    graph: GraphSource,
    *,
    valid: GraphSource | None = None,
    test: GraphSource | None = None,
    out: str | Path | None = None,
    preset: str = "best",
    seed: int = 0,
    resume: bool = False,
    progress: bool = False,
    **settings: Any,
) -> CompletionRun:
    """Learn from a knowledge graph to tell what is missing in it.

    Args:
        graph: the graph, or the path of a file to read it from.
        valid: triples to choose the best weights by; without them a tenth of the graph's is held out.
        test: triples to measure the result with; they are used for nothing else.
        out: the run folder; by default a temporary one.
        preset: `best`, `fast` or `paper`.
        seed: the one source of all randomness.
        resume: go on with the run in `out` if there is one.
        progress: show progress on the terminal.
        settings: any setting of `farlink.settings.CompletionSettings` by name.
    """
    chosen = make_completion_settings(preset, seed=seed, **settings)
    reporter = Reporter(shown=progress)
    parts = [None if part is None else graph_from(part) for part in (valid, test)]
    task = prepare(graph_from(graph), parts[0], parts[1], chosen, reporter)
    run = CompletionRun(out if out is not None else tempfile.mkdtemp(prefix="farlink-"))
    return complete_task(task, run, chosen, resume=resume, reporter=reporter)


def complete_task(
    task: CompletionTask, run: CompletionRun, settings: CompletionSettings, *, resume: bool, reporter: Reporter
) -> CompletionRun:
    """Train, measure and report, all in the run's folder."""
    tables = {"vocabulary": _vocabulary(task), "triples": _triples(task)}
    with run.open(settings, _about(task), tables, resume):
        if run.finished:
            reporter.say(f"{run.folder} holds this run already, finished; nothing to do")
        else:
            _carry_out(task, run, settings, reporter)
        run.clear_checkpoints()
    return run


def _carry_out(task: CompletionTask, run: CompletionRun, settings: CompletionSettings, reporter: Reporter) -> None:
    use_threads(settings.threads)
    teacher = _Teacher(task, settings)
    paths = _train_paths(teacher, run, reporter)
    factors = _train_factors(teacher, run, reporter) if settings.factors else None
    with reporter.working("learning rules"):
        rules = teacher.rules() if settings.rules else None
    run.write_weights(state({"paths": paths, "factors": factors, "rules": rules}))
    with reporter.working("measuring"):
        results = _results(teacher, scorers(paths, factors, rules))
        run.write_json("metrics.json", results.metrics)
        if results.by_relation is not None:
            run.write_by_relation(results.by_relation)
    with reporter.working("drawing the report"):
        completion_report.write(run, task.notes)


class _Teacher:
    """Gives both models their objectives, and measures them on validation triples after every epoch."""

    def __init__(self, task: CompletionTask, settings: CompletionSettings) -> None:
        self.task, self.settings = task, settings
        self.entities, self.relations = len(task.graph.entities), len(task.graph.relations)
        self.walked = alone(task.graph)
        self.losses = path_losses(self.walked, settings)
        self.questions = Questions.about(self.walked.triples)
        self.known = task.known(with_test=False)
        self.seen = seen(task.graph.triples, self.entities, self.relations)
        order = np.random.default_rng([settings.seed, 0xBEE]).permutation(len(task.valid))
        self.valid = task.valid[order[:VALIDATED]]

    def walks(self, epoch: int, model: PathModel) -> PathObjective:
        """Fresh walks; the graph and the noise stay what they are."""
        return PathObjective(walks_of(self.walked, self.settings, epoch, NO_CROSSING), *self.losses)

    def asked(self, dropout: float, epoch: int, model: PathModel) -> NetworkKvsAll:
        """All questions in a new order, for the network."""
        drawn = self.settings.question_candidates
        return NetworkKvsAll.of_epoch(self.questions, self.settings.seed, epoch, drawn=drawn, dropout=dropout)

    def complex_objective(self, decay: float, epoch: int, model: Factors) -> ComplExKvsAll:
        """All questions in a new order, for the tensor model."""
        drawn = self.settings.question_candidates
        return ComplExKvsAll.of_epoch(self.questions, self.settings.seed, epoch, drawn=drawn, decay=decay)

    def rules(self) -> Rules:
        """Kinds of path that speak for each relation."""
        triples, most = self.walked.triples, self.settings.rules
        return learn_rules(triples, self.entities, 2 * self.relations, most, self.settings.seed)

    def path_score(self, model: PathModel) -> float | None:
        """Mean reciprocal rank of validation triples by the network alone."""
        return self._score(self.ensemble(scorers(model, None, None)))

    def factor_score(self, model: Factors) -> float | None:
        """Mean reciprocal rank of validation triples by the tensor model alone."""
        return self._score(self.ensemble(scorers(None, model, None)))

    def ensemble(self, said: dict[str, Score]) -> Ensemble:
        """Voices that all count the same."""
        return Ensemble(said, dict.fromkeys(said, 1.0), *self.seen)

    def weighed(self, said: dict[str, Score], names: list[str]) -> Ensemble:
        """Some of the scorers, with the weights that suit the validation triples."""
        return with_best_weights(self.ensemble(said), names, self.valid, self.known, self.relations)

    def _score(self, ensemble: Ensemble) -> float | None:
        if not len(self.valid):
            return None
        return both_sides(ensemble, self.valid, self.known, self.relations)["both"].summary()["mrr"]


def _train_paths(teacher: _Teacher, run: CompletionRun, reporter: Reporter) -> PathModel:
    """Walks first, then the questions themselves: one training, which goes on with another objective."""
    settings = teacher.settings
    network = partial(path_trainer, teacher.entities, 2 * teacher.relations)
    walked, checkpoint = _network_pace(teacher, settings.max_epochs), run.checkpoint("paths")
    trainer = network(teacher.walks, teacher.path_score, walked, checkpoint)
    with reporter.training(walked.max_epochs, "the network", "MRR") as watcher:
        trace = trainer.run(watcher)
    if settings.question_epochs:
        dropout = settings.question_dropout
        if dropout < 0:
            dropout = _chosen_dropout(teacher, trainer.model, run, reporter)
        asked = settings.question_epochs * (1 if dropout else BY_HEART)
        whole = _network_pace(teacher, settings.max_epochs + asked)
        trainer = network(partial(teacher.asked, dropout), teacher.path_score, whole, checkpoint)
        with reporter.training(whole.max_epochs, "the network on questions", "MRR") as watcher:
            trace = trainer.run(watcher)
    run.write_trace(trace)
    return trainer.model


def _network_pace(teacher: _Teacher, epochs: int) -> CompletionSettings:
    settings = teacher.settings
    batch = _batch(len(teacher.walked.triples) * settings.walks_per_triple, settings.batch_size)
    return settings.model_copy(update={"batch_size": batch, "max_epochs": epochs})


def _train_factors(teacher: _Teacher, run: CompletionRun, reporter: Reporter) -> Factors:
    settings = teacher.settings
    decay = settings.factor_decay or _chosen_decay(teacher, run, reporter)
    trainer = _factor_trainer(teacher, decay, settings.factors, settings.factor_epochs, run.checkpoint("factors"))
    with reporter.training(settings.factor_epochs, "the tensor model", "MRR") as watcher:
        run.write_factor_trace(trainer.run(watcher))
    return trainer.model


def _chosen_dropout(teacher: _Teacher, network: PathModel, run: CompletionRun, reporter: Reporter) -> float:
    """What the network, trained on walks, gains most from. Some graphs repeat themselves, others punish rote."""
    pace = _network_pace(teacher, DROPOUT_EPOCHS)

    def trial(dropout: float, checkpoint: Path) -> Trainer[PathModel]:
        return Trainer(deepcopy(network), partial(teacher.asked, dropout), teacher.path_score, pace, checkpoint)

    return best_by_trial(bool(len(teacher.valid)), "the network", "dropout", DROPOUTS, trial, run, reporter)


def _chosen_decay(teacher: _Teacher, run: CompletionRun, reporter: Reporter) -> float:
    """How much the factors must be held back, which differs from graph to graph."""
    factors = min(DECAY_FACTORS, teacher.settings.factors)

    def trial(decay: float, checkpoint: Path) -> Trainer[Factors]:
        return _factor_trainer(teacher, decay, factors, DECAY_EPOCHS, checkpoint)

    return best_by_trial(bool(len(teacher.valid)), "the tensor model", "decay", DECAYS, trial, run, reporter)


def _factor_trainer(teacher: _Teacher, decay: float, factors: int, epochs: int, checkpoint: Path) -> Trainer[Factors]:
    settings = teacher.settings
    torch.manual_seed(settings.seed)
    model = Factors(teacher.entities, 2 * teacher.relations, factors)
    pace = settings.model_copy(
        update={
            "batch_size": _batch(len(teacher.questions), settings.factor_batch),
            "learning_rate": settings.factor_rate,
            "max_epochs": epochs,
        }
    )
    return Trainer(model, partial(teacher.complex_objective, decay), teacher.factor_score, pace, checkpoint)


def _batch(examples: float, most: int) -> int:
    return max(1, min(most, int(examples / STEPS)))


@dataclass(frozen=True)
class _Results:
    metrics: dict[str, Any]
    by_relation: pl.DataFrame | None  # of the part that measures best, if there is one


def _results(teacher: _Teacher, said: dict[str, Score]) -> _Results:
    task = teacher.task
    ensemble = teacher.weighed(said, list(said))
    variants = {("alone", name): ensemble.alone(name) for name in said}
    if len(said) > 1:
        variants |= {
            ("without", name): teacher.weighed(said, [other for other in said if other != name]) for name in said
        }
    metrics: dict[str, Any] = {"weights": dict(ensemble.weights)}
    by_relation = None
    for part, triples, known in (
        ("validation", task.valid, teacher.known),
        ("test", task.test, task.known(with_test=True)),
    ):
        if len(triples):
            ranks, *others = ranks_of([ensemble, *variants.values()], triples, known, teacher.relations)
            metrics[part] = {side: found.summary() for side, found in ranks.items()}
            for (variant, name), found in zip(variants, others, strict=True):
                metrics[part].setdefault(variant, {})[name] = found["both"].summary()
            classes = mapping_classes(task.graph.triples, teacher.relations)
            metrics[part]["classes"] = by_class(ranks, classes[triples[:, 1]])
            metrics[part]["unseen"] = _unseen(teacher, triples)
            by_relation = relation_table(ranks, triples[:, 1], task.graph.relations, classes)
    metrics["calibration"] = calibrated(ensemble, task.valid, teacher.questions, teacher.relations)
    return _Results(metrics, by_relation)


def _unseen(teacher: _Teacher, triples: Triples) -> dict[str, int]:
    """Entities and triples of a part that the graph to learn from says nothing about."""
    entities, relations = (flags.numpy() for flags in teacher.seen)
    ends = np.unique(triples[:, ::2])
    unseen = ~(entities[triples[:, 0]] & entities[triples[:, 2]] & relations[triples[:, 1]])
    return {"entities": int((~entities[ends]).sum()), "triples": int(unseen.sum())}


def _about(task: CompletionTask) -> dict[str, Any]:
    return {
        "task": "complete",
        "farlink": version("farlink"),
        "date": datetime.date.today().isoformat(),
        "graph": graph_sizes(task.graph),
        "triples": {part: len(triples) for part, triples in task.parts.items()},
        "notes": task.notes,
        "fingerprint": fingerprint((task.graph,), (task.valid, task.test)),
    }


def _vocabulary(task: CompletionTask) -> pl.DataFrame:
    graph = task.graph
    entities = pl.DataFrame({"name": graph.entities, "readable": names.readable_names(graph)})
    tables = {"entity": entities, "relation": pl.DataFrame({"name": graph.relations})}
    return pl.concat(
        [table.with_row_index("id").select(pl.lit(kind).alias("kind"), pl.all()) for kind, table in tables.items()],
        how="diagonal",
    )


def _triples(task: CompletionTask) -> pl.DataFrame:
    return pl.concat(
        [
            pl.DataFrame(triples, schema=["head", "relation", "tail"]).select(pl.lit(part).alias("part"), pl.all())
            for part, triples in task.parts.items()
        ]
    )

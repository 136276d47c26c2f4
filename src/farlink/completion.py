"""The completion task: one graph in, a run folder that answers (s, r, ?) and (?, r, o) out."""

from __future__ import annotations

import datetime
import os
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray

from farlink import completion_report, names
from farlink.answering import Answerer, seen, state, voices, with_best_weights
from farlink.asking import AskedLessons
from farlink.completed import CompletionRun
from farlink.completion_metrics import by_class, calibrated, mapping_classes, relation_table
from farlink.errors import FarlinkError
from farlink.factors import FactorLessons, Factors
from farlink.graph import Ids, KnowledgeGraph, lookup
from farlink.io.sources import GraphSource, graph_from
from farlink.joint import alone, with_reverses
from farlink.model import PathModel
from farlink.progress import Reporter
from farlink.questions import Questions, Score, both_sides
from farlink.rules import Rules, learn_rules
from farlink.runs import fingerprint, graph_sizes
from farlink.settings import CompletionSettings, make_completion_settings
from farlink.training import PathLessons, Trainer, path_losses, path_trainer, walks_of

VALIDATED = 2_000  # validation triples that choose the best weights after every epoch
STEPS = 100  # at least so many in an epoch: a small graph is read in small batches
DECAYS = (0.05, 0.01)  # of the tensor model, to choose from
TRIAL_EPOCHS, TRIAL_FACTORS = 4, 128  # a shorter or smaller trial favours too small a decay
NO_CROSSING = 0.5  # one graph only: the bias towards the other one is off
PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class CompletionTask:
    """A graph of the triples to learn from, with ids from the run's seed, and the other triples by id.

    Entities and relations that only occur in the other triples are in the vocabulary, too.
    """

    graph: KnowledgeGraph
    valid: Ids
    test: Ids
    notes: list[str]  # what was left out or held out, for the user

    @property
    def parts(self) -> dict[str, Ids]:
        """All triples by what they are for."""
        return dict(zip(PARTS, (self.graph.triples, self.valid, self.test), strict=True))

    def known(self, *, with_test: bool) -> Questions:
        """All that is known and so no mistake as an answer; the test triples count in the final test only."""
        parts = (self.graph.triples, self.valid) + ((self.test,) if with_test else ())
        triples = np.unique(np.concatenate(parts), axis=0)
        return Questions.about(with_reverses(triples, len(self.graph.relations)))


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


def prepare(
    graph: KnowledgeGraph,
    valid: KnowledgeGraph | None,
    test: KnowledgeGraph | None,
    settings: CompletionSettings,
    reporter: Reporter,
) -> CompletionTask:
    """One vocabulary for all parts with shuffled ids; hold out validation triples where none are given."""
    if not len(graph.triples):
        raise FarlinkError(f"{graph.source}: there is no triple to learn from")
    whole = _with_vocabulary_of(graph, [part for part in (valid, test) if part is not None]).shuffled(settings.seed)
    notes: list[str] = []
    train, taken = whole.triples, whole.triples
    parts: dict[str, Ids] = {}
    for purpose, part in (("validation", valid), ("test", test)):
        triples = np.empty((0, 3), dtype=np.int32) if part is None else _ids(part, whole)
        fresh = triples[~_among(triples, taken)]
        if len(fresh) < len(triples):
            notes.append(f"{len(triples) - len(fresh):,} {purpose} triples occur in an earlier part, left out here")
        if part is not None and not len(fresh):
            raise FarlinkError(f"{part.source}: no {purpose} triple is left that is not known from an earlier part")
        parts[purpose], taken = fresh, np.concatenate([taken, fresh])
    if valid is None:
        train, parts["validation"] = _hold_out(train, settings)
        notes.append(_holdout_note(len(parts["validation"]), len(whole.triples)))
    reporter.graph("graph", whole)
    whole = replace(whole, triples=train)
    notes += _unseen_notes(whole, parts)
    reporter.say(
        f"triples {len(train):,} to learn from, {len(parts['validation']):,} for validation, "
        f"{len(parts['test']):,} for the final test"
    )
    reporter.notes(notes)
    return CompletionTask(whole, parts["validation"], parts["test"], notes)


def complete_task(
    task: CompletionTask, run: CompletionRun, settings: CompletionSettings, *, resume: bool, reporter: Reporter
) -> CompletionRun:
    """Train, measure and report, all in the run's folder."""
    run.open(settings, _about(task), {"vocabulary": _vocabulary(task), "triples": _triples(task)}, resume)
    if run.finished:
        run.clear_checkpoints()
        reporter.say(f"{run.folder} holds this run already, finished; nothing to do")
        return run
    threads = settings.threads or os.cpu_count() or 1
    torch.set_num_threads(threads)
    numba.set_num_threads(min(threads, os.cpu_count() or 1))
    teacher = _Teacher(task, settings)
    paths = _train_paths(teacher, run, reporter)
    factors = _train_factors(teacher, run, reporter) if settings.factors else None
    with reporter.working("learning rules"):
        rules = teacher.rules() if settings.rules else None
    run.write_weights(state({"paths": paths, "factors": factors, "rules": rules}))
    with reporter.working("measuring"):
        results = _results(teacher, voices(paths, factors, rules))
        run.write_json("metrics.json", results.metrics)
        if results.by_relation is not None:
            run.write_by_relation(results.by_relation)
    with reporter.working("drawing the report"):
        completion_report.write(run, task.notes)
    run.clear_checkpoints()
    return run


class _Teacher:
    """Gives both models their lessons, and measures them on validation triples after every epoch."""

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

    def path_lessons(self, epoch: int, model: PathModel) -> PathLessons | AskedLessons:
        """Fresh walks, the graph and the noise stay what they are; after those the questions themselves."""
        if epoch >= self.settings.max_epochs:
            return AskedLessons.of_epoch(self.questions, self.settings.seed, epoch)
        return PathLessons(walks_of(self.walked, self.settings, epoch, NO_CROSSING), *self.losses)

    def factor_lessons(self, decay: float, epoch: int, model: Factors) -> FactorLessons:
        """All questions in a new order."""
        return FactorLessons.of_epoch(self.questions, self.settings.seed, epoch, decay=decay)

    def rules(self) -> Rules:
        """Kinds of path that speak for each relation."""
        triples, most = self.walked.triples, self.settings.rules
        return learn_rules(triples, self.entities, 2 * self.relations, most, self.settings.seed)

    def path_score(self, model: PathModel) -> float | None:
        """Mean reciprocal rank of validation triples by the network alone."""
        return self._score(self.answerer(voices(model, None, None)))

    def factor_score(self, model: Factors) -> float | None:
        """Mean reciprocal rank of validation triples by the tensor model alone."""
        return self._score(self.answerer(voices(None, model, None)))

    def answerer(self, said: dict[str, Score]) -> Answerer:
        """Voices that all count the same."""
        return Answerer(said, dict.fromkeys(said, 1.0), *self.seen)

    def weighed(self, said: dict[str, Score], names: list[str]) -> Answerer:
        """Some of the voices, with the weights that suit the validation triples."""
        return with_best_weights(self.answerer(said), names, self.valid, self.known, self.relations)

    def _score(self, answerer: Answerer) -> float | None:
        if not len(self.valid):
            return None
        return both_sides(answerer, self.valid, self.known, self.relations)["both"].summary()["mrr"]


def _train_paths(teacher: _Teacher, run: CompletionRun, reporter: Reporter) -> PathModel:
    settings = teacher.settings
    walks = len(teacher.walked.triples) * settings.walks_per_triple
    epochs = settings.max_epochs + settings.question_epochs
    trainer = path_trainer(
        teacher.entities,
        2 * teacher.relations,
        teacher.path_lessons,
        teacher.path_score,
        settings.model_copy(update={"batch_size": _batch(walks, settings.batch_size), "max_epochs": epochs}),
        run.checkpoint("paths"),
    )
    with reporter.training(epochs, "the network", "MRR") as watcher:
        run.write_trace(trainer.run(watcher))
    return trainer.model


def _train_factors(teacher: _Teacher, run: CompletionRun, reporter: Reporter) -> Factors:
    settings = teacher.settings
    decay = settings.factor_decay or _chosen_decay(teacher, run, reporter)
    trainer = _factor_trainer(teacher, decay, settings.factors, settings.factor_epochs, run.checkpoint("factors"))
    with reporter.training(settings.factor_epochs, "the tensor model", "MRR") as watcher:
        run.write_factor_trace(trainer.run(watcher))
    return trainer.model


def _chosen_decay(teacher: _Teacher, run: CompletionRun, reporter: Reporter) -> float:
    """The decay with which a short training ranks the validation triples best; the trials are kept in the folder.

    How much the factors must be held back differs from graph to graph.
    """
    if not len(teacher.valid):
        return DECAYS[0]
    for decay in DECAYS:
        if f"{decay:g}" not in run.trials:
            checkpoint = run.checkpoint("trial")
            factors = min(TRIAL_FACTORS, teacher.settings.factors)
            trainer = _factor_trainer(teacher, decay, factors, TRIAL_EPOCHS, checkpoint)
            with reporter.training(TRIAL_EPOCHS, f"the tensor model with decay {decay:g}, a trial", "MRR") as watcher:
                trace = trainer.run(watcher)
            run.write_json("trials.json", {**run.trials, f"{decay:g}": max(record.validation or 0 for record in trace)})
            checkpoint.unlink(missing_ok=True)
    return max(DECAYS, key=lambda decay: float(run.trials[f"{decay:g}"]))


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
    return Trainer(model, partial(teacher.factor_lessons, decay), teacher.factor_score, pace, checkpoint)


def _batch(examples: float, most: int) -> int:
    return max(1, min(most, int(examples / STEPS)))


@dataclass(frozen=True)
class _Results:
    metrics: dict[str, Any]
    by_relation: pl.DataFrame | None  # of the part that measures best, if there is one


def _results(teacher: _Teacher, said: dict[str, Score]) -> _Results:
    task = teacher.task
    answerer = teacher.weighed(said, list(said))
    variants = {"alone": {name: answerer.alone(name) for name in said}}
    if len(said) > 1:
        variants["without"] = {name: teacher.weighed(said, [other for other in said if other != name]) for name in said}
    metrics: dict[str, Any] = {"weights": dict(answerer.weights)}
    by_relation = None
    for part, triples, known in (
        ("validation", task.valid, teacher.known),
        ("test", task.test, task.known(with_test=True)),
    ):
        if len(triples):
            ranks = both_sides(answerer, triples, known, teacher.relations)
            metrics[part] = {side: found.summary() for side, found in ranks.items()}
            for variant, answerers in variants.items():
                metrics[part][variant] = {
                    name: both_sides(one, triples, known, teacher.relations)["both"].summary()
                    for name, one in answerers.items()
                }
            classes = mapping_classes(task.graph.triples, teacher.relations)
            metrics[part]["classes"] = by_class(ranks, classes[triples[:, 1]])
            metrics[part]["unseen"] = _unseen(teacher, triples)
            by_relation = relation_table(ranks, triples[:, 1], task.graph.relations, classes)
    metrics["calibration"] = calibrated(answerer, task.valid, teacher.questions, teacher.relations)
    return _Results(metrics, by_relation)


def _unseen(teacher: _Teacher, triples: Ids) -> dict[str, int]:
    """Entities and triples of a part that the graph to learn from says nothing about."""
    entities, relations = (flags.numpy() for flags in teacher.seen)
    ends = np.unique(triples[:, ::2])
    strange = ~(entities[triples[:, 0]] & entities[triples[:, 2]] & relations[triples[:, 1]])
    return {"entities": int((~entities[ends]).sum()), "triples": int(strange.sum())}


def _with_vocabulary_of(graph: KnowledgeGraph, others: list[KnowledgeGraph]) -> KnowledgeGraph:
    """The graph with the names of others behind its own."""
    entities, relations = (
        pl.concat([getattr(one, kind).rename(kind) for one in (graph, *others)]).unique(maintain_order=True)
        for kind in ("entities", "relations")
    )
    head, relation, tail = graph.triples.T
    places = lookup(entities, graph.entities), lookup(relations, graph.relations)
    triples = np.stack([places[0][head], places[1][relation], places[0][tail]], axis=1)
    return replace(graph, entities=entities, relations=relations, triples=triples)


def _ids(part: KnowledgeGraph, whole: KnowledgeGraph) -> Ids:
    """The triples of a part by the ids of the whole, whose vocabulary has all its names."""
    entities, relations = lookup(whole.entities, part.entities), lookup(whole.relations, part.relations)
    head, relation, tail = part.triples.T
    return np.stack([entities[head], relations[relation], entities[tail]], axis=1)


def _among(triples: Ids, others: Ids) -> NDArray[np.bool_]:
    """Which triples are among others."""
    _, place = np.unique(np.concatenate([others, triples]), axis=0, return_inverse=True)
    return np.isin(place[len(others) :], place[: len(others)])


def _hold_out(triples: Ids, settings: CompletionSettings) -> tuple[Ids, Ids]:
    """Split triples at random into (kept, held out); the last triple of an entity or relation is kept."""
    order = np.random.default_rng([settings.seed, 0x5EED]).permutation(len(triples))
    first = np.zeros(len(triples), dtype=bool)
    for ids in (triples[order, 0], triples[order, 1], triples[order, 2]):
        first[np.unique(ids, return_index=True)[1]] = True  # met first in this order: it must be learned from
    free = order[~first]
    held = free[: int(len(triples) * settings.holdout)]
    kept = np.ones(len(triples), dtype=bool)
    kept[held] = False
    return triples[kept], triples[~kept]


def _holdout_note(held_out: int, triples: int) -> str:
    if held_out:
        return f"no validation triples given: {held_out:,} of the {triples:,} are held out for validation"
    return "no validation triples given and too few to hold any out: trains to the last epoch, without probabilities"


def _unseen_notes(graph: KnowledgeGraph, parts: dict[str, Ids]) -> list[str]:
    entities, relations = seen(graph.triples, len(graph.entities), len(graph.relations))
    notes = []
    for purpose, triples in parts.items():
        new = int((~entities.numpy()[np.unique(triples[:, ::2])]).sum())
        if new:
            notes.append(f"{new:,} entities of the {purpose} part have no triple to learn from; they rank last")
        new = int((~relations.numpy()[np.unique(triples[:, 1])]).sum())
        if new:
            notes.append(f"{new:,} relations of the {purpose} part have no triple to learn from")
    return notes


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

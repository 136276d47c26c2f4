"""The alignment task: two graphs and seed links in, a run folder with a mapping out."""

from __future__ import annotations

import datetime
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from torch import Tensor

from farlink.alignment import evaluation
from farlink.alignment import report as alignment_report
from farlink.alignment.bootstrapping import grown_pairs
from farlink.alignment.candidates import Candidates, scored_candidates
from farlink.alignment.ceiling import ceiling, colours
from farlink.alignment.evaluation import pair_quality
from farlink.alignment.evidence import Evidence
from farlink.alignment.mapping import Mapping, make_mapping
from farlink.alignment.methods.rsn import RsnTeacher
from farlink.alignment.methods.teaching import MethodTeacher
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask, open_task
from farlink.alignment.views import Neighbourhoods, seed_views
from farlink.engine.machine import use_threads
from farlink.engine.trainer import Trainer
from farlink.graph import names
from farlink.graph.ids import Pairs
from farlink.io.sources import GraphSource, LinkSource
from farlink.measures.calibration import reliability
from farlink.progress import Reporter, reporter_of
from farlink.runs.folder import fingerprint, graph_sizes
from farlink.settings import AlignmentSettings, make_settings


def align(
    left: GraphSource,
    right: GraphSource | None = None,
    seeds: LinkSource | None = None,
    *,
    valid: LinkSource | None = None,
    test: LinkSource | None = None,
    fold: int = 1,
    share: float | None = None,
    out: str | Path | None = None,
    preset: str = "best",
    seed: int = 0,
    resume: bool = False,
    progress: bool | Reporter = False,
    **settings: Any,
) -> AlignmentRun:
    """Align two knowledge graphs.

    Args:
        left, right: graphs, or paths of files to read them from. A benchmark folder, which brings its
            own links, is named alone.
        seeds: known links: a path, a data frame with two columns, or (left, right) pairs of names.
        valid: links to choose the best weights by; without them a tenth of the seeds is held out.
        test: links to measure the result with; they are used for nothing else.
        fold: which split of a benchmark folder that has several.
        share: split the links of a benchmark folder anew, this share as seeds.
        out: the run folder; by default a temporary one.
        preset: `best`, `fast` or `paper`.
        seed: the one source of all randomness.
        resume: go on with the run in `out` if there is one.
        progress: show progress on the terminal, or tell it to a reporter of your own.
        settings: any setting of `farlink.settings.AlignmentSettings` by name.
    """
    chosen = make_settings(preset, seed=seed, **settings)
    reporter = reporter_of(progress)
    task = open_task(
        left, right, seeds=seeds, valid=valid, test=test, fold=fold, share=share, settings=chosen, reporter=reporter
    )
    run = AlignmentRun(out if out is not None else tempfile.mkdtemp(prefix="farlink-"))
    return align_task(task, run, chosen, resume=resume, reporter=reporter)


def align_task(
    task: AlignmentTask, run: AlignmentRun, settings: AlignmentSettings, *, resume: bool, reporter: Reporter
) -> AlignmentRun:
    """Train, choose the mapping, measure and report, all in the run's folder."""
    links = {"seed": task.seeds, "validation": task.valid, "test": task.test}
    tables = {"vocabulary": _vocabulary(task), "triples": _triples(task), "links": _link_table(links)}
    with run.open(settings, _about(task), tables, resume):
        if run.finished:
            reporter.say(f"{run.folder} holds this run already, finished; nothing to do")
        else:
            _carry_out(task, run, settings, reporter)
        run.clear_checkpoints()
    return run


def _carry_out(task: AlignmentTask, run: AlignmentRun, settings: AlignmentSettings, reporter: Reporter) -> None:
    use_threads(settings.threads)
    evidence = Evidence(task.left, task.right, task.seeds)
    teacher = _teacher(task, evidence, run, settings, reporter)
    trainer = teacher.trainer(run.checkpoint("paths"))
    with reporter.training(settings.max_epochs) as watcher:
        run.write_trace(trainer.run(watcher))
    vectors = teacher.compared(trainer.model)
    run.write_weights(teacher.weights(trainer.model))
    with reporter.working("matching and measuring"):
        results = _results(task, evidence, vectors, settings)
        run.write_candidates(results.candidates)
        run.write_results(results.metrics, results.mapping.frame(task.left.entities, task.right.entities))
    with reporter.working("drawing the report"):
        alignment_report.write(run, results.mapping, task.test, results.hits, task.left.degrees(), task.notes)


class _AnyTeacher(Protocol):
    """Trains a method, and reads the vectors to compare out of its model."""

    def trainer(self, checkpoint: Path) -> Trainer[Any]: ...

    def compared(self, model: Any) -> tuple[Tensor, Tensor]: ...

    def weights(self, model: Any) -> dict[str, Tensor]: ...


def _teacher(
    task: AlignmentTask,
    evidence: Evidence,
    run: AlignmentRun,
    settings: AlignmentSettings,
    reporter: Reporter,
) -> _AnyTeacher:
    if settings.method != "rsn":
        return MethodTeacher((task.left, task.right), task.seeds, task.valid, run, settings)
    neighbourhoods = Neighbourhoods(task.left, task.right)
    if run.found_for(0) is None and not run.checkpoint("paths").exists():
        run.write_found(_bootstrap(task, neighbourhoods, evidence, settings, reporter), epoch=0)
    return RsnTeacher(task, neighbourhoods, evidence, run, settings, reporter)


def _bootstrap(
    task: AlignmentTask,
    neighbourhoods: Neighbourhoods,
    evidence: Evidence,
    settings: AlignmentSettings,
    reporter: Reporter,
) -> Pairs:
    """What can be found from the seeds by propagation and agreeing triples alone."""
    if not settings.rounds:
        return task.seeds[:0]

    def judge(known: Pairs) -> Candidates:
        views = torch.cat(seed_views(neighbourhoods, known, settings.width, settings.seed), dim=1)
        return scored_candidates(*neighbourhoods.sides(views), evidence, settings)

    with reporter.working("looking around the seeds"):
        pairs = grown_pairs(task.seeds, judge, settings)
    reporter.say(f"found  {len(pairs) - len(task.seeds):,} links around the seeds to train with")
    return pairs[len(task.seeds) :]


@dataclass(frozen=True)
class _Results:
    metrics: dict[str, Any]
    mapping: Mapping
    candidates: Candidates
    hits: NDArray[np.bool_]  # for each test link: does its right entity rank first among the linked ones?


def _results(
    task: AlignmentTask, evidence: Evidence, vectors: tuple[Tensor, Tensor], settings: AlignmentSettings
) -> _Results:
    left, right = vectors
    candidates = scored_candidates(left, right, evidence, settings)
    connected = tuple(np.flatnonzero(graph.degrees()).astype(np.int32) for graph in (task.left, task.right))
    mapping = make_mapping(candidates, task.seeds, task.valid, (connected[0], connected[1]), settings)
    linked = np.concatenate([task.valid, task.test])
    by_name = names.equal_names(task.left, task.right)
    pools = evaluation.protocol_pools(linked, task.seeds, (len(left), len(right)))
    seen = colours(task.left, task.seeds[:, 0]), colours(task.right, task.seeds[:, 1])
    metrics: dict[str, Any] = {}
    hits = np.empty(0, dtype=bool)
    for part, links in (("validation", task.valid), ("test", task.test)):
        if len(links):
            ranks = evaluation.protocol_ranks(
                left,
                right,
                links,
                linked=linked,
                seeds=task.seeds,
                candidates=candidates if settings.temperature else None,
            )
            metrics[part] = evaluation.summaries(ranks)
            metrics[part]["ceiling"] = {name: ceiling(*seen, links, pool) for name, pool in pools.items()}
            metrics[part]["mapping"] = pair_quality(mapping.matched(), links)
            metrics[part]["name_equality"] = pair_quality(by_name, links)
            metrics[part]["calibration"] = _calibration(mapping, links)
            hits = ranks["linked"]["left_to_right"].realistic <= 1
    statuses, counts = np.unique(mapping.status, return_counts=True)
    metrics["mapping"] = dict(zip(statuses.tolist(), counts.tolist(), strict=True))
    metrics["threshold"] = None if np.isneginf(mapping.threshold) else mapping.threshold
    return _Results(metrics, mapping, candidates, hits)


def _calibration(mapping: Mapping, links: Pairs) -> dict[str, Any]:
    """How the probabilities of the chosen pairs of linked entities compare with how often they are right."""
    probability, right = mapping.probability[links[:, 0]], mapping.right[links[:, 0]] == links[:, 1]
    known = ~np.isnan(probability)
    return reliability(probability[known], right[known])


def _about(task: AlignmentTask) -> dict[str, Any]:
    return {
        "task": "align",
        "farlink": version("farlink"),
        "date": datetime.date.today().isoformat(),
        "left": graph_sizes(task.left),
        "right": graph_sizes(task.right),
        "links": {"seeds": len(task.seeds), "validation": len(task.valid), "test": len(task.test)},
        "notes": task.notes,
        "fingerprint": fingerprint((task.left, task.right), (task.seeds, task.valid, task.test)),
    }


def _vocabulary(task: AlignmentTask) -> pl.DataFrame:
    tables = []
    for side, graph in (("left", task.left), ("right", task.right)):
        entities = pl.DataFrame({"name": graph.entities, "readable": names.readable_names(graph)})
        entities = entities.with_columns(degree=pl.Series(graph.degrees()))
        for kind, table in (("entity", entities), ("relation", pl.DataFrame({"name": graph.relations}))):
            origin = (pl.lit(side).alias("side"), pl.lit(kind).alias("kind"))
            tables.append(table.with_row_index("id").select(*origin, pl.all()))
    return pl.concat(tables, how="diagonal")


def _triples(task: AlignmentTask) -> pl.DataFrame:
    tables = [
        pl.DataFrame(graph.triples, schema=["head", "relation", "tail"]).select(pl.lit(side).alias("side"), pl.all())
        for side, graph in (("left", task.left), ("right", task.right))
    ]
    return pl.concat(tables)


def _link_table(links: dict[str, Pairs]) -> pl.DataFrame:
    """Links by purpose as one table."""
    tables = [
        pl.DataFrame({"left": pairs[:, 0], "right": pairs[:, 1]}).select(pl.lit(purpose).alias("purpose"), pl.all())
        for purpose, pairs in links.items()
    ]
    return pl.concat(tables)

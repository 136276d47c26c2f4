"""The alignment task: two graphs and seed links in, a run folder with a mapping out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from farlink.alignment import report as alignment_report
from farlink.alignment.candidates import scored_candidates
from farlink.alignment.evaluation import measure
from farlink.alignment.mapping import connected, make_mapping
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import TwoGraphs
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask, open_task
from farlink.alignment.training import train
from farlink.engine.machine import use_threads
from farlink.io.sources import GraphSource, LinkSource
from farlink.progress import Reporter, reporter_of
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
        preset: `best`, `fast`, `paper` or `authors`.
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
    run.carry_out(
        settings,
        run.about_task(task),
        run.tables_of_task(task),
        lambda: _carry_out(task, run, settings, reporter),
        resume=resume,
        reporter=reporter,
    )
    return run


def _carry_out(task: AlignmentTask, run: AlignmentRun, settings: AlignmentSettings, reporter: Reporter) -> None:
    use_threads(settings.threads)
    method = method_class(settings.method)(TwoGraphs(task.left, task.right), task.seeds, settings)
    model, links = train(method, task.valid, run, reporter)
    run.write_weights(method.kept(model))
    with reporter.working("matching and measuring"):
        vectors = method.compared(model, links)
        candidates = scored_candidates(*vectors, method.evidence, settings)
        mapping = make_mapping(candidates, task.seeds, task.valid, connected(task.left, task.right), settings)
        measured = measure(task, vectors, candidates, mapping, settings)
        run.write_candidates(candidates)
        run.write_results(measured.metrics, mapping.frame(task.left.entities, task.right.entities))
    with reporter.working("drawing the report"):
        alignment_report.write(run, mapping, task.test, measured.hits, task.left.degrees(), task.notes)

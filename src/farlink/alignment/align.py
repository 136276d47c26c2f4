"""The alignment task: two graphs and seed links in, a run folder with a mapping out."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from farlink.alignment import report as alignment_report
from farlink.alignment.evaluation import measure
from farlink.alignment.mapping import connected, make_mapping
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import Method, TwoGraphs
from farlink.alignment.ontology import aligned_ontology
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask, open_task
from farlink.alignment.texts import Texts, distinct_texts, key_of, texts_of
from farlink.alignment.training import train
from farlink.engine.machine import use_threads
from farlink.errors import FarlinkError
from farlink.graph.ids import Pools
from farlink.graph.names import has_names, not_names
from farlink.io.sources import AttributeSource, GraphSource, LinkSource
from farlink.progress import Reporter, reporter_of
from farlink.settings import AlignmentSettings, make_settings
from farlink.text.encoder import Encoder, load_encoder
from farlink.wording import counted


def align(
    left: GraphSource,
    right: GraphSource | None = None,
    seeds: LinkSource | None = None,
    *,
    valid: LinkSource | None = None,
    test: LinkSource | None = None,
    rejected: LinkSource | None = None,
    trust: str | Sequence[str] = (),
    left_attributes: AttributeSource | None = None,
    right_attributes: AttributeSource | None = None,
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
        rejected: pairs, given as links are, that are never matched.
        trust: which links that the graphs themselves hold are seeds, too: `same-iris` (entities of one name in both),
            `same-as` (owl:sameAs, skos:exactMatch and schema:sameAs statements that join them), or both.
        left_attributes, right_attributes: values of entities that are not in the file of their graph: the path of a
            table or of RDF, as `farlink.io.attributes.read_attributes` tells, or a data frame (head, relation, value).
        fold: which split of a benchmark folder that has several.
        share: split the links of a benchmark folder anew, this share as seeds; 0 leaves all of them for the test.
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
        left,
        right,
        seeds=seeds,
        valid=valid,
        test=test,
        rejected=rejected,
        trust=trust,
        left_attributes=left_attributes,
        right_attributes=right_attributes,
        fold=fold,
        share=share,
        settings=chosen,
        reporter=reporter,
    )
    run = AlignmentRun(out if out is not None else tempfile.mkdtemp(prefix="farlink-"))
    return align_task(task, run, chosen, resume=resume, reporter=reporter)


def align_task(
    task: AlignmentTask, run: AlignmentRun, settings: AlignmentSettings, *, resume: bool, reporter: Reporter
) -> AlignmentRun:
    """Train, choose the mapping, measure and report, all in the run's folder."""
    encoder = load_encoder(settings.encoder) if settings.encoder else None
    _check_signals(task, settings)
    run.carry_out(
        settings,
        run.about_task(task),
        run.tables_of_task(task),
        lambda: _carry_out(task, run, settings, encoder, reporter),
        resume=resume,
        reporter=reporter,
    )
    return run


def _check_signals(task: AlignmentTask, settings: AlignmentSettings) -> None:
    """By structure alone nothing is said of two graphs that nothing joins, nor of a graph that joins nothing."""
    graphs = task.left, task.right
    if "names" in settings.signals_read and all(map(has_names, graphs)):
        return
    if settings.encoder and all(texts_of(graph).height for graph in graphs):
        return
    if "values" in settings.signals_read and all(not_names(graph.literals).height for graph in graphs):
        return
    if "structure" not in settings.signals_read:
        raise FarlinkError(_nothing_to_read(task, settings), "signals")
    for graph in (task.left, task.right):
        if not len(graph.triples):
            literals = counted(graph.literals.height, "literal")
            raise FarlinkError(
                f"{graph.source}: no triple in this graph joins two entities ({literals}), and entities are compared "
                "by the structure of their graphs"
            )
    if not len(task.seeds):
        raise FarlinkError(
            "seeds are missing: by structure alone graphs are compared from known links between them, one "
            "'left<TAB>right' pair a line",
            "seeds",
        )


def _nothing_to_read(task: AlignmentTask, settings: AlignmentSettings) -> str:
    """Which graph lacks what should be compared."""
    lacks = {
        "names": [graph.source for graph in (task.left, task.right) if not has_names(graph)],
        "values": [graph.source for graph in (task.left, task.right) if not not_names(graph.literals).height],
    }
    said = "; ".join(f"{' and '.join(lacks[name])} has no {name}" for name in settings.signals_read)
    return f"nothing to compare by: {said}"


def _telling(task: AlignmentTask, method: Method[Any]) -> Pools:
    """The left and right entities that say something about themselves."""
    if method.scorer.by_structure_alone:
        return connected(task.left, task.right)
    left, right = (np.arange(len(graph.entities), dtype=np.int32) for graph in (task.left, task.right))
    return left, right


def _texts(task: AlignmentTask, run: AlignmentRun, encoder: Encoder | None, reporter: Reporter) -> Texts | None:
    """What the encoder makes of the texts of the two graphs."""
    if encoder is None:
        return None
    tables = texts_of(task.left), texts_of(task.right)
    distinct = distinct_texts(*tables)
    with reporter.working(f"encoding {counted(len(distinct), 'text')}"):
        key = key_of(distinct, str(task.encoder))
        vectors = run.text_vectors(key, lambda: encoder.vectors(distinct.to_list()))
    return Texts(tables, vectors, (len(task.left.entities), len(task.right.entities)))


def _carry_out(
    task: AlignmentTask,
    run: AlignmentRun,
    settings: AlignmentSettings,
    encoder: Encoder | None,
    reporter: Reporter,
) -> None:
    use_threads(settings.threads)
    texts = _texts(task, run, encoder, reporter)
    graphs = TwoGraphs(task.left, task.right, run.readings, texts)
    method = method_class(settings.method)(graphs, task.seeds, settings, task.rejected)
    model, links = train(method, task.valid, run, reporter)
    run.write_weights(method.kept(model))
    with reporter.working("matching and measuring"):
        vectors = method.compared(model, links)
        candidates = method.scorer.opened(method.scorer.scored(vectors, links))
        mapping = make_mapping(candidates, task.seeds, task.valid, _telling(task, method), settings)
        measured = measure(task, vectors, candidates, mapping, settings)
        run.write_candidates(candidates)
        matched = np.concatenate([task.seeds, mapping.matched()])
        run.write_ontology(aligned_ontology(task.left, task.right, matched, settings.seed))
        run.write_results(measured.metrics, mapping.frame(task.left.entities, task.right.entities))
    with reporter.working("drawing the report"):
        alignment_report.write(run, mapping, task.test, measured.hits, task.left.degrees(), task.notes)

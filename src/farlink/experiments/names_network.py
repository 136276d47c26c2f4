"""Whether the network is worth training beside names, and whether it is to read them: compared on validation links."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from farlink.alignment.evaluation import measure, validation_hits
from farlink.alignment.mapping import make_mapping
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import TwoGraphs
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask, open_task
from farlink.alignment.training import train
from farlink.engine.machine import use_threads
from farlink.experiments.datasets import DBP15K_FR, EN_DE, EN_FR, DataSet
from farlink.experiments.records import Record, Records, carry_out, check_parts, commit, cores
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.progress import Terminal
from farlink.settings import AlignmentSettings, make_settings

SCRAMBLED = 0.8  # share of the right entities whose names are scrambled, in the data set of that name
VARIANTS: dict[str, dict[str, Any]] = {
    "structure": {"signals": "structure"},
    "structure-names": {"signals": "structure", "read_names": True},
    "all": {},
    "all-network": {"network": "always"},
    "all-names-network": {"network": "always", "read_names": True},
    "all-network-judging": {"network": "always", "vectors": "judging"},
    "all-names-network-judging": {"network": "always", "read_names": True, "vectors": "judging"},
}
PLAIN, SHUFFLED = "", "scrambled"


@dataclass(frozen=True)
class Job:
    """One alignment: a data set, names as they are or scrambled, one of `VARIANTS`, a preset and a seed."""

    data: DataSet
    names: str
    variant: str
    preset: str
    seed: int

    @property
    def folder(self) -> str:
        """Where the data set is."""
        return self.data.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {
            "data": self.folder,
            "names": self.names,
            "variant": self.variant,
            "preset": self.preset,
            "seed": self.seed,
        }


PARTS = {
    "en-fr": (EN_FR, PLAIN),
    "fr-en-scrambled": (DBP15K_FR, SHUFFLED),
    "en-fr-scrambled": (EN_FR, SHUFFLED),
    "en-de": (EN_DE, PLAIN),
    "fr-en": (DBP15K_FR, PLAIN),
}


def run(
    data: Path | None, out: Path, parts: list[str], seeds: int, variants: list[str], preset: str, **changes: Any
) -> Iterator[str]:
    """Make the runs that are not recorded yet; tells what it does."""
    check_parts(parts, list(PARTS))
    records = Records(out / "results" / "names-network.jsonl")
    jobs = (
        Job(*PARTS[part], variant, preset, seed)
        for seed in range(seeds)
        for part in parts or PARTS
        for variant in variants or VARIANTS
    )
    yield from carry_out(jobs, None, records, data, lambda job, folder: _made(job, folder, changes), _told)


def _made(job: Job, folder: Path, changes: dict[str, Any]) -> Record:
    started = time.monotonic()
    settings = make_settings(job.preset, **{**VARIANTS[job.variant], **changes, "seed": job.seed})
    use_threads(settings.threads)
    task = open_task(str(folder), settings=settings, reporter=Terminal())
    task = replace(task, test=task.test[:0])  # no test link is looked at
    if job.names == SHUFFLED:
        task = replace(task, right=scrambled(task.right, SCRAMBLED, job.seed))
    found = _aligned(task, settings)
    return {
        "command": f"farlink experiment names-network --part {_part(job)} --seeds {job.seed + 1}",
        "commit": commit(),
        "cores": cores(),
        "seconds": round(time.monotonic() - started, 1),
        **found,
    }


def _part(job: Job) -> str:
    return next(name for name, (data, names) in PARTS.items() if (data, names) == (job.data, job.names))


def _aligned(task: AlignmentTask, settings: AlignmentSettings) -> Record:
    """Vectors alone, the whole, and the links found, measured on the validation links."""
    with tempfile.TemporaryDirectory() as place:
        run = AlignmentRun(place)
        method = method_class(settings.method)(TwoGraphs(task.left, task.right), task.seeds, settings, task.rejected)
        model, links = train(method, task.valid, run, Terminal())
        trace = run.trace.to_dicts()
    compared = method.compared(model, links)
    candidates = method.scorer.scored(compared, links)
    left, right = (np.arange(len(graph.entities), dtype=np.int32) for graph in (task.left, task.right))
    mapping = make_mapping(candidates, task.seeds, task.valid, (left, right), settings)
    measured = measure(task, compared, candidates, mapping, settings)
    own = method.sides(model) if method.trains else compared
    return {
        "own_vectors": validation_hits(*own, task.seeds, task.valid),
        "vectors": validation_hits(*compared, task.seeds, task.valid),
        "links": len(links),
        "metrics": measured.metrics,
        "trace": trace,
    }


def scrambled(graph: KnowledgeGraph, share: float, seed: int) -> KnowledgeGraph:
    """The graph with the letters of some entities' names in a random order; what comes before tells them apart."""
    rng = np.random.default_rng([seed, 0x5C4A])
    names = graph.entities.to_list()
    for place in rng.permutation(len(names))[: round(share * len(names))]:
        letters = list(names[place].rsplit("/", 1)[-1])
        names[place] = f"http://scrambled/{place}/" + "".join(rng.permutation(letters))
    return replace(graph, entities=pl.Series(graph.entities.name, names))


def _told(job: Job, record: Record) -> str:
    validation = record["metrics"]["validation"]
    hits = [validation["all"][way]["hits@1"] for way in ("left_to_right", "right_to_left")]
    return (
        f"{_part(job)}, {job.variant}, {job.preset}, seed {job.seed}: own {record['own_vectors']:.4f}, "
        f"vectors {record['vectors']:.4f}, whole {hits[0]:.4f} / {hits[1]:.4f}, F1 {validation['mapping']['f1']:.4f}, "
        f"{record['seconds']:.0f} s"
    )

"""What names, values and triples find together, mostly without a known link, and what each of them is worth."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.alignment.evaluation import pair_quality
from farlink.alignment.names import NEAREST, Names
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask
from farlink.engine.machine import use_threads
from farlink.experiments.records import Record, Records, carry_out, check_parts, commit, cores, finished_run
from farlink.experiments.signal_cases import (
    ABLATIONS,
    CASES,
    EVERY,
    NEAREST_NAME,
    STRUCTURE,
    Case,
    key_of,
    without_links,
)
from farlink.experiments.signals_page import RECORDS, draw_pictures, hits_of, page
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import short_name
from farlink.io.files import write_text
from farlink.measures.ranks import Ranks
from farlink.settings import make_settings

PARTS = ("named", "benchmarks", "seeds", "few-seeds", "names", "ablations")
SAMPLED = (0.1, 0.8, 0.95, 0.98, 0.999)  # places of the pairs that are shown among all, the surest first
RIGHT_NAMES = "ent_ids_2"  # the file of a benchmark folder that has them


@dataclass(frozen=True)
class Job:
    """One run: two graphs, a seed, and what is changed about it."""

    case: Case
    seed: int
    variant: str = ""
    changes: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Where the data set is."""
        return self.case.data.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {**key_of(self.case, self.variant), "seed": self.seed}

    def arguments(self, folder: Path, out: str) -> list[str]:
        """The arguments of `farlink` that make this run."""
        return ["align", *self.case.arguments(folder), *self.changes, "--seed", str(self.seed), "--out", out]


def run(data: Path | None, out: Path, parts: list[str], only: list[str] | None, seeds: int) -> Iterator[str]:
    """Make the runs of some parts that are not recorded yet, then write the page; tells what it does."""
    check_parts(parts, PARTS)
    records = Records(out / "results" / RECORDS)
    yield from carry_out(jobs(parts, seeds), only, records, data, _made, _told)
    write_text(out / "signals.md", page(records.all))
    draw_pictures(records.all, out)
    yield f"wrote {out / 'signals.md'}"


def jobs(parts: Iterable[str], seeds: int) -> Iterator[Job]:
    """The runs of some parts, in the order of the parts."""
    for part in parts:
        if part == "names":
            yield from (
                Job(case, 0, NEAREST_NAME) for case in EVERY if case.options != STRUCTURE and not case.scrambled
            )
        elif part == "ablations":
            for variant, (changes, sets) in ABLATIONS.items():
                yield from (Job(without_links(data), seed, variant, changes) for seed in range(seeds) for data in sets)
        else:
            yield from (Job(case, seed) for seed in range(seeds) for case in CASES[part])


def _made(job: Job, folder: Path) -> Record:
    if job.variant == NEAREST_NAME:
        return nearest_by_name(job.case, folder)
    if job.case.scrambled:
        with tempfile.TemporaryDirectory() as temporary:
            return finished_run(partial(job.arguments, scrambled(folder, Path(temporary), job.seed)), among_telling)
    return finished_run(partial(job.arguments, folder), among_telling)


def scrambled(folder: Path, out: Path, seed: int) -> Path:
    """A copy of a benchmark folder in which the letters of every name of the right side are in random order."""
    rng = np.random.default_rng([seed, 0x5C12])
    copied = out / folder.name
    shutil.copytree(folder, copied, copy_function=shutil.copyfile)
    copied.chmod(0o755)
    lines = []
    for line in (folder / RIGHT_NAMES).read_text("utf-8").splitlines():
        number, name = line.split("\t")
        letters = list(name.rsplit("/", 1)[-1])
        lines.append(f"{number}\thttp://scrambled/{number}/" + "".join(rng.permutation(letters)))
    (copied / RIGHT_NAMES).write_text("\n".join(lines) + "\n", "utf-8")
    return copied


def _told(job: Job, record: Record) -> str:
    words = ", ".join(filter(None, [job.case.words, f"links {job.case.links}", job.variant, f"seed {job.seed}"]))
    figures = f"Hits@1 {hits_of(record):.3f}"
    if "mapping" in record["metrics"]["test"]:
        figures += f", F1 {record['metrics']['test']['mapping']['f1']:.3f}"
    return f"{words}: {figures} in {record['seconds']:.0f} s"


def nearest_by_name(case: Case, folder: Path) -> Record:
    """Hits@1 of the test links, left to right, by the character n-grams of names alone; nothing is learned."""
    started = time.monotonic()
    use_threads(make_settings().threads)
    found = name_ranks(case.task(folder)).summary()
    return {
        "command": "farlink experiment signals --part names",
        "commit": commit(),
        "cores": cores(),
        "seconds": round(time.monotonic() - started, 1),
        "metrics": {"test": {"all": {"left_to_right": found}}},
    }


def name_ranks(task: AlignmentTask) -> Ranks:
    """Ranks of the test links by how alike names are; all right entities but seeds are candidates.

    Who is not among the nearest by name comes behind all others.
    """
    names = Names(task.left, task.right)
    behind = np.full(len(task.test), len(task.right.entities))
    if not names.known:
        return Ranks(behind, behind)
    pairs = names.pairs(NEAREST)
    pairs = pairs[~np.isin(pairs[:, 1], task.seeds[:, 1])]
    alike = names.of(*np.ascontiguousarray(pairs.T))
    counterpart = np.full(len(task.left.entities), -1)
    counterpart[task.test[:, 0]] = task.test[:, 1]
    hit = counterpart[pairs[:, 0]] == pairs[:, 1]
    own = np.full(len(counterpart), np.nan)
    own[pairs[hit, 0]] = alike[hit]

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(pairs[which, 0], minlength=len(counterpart))[task.test[:, 0]]

    better, equal = count(alike > own[pairs[:, 0]]), count(alike == own[pairs[:, 0]])
    listed = equal > 0  # itself at the least
    return Ranks(np.where(listed, better + 1, behind), np.where(listed, better + equal, behind))


def among_telling(run: AlignmentRun) -> Record:
    """How many test links lead to an entity that the files say nothing of, and the mapping against the others."""
    test, graphs = run.links("test"), run.graphs
    heard = [speaking(graphs[side])[ends] for side, ends in zip(("left", "right"), test.T, strict=True)]
    both = heard[0] & heard[1]
    matched = run.alignment.filter(status="matched")
    places = [{name: place for place, name in enumerate(graphs[side].entities)} for side in ("left", "right")]
    found: list[tuple[int, int]] = [
        (places[0][left], places[1][right]) for left, right in matched.select("left", "right").iter_rows()
    ]
    pairs: Pairs = np.array(found, dtype=np.int32).reshape(-1, 2)
    quality = pair_quality(pairs, test[both])
    telling = {"silent": int((~both).sum()), "links": len(test), "mapping": quality}
    return {"telling": telling, "pairs": sampled_pairs(run)}


def sampled_pairs(run: AlignmentRun) -> list[dict[str, Any]]:
    """Pairs from the surest to the least likely, with the steps that their log odds are made of."""
    if run.candidates.parts is None:
        return []
    chosen = run.alignment.filter(pl.col("status") != "seed", pl.col("probability").is_not_null())
    rows = chosen.sort("probability", "left", descending=[True, False]).select("left", "right", "probability")
    found = []
    for place in sorted({int(share * rows.height) for share in SAMPLED} if rows.height else set()):
        left, right, probability = rows.row(place)
        steps = [[step.label, round(step.log_odds, 3), step.signal] for step in run.waterfall_steps(left, right)]
        names = " = ".join(short_name(name) for name in (left, right))
        found.append({"pair": names, "probability": round(probability, 3), "steps": steps})
    return found


def speaking(graph: KnowledgeGraph) -> NDArray[np.bool_]:
    """Which entities have a triple or a value."""
    valued = graph.entities.is_in(graph.literals["head"].unique().to_list()).to_numpy()
    return np.asarray((graph.degrees() > 0) | valued)

"""Where the paper's text and the authors' published code differ: what each difference is worth.

Every variant is the preset `paper` with one thing changed, and reads as many paths as the others.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from farlink import evaluation
from farlink.alignment import AlignmentTask, prepare
from farlink.experiments.alignment import SRPRS
from farlink.experiments.authors import IdentityLSTM, authors_paths
from farlink.experiments.records import Records, carry_out, check_parts, commit
from farlink.graph import Ids
from farlink.io import read_alignment_folder
from farlink.io.files import write_text
from farlink.joint import JointGraph, join
from farlink.model import PathModel
from farlink.progress import Reporter
from farlink.settings import AlignmentSettings, make_settings
from farlink.training import PathLessons, Trainer, model_of, path_losses, use_threads, walks_of

DATA = SRPRS[2]
PAPER, WALKS, ONCE, IDENTITY, SOFTMAX = VARIANTS = (
    "as in the paper",
    "walks as in the authors' code",
    "walks drawn once",
    "LSTM with identity activations",
    "sampled softmax",
)
PASSES, PART = 2, 8  # the authors' two walks per triple are read in eight epochs, and then once more


@dataclass(frozen=True)
class Job:
    """One training: a variant and a seed."""

    variant: str
    seed: int
    folder: str = DATA.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {"data": self.folder, "variant": self.variant, "seed": self.seed}


def run(data: Path, out: Path, parts: list[str], seeds: int, **changes: Any) -> Iterator[str]:
    """Train the variants that are not recorded yet, then write the page; tells what it does.

    `changes` are settings that differ from those of the preset, in all variants.
    """
    check_parts(parts, VARIANTS)
    records = Records(out / "results" / "variants.jsonl")
    jobs = (Job(variant, seed) for seed in range(seeds) for variant in parts or VARIANTS)
    yield from carry_out(jobs, None, records, data, partial(_made, changes), _told)
    write_text(out / "variants.md", page(records.all))
    yield f"wrote {out / 'variants.md'}"


def _made(changes: dict[str, Any], job: Job, folder: Path) -> dict[str, Any]:
    started = time.monotonic()
    settings = make_settings(
        "paper",
        **{
            "seed": job.seed,
            "walks_per_triple": 2 / PART,
            "max_epochs": PASSES * PART,
            "patience": 0,
            "loss": "softmax" if job.variant == SOFTMAX else "nce",
            **changes,
        },
    )
    use_threads(settings.threads)
    found = read_alignment_folder(folder)
    links = [None if part is None else (part, found.source) for part in (found.seeds, found.valid, found.test)]
    assert links[0] is not None
    task = prepare(found.left, found.right, links[0], links[1], links[2], settings, Reporter(shown=False))
    trained = Training(task, job.variant, settings)
    return {
        "command": f"farlink experiment variants --part '{job.variant}' --seeds {job.seed + 1}",
        "commit": commit(),
        **trained.result(),
        "seconds": round(time.monotonic() - started, 1),
    }


class Training:
    """Trains one variant and measures it."""

    def __init__(self, task: AlignmentTask, variant: str, settings: AlignmentSettings) -> None:
        self.task, self.variant, self.settings = task, variant, settings
        self.graph: JointGraph = join(task.left, task.right, task.seeds)
        self.losses = path_losses(self.graph, settings)
        self.linked = np.zeros(self.graph.entities, dtype=bool)
        self.linked[task.seeds[:, 0]] = self.linked[task.seeds[:, 1] + self.graph.first_right] = True

    def result(self) -> dict[str, Any]:
        """Validation Hits@1 by epoch, and the figures of the test links."""
        torch.manual_seed(self.settings.seed)
        model = model_of(self.settings, self.graph.entities, self.graph.relations)
        if self.variant == IDENTITY:
            model.core = nn.ModuleList(IdentityLSTM(layer) for layer in model.core)  # type: ignore[arg-type]
        with tempfile.TemporaryDirectory() as folder, Reporter().training(self.settings.max_epochs) as watcher:
            trainer = Trainer(model, self.lessons, self.validation, self.settings, Path(folder) / "checkpoint")
            trace = trainer.run(watcher)
        task = self.task
        linked = np.concatenate([task.valid, task.test])
        ranks = evaluation.protocol_ranks(*self._sides(model), task.test, linked=linked, seeds=task.seeds, listed=None)
        return {
            "metrics": {"test": evaluation.summaries(ranks)},
            "trace": [asdict(row) for row in trace],
        }

    def lessons(self, epoch: int, model: PathModel) -> PathLessons:
        """The walks of an epoch, or the part of the walks drawn once whose turn it is."""
        return PathLessons(self._paths(epoch % PART if self.variant == ONCE else epoch), *self.losses)

    def _paths(self, epoch: int) -> Ids:
        settings = self.settings
        if self.variant != WALKS:
            return walks_of(self.graph, settings, epoch, settings.cross_bias)
        return authors_paths(
            self.graph,
            self.linked,
            length=settings.walk_length,
            walks_per_triple=settings.walks_per_triple,
            depth=settings.depth_bias,
            cross=settings.cross_bias,
            seed=settings.seed,
            epoch=epoch,
        )

    def validation(self, model: PathModel) -> float | None:
        """Hits@1 of the validation links by the input vectors."""
        return evaluation.validation_hits(*self._sides(model), self.task.seeds, self.task.valid)

    def _sides(self, model: PathModel) -> tuple[Tensor, Tensor]:
        vectors = model.entity_in.weight.detach()
        return vectors[: self.graph.first_right], vectors[self.graph.first_right :]


def _told(job: Job, record: dict[str, Any]) -> str:
    return f"{job.variant}, seed {job.seed}: Hits@1 {_hits(record):.3f} in {record['seconds']:.0f} s"


def _hits(record: dict[str, Any]) -> float:
    return float(record["metrics"]["test"]["linked"]["left_to_right"]["hits@1"])


def page(records: list[dict[str, Any]]) -> str:
    """The page: every figure of it is from a record."""
    lines = [
        "# The paper and the authors' code",
        "",
        "Written by `farlink experiment variants` from `results/variants.jsonl`.",
        "",
        f"The preset `paper` on {DATA.name} with one thing changed at a time, after as many paths for all: two walks "
        "per triple, twice. Test Hits@1 / Hits@10 / MRR, protocol `linked`, left to right, realistic ranks, cosine of "
        "the input vectors; validation Hits@1, among all entities, halfway and at the end.",
        "",
        "| variant | seed | Hits@1 / Hits@10 / MRR | validation Hits@1 | seconds |",
        "|---|---|---|---|---|",
    ]
    for variant in VARIANTS:
        for record in (record for record in records if record["key"]["variant"] == variant):
            figures = record["metrics"]["test"]["linked"]["left_to_right"]
            cells = " / ".join(f"{figures[name]:.3f}".removeprefix("0") for name in ("hits@1", "hits@10", "mrr"))
            curve = [row["validation"] for row in record["trace"]]
            half, end = (f"{score:.3f}".removeprefix("0") for score in (curve[len(curve) // 2 - 1], curve[-1]))
            seconds = f"{record['seconds']:,.0f}"
            lines.append(f"| {variant} | {record['key']['seed']} | {cells} | {half}, {end} | {seconds} |")
    return "\n".join(lines) + "\n"

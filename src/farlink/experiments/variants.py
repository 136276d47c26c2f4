"""What differences from the paper's text are worth: the authors' published code, and another reading of RRN.

Every variant is the preset `paper` with one thing changed. Validation links compare them after equally many paths.
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
from matplotlib.axes import Axes
from torch import Tensor, nn

from farlink.alignment import evaluation
from farlink.alignment.task import AlignmentTask, open_task
from farlink.engine.machine import use_threads
from farlink.engine.plan import TrainingPlan
from farlink.engine.trainer import Trainer, ending_alike
from farlink.experiments import figures
from farlink.experiments.authors_code import IdentityLSTM, authors_paths
from farlink.experiments.claims import hits
from farlink.experiments.datasets import DBP_WD
from farlink.experiments.records import Record, Records, carry_out, check_parts, commit, written
from farlink.graph.ids import Rows
from farlink.io.files import write_text
from farlink.progress import Silent, Terminal
from farlink.reports.plots import draw
from farlink.reports.tables import Table, columns, markdown
from farlink.rsn.joint import JointGraph, join
from farlink.rsn.model import PathModel
from farlink.rsn.objective import PathObjective, model_of, path_losses, walks_of
from farlink.settings import AlignmentSettings, make_settings

DATA = DBP_WD
PAPER, WALKS, ONCE, IDENTITY, SOFTMAX, RRN, RRN_OUTPUT = VARIANTS = (
    "as in the paper",
    "walks as in the authors' code",
    "walks drawn once",
    "LSTM with identity activations",
    "sampled softmax",
    "RRN",
    "RRN with the sum at the output only",
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


def run(data: Path | None, out: Path, parts: list[str], seeds: int, budget: float, **changes: Any) -> Iterator[str]:
    """Train the variants that are not recorded yet, then write the page and the figure; tells what it does.

    `budget` is how many minutes a variant may train, in whole epochs; 0: no limit. `changes` are settings that differ
    from those of the preset, in all variants.
    """
    check_parts(parts, VARIANTS)
    records = Records(out / "results" / "variants.jsonl")
    jobs = (Job(variant, seed) for seed in range(seeds) for variant in parts or VARIANTS)
    yield from carry_out(jobs, None, records, data, partial(_made, budget, changes), _told)
    draw(out / "variants.png", partial(_curves, records=records.all), vector=True)
    write_text(out / "variants.md", page(records.all))
    yield f"wrote {out / 'variants.md'}"


def _made(budget: float, changes: dict[str, Any], job: Job, folder: Path) -> dict[str, Any]:
    started = time.monotonic()
    settings = make_settings(
        "paper",
        **{
            "seed": job.seed,
            "walks_per_triple": 2 / PART,
            "max_epochs": PASSES * PART,
            "patience": 0,
            "minutes": budget,
            "loss": "softmax" if job.variant == SOFTMAX else "nce",
            "model": {RRN: "rrn", RRN_OUTPUT: "rnn"}.get(job.variant, "rsn"),
            **changes,
        },
    )
    use_threads(settings.threads)
    task = open_task(folder, settings=settings, reporter=Silent())
    trained = Training(task, job.variant, settings)
    return {
        "command": f"farlink experiment variants --part '{job.variant}' --seeds {job.seed + 1} --budget {budget:g}",
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
        if self.variant == RRN_OUTPUT:
            model.output_norm.register_forward_pre_hook(partial(_sums, self.settings.walk_length - 1))
        with tempfile.TemporaryDirectory() as folder, Terminal().training(self.settings.max_epochs) as watcher:
            plan = TrainingPlan.of(self.settings)
            epochs = ending_alike(self.objective, self.validation)
            trainer = Trainer(model, epochs, plan, Path(folder) / "checkpoint")
            trace = trainer.run(watcher)
        task = self.task
        linked = np.concatenate([task.valid, task.test])
        ranks = evaluation.protocol_ranks(
            *self._sides(model), task.test, linked=linked, seeds=task.seeds, candidates=None
        )
        return {
            "metrics": {"test": evaluation.summaries(ranks)},
            "trace": [asdict(row) for row in trace],
        }

    def objective(self, epoch: int, model: PathModel) -> PathObjective:
        """The walks of an epoch, or the part of the walks drawn once whose turn it is."""
        return PathObjective(self._paths(epoch % PART if self.variant == ONCE else epoch), *self.losses)

    def _paths(self, epoch: int) -> Rows:
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


def _sums(length: int, norm: nn.Module, inputs: tuple[Tensor]) -> Tensor:
    """h_t + h_{t-1} in place of states h of paths, all (T - 1, B, d) in one (T - 1) B rows."""
    h = inputs[0].view(length, -1, inputs[0].shape[1])
    return torch.cat([h[:1], h[1:] + h[:-1]]).flatten(0, 1)


def _told(job: Job, record: Record) -> str:
    return f"{job.variant}, seed {job.seed}: Hits@1 {hits(record):.3f} in {record['seconds']:.0f} s"


def page(records: list[Record]) -> str:
    """The page: every figure of it is from a record."""
    lines = [
        "# The paper, the authors' code, and RRN",
        "",
        "Written by `farlink experiment variants` from `results/variants.jsonl`.",
        "",
        f"The preset `paper` on {DATA.name} with one thing changed at a time, at most two walks per triple, twice. "
        "Test Hits@1 / Hits@10 / MRR at the end, protocol `linked`, left to right, realistic ranks, cosine of the "
        "input vectors. Not all read as many paths, so what compares them is validation Hits@1, among all entities, "
        "and that of the paper's way after as many paths.",
        "",
        *markdown(_table(records)),
        "",
        "![Validation Hits@1 by paths read](variants.png)",
    ]
    return "\n".join(lines) + "\n"


def _table(records: list[Record]) -> Table:
    headings = ("variant", "seed", "paths", "validation Hits@1", "the paper's way", "test Hits@1 / Hits@10 / MRR")
    return Table(columns(*headings, "seconds"), [_row(record, records) for record in _in_order(records)])


def _row(record: Record, records: list[Record]) -> list[str]:
    key, last = record["key"], record["trace"][-1]
    figures = record["metrics"]["test"]["linked"]["left_to_right"]
    return [
        key["variant"],
        str(key["seed"]),
        f"{last['examples']:,}",
        written(last["validation"]),
        _papers_way(record, records),
        written(*(figures[name] for name in ("hits@1", "hits@10", "mrr"))),
        f"{record['seconds']:,.0f}",
    ]


def _papers_way(record: Record, records: list[Record]) -> str:
    """What the paper's way has with the same seed after as many paths, and how far ahead the variant is."""
    key, last = record["key"], record["trace"][-1]
    same = {**key, "variant": PAPER}
    found = [row for other in records if other["key"] == same for row in other["trace"]]
    score = next((row["validation"] for row in found if row["examples"] == last["examples"]), None)
    if score is None or key["variant"] == PAPER:
        return ""
    return f"{written(score)} ({100 * (last['validation'] - score):+.1f})"


def _in_order(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: (VARIANTS.index(record["key"]["variant"]), record["key"]["seed"]))


def _curves(axes: Axes, records: list[Record]) -> None:
    lines = [figures.learned(record["key"]["variant"], record) for record in _in_order(records)]
    figures.draw_curves(axes, VARIANTS, lines, figures.PATHS, "validation Hits@1", DATA.name)

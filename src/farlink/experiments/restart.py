"""What the network's learning rate does between walks and questions: three ways, compared on validation triples."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from farlink.completion.complete import learned_rules, trained_factors
from farlink.completion.ensemble import scorers
from farlink.completion.evaluation import measured
from farlink.completion.run import CompletionRun
from farlink.completion.stages import Stage, question_stage, walk_stage
from farlink.completion.task import open_task
from farlink.completion.training_data import TrainingData
from farlink.completion.trials import DROPOUTS, chosen_dropout
from farlink.engine.machine import use_threads
from farlink.experiments.datasets import CODEX_S
from farlink.experiments.records import Record, Records, carry_out, check_parts, commit, cores
from farlink.io.files import write_text
from farlink.progress import Reporter, Terminal
from farlink.reports.tables import Table, columns, markdown
from farlink.rsn.model import PathModel
from farlink.rsn.objective import fresh_model
from farlink.settings import CompletionSettings, make_completion_settings

# `best` as a whole, and the network alone with a dropout that is given, so that no trial chooses it
PARTS: dict[str, dict[str, Any]] = {"best": {}, "network": {"factors": 0, "rules": 0, "question_dropout": 0.4}}
FULL, PARTIAL, NONE = "full", "partial", "none"
WAYS = {
    FULL: "falls to zero on the walks, starts again in full and falls to zero on the questions",
    PARTIAL: "falls to zero on the walks, starts again where one fall over all epochs would be",
    NONE: "one fall over all epochs",
}


@dataclass(frozen=True)
class Job:
    """One completion: one of `PARTS`, a way and a seed."""

    part: str
    way: str
    seed: int
    folder: str = CODEX_S.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {"data": self.folder, "part": self.part, "restart": self.way, "seed": self.seed}


def run(data: Path | None, out: Path, parts: list[str], seeds: int, **changes: Any) -> Iterator[str]:
    """Make the runs that are not recorded yet, then write the page; tells what it does.

    `changes` are settings that differ from those of the preset `best`, in all parts.
    """
    check_parts(parts, list(PARTS))
    records = Records(out / "results" / "restart.jsonl")
    jobs = (Job(part, way, seed) for part in parts or PARTS for seed in range(seeds) for way in WAYS)
    yield from carry_out(jobs, None, records, data, lambda job, folder: _made(job, folder, changes), _told)
    write_text(out / "restart.md", page(records.all))
    yield f"wrote {out / 'restart.md'}"


def _made(job: Job, folder: Path, changes: dict[str, Any]) -> Record:
    started = time.monotonic()
    settings = make_completion_settings(**{**changes, **PARTS[job.part], "seed": job.seed})
    use_threads(settings.threads)
    reporter = Terminal()
    train, valid = str(folder / "train.txt"), str(folder / "valid.txt")
    task = open_task(train, valid=valid, settings=settings, reporter=reporter)
    data = TrainingData(task, settings.seed)
    with tempfile.TemporaryDirectory() as place:
        run = CompletionRun(place)
        network = _trained_network(job.way, data, run, settings, reporter)
        factors = trained_factors(data, run, settings, reporter) if settings.factors else None
    rules = learned_rules(data, settings) if settings.rules else None
    metrics, _ = measured(task, data, scorers(network, factors, rules))
    return {
        "command": f"farlink experiment restart --part {job.part} --seeds {job.seed + 1}",
        "commit": commit(),
        "cores": cores(),
        "seconds": round(time.monotonic() - started, 1),
        "metrics": metrics,
    }


def _trained_network(
    way: str, data: TrainingData, run: CompletionRun, settings: CompletionSettings, reporter: Reporter
) -> PathModel:
    """As in a completion, but with the rate led in one of the ways."""
    network, checkpoint = fresh_model(settings, data.entities, 2 * data.relations), run.checkpoint("paths")

    def train(stage: Stage[PathModel]) -> None:
        with reporter.training(stage.last_epoch, f"the network, {stage.name}", "MRR") as watcher:
            stage.trainer(network, checkpoint).run(watcher)

    walks = walk_stage(data, settings)
    expected = _walked_share(walks, question_stage(data, settings, DROPOUTS[0]))  # the dropout is not known yet
    train(replace(walks, plan=replace(walks.plan, fall=expected)) if way == NONE else walks)
    questions = question_stage(data, settings, chosen_dropout(data, settings, network, run, reporter))
    gone = {FULL: 0.0, PARTIAL: _walked_share(walks, questions), NONE: expected}[way]
    plan = replace(questions.plan, learning_rate=questions.plan.rate(gone))
    train(replace(questions, plan=plan))
    return network


def _walked_share(walks: Stage[PathModel], questions: Stage[PathModel]) -> float:
    """The share of the epochs that are on walks."""
    return walks.plan.epochs / questions.last_epoch


def _told(job: Job, record: Record) -> str:
    network, whole = _figures(record)
    return f"{job.part}, {job.way}, seed {job.seed}: MRR {network:.4f}, {whole:.4f} in {record['seconds']:.0f} s"


def _figures(record: Record) -> tuple[float, float]:
    """Validation MRR of the network alone and of all scorers together."""
    validation = record["metrics"]["validation"]
    return validation["alone"]["paths"]["mrr"], validation["both"]["mrr"]


def page(records: list[Record]) -> str:
    """The page: every figure of it is from a record."""
    rows = [_row(part, way, records) for part in PARTS for way in WAYS]
    headings = ("part", "the rate", "network alone", "all scorers", "seeds")
    lines = [
        "# The rate between walks and questions",
        "",
        "Written by `farlink experiment restart` from `results/restart.jsonl`.",
        "",
        "Completions of CoDEx-S, with the learning rate of the network led in three ways. MRR of all validation "
        "triples, filtered, realistic ranks: mean, standard deviation, and each seed. No test triple was looked at. "
        "`best` is the preset as it is; `network` is its network alone with a dropout of .4 while it learns from "
        "questions. In `best` the network learns apart from the other scorers, so its figures are those of a run with "
        "`--set factors=0 --set rules=0`.",
        "",
        *markdown(Table(columns(*headings), [row for row in rows if row])),
    ]
    return "\n".join(lines) + "\n"


def _row(part: str, way: str, records: list[Record]) -> list[str]:
    """Part, way and figures; nothing where there is no record."""
    same = {"part": part, "restart": way}
    found = sorted((record for record in records if same.items() <= record["key"].items()), key=_seed)
    if not found:
        return []
    networks, wholes = zip(*map(_figures, found), strict=True)
    seeds = ", ".join(str(_seed(record)) for record in found)
    return [f"`{part}`", f"{way}: {WAYS[way]}", _spread(networks), "" if PARTS[part] else _spread(wholes), seeds]


def _seed(record: Record) -> int:
    return int(record["key"]["seed"])


def _spread(figures: tuple[float, ...]) -> str:
    """Mean, standard deviation and the figures themselves."""
    deviation = f" ± {stdev(figures):.4f}" if len(figures) > 1 else ""
    return f"{mean(figures):.4f}{deviation} ({', '.join(f'{figure:.4f}' for figure in figures)})"

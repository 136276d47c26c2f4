"""How well and how fast graphs are completed: the presets on the paper's data sets, and models of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from statistics import mean
from typing import Any

from farlink.experiments import figures
from farlink.experiments.claims import Claim, Comparison, Scored, claim_lines
from farlink.experiments.datasets import COMPLETION, FB15K, DataSet
from farlink.experiments.published import PAPER_COMPLETION
from farlink.experiments.pykeen_models import BASELINES, train_baseline
from farlink.experiments.records import Record, Records, carry_out, check_parts, commit, finished_run, written
from farlink.io.files import write_text
from farlink.reports.plots import draw
from farlink.reports.tables import Table, columns, markdown

GB = 1e9
TRANSLATIONS = ("TransE", "TransR", "TransD")
SCORERS = {"paths": "network (RSN)", "factors": "tensor model", "rules": "rules"}


# the network by itself, twice as wide, for graphs to be known by heart: nothing is dropped
WIDE = ("factors=0", "rules=0", "width=512", "dropout=0", "question_dropout=0", "question_epochs=24")
PARTS = ("best", "fast", "wide", "paper", "baselines", *BASELINES)  # all models of others, or one of them
TABLE = ("best", "paper", "baselines")  # what the paper's tables hold


@dataclass(frozen=True)
class Job:
    """One run: a data set, a preset of ours (`wide`: see above) or a model of others, and a seed."""

    data: DataSet
    model: str
    seed: int

    @property
    def folder(self) -> str:
        """Where the data set is."""
        return self.data.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {"data": self.folder, "model": self.model, "seed": self.seed}

    def arguments(self, folder: str, budget: float, out: str) -> list[str]:
        """The arguments of `farlink` that make this run with one of our presets; `paper` ends by its budget only."""
        preset = "best" if self.model == "wide" else self.model
        changes = {"wide": WIDE, "paper": (f"minutes={budget:g}",)}.get(self.model, ())
        changed = [word for change in changes for word in ("--set", change)]
        return ["complete", folder, "--preset", preset, "--seed", str(self.seed), *changed, "--out", out]


def run(
    data: Path | None, out: Path, parts: list[str], only: list[str] | None, seeds: int, budget: float
) -> Iterator[str]:
    """Make the runs of some parts that are not recorded yet, then write the page; tells what it does.

    `budget` is how many minutes a model of others, or the preset `paper`, may learn.
    """
    check_parts(parts, PARTS)
    records = Records(out / "results" / "completion.jsonl")
    yield from carry_out(jobs(parts, seeds), only, records, data, partial(_made, budget), _told)
    _draw(out / "completion.png", records.all)
    write_text(out / "completion.md", page(records.all))
    yield f"wrote {out / 'completion.md'}"


def jobs(parts: list[str], seeds: int) -> Iterator[Job]:
    """The runs of some parts, in the order of the parts."""
    for part in parts:
        for model in BASELINES if part == "baselines" else (part,):
            yield from (Job(data, model, seed) for seed in range(seeds) for data in COMPLETION)


def _made(budget: float, job: Job, folder: Path) -> Record:
    if job.model not in BASELINES:
        return finished_run(partial(job.arguments, str(folder), budget))
    trained = train_baseline(folder, job.model, job.seed, 60 * budget)
    options = f"--only {job.folder} --seeds {job.seed + 1} --budget {budget:g}"
    command = f"farlink experiment completion --part {job.model} {options}"
    return {"command": command, "commit": commit(), "peak_memory": None, **trained}


def _told(job: Job, record: Record) -> str:
    figures = record["metrics"]["test"]["both"]
    return f"{job.data.name}, {job.model}, seed {job.seed}: MRR {figures['mrr']:.3f} in {record['seconds']:.0f} s"


def _published(data: DataSet, models: Iterable[str]) -> Scored:
    """The best MRR that the paper gives any of some models."""
    best = max(models, key=lambda model: PAPER_COMPLETION[data][model][2])
    return Scored(f"{best} as published", PAPER_COMPLETION[data][best][2])


def _network(records: list[Record], data: DataSet) -> Scored | None:
    """MRR of the network in `best` by itself."""
    found = _of(records, data, "best")
    if not found:
        return None
    return Scored("RSN", mean(record["metrics"]["test"]["alone"]["paths"]["mrr"] for record in found))


def _ahead_of_translations(records: list[Record]) -> list[Comparison]:
    networks = {data: _network(records, data) for data in COMPLETION}
    return [Comparison(data.name, own, _published(data, TRANSLATIONS)) for data, own in networks.items() if own]


def _second_to_rotate(records: list[Record]) -> list[Comparison]:
    own = _network(records, FB15K)
    if own is None:
        return []
    others = [model for model in PAPER_COMPLETION[FB15K] if model not in ("RSN", "RotatE")]
    return [
        Comparison("behind RotatE", _published(FB15K, ["RotatE"]), own),
        Comparison("ahead of the others", own, _published(FB15K, others)),
    ]


CLAIMS = (
    Claim("RSN is ahead of the translations (MRR of the network in `best`)", _ahead_of_translations),
    Claim(f"RSN is second to RotatE on {FB15K.name} (MRR of the network in `best`)", _second_to_rotate),
)


def page(records: list[Record]) -> str:
    """The page: every figure of it is from a record, except the paper's."""
    lines = [
        "# Completion",
        "",
        "Written by `farlink experiment completion` from `results/completion.jsonl`, where each run has its command, "
        "seed, commit and all metrics.",
        "",
        "**The paper:** RSNs are ahead of all translations (TransE, TransR, TransD), and on FB15K second to RotatE "
        "(tables 4 to 6).",
        *claim_lines(CLAIMS, records),
        "",
        "Hits@1 / Hits@10 / MRR of all test triples, the mean of both sides, filtered, realistic ranks, all entities "
        "as candidates. Seconds are those of the whole command, from files to report, on two cores (models of others: "
        "of training). A run of ours has several rows: the network that reads paths alone (RSN), the tensor model "
        "alone, the rules alone, all of them with the weights that validation triples chose, and what is left without "
        "one of them, with weights chosen anew; so the rows are the ablation, too. `wide` is the network by itself, "
        "twice as wide as in `best` and with nothing dropped. Models of others were trained by "
        "PyKEEN and measured by the same code; they, and the preset `paper`, had a bounded time, which the row tells: "
        "it shows what they reach in that time, and the paper's column what they can reach.",
    ]
    lines += ["", "![MRR by model and data set](completion.png)"]
    for data in COMPLETION:
        lines += ["", f"## {data.name}", "", *markdown(_table(data, records))]
    return "\n".join(lines) + "\n"


def _table(data: DataSet, records: list[Record]) -> Table:
    """Models of others, presets of ours with their scorers, and what was not run."""
    rows: list[list[str | None]] = []
    published = PAPER_COMPLETION[data]
    for model in BASELINES:
        if found := _of(records, data, model):
            title = ", ".join([model, *_training(found)])
            beside = written(*published[model]) if model in published else None
            rows.append([title, _mean(found, "both"), beside, *_cost(found)])
    for model in ("paper", "fast", "wide", "best"):
        if found := _of(records, data, model):
            rows += _preset_rows(model, found, written(*published["RSN"]))
    missing = [name for name in published if name != "RSN" and not _of(records, data, name)]
    rows += [[name, "not run", written(*published[name]), None, None, None] for name in missing]
    return Table(columns("model", "Hits@1 / Hits@10 / MRR", "in the paper", "runs", "seconds", "memory"), rows)


def _preset_rows(model: str, found: list[Record], rsn: str) -> Iterator[list[str | None]]:
    """All scorers of a preset together, each alone, and what is left without it; `rsn` stands beside the network."""
    test = found[0]["metrics"]["test"]
    cost = _cost(found)
    on_one = ", 1 core" if found[0].get("cores") == 1 else ""
    if "without" in test:
        yield [f"**`{model}`**{on_one}", f"**{_mean(found, 'both')}**", None, *cost]
    for scorer in test["alone"]:
        beside = rsn if scorer == "paths" else None
        yield [f"`{model}`, {SCORERS[scorer]} alone{on_one}", _mean(found, "alone", scorer), beside, *cost]
    for scorer in test.get("without", ()):
        yield [f"`{model}`, without {SCORERS[scorer]}{on_one}", _mean(found, "without", scorer), None, *cost]


def _training(found: list[Record]) -> list[str]:
    """How long models of others learned, and on how many threads."""
    epochs, threads = mean(record["epochs"] for record in found), found[0]["threads"]
    return [
        f"{epochs:g} epoch" if epochs == 1 else f"{epochs:g} epochs",
        f"{threads} thread" if threads == 1 else f"{threads} threads",
    ]


def _cost(found: list[Record]) -> list[str]:
    """Runs, seconds and memory."""
    return [str(len(found)), f"{mean(record['seconds'] for record in found):,.0f}", _memory(found)]


def _of(records: list[Record], data: DataSet, model: str) -> list[Record]:
    return [record for record in records if (record["key"]["data"], record["key"]["model"]) == (data.folder, model)]


def _draw(path: Path, records: list[Record]) -> None:
    """MRR of every model on every data set, beside what the paper gives."""
    names = {data.folder: data.name for data in COMPLETION}
    scores: dict[tuple[str, str], list[float]] = {}
    for record in records:
        name, model, test = names[record["key"]["data"]], record["key"]["model"], record["metrics"]["test"]
        scores.setdefault((model, name), []).append(test["both"]["mrr"])
        if model == "best":
            scores.setdefault(("RSN", name), []).append(test["alone"]["paths"]["mrr"])
    found = {place: mean(values) for place, values in scores.items()}
    published = {(model, data.name): row[2] for data, rows in PAPER_COMPLETION.items() for model, row in rows.items()}
    models = [*BASELINES, "RSN", "fast", "best"]
    fill = partial(
        figures.draw_dots, methods=models, data=[*names.values()], found=found, published=published, measure="test MRR"
    )
    draw(path, fill, vector=True, height=figures.height(models))


def _mean(found: list[Record], *which: str) -> str:
    figures = [reduce(getitem, which, record["metrics"]["test"]) for record in found]
    hits_1, hits_10, mrr = (mean(one[name] for one in figures) for name in ("hits@1", "hits@10", "mrr"))
    return written(hits_1, hits_10, mrr)


def _memory(found: list[Record]) -> str:
    peaks = [record["peak_memory"] for record in found if record["peak_memory"]]
    return f"{max(peaks) / GB:.1f} GB" if peaks else ""

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
from farlink.experiments.claims import NOT_TESTED, held
from farlink.experiments.pykeen_models import BASELINES, train_baseline
from farlink.experiments.records import Records, carry_out, check_parts, commit, finished_run, written
from farlink.io.files import write_text
from farlink.reports.plots import draw

GB = 1e9
TRANSLATIONS = ("TransE", "TransR", "TransD")
SCORERS = {"paths": "network (RSN)", "factors": "tensor model", "rules": "rules"}
Figures = tuple[float, float, float]  # Hits@1, Hits@10, MRR


@dataclass(frozen=True)
class DataSet:
    """A data set and what the paper reports on it."""

    folder: str
    name: str
    paper: dict[str, Figures]

    def published(self, models: Iterable[str]) -> float:
        """The best MRR that the paper gives any of some models."""
        return max(self.paper[model][2] for model in models)


# what the paper's tables say
DATA = (
    DataSet(
        "kgc/fb15k",
        "FB15K",
        {
            "TransE": (0.305, 0.737, 0.46),
            "TransR": (0.377, 0.767, 0.52),
            "TransD": (0.315, 0.691, 0.44),
            "ComplEx": (0.599, 0.840, 0.69),
            "ConvE": (0.670, 0.873, 0.75),
            "RotatE": (0.746, 0.884, 0.80),
            "RSN": (0.722, 0.873, 0.78),
        },
    ),
    DataSet(
        "kgc/wn18",
        "WN18",
        {
            "TransE": (0.274, 0.944, 0.58),
            "TransR": (0.548, 0.947, 0.73),
            "TransD": (0.301, 0.931, 0.56),
            "ComplEx": (0.936, 0.947, 0.94),
            "ConvE": (0.935, 0.955, 0.94),
            "RotatE": (0.944, 0.959, 0.95),
            "RSN": (0.922, 0.953, 0.94),
        },
    ),
    DataSet(
        "kgc/fb15k-237",
        "FB15K-237",
        {
            "TransE": (0.133, 0.409, 0.22),
            "TransR": (0.109, 0.382, 0.20),
            "TransD": (0.178, 0.447, 0.27),
            "ComplEx": (0.152, 0.419, 0.24),
            "ConvE": (0.239, 0.491, 0.31),
            "RotatE": (0.241, 0.533, 0.34),
            "RSN": (0.202, 0.453, 0.28),
        },
    ),
)
# the network by itself, twice as wide, for graphs to be known by heart: nothing is dropped
WIDE = ("factors=0", "rules=0", "width=512", "dropout=0", "question_dropout=0", "question_epochs=8")
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


def run(data: Path, out: Path, parts: list[str], only: list[str] | None, seeds: int, budget: float) -> Iterator[str]:
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
            yield from (Job(data, model, seed) for seed in range(seeds) for data in DATA)


def _made(budget: float, job: Job, folder: Path) -> dict[str, Any]:
    if job.model not in BASELINES:
        return finished_run(partial(job.arguments, str(folder), budget))
    trained = train_baseline(folder, job.model, job.seed, 60 * budget)
    options = f"--only {job.folder} --seeds {job.seed + 1} --budget {budget:g}"
    command = f"farlink experiment completion --part {job.model} {options}"
    return {"command": command, "commit": commit(), "peak_memory": None, **trained}


def _told(job: Job, record: dict[str, Any]) -> str:
    figures = record["metrics"]["test"]["both"]
    return f"{job.data.name}, {job.model}, seed {job.seed}: MRR {figures['mrr']:.3f} in {record['seconds']:.0f} s"


def verdict(records: list[dict[str, Any]]) -> str:
    """Whether the paper's claims hold for the network in `best`, beside what the paper gives of the other models."""
    found: dict[str, list[float]] = {}
    for record in records:
        if record["key"]["model"] == "best":
            figures = record["metrics"]["test"]["alone"]["paths"]
            found.setdefault(record["key"]["data"], []).append(figures["mrr"])
    tried = [data for data in DATA if data.folder in found]
    if not tried:
        return NOT_TESTED
    gaps = [mean(found[data.folder]) - data.published(TRANSLATIONS) for data in tried]
    told = ", ".join(f"{data.name} {gap:+.3f}" for data, gap in zip(tried, gaps, strict=True))
    said = [f"That RSN is ahead of the translations {held(sum(gap > 0 for gap in gaps), len(gaps))}"]
    said.append(f"(MRR of the network in `best` less the best of theirs as published: {told}).")
    first = DATA[0]
    if first in tried:
        own = mean(found[first.folder])
        others = [name for name in first.paper if name not in ("RSN", "RotatE")]
        second = first.published(others) < own < first.published(["RotatE"])
        said.append(f"That it is second to RotatE on {first.name} {held(int(second), 1)}")
        said.append(f"({written(own)}; RotatE as published {written(first.published(['RotatE']))},")
        said.append(f"the best of the others {written(first.published(others))}).")
    return " ".join(said)


def page(records: list[dict[str, Any]]) -> str:
    """The page: every figure of it is from a record, except the paper's."""
    lines = [
        "# Completion",
        "",
        "Written by `farlink experiment completion` from `results/completion.jsonl`, where each run has its command, "
        "seed, commit and all metrics.",
        "",
        "**The paper:** RSNs are ahead of all translations (TransE, TransR, TransD), and on FB15K second to RotatE "
        "(tables 4 to 6).",
        "",
        f"**Found:** {verdict(records)}",
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
    for data in DATA:
        lines += ["", f"## {data.name}", "", *_table(data, records)]
    return "\n".join(lines) + "\n"


def _table(data: DataSet, records: list[dict[str, Any]]) -> list[str]:
    lines = ["| model | Hits@1 / Hits@10 / MRR | in the paper | runs | seconds | memory |", "|---|---|---|---|---|---|"]
    shown = set()
    for model in (*BASELINES, "paper", "fast", "wide", "best"):
        found = [
            record for record in records if record["key"]["data"] == data.folder and record["key"]["model"] == model
        ]
        if not found:
            continue
        shown.add(model)
        cost = f"{len(found)} | {mean(record['seconds'] for record in found):,.0f} | {_memory(found)}"
        if model in BASELINES:
            epochs, threads = mean(record["epochs"] for record in found), found[0]["threads"]
            title = f"{model}, {epochs:g} epoch{'s' * (epochs != 1)}, {threads} thread{'s' * (threads != 1)}"
            lines.append(f"| {title} | {_mean(found, 'both')} | {written(*data.paper.get(model, ()))} | {cost} |")
            continue
        several = "without" in found[0]["metrics"]["test"]
        on_one = ", 1 core" if found[0].get("cores") == 1 else ""
        if several:
            lines.append(f"| **`{model}`**{on_one} | **{_mean(found, 'both')}** | | {cost} |")
        for variant in ("alone", "without") if several else ("alone",):
            for scorer in found[0]["metrics"]["test"][variant]:
                published = written(*data.paper["RSN"]) if (variant, scorer) == ("alone", "paths") else ""
                title = f"{SCORERS[scorer]} alone" if variant == "alone" else f"without {SCORERS[scorer]}"
                lines.append(f"| `{model}`, {title}{on_one} | {_mean(found, variant, scorer)} | {published} | {cost} |")
    missing = [name for name in data.paper if name not in shown and name != "RSN"]
    lines += [f"| {name} | not run | {written(*data.paper[name])} | | | |" for name in missing]
    return lines


def _draw(path: Path, records: list[dict[str, Any]]) -> None:
    """MRR of every model on every data set, beside what the paper gives."""
    names = {data.folder: data.name for data in DATA}
    scores: dict[tuple[str, str], list[float]] = {}
    for record in records:
        name, model, test = names[record["key"]["data"]], record["key"]["model"], record["metrics"]["test"]
        scores.setdefault((model, name), []).append(test["both"]["mrr"])
        if model == "best":
            scores.setdefault(("RSN", name), []).append(test["alone"]["paths"]["mrr"])
    found = {place: mean(values) for place, values in scores.items()}
    published = {(model, data.name): paper[2] for data in DATA for model, paper in data.paper.items()}
    models = [*BASELINES, "RSN", "fast", "best"]
    fill = partial(
        figures.draw_dots, methods=models, data=[*names.values()], found=found, published=published, measure="test MRR"
    )
    draw(path, fill, vector=True, height=figures.height(models))


def _mean(found: list[dict[str, Any]], *which: str) -> str:
    figures = [reduce(getitem, which, record["metrics"]["test"]) for record in found]
    hits_1, hits_10, mrr = (mean(one[name] for one in figures) for name in ("hits@1", "hits@10", "mrr"))
    return written(hits_1, hits_10, mrr)


def _memory(found: list[dict[str, Any]]) -> str:
    peaks = [record["peak_memory"] for record in found if record["peak_memory"]]
    return f"{max(peaks) / GB:.1f} GB" if peaks else ""

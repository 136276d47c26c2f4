"""The paper's tables and figures on entity alignment, made again: one experiment each.

An experiment is a set of runs of `farlink align`. Each run is recorded once; the page and the figure are made from the
records, and say what the paper claims, what was found, and whether the claim holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from matplotlib.axes import Axes

from farlink.experiments import figures
from farlink.experiments.claims import (
    Claim,
    ahead_of_all,
    better,
    by_label,
    by_place,
    claim_lines,
    fastest,
    gentler,
    hits,
    rises_then_rests,
    still_learning,
)
from farlink.experiments.datasets import DBP_WD, DBP_WD_DENSE, NORMAL, DataSet
from farlink.experiments.preset_records import BEST, runs_of_best
from farlink.experiments.published import PAPER_HITS
from farlink.experiments.records import Record, Records, carry_out, check_parts, finished_run, longest, written
from farlink.io.files import write_text
from farlink.reports.plots import draw
from farlink.reports.tables import Table, columns, markdown

# An epoch of the presets `paper` and `authors` takes minutes. Epochs of an eighth, otherwise the same, keep to a budget
# and give a curve its points.
SHORT_EPOCHS = {
    "paper": ("walks_per_triple=0.25", "max_epochs=240", "patience=24"),
    "authors": ("walks_per_triple=0.25", "walk_epochs=8", "max_epochs=112"),
}
LENGTH_EPOCHS = 4  # such epochs that walks of each length are read for: equally many paths
NEAR = 3.0  # points of Hits@1 that a method of others may differ from what was published


@dataclass(frozen=True)
class Variant:
    """A run: changes to the preset `paper` or `authors`, or a method of others; `x` is its place in a figure."""

    label: str
    changes: tuple[str, ...] = ()
    preset: str = "paper"
    method: str = ""
    share: float | None = None
    x: float | None = None


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper."""

    title: str
    paper: str  # what the paper says
    claims: tuple[Claim, ...]
    data: tuple[DataSet, ...]
    variants: tuple[Variant, ...]
    axis: str = ""  # what a figure of curves has from left to right; none: a table, beside what was published
    beside_best: bool = False  # whether runs of the preset `best`, where they are recorded, stand beside the others


WITHOUT_BIASES = ("depth_bias=0.5", "cross_bias=0.5")
METHODS = ("MTransE", "IPTransE", "JAPE", "BootEA", "GCN-Align", "TransR", "TransD", "ConvE", "RotatE")
TABLE = (
    *(Variant(name, method=name.lower()) for name in METHODS),
    Variant("RSN without biases", WITHOUT_BIASES),
    Variant("RSN without biases (authors)", WITHOUT_BIASES, "authors"),
    Variant("RSN"),
    Variant("RSN (authors)", preset="authors"),
)
AS_THE_AUTHORS = " (authors)"  # of a label: as their published code does it
TABLE_CLAIMS = tuple(
    claim
    for way in ("", AS_THE_AUTHORS)
    for claim in (
        Claim(f"RSN{way} is ahead of all earlier methods", ahead_of_all(f"RSN{way}", METHODS)),
        Claim(
            f"RSN{way} is better with biased walks than without (a point or two on validation links can be chance)",
            better(f"RSN{way}", f"RSN without biases{way}"),
        ),
    )
)
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
EXPERIMENTS = {
    "table-normal": Experiment(
        "Entity alignment on the normal data sets",
        "RSNs are ahead of all earlier methods, and biased walks are better than unbiased ones (table 2).",
        TABLE_CLAIMS,
        NORMAL,
        TABLE,
        beside_best=True,
    ),
    "table-dense": Experiment(
        "Entity alignment on the dense data sets",
        "RSNs are ahead of all earlier methods, and biased walks are better than unbiased ones (table 3). Of the dense "
        "sets only DBP-WD is at hand.",
        TABLE_CLAIMS,
        (DBP_WD_DENSE,),
        TABLE,
        beside_best=True,
    ),
    "convergence": Experiment(
        "How fast RSN, RRN and RNN learn",
        "RSNs need a thirtieth of the epochs of RNNs and RRNs for better results; RRNs are little better than RNNs.",
        (Claim("RSN is ahead after every epoch (validation Hits@1)", fastest("RSN")),),
        (DBP_WD,),
        tuple(Variant(kind.upper(), (f"model={kind}", "patience=0")) for kind in ("rsn", "rrn", "rnn")),
        axis=figures.PATHS,
    ),
    "walk-length": Experiment(
        "Length of the walks",
        "Hits@1 rises sharply from length 5 to 15 and hardly from 15 to 25.",
        (Claim("walks gain more than twice as much from length 5 to 15 as from 15 to 25", rises_then_rests),),
        (DBP_WD,),
        tuple(
            Variant("RSN", (f"walk_length={length}", f"max_epochs={LENGTH_EPOCHS}"), x=length)
            for length in (5, 9, 15, 21, 25)
        ),
        axis="elements in a path",
    ),
    "seeds": Experiment(
        "Share of seeds",
        "RSNs lose less than BootEA, which bootstraps, as seeds become fewer.",
        (Claim("RSN keeps a greater share of its Hits@1 than BootEA", gentler("RSN", "BootEA")),),
        (DBP_WD,),
        tuple(
            replace(variant, share=share, x=100 * share)
            for variant in (Variant("RSN"), Variant("BootEA", method="bootea"))
            for share in SHARES
        ),
        axis="share of links given as seeds (%)",
        beside_best=True,
    ),
}


def run(
    name: str, data: Path | None, out: Path, parts: list[str], only: list[str] | None, seeds: int, budget: float
) -> Iterator[str]:
    """Make the runs of an experiment that are not recorded yet, then the page and the figure; tells what it does.

    `parts` are labels of variants, none: all. `budget` is how many minutes a run may train, in whole epochs.
    """
    experiment = EXPERIMENTS[name]
    check_parts(parts, list(dict.fromkeys(variant.label for variant in experiment.variants)))
    records = Records(out / "results" / f"{name}.jsonl")
    jobs = (
        Job(one, variant, seed, budget)
        for seed in range(seeds)
        for one in experiment.data
        for variant in experiment.variants
        if not parts or variant.label in parts
    )
    yield from carry_out(jobs, only, records, data, _made, _told)
    shown = [*longest(records.all), *_recorded_elsewhere(experiment, out)]
    _draw(out / f"{name}.png", experiment, shown)
    write_text(out / f"{name}.md", page(name, shown))
    yield f"wrote {out / f'{name}.md'}"


def _recorded_elsewhere(experiment: Experiment, out: Path) -> Iterator[Record]:
    """What `farlink experiment alignment` recorded of the preset `best`, with keys as they are here."""
    if not experiment.beside_best:
        return
    by_share = bool(experiment.axis)
    for data in experiment.data:
        for share, record in runs_of_best(out, data, other_shares=by_share):
            x = 100 * share if by_share else None
            yield {**record, "key": {"data": data.folder, "label": BEST, "x": x, "seed": record["key"]["seed"]}}


@dataclass(frozen=True)
class Job:
    """One run: a variant on a data set, with a seed and so many minutes to train."""

    data: DataSet
    variant: Variant
    seed: int
    minutes: float

    @property
    def folder(self) -> str:
        """Where the data set is."""
        return self.data.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        label, x = self.variant.label, self.variant.x
        return {"data": self.folder, "label": label, "x": x, "seed": self.seed, "minutes": self.minutes}

    def arguments(self, folder: str, out: str) -> list[str]:
        """The arguments of `farlink` that make this run."""
        variant = self.variant
        kind = ["--method", variant.method] if variant.method else ["--preset", variant.preset]
        share = [] if variant.share is None else ["--share", f"{variant.share:g}"]
        pace = () if variant.method else SHORT_EPOCHS[variant.preset]
        changes = [*pace, *variant.changes, f"minutes={self.minutes:g}"]
        words = [word for change in changes for word in ("--set", change)]
        return ["align", folder, *kind, "--seed", str(self.seed), *words, *share, "--out", out]


def _made(job: Job, folder: Path) -> Record:
    return finished_run(partial(job.arguments, str(folder)))


def _told(job: Job, record: Record) -> str:
    return f"{job.data.name}, {_title(job.variant.label, job.variant.x)}, seed {job.seed}: Hits@1 {hits(record):.3f}"


def page(name: str, records: list[Record]) -> str:
    """What the paper claims, what was found, and whether the claim holds."""
    experiment = EXPERIMENTS[name]
    lines = [
        f"# {experiment.title}",
        "",
        f"Written by `farlink experiment {name}` from `results/{name}.jsonl`. Test Hits@1, protocol `linked`, left to "
        "right, realistic ranks; the mean where there are several seeds; of several budgets the longest.",
        "",
        f"**The paper:** {experiment.paper}",
        *claim_lines(experiment.claims, records),
        "",
        "## The runs",
        "",
        *markdown(_runs_table(experiment, records)),
        "",
        "Training ends in whole epochs, at most after the minutes given. An epoch of the preset `paper` or `authors` "
        "is cut into eight here.",
    ]
    if experiment.beside_best:
        lines += ["", "The runs of `best` are those of `farlink experiment alignment`, which end by themselves."]
    if not experiment.axis:
        lines += _reproduced_lines(experiment, records)
    return "\n".join([*lines, "", f"![{experiment.title}]({name}.png)"]) + "\n"


def _runs_table(experiment: Experiment, records: list[Record]) -> Table:
    """Hits@1 of every variant on every data set, below what was published, and what the runs took."""
    headings = columns("", *(data.name for data in experiment.data), *COSTS)
    rows = []
    places = [(variant.label, variant.x) for variant in experiment.variants]
    places += [(BEST, x) for x in dict.fromkeys(x for _, x in places)]
    for label, x in places:
        if not experiment.axis and (label, experiment.data[0]) in PAPER_HITS:
            known = [written(PAPER_HITS[label, data]) for data in experiment.data]
            rows.append([f"{label}, as published", *known, *[None] * len(COSTS)])
        mine = [record for record in records if (record["key"]["label"], record["key"]["x"]) == (label, x)]
        if mine:
            found = [_mean_hits(mine, data) for data in experiment.data]
            rows.append([f"**{_title(label, x)}**", *found, *_costs(mine)])
    return Table(headings, rows)


COSTS = ("epochs", "examples", "seconds", "minutes given", "cores")


def _costs(found: list[Record]) -> list[str]:
    """What runs took and were given."""
    last = [record["trace"][-1] for record in found]
    minutes = [record["key"].get("minutes") for record in found]
    return [
        _span([row["epoch"] for row in last]),
        _span([row["examples"] for row in last]),
        _span([record["seconds"] for record in found]),
        _span([limit for limit in minutes if limit], ",g"),
        _span([record["cores"] for record in found if "cores" in record]),
    ]


def _span(values: Sequence[float], style: str = ",.0f") -> str:
    """The least and the greatest of some numbers."""
    if not values:
        return ""
    return " to ".join(dict.fromkeys(format(value, style) for value in (min(values), max(values))))


def _mean_hits(found: list[Record], data: DataSet) -> str | None:
    there = [hits(record) for record in found if record["key"]["data"] == data.folder]
    return written(mean(there)) if there else None


def _title(label: str, x: float | None) -> str:
    return label if x is None else f"{label}, {x:g}"


def _reproduced_lines(experiment: Experiment, records: list[Record]) -> list[str]:
    """How far figures of methods of others are from those that were published."""
    found = by_label(records)
    learning = {(record["key"]["data"], record["key"]["label"]) for record in records if still_learning(record)}
    gaps = {
        (data.folder, label): 100 * (found[data.folder, label] - PAPER_HITS[label, data])
        for label in METHODS
        for data in experiment.data
        if (data.folder, label) in found
    }
    if not gaps:
        return []
    cells = {place: f"{gap:+.1f}" + ("*" if place in learning else "") for place, gap in gaps.items()}
    rows = [[label, *(cells.get((data.folder, label)) for data in experiment.data)] for label in METHODS]
    near = sum(abs(gap) <= NEAR for gap in gaps.values())
    return [
        "",
        "## Methods of others beside what was published",
        "",
        f"{near} of {len(gaps)} figures lie within {NEAR:g} points of the published ones. Points of Hits@1 ahead of "
        "what was published; \\* still learning when its minutes were over.",
        "",
        *markdown(Table(columns("", *(data.name for data in experiment.data)), [row for row in rows if any(row[1:])])),
    ]


def _draw(path: Path, experiment: Experiment, records: list[Record]) -> None:
    if experiment.axis:
        draw(path, lambda axes: _curves(axes, experiment, records), vector=True)
        return
    names = {data.folder: data.name for data in experiment.data}
    labels = [*(variant.label for variant in experiment.variants), BEST]
    found = {(label, names[folder]): value for (folder, label), value in by_label(records).items()}
    published = {
        (label, data.name): PAPER_HITS[label.removesuffix(AS_THE_AUTHORS), data]
        for label in labels
        for data in experiment.data
        if label != BEST
    }
    fill = partial(figures.draw_dots, methods=labels, data=[*names.values()], found=found, published=published)
    draw(path, partial(fill, measure="test Hits@1"), vector=True, height=figures.height(labels))


def _curves(axes: Axes, experiment: Experiment, records: list[Record]) -> None:
    """Validation Hits@1 by paths read, or test Hits@1 by what the variants change; a line for every label."""
    labels = list(dict.fromkeys([*(variant.label for variant in experiment.variants), BEST]))
    by_paths = experiment.axis == figures.PATHS
    lines = []
    for label in labels:
        mine = [record for record in records if record["key"]["label"] == label]
        if by_paths:
            lines += [figures.learned(label, record) for record in mine]
        elif mine:
            lines.append((label, sorted((x, value) for (_, x), value in by_place(mine).items())))
    measure = f"{'validation' if by_paths else 'test'} Hits@1"
    figures.draw_curves(axes, labels, lines, experiment.axis, measure, experiment.data[0].name)

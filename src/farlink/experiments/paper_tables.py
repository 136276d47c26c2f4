"""The paper's tables and figures on entity alignment, made again: one experiment each.

An experiment is a set of runs of `farlink align`. Each run is recorded once; the page and the figure are made from the
records, and say what the paper claims, what was found, and whether the claim holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from matplotlib.axes import Axes

from farlink.experiments import figures
from farlink.experiments.claims import (
    Record,
    Verdict,
    ahead_of_all,
    better,
    by_label,
    by_place,
    fastest,
    gentler,
    hits,
    rises_then_rests,
    still_rising,
    together,
)
from farlink.experiments.datasets import SRPRS, DataSet
from farlink.experiments.records import Records, carry_out, check_parts, finished_run, longest, written
from farlink.io.files import write_text
from farlink.reports.plots import draw

NORMAL, DENSE, DBP_WD = SRPRS[:4], SRPRS[4:], SRPRS[2]
# An epoch of the preset `paper` takes a quarter of an hour on two cores. Epochs of an eighth, otherwise the same, keep
# to a budget and give a curve its points.
SHORT_EPOCHS = ("walks_per_triple=0.25", "max_epochs=240", "patience=24")
LENGTH_EPOCHS = 4  # such epochs that walks of each length are read for: equally many paths
BEST = "best"  # the label of runs of our own preset
NEAR = 0.03  # Hits@1 of a method of others may differ by so much from what was published


@dataclass(frozen=True)
class Variant:
    """A run: changes to the preset `paper`, or a method of others; `x` is its place in a figure."""

    label: str
    changes: tuple[str, ...] = ()
    method: str = ""
    share: float | None = None
    x: float | None = None


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper."""

    title: str
    claim: str  # what the paper says
    data: tuple[DataSet, ...]
    variants: tuple[Variant, ...]
    verdict: Verdict
    axis: str = ""  # what a figure of curves has from left to right; none: a figure of a table
    published: dict[str, tuple[float, ...]] | None = None  # Hits@1 in the paper, by label, one for each data set
    beside_best: bool = False  # whether runs of the preset `best`, where they are recorded, stand beside the others


WITHOUT_BIASES = ("depth_bias=0.5", "cross_bias=0.5")
METHODS = ("MTransE", "IPTransE", "JAPE", "BootEA", "GCN-Align", "TransR", "TransD", "ConvE", "RotatE")
TABLE = (
    *(Variant(name, method=name.lower()) for name in METHODS),
    Variant("RSN without biases", WITHOUT_BIASES),
    Variant("RSN"),
)
TABLE_VERDICT = together(ahead_of_all("RSN", METHODS), better("RSN", "RSN without biases"))
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
OFFICIAL_SHARE = 0.3  # of the splits that come with the data sets
EXPERIMENTS = {
    "table-normal": Experiment(
        "Entity alignment on the normal data sets",
        "RSNs are ahead of all earlier methods, and biased walks are better than unbiased ones (table 2).",
        NORMAL,
        TABLE,
        TABLE_VERDICT,
        published={
            "MTransE": (0.251, 0.312, 0.223, 0.246),
            "IPTransE": (0.255, 0.313, 0.231, 0.227),
            "JAPE": (0.256, 0.320, 0.219, 0.233),
            "BootEA": (0.313, 0.442, 0.323, 0.313),
            "GCN-Align": (0.155, 0.253, 0.177, 0.193),
            "TransR": (0.036, 0.052, 0.052, 0.029),
            "TransD": (0.211, 0.244, 0.277, 0.173),
            "ConvE": (0.094, 0.008, 0.057, 0.113),
            "RotatE": (0.145, 0.319, 0.172, 0.159),
            "RSN without biases": (0.324, 0.457, 0.372, 0.365),
            "RSN": (0.347, 0.487, 0.388, 0.400),
        },
        beside_best=True,
    ),
    "table-dense": Experiment(
        "Entity alignment on the dense data sets",
        "RSNs are ahead of all earlier methods, and biased walks are better than unbiased ones (table 3). Of the dense "
        "sets only DBP-WD is at hand.",
        DENSE,
        TABLE,
        TABLE_VERDICT,
        published={
            "MTransE": (0.389,),
            "IPTransE": (0.435,),
            "JAPE": (0.393,),
            "BootEA": (0.678,),
            "GCN-Align": (0.431,),
            "TransR": (0.141,),
            "TransD": (0.605,),
            "ConvE": (0.308,),
            "RotatE": (0.622,),
            "RSN without biases": (0.746,),
            "RSN": (0.763,),
        },
        beside_best=True,
    ),
    "convergence": Experiment(
        "How fast RSN, RRN and RNN learn",
        "RSNs need a thirtieth of the epochs of RNNs and RRNs for better results; RRNs are little better than RNNs.",
        (DBP_WD,),
        tuple(Variant(kind.upper(), (f"model={kind}", "patience=0")) for kind in ("rsn", "rrn", "rnn")),
        fastest("RSN"),
        axis=figures.PATHS,
    ),
    "walk-length": Experiment(
        "Length of the walks",
        "Hits@1 rises sharply from length 5 to 15 and hardly from 15 to 25.",
        (DBP_WD,),
        tuple(
            Variant("RSN", (f"walk_length={length}", f"max_epochs={LENGTH_EPOCHS}"), x=length)
            for length in (5, 9, 15, 21, 25)
        ),
        rises_then_rests,
        axis="elements in a path",
    ),
    "seeds": Experiment(
        "Share of seeds",
        "RSNs lose less than BootEA, which bootstraps, as seeds become fewer.",
        (DBP_WD,),
        tuple(
            replace(variant, share=share, x=100 * share)
            for variant in (Variant("RSN"), Variant("BootEA", method="bootea"))
            for share in SHARES
        ),
        gentler("RSN", "BootEA"),
        axis="share of links given as seeds (%)",
        beside_best=True,
    ),
}


def run(
    name: str, data: Path, out: Path, parts: list[str], only: list[str] | None, seeds: int, budget: float
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
    folders = {data.folder for data in experiment.data}
    for record in Records(out / "results" / "alignment.jsonl").all if experiment.beside_best else ():
        key = record["key"]
        share = key["share"]
        if key["data"] not in folders or key["preset"] != BEST or key["variant"] or (share and not experiment.axis):
            continue
        x = 100 * (share or OFFICIAL_SHARE) if experiment.axis else None
        yield {**record, "key": {"data": key["data"], "label": BEST, "x": x, "seed": key["seed"]}}


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
        kind = ["--method", variant.method] if variant.method else ["--preset", "paper"]
        share = [] if variant.share is None else ["--share", f"{variant.share:g}"]
        pace = () if variant.method else SHORT_EPOCHS
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
        f"**The paper:** {experiment.claim}",
        "",
        f"**Found:** {experiment.verdict(records)}",
        "",
        *_table(experiment, records),
        *_reproduced(experiment, records),
    ]
    lines += ["", f"![{experiment.title}]({name}.png)"]
    budgeted = [record for record in records if record["key"]["label"] != BEST]
    if budgeted:
        limits = sorted({record["key"]["minutes"] for record in budgeted})
        timed = ", ".join(f"{limit:g}" for limit in limits if limit)
        minutes = " or ".join(["by itself"] * (0 in limits) + [f"after at most {timed} minutes"] * bool(timed))
        cores = " or ".join(str(count) for count in sorted({record["cores"] for record in budgeted}))
        lines += [
            "",
            f"Training ended {minutes} with {cores} core(s) for a run, in whole epochs. An epoch of the preset `paper` "
            "is cut into eight here."
            + " The runs of `best` are those of `farlink experiment alignment`, which end by themselves."
            * experiment.beside_best,
        ]
    return "\n".join(lines) + "\n"


def _reproduced(experiment: Experiment, records: list[Record]) -> list[str]:
    """How many figures of methods of others lie near those that were published, and which do not."""
    place = {data.folder: (number, data.name) for number, data in enumerate(experiment.data)}
    rising = {(record["key"]["data"], record["key"]["label"]) for record in records if still_rising(record)}
    near: list[str] = []
    ahead: list[str] = []
    behind: list[str] = []
    for (folder, label), value in by_label(records).items():
        if label in METHODS and experiment.published:
            number, name = place[folder]
            gap = value - experiment.published[label][number]
            figure = f"{label} on {name} {100 * gap:+.1f}" + "*" * ((folder, label) in rising)
            (near if abs(gap) <= NEAR else ahead if gap > 0 else behind).append(figure)
    total = len(near + ahead + behind)
    if not total:
        return []
    told = [f"Of methods of others {len(near)} of {total} figures lie within 3 points of the published ones."]
    for where, apart in (("ahead", ahead), ("behind", behind)):
        if apart:
            told.append(f"{len(apart)} further {where}, in points: {', '.join(apart)}.")
    if "*" in "".join(told):
        told.append("(* still learning when its minutes were over)")
    return ["", " ".join(told)]


def _table(experiment: Experiment, records: list[Record]) -> list[str]:
    names = [data.name for data in experiment.data]
    head = ["", "epochs", "examples", "seconds"]
    lines = ["| " + " | ".join([head[0], *names, *head[1:]]) + " |", "|" + "---|" * (len(names) + 4)]
    published = experiment.published or {}
    rows = [(variant.label, variant.x) for variant in experiment.variants]
    rows += [(BEST, x) for x in dict.fromkeys(x for _, x in rows)]
    for label, x in rows:
        if label in published:
            cells = [written(figure) for figure in published[label]]
            lines.append("| " + " | ".join([f"{label}, as published", *cells, "", "", ""]) + " |")
        mine = [record for record in records if (record["key"]["label"], record["key"]["x"]) == (label, x)]
        if mine:
            cells = [_cell([record for record in mine if record["key"]["data"] == d.folder]) for d in experiment.data]
            last = [record["trace"][-1] for record in mine]
            spans = [_span([row[name] for row in last]) for name in ("epoch", "examples")]
            seconds = _span([record["seconds"] for record in mine])
            lines.append("| " + " | ".join([f"**{_title(label, x)}**", *cells, *spans, seconds]) + " |")
    return lines


def _title(label: str, x: float | None) -> str:
    return label if x is None else f"{label}, {x:g}"


def _span(values: list[float]) -> str:
    """The least and the greatest of some numbers."""
    return " to ".join(dict.fromkeys(f"{value:,.0f}" for value in (min(values), max(values))))


def _cell(found: list[Record]) -> str:
    return written(mean(map(hits, found))) if found else ""


def _draw(path: Path, experiment: Experiment, records: list[Record]) -> None:
    if experiment.axis:
        draw(path, lambda axes: _curves(axes, experiment, records), vector=True)
        return
    names = {data.folder: data.name for data in experiment.data}
    labels = [*(variant.label for variant in experiment.variants), BEST]
    found = {(label, names[folder]): value for (folder, label), value in by_label(records).items()}
    published = {
        (label, name): figure
        for label, figures in (experiment.published or {}).items()
        for name, figure in zip(names.values(), figures, strict=True)
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

"""What each difference between the paper's text and its authors' published code is worth.

A difference is a setting, or a few that go together, of which the presets `paper` and `authors` have other values. Each
is added to `paper` by itself, and taken from `authors` by itself. Validation links compare after equally many paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from matplotlib.axes import Axes

from farlink.experiments import figures
from farlink.experiments.claims import hits
from farlink.experiments.datasets import DBP_WD, EN_FR, DataSet
from farlink.experiments.paper_tables import Job, Variant
from farlink.experiments.published import RSN_LOG, RSN_LOG_EPOCH
from farlink.experiments.records import Record, Records, carry_out, check_parts, finished_run, longest, written
from farlink.io.files import write_text
from farlink.presets import DEFAULT_METHOD, METHODS
from farlink.reports.plots import draw
from farlink.reports.tables import Column, Table, columns, markdown

PAPER, AUTHORS = "paper", "authors"
DATA = (DBP_WD, EN_FR)
CUT = 8  # epochs of a variant are an eighth of one of the presets (see `paper_tables.SHORT_EPOCHS`)
LAST = 28  # such epochs: at least 1.6 million paths on either data set
READINGS = 4  # at the end of a curve, whose mean is compared: one by itself moves by half a point from epoch to epoch


@dataclass(frozen=True)
class Difference:
    """What the authors' code does otherwise, and by which settings."""

    name: str
    settings: tuple[str, ...]


DIFFERENCES = (
    Difference("walks by triples", ("walk_steps",)),
    Difference("walks drawn once", ("walk_epochs",)),
    Difference("identity activations", ("cell",)),
    Difference("norm by step", ("norm",)),
    Difference("log-uniform noise", ("loss", "entity_negatives", "relation_negatives")),
    Difference("dense Adam", ("optimiser",)),
)


def _variants() -> Iterator[Variant]:
    presets = METHODS[DEFAULT_METHOD].presets
    for base, other, sign in ((PAPER, presets["authors"], "+"), (AUTHORS, presets["paper"], "-")):
        pace = (f"max_epochs={LAST}", "patience=0")
        yield Variant(base, pace, base)
        for difference in DIFFERENCES:
            values = {name: other[name] * (CUT if name == "walk_epochs" else 1) for name in difference.settings}
            changes = tuple(f"{name}={value}" for name, value in values.items())
            yield Variant(f"{base} {sign} {difference.name}", (*pace, *changes), base)


VARIANTS = {variant.label: variant for variant in _variants()}


def run(
    data: Path | None, out: Path, parts: list[str], only: list[str] | None, seeds: int, budget: float
) -> Iterator[str]:
    """Train the variants that are not recorded yet, then write the page and the figures; tells what it does.

    `budget` is how many minutes a variant may train, in whole epochs; 0: no limit. The presets themselves are not
    trained where the paper's tables have.
    """
    check_parts(parts, list(VARIANTS))
    records, elsewhere = Records(out / "results" / "variants.jsonl"), _of_tables(out)
    there = [_place(record) for record in elsewhere]
    jobs = [
        Job(one, variant, seed, budget)
        for seed in range(seeds)
        for one in DATA
        for variant in VARIANTS.values()
        if (not parts or variant.label in parts) and (one.folder, variant.label, seed) not in there
    ]
    yield from carry_out(jobs, only, records, data, _made, _told)
    shown = [*longest(records.all), *elsewhere]
    for base, one in _drawn(shown):
        draw(out / _figure(base, one), partial(_curves, base=base, data=one, records=shown), vector=True)
    write_text(out / "variants.md", page(shown))
    yield f"wrote {out / 'variants.md'}"


def _of_tables(out: Path) -> list[Record]:
    """What `farlink experiment table-normal` recorded of the two presets, with keys as they are here."""
    labels = {"RSN": PAPER, "RSN (authors)": AUTHORS}
    folders = [data.folder for data in DATA]
    return [
        {**record, "key": {**record["key"], "label": labels[record["key"]["label"]]}}
        for record in longest(Records(out / "results" / "table-normal.jsonl").all)
        if record["key"]["label"] in labels and record["key"]["data"] in folders
    ]


def _made(job: Job, folder: Path) -> Record:
    return finished_run(partial(job.arguments, str(folder)))


def _told(job: Job, record: Record) -> str:
    return f"{job.data.name}, {job.variant.label}, seed {job.seed}: Hits@1 {hits(record):.3f}"


def _place(record: Record) -> tuple[str, str, int]:
    return record["key"]["data"], record["key"]["label"], record["key"]["seed"]


def page(records: Sequence[Record]) -> str:
    """The page: every figure of it is from a record, or published."""
    lines = [
        "# The paper and its authors' code",
        "",
        "Written by `farlink experiment variants` from `results/variants.jsonl` and, for the two presets themselves, "
        "`results/table-normal.jsonl`.",
        "",
        "What the authors' published code does otherwise than the paper's text, each difference added to the preset "
        "`paper` by itself, and taken from the preset `authors` by itself. Points of validation Hits@1 (left to right, "
        "among all entities that are no seeds) ahead of the preset with the same seed after as many paths, the mean of "
        f"the last {READINGS} readings that both have, a reading after every eighth of an epoch; with several seeds "
        "their mean ± their standard deviation. One seed and 1,050 links: a point can be chance.",
    ]
    for data in DATA:
        lines += ["", f"## {data.name}", "", *markdown(_worth_table(data, records)), ""]
        lines += [f"![{base} on {one.name}]({_figure(base, one)})" for base, one in _drawn(records) if one == data]
    lines += ["", "## Beside the published log", "", *markdown(_log_table(records)), "", "## The runs", ""]
    return "\n".join([*lines, *markdown(_runs_table(records))]) + "\n"


class Worth(NamedTuple):
    """How far variants are ahead of their preset: a figure for every seed that both have."""

    points: list[float]
    paths: int  # where they are compared: the least of all seeds

    def __str__(self) -> str:
        if not self.points:
            return ""
        spread = f" ± {stdev(self.points):.1f}" if len(self.points) > 1 else ""
        return f"{mean(self.points):+.1f}{spread}"


def worth(label: str, base: str, data: DataSet, records: Sequence[Record]) -> Worth:
    """How far a variant is ahead of its preset on a data set, after equally many paths."""
    curves = {_place(record): dict(figures.learned("", record)[1]) for record in records}
    points, ends = [], []
    for folder, name, seed in curves:
        own, other = curves[folder, name, seed], curves.get((folder, base, seed), {})
        shared = sorted(own.keys() & other.keys())[-READINGS:]
        if (folder, name) == (data.folder, label) and shared:
            points.append(100 * mean(own[paths] - other[paths] for paths in shared))
            ends.append(int(shared[-1]))
    return Worth(points, min(ends, default=0))


def _worth_table(data: DataSet, records: Sequence[Record]) -> Table:
    headings = ("difference", "added to `paper`", "paths", "seeds", "taken from `authors`", "paths", "seeds")
    rows = []
    for difference in DIFFERENCES:
        row: list[str | int | None] = [difference.name]
        for base, sign in ((PAPER, "+"), (AUTHORS, "-")):
            found = worth(f"{base} {sign} {difference.name}", base, data, records)
            row += [str(found), f"{found.paths:,}", len(found.points)] if found.points else [None] * 3
        rows.append(row)
    whole = worth(AUTHORS, PAPER, data, records)
    if whole.points:
        rows.append(["all of them", str(whole), f"{whole.paths:,}", len(whole.points), None, None, None])
    return Table(columns(*headings), rows)


def _log_table(records: Sequence[Record]) -> Table:
    """Validation Hits@1 on DBP-WD after whole epochs: as published, and the mean of our seeds."""
    rows = []
    for epoch, value in enumerate(RSN_LOG, 1):
        row: list[float | str | None] = [f"{epoch * RSN_LOG_EPOCH:,}", value]
        for base in (AUTHORS, PAPER):
            traces = [record["trace"] for record in records if _place(record)[:2] == (DBP_WD.folder, base)]
            reached = [trace[CUT * epoch - 1]["validation"] for trace in traces if len(trace) >= CUT * epoch]
            row.append(mean(reached) if reached else None)
        rows.append(row)
    headings = ("published log", "`authors`", "`paper`")
    return Table([Column("paths on DBP-WD"), *(Column(heading, ".3f") for heading in headings)], rows)


def _runs_table(records: Sequence[Record]) -> Table:
    headings = ("run", "data set", "seed", "paths", "validation Hits@1", "test Hits@1 / Hits@10 / MRR", "seconds")
    names = {data.folder: data.name for data in DATA}
    order = list(VARIANTS)
    rows = []
    for record in sorted(records, key=lambda one: (order.index(_place(one)[1]), *_place(one))):
        (folder, label, seed), trace = _place(record), record["trace"]
        last = mean(row["validation"] for row in trace[-READINGS:])
        test = record["metrics"]["test"]["linked"]["left_to_right"]
        figures_written = written(*(test[name] for name in ("hits@1", "hits@10", "mrr")))
        cost = [f"{record['seconds']:,.0f}", record["cores"]]
        rows.append([label, names[folder], seed, f"{trace[-1]['examples']:,}", written(last), figures_written, *cost])
    return Table(columns(*headings, "cores"), rows)


def _drawn(records: Sequence[Record]) -> list[tuple[str, DataSet]]:
    """The presets and data sets that there are curves of."""
    there = {(record["key"]["data"], VARIANTS[record["key"]["label"]].preset) for record in records}
    return [(base, data) for data in DATA for base in (PAPER, AUTHORS) if (data.folder, base) in there]


def _figure(base: str, data: DataSet) -> str:
    return f"variants-{base}-{data.name.lower()}.png"


def _curves(axes: Axes, base: str, data: DataSet, records: Sequence[Record]) -> None:
    """A preset and its variants by paths read, and on DBP-WD the published log."""
    labels = [label for label, variant in VARIANTS.items() if variant.preset == base]
    mine = sorted((record for record in records if record["key"]["data"] == data.folder), key=_place)
    lines = [figures.learned(_place(record)[1], record) for record in mine if _place(record)[1] in labels]
    reached = max((points[-1][0] for _, points in lines), default=LAST * RSN_LOG_EPOCH / CUT)
    if data == DBP_WD:
        log = [(epoch * RSN_LOG_EPOCH, value) for epoch, value in enumerate(RSN_LOG, 1)]
        shown = [point for point in log if point[0] <= max(1.01 * reached, RSN_LOG_EPOCH)]
        axes.plot(*zip(*shown, strict=True), color="black", linestyle="--", label="published log")
    figures.draw_curves(axes, labels, lines, figures.PATHS, "validation Hits@1", data.name)

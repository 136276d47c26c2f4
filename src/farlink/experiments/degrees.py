"""The paper's figure on degree distributions: SRPRS against the usual ways to sample, on real graphs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from farlink.experiments.datasets import DBP_FB, LARGE
from farlink.experiments.records import Record, Records, carry_out, commit
from farlink.io.files import write_text
from farlink.reports.plots import draw
from farlink.reports.tables import Column, Table, markdown
from farlink.sampling.benchmark import degree_plot, draw_sample, read_sources

SAMPLED = {LARGE.folder: 15_000, DBP_FB.folder: 10_000}  # data set and size of the sample
EPSILON = 0.05


def run(data: Path | None, out: Path, seeds: int) -> Iterator[str]:
    """Draw the samples that are not recorded yet, with their figures, then write the page; tells what it does."""
    records = Records(out / "results" / "degree-distribution.jsonl")
    jobs = [Job(folder, seed) for folder in SAMPLED for seed in range(seeds)]
    yield from carry_out(jobs, None, records, data, partial(_made, out), _told)
    write_text(out / "degree-distribution.md", page(records.all))
    yield f"wrote {out / 'degree-distribution.md'}"


@dataclass(frozen=True)
class Job:
    """One sample of a data set."""

    folder: str
    seed: int

    @property
    def key(self) -> dict[str, Any]:
        """What tells this sample from others in the records."""
        return {"data": self.folder, "size": SAMPLED[self.folder], "seed": self.seed}


def _made(out: Path, job: Job, folder: Path) -> Record:
    size, started = SAMPLED[job.folder], time.monotonic()
    graphs, links, _ = read_sources(str(folder), None, None)
    drawn = draw_sample(graphs, links, size, dense=False, epsilon=EPSILON, seed=job.seed)
    seconds = round(time.monotonic() - started, 1)
    if not job.seed:
        for place in range(len(graphs)):
            draw(out / _figure(job.folder, place), partial(degree_plot, drawn, place), vector=True)
    command = f"farlink sample {folder} --size {size} --seed {job.seed} --out DIR"
    return {"command": command, "commit": commit(), "seconds": seconds, "distances": drawn.distances}


def _told(job: Job, record: Record) -> str:
    return f"{job.folder}, seed {job.seed}: K-S distance {max(record['distances']['SRPRS']):.1%} at the most"


def _figure(folder: str, place: int) -> str:
    return f"degree-distribution-{folder.replace('/', '-')}-{place + 1}.png"


def page(records: list[Record]) -> str:
    """What the paper claims, what was found, and whether the claim holds."""
    lines = [
        "# Degree distributions of samples",
        "",
        "Written by `farlink experiment degree-distribution` from `results/degree-distribution.jsonl`.",
        "",
        "**The paper:** samples made by SRPRS are nearest to the original graphs in the distribution of degrees, "
        "within a Kolmogorov-Smirnov distance of 5 %.",
        "",
        f"**Found:** {_verdict(records)}",
        "",
        *markdown(_distances_table(records)),
    ]
    for folder in dict.fromkeys(record["key"]["data"] for record in records):
        lines += ["", " ".join(f"![{folder}, graph {place + 1}]({_figure(folder, place)})" for place in range(2))]
    return "\n".join(lines) + "\n"


def _distances_table(records: list[Record]) -> Table:
    """Kolmogorov-Smirnov distances of every sample by method."""
    sample = [Column("data set"), Column("pairs", ","), Column("seed"), Column("method")]
    gaps = [Column("left", ".1%"), Column("right", ".1%")]
    rows = [
        [record["key"]["data"], record["key"]["size"], record["key"]["seed"], method, *found, record["seconds"]]
        for record in records
        for method, found in record["distances"].items()
    ]
    return Table([*sample, *gaps, Column("seconds for all", ".0f")], rows)


def _verdict(records: list[Record]) -> str:
    if not records:
        return "Not tested yet."
    ours = max(max(record["distances"]["SRPRS"]) for record in records)
    others = min(max(gaps) for record in records for name, gaps in record["distances"].items() if name != "SRPRS")
    held = "holds" if ours <= min(EPSILON, others) else "does not hold"
    return (
        f"The claim {held}: SRPRS is within {ours:.1%} on both sides of every sample, the others are {others:.1%} away "
        "on one side at the least."
    )

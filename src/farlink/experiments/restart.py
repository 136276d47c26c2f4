"""What the learning rate does when the network passes from walks to questions: three ways, on validation triples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from farlink.experiments.records import Record, Records, carry_out, check_parts, finished_run, written
from farlink.io.files import write_text
from farlink.reports.tables import Column, Table, columns, markdown

FOLDER = "kgc/codex-s"
WAYS = {
    "partial": "falls to zero on the walks, starts again where one fall over all epochs would be",
    "none": "one fall over all epochs",
    "full": "falls to zero on the walks, starts again in full and falls to zero",
}


@dataclass(frozen=True)
class Job:
    """One run of `best`: a way and a seed."""

    way: str
    seed: int
    folder: str = FOLDER

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {"data": self.folder, "restart": self.way, "seed": self.seed}

    def arguments(self, folder: Path, out: str) -> list[str]:
        """The arguments of `farlink` that make this run; it does not see the test triples."""
        parts = [str(folder / "train.txt"), "--valid", str(folder / "valid.txt")]
        return ["complete", *parts, "--seed", str(self.seed), "--set", f"restart={self.way}", "--out", out]


def run(data: Path | None, out: Path, parts: list[str], seeds: int) -> Iterator[str]:
    """Make the runs that are not recorded yet, then write the page; tells what it does."""
    check_parts(parts, list(WAYS))
    records = Records(out / "results" / "restart.jsonl")
    jobs = (Job(way, seed) for seed in range(seeds) for way in parts or WAYS)
    yield from carry_out(jobs, None, records, data, _made, _told)
    write_text(out / "restart.md", page(records.all))
    yield f"wrote {out / 'restart.md'}"


def _made(job: Job, folder: Path) -> Record:
    return finished_run(partial(job.arguments, folder))


def _told(job: Job, record: Record) -> str:
    network, whole = _figures(record)
    return f"{job.way}, seed {job.seed}: MRR {network:.4f}, {whole:.4f} in {record['seconds']:.0f} s"


def _figures(record: Record) -> tuple[float, float]:
    """Validation MRR of the network alone and of all scorers together."""
    validation = record["metrics"]["validation"]
    return validation["alone"]["paths"]["mrr"], validation["both"]["mrr"]


def page(records: list[Record]) -> str:
    """The page: every figure of it is from a record."""
    lines = [
        "# The rate between walks and questions",
        "",
        "Written by `farlink experiment restart` from `results/restart.jsonl`.",
        "",
        "The preset `best` on the training triples of CoDEx-S, with the learning rate of the network led in three ways "
        "(`--set restart=…`). MRR of all validation triples, filtered, realistic ranks: the mean, the standard "
        "deviation, and each seed. The network learns apart from the other scorers, so its figures are those of "
        "`--set factors=0 --set rules=0`, too.",
        "",
        *markdown(_table(records)),
    ]
    return "\n".join(lines) + "\n"


def _table(records: list[Record]) -> Table:
    rows = []
    for way, words in WAYS.items():
        found = sorted((record for record in records if record["key"]["restart"] == way), key=_seed)
        if found:
            networks, wholes = zip(*map(_figures, found), strict=True)
            seconds = mean(record["seconds"] for record in found)
            rows.append([f"`{way}`", words, _spread(networks), _spread(wholes), seconds])
    headings = columns("restart", "the rate", "network alone", "all scorers")
    return Table([*headings, Column("seconds", ",.0f")], rows)


def _seed(record: Record) -> int:
    return int(record["key"]["seed"])


def _spread(figures: tuple[float, ...]) -> str:
    """Mean, standard deviation and the figures themselves."""
    deviation = f" ± {stdev(figures):.4f}" if len(figures) > 1 else ""
    return f"{mean(figures):.4f}{deviation} ({', '.join(written(figure) for figure in figures)})"

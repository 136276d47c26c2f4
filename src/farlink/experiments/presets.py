"""How well and how fast entities are aligned: the presets on all data sets, ablations, shares of seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from matplotlib.axes import Axes

from farlink.experiments.datasets import SRPRS, WIDER, DataSet
from farlink.experiments.known_neighbours import every_other_link_known
from farlink.experiments.records import Records, carry_out, check_parts, finished_run, longest, written
from farlink.io.files import write_text
from farlink.reports.plots import BLUE, GREY, draw

GB = 1e9
SHARES = (0.01, 0.1, 0.2, 0.4, 0.5)

# what `best` is without one of its ingredients
ABLATIONS = {
    "without the network": ("vectors=seeds", "max_epochs=1", "walks_per_triple=0.01"),
    "without agreeing triples": ("evidence=0",),
    "without bootstrapping": ("rounds=0",),
    "without balancing (plain cosine)": ("temperature=0", "evidence=0"),
    "own vectors only": ("vectors=both",),
    "linked entities swapped, not merged": ("linking=swap",),
    "vectors start at random": ("start=random",),
    "walks without biases": ("depth_bias=0.5", "cross_bias=0.5"),
}
KNOWN = "every other link known"  # no run, but what structure tells when nothing else is in doubt
PARTS = ("best", "fast", "wider", "ablations", "shares", "limits")


@dataclass(frozen=True)
class Job:
    """One run: a data set, a preset, what is changed about it, a seed and a share of seed links."""

    data: DataSet
    preset: str
    seed: int
    variant: str = ""
    changes: tuple[str, ...] = ()
    share: float | None = None

    @property
    def folder(self) -> str:
        """Where the data set is."""
        return self.data.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {
            "data": self.folder,
            "preset": self.preset,
            "variant": self.variant,
            "share": self.share,
            "seed": self.seed,
        }

    def arguments(self, folder: str, out: str) -> list[str]:
        """The arguments of `farlink` that make this run."""
        changed = [word for change in self.changes for word in ("--set", change)]
        share = [] if self.share is None else ["--share", f"{self.share:g}"]
        return ["align", folder, "--preset", self.preset, "--seed", str(self.seed), *changed, *share, "--out", out]


def run(data: Path, out: Path, parts: list[str], only: list[str] | None, seeds: int) -> Iterator[str]:
    """Make the runs of some parts that are not recorded yet, then write the page; tells what it does."""
    check_parts(parts, PARTS)
    records = Records(out / "results" / "alignment.jsonl")
    yield from carry_out(jobs(parts, seeds), only, records, data, _made, _told)
    shown = [*records.all, *_papers_preset(out)]
    _draw_shares(shown, out / "alignment-shares.png")
    write_text(out / "alignment.md", page(shown))
    yield f"wrote {out / 'alignment.md'}"


def _papers_preset(out: Path) -> Iterator[dict[str, Any]]:
    """What the paper's tables recorded of the preset `paper`, with keys as they are here."""
    for table in ("table-normal", "table-dense"):
        for record in longest(Records(out / "results" / f"{table}.jsonl").all):
            key = record["key"]
            if key["label"] == "RSN":
                own = Job(DataSet(key["data"], ""), "paper", key["seed"])
                yield {**record, "key": own.key}


def _made(job: Job, folder: Path) -> dict[str, Any]:
    if job.variant == KNOWN:
        return every_other_link_known(folder, job.seed)
    return finished_run(partial(job.arguments, str(folder)))


def _told(job: Job, record: dict[str, Any]) -> str:
    figures = record["metrics"]["test"]["linked"]["left_to_right"]
    return f"{_title(job)}: Hits@1 {figures['hits@1']:.3f} in {record['seconds']:.0f} s"


def jobs(parts: Iterable[str], seeds: int) -> Iterator[Job]:
    """The runs of some parts, in the order of the parts."""
    for part in parts:
        for seed in range(seeds):
            if part in ("best", "fast"):
                yield from (Job(data, part, seed) for data in SRPRS)
            elif part == "wider":
                yield from (Job(data, "best", seed) for data in WIDER)
            elif part == "ablations":
                for variant, changes in ABLATIONS.items():
                    yield from (Job(data, "best", seed, variant, changes) for data in SRPRS)
            elif part == "limits":
                yield from (Job(data, "best", seed, KNOWN) for data in SRPRS)
            else:
                yield from (Job(SRPRS[2], "best", seed, share=share) for share in SHARES)


def _title(job: Job) -> str:
    share = "" if job.share is None else f", {job.share:.0%} seeds"
    return f"{job.data.name}, {job.preset}{share}{', ' * bool(job.variant)}{job.variant}, seed {job.seed}"


def page(records: list[dict[str, Any]]) -> str:
    """The page: every figure of it is from a record."""
    lines = [
        "# Alignment",
        "",
        "Written by `farlink experiment alignment` from `results/alignment.jsonl`, where each run has its command, "
        "seed, commit and all metrics.",
        "",
        "Structure only: no names, no attributes. Hits@1 / Hits@10 / MRR of the test links, protocol `linked`, left to "
        "right, realistic ranks; 30 % seeds in the official split (DBP-FB: a fixed split; OpenEA: fold 1, 20 % seeds). "
        "Seconds and peak memory are those of the whole command on two cores, from files to mapping and report. With "
        "several seeds: the mean, and ± the standard deviation of Hits@1.",
        "",
        "## The presets",
        "",
        *_preset_table(records),
        "",
        "The ceiling is the Hits@1 that structure lets any method expect: entities that look exactly like others, from "
        "wherever one looks, can only be guessed (`farlink/alignment/ceiling.py`).",
        "",
        "Rows of the preset `paper` are RSN's of `farlink experiment table-normal` and `table-dense`, whose pages tell "
        "how many cores, minutes and paths a run had; a budget may have ended it while it was still learning.",
        "",
        "LightEA's and Dual-AMN's figures are theirs under their protocol: LightEA on the SRPRS sets was measured with "
        "three rounds and Sinkhorn among the test entities on two such cores, the others are as published.",
        "",
        "## What each ingredient is worth",
        "",
        *_ablation_table(records),
        "",
        "## What is left to gain",
        "",
        *_limit_table(records),
        "",
        "## Seeds",
        "",
        *_share_table(records),
    ]
    return "\n".join(lines) + "\n"


def _preset_table(records: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| data set | preset | seeds | Hits@1 / Hits@10 / MRR | ceiling | the paper's RSN | others, Hits@1 | seconds "
        "| memory |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for data in (*SRPRS, *WIDER):
        for preset in ("paper", "fast", "best"):
            found = _of(records, data=data.folder, preset=preset, variant="", share=None)
            if found:
                published = "" if data.paper is None else written(*data.paper)
                lines.append(
                    f"| {data.name} | `{preset}` | {len(found)} | {_figures(found)} | {_ceiling(found)} "
                    f"| {published} | {data.others} | {mean(record['seconds'] for record in found):.0f} "
                    f"| {max(record['peak_memory'] for record in found) / GB:.1f} GB |"
                )
    return lines


def _ablation_table(records: list[dict[str, Any]]) -> list[str]:
    lines = [
        "Test Hits@1 of `best`, the mean over its seeds, and of `best` without one ingredient (the difference "
        "in points to `best` with the same seeds).",
        "",
    ]
    lines += ["| | " + " | ".join(data.name for data in SRPRS) + " |", "|---|" + "---|" * len(SRPRS)]
    whole = {data: _of(records, data=data.folder, preset="best", variant="", share=None) for data in SRPRS}
    lines.append("| `best` | " + " | ".join(_hits_cell(whole[data]) for data in SRPRS) + " |")
    for variant in ABLATIONS:
        cells = []
        for data in SRPRS:
            found = _of(records, data=data.folder, preset="best", variant=variant, share=None)
            seeds = {record["key"]["seed"] for record in found}
            same = [record for record in whole[data] if record["key"]["seed"] in seeds]
            gap = f" ({100 * (_hits(found) - _hits(same)):+.1f})" if same else ""
            cells.append(_hits_cell(found) + gap)
        if any(cells):
            lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return lines


def _limit_table(records: list[dict[str, Any]]) -> list[str]:
    lines = [
        "Test Hits@1 if the counterparts of all other entities were known and the right one were always among the "
        "candidates, judged by agreeing triples; one of several equally good candidates is taken at random "
        "(`--part limits`, `farlink/experiments/known_neighbours.py`). An aligner has to find those counterparts "
        "first, from 30 % of them. The ceiling knows the seeds only, but takes entities for different as soon as "
        "anything about them differs, be it a triple that the other graph lacks; so either of the two may be lower.",
        "",
        "| data set | `best` | every other link known | share reached | ceiling |",
        "|---|---|---|---|---|",
    ]
    for data in SRPRS:
        found, known = (_of(records, data=data.folder, preset="best", variant=v, share=None) for v in ("", KNOWN))
        if found and known:
            share = f"{_hits(found) / _hits(known):.0%}"
            cells = [data.name, _hits_cell(found), _hits_cell(known), share, _ceiling(found)]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def _share_table(records: list[dict[str, Any]]) -> list[str]:
    lines = [
        "DBP-WD with other shares of seeds: a fixed split of all links, a tenth of the others for validation.",
        "",
    ]
    lines += ["| share of seeds | Hits@1 / Hits@10 / MRR | seconds | cores |", "|---|---|---|---|"]
    for share in SHARES:
        found = _of(records, data=SRPRS[2].folder, preset="best", variant="", share=share)
        if found:
            seconds = mean(record["seconds"] for record in found)
            cores = " or ".join(str(count) for count in sorted({record["cores"] for record in found}))
            lines.append(f"| {share:.0%} | {_figures(found)} | {seconds:.0f} | {cores} |")
    return [*lines, "", "![Hits@1 by share of seeds](alignment-shares.png)"]


def _draw_shares(records: list[dict[str, Any]], path: Path) -> None:
    points = []
    for share in sorted({*SHARES, 0.3}):
        found = _of(
            records, data=SRPRS[2].folder, preset="best", variant="", share=None if share == 0.3 else share
        )  # the official split has 30 %
        if found:
            points.append((share, _hits(found)))

    def fill(axes: Axes) -> None:
        axes.plot([100 * x for x, _ in points], [y for _, y in points], color=BLUE, marker="o", label="farlink, best")
        axes.axhline(0.388, color=GREY, linestyle="--", linewidth=1, label="the paper's RSN at 30 %")
        axes.set(xlabel="share of links given as seeds (%)", ylabel="test Hits@1", ylim=(0, 1), title="DBP-WD")
        axes.legend(frameon=False, loc="lower right")

    draw(path, fill, vector=True)


def _of(records: list[dict[str, Any]], **wanted: Any) -> list[dict[str, Any]]:
    return [record for record in records if all(record["key"][name] == value for name, value in wanted.items())]


def _figures(found: list[dict[str, Any]]) -> str:
    linked = [record["metrics"]["test"]["linked"]["left_to_right"] for record in found]
    text = written(*(mean(figures[name] for figures in linked) for name in ("hits@1", "hits@10", "mrr")))
    if len(linked) == 1:
        return text
    return f"{text} (± {written(stdev(figures['hits@1'] for figures in linked))})"


def _ceiling(found: list[dict[str, Any]]) -> str:
    """What structure lets any method expect; the same for all seeds of a split."""
    told = [
        record["metrics"]["test"]["ceiling"]["linked"] for record in found if "ceiling" in record["metrics"]["test"]
    ]
    return written(mean(told)) if told else ""


def _hits(found: list[dict[str, Any]]) -> float:
    return mean(float(record["metrics"]["test"]["linked"]["left_to_right"]["hits@1"]) for record in found)


def _hits_cell(found: list[dict[str, Any]]) -> str:
    return written(_hits(found)) if found else ""

"""How well and how fast entities are aligned: the presets on all data sets, ablations, shares of seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from matplotlib.axes import Axes

from farlink.experiments.claims import hits
from farlink.experiments.datasets import DBP_WD, SRPRS, WIDER, DataSet
from farlink.experiments.known_neighbours import every_other_link_known
from farlink.experiments.preset_records import (
    BEFORE,
    BEST,
    NOW,
    OFFICIAL_SHARE,
    OLD,
    SHARES,
    Shown,
    by_share,
    runs_in,
)
from farlink.experiments.published import BEST_STRUCTURE_ONLY, RSN, best_sources
from farlink.experiments.records import Record, Records, carry_out, check_parts, finished_run, written
from farlink.io.files import write_text
from farlink.reports.plots import BLUE, GREY, draw
from farlink.reports.tables import Column, Table, columns, markdown

GB = 1e9

# what `best` is without one of its ingredients
ABLATIONS = {
    "without the network": ("vectors=seeds", "max_epochs=1", "walks_per_triple=0.01"),
    "without agreeing triples": ("evidence=0",),
    "without bootstrapping": ("rounds=0", "bootstrapping=false"),
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
        kind = ["--preset", self.preset, "--signals", "structure", "--seed", str(self.seed)]
        return ["align", folder, *kind, *changed, *share, "--out", out]


def run(data: Path | None, out: Path, parts: list[str], only: list[str] | None, seeds: int) -> Iterator[str]:
    """Make the runs of some parts that are not recorded yet, then write the page; tells what it does."""
    check_parts(parts, PARTS)
    records = Records(out / "results" / NOW)
    yield from carry_out(jobs(parts, seeds), only, records, data, _made, _told)
    shown = Shown.of(out)
    _draw_shares(shown, out / "alignment-shares.png")
    write_text(out / "alignment.md", page(shown))
    yield f"wrote {out / 'alignment.md'}"


def _made(job: Job, folder: Path) -> Record:
    if job.variant == KNOWN:
        return every_other_link_known(folder, job.seed)
    return finished_run(partial(job.arguments, str(folder)))


def _told(job: Job, record: Record) -> str:
    figures = record["metrics"]["test"]["linked"]["left_to_right"]
    return f"{_title(job)}: Hits@1 {figures['hits@1']:.3f} in {record['seconds']:.0f} s"


def _title(job: Job) -> str:
    words = [job.data.name, job.preset]
    if job.share is not None:
        words.append(f"{job.share:.0%} seeds")
    if job.variant:
        words.append(job.variant)
    return ", ".join([*words, f"seed {job.seed}"])


def jobs(parts: Iterable[str], seeds: int) -> Iterator[Job]:
    """The runs of some parts, in the order of the parts."""
    for part in parts:
        for seed in range(seeds):
            if part in ("best", "fast"):
                yield from (Job(data, part, seed) for data in SRPRS)
            elif part == "wider":
                yield from (Job(data, BEST, seed) for data in WIDER)
            elif part == "ablations":
                for variant, changes in ABLATIONS.items():
                    yield from (Job(data, BEST, seed, variant, changes) for data in SRPRS)
            elif part == "limits":
                yield from (Job(data, BEST, seed, KNOWN) for data in SRPRS)
            else:
                yield from (Job(DBP_WD, BEST, seed, share=share) for share in SHARES)


def page(shown: Shown) -> str:
    """The page: every figure of it is from a record, or published."""
    lines = [
        "# Alignment",
        "",
        f"Written by `farlink experiment alignment` from `results/{NOW}` and `results/{BEFORE}`, where each run has "
        "its command, seed, commit and all metrics.",
        "",
        "Structure only: no names, no attributes. Hits@1 / Hits@10 / MRR of the test links, protocol `linked`, left to "
        "right, realistic ranks; 30 % seeds in the official split (DBP-FB: a fixed split; OpenEA: fold 1, 20 % seeds). "
        "Seconds and peak memory are those of the whole command, from files to mapping and report, on as many cores "
        "as stand beside them, or two. With several seeds: the mean, and ± the standard deviation of Hits@1.",
        "",
        f"{OLD} measured before linked entities of a merged graph had both sides (see below).",
        "",
        "## The presets",
        "",
        *markdown(_preset_table(shown)),
        "",
        "The ceiling is the Hits@1 that structure lets any method expect: entities that look exactly like others can "
        "only be guessed (`farlink/alignment/ceiling.py`).",
        "",
        "Rows of the presets `paper` and `authors` are RSN's of `farlink experiment table-normal` and `table-dense`, "
        "whose pages tell how many cores, minutes and paths a run had; a budget may have ended it while it was still "
        "learning.",
        "",
        "Figures of others are theirs under their protocol:",
        "",
        *(f"- {source.paper}: {source.protocol}" for source in best_sources()),
        *_sides_lines(shown),
        "",
        "## What each ingredient is worth",
        "",
        "Test Hits@1 of `best`, the mean over its seeds, and of `best` without one ingredient (the difference "
        "in points to `best` with the same seeds).",
        "",
        *markdown(_ablation_table(shown)),
        "",
        "## What is left to gain",
        "",
        "Test Hits@1 if the counterparts of all other entities were known and the right one were always among the "
        "candidates, judged by agreeing triples; one of several equally good candidates is taken at random "
        "(`--part limits`, `farlink/experiments/known_neighbours.py`). An aligner has to find those counterparts "
        "first, from 30 % of them. The ceiling knows the seeds only, but takes entities for different as soon as "
        "anything about them differs, be it a triple that the other graph lacks; so either of the two may be lower.",
        "",
        *markdown(_limit_table(shown)),
        "",
        "## Seeds",
        "",
        f"{DBP_WD.name} with other shares of seeds: a fixed split of all links, a tenth of the others for validation.",
        "",
        *markdown(_share_table(shown)),
        "",
        "![Hits@1 by share of seeds](alignment-shares.png)",
    ]
    return "\n".join(lines) + "\n"


def _preset_table(shown: Shown) -> Table:
    headings = ("data set", "preset", "seeds", "Hits@1 / Hits@10 / MRR", "ceiling", "the paper's RSN")
    rows = []
    for data in (*SRPRS, *WIDER):
        for preset in ("paper", "authors", "fast", BEST):
            found = shown.runs(data, preset)
            if found:
                published = written(*RSN[data]) if data in RSN else None
                others = ", ".join(map(str, BEST_STRUCTURE_ONLY.get(data, ())))
                name = f"`{preset}`{shown.mark(found)}"
                figures = [_figures(found), _ceiling(found), published, others, *_cost(found)]
                rows.append([data.name, name, len(found), *figures])
    return Table(columns(*headings, "others, Hits@1", "seconds", "cores", "memory"), rows)


def _cost(found: list[Record]) -> list[str]:
    """Seconds, cores and memory."""
    seconds = mean(record["seconds"] for record in found)
    return [f"{seconds:.0f}", _cores(found), f"{max(record['peak_memory'] for record in found) / GB:.1f} GB"]


def _cores(found: list[Record]) -> str:
    return " or ".join(str(count) for count in sorted({record["cores"] for record in found if "cores" in record}))


def _sides_lines(shown: Shown) -> list[str]:
    """What it changed that linked entities of a merged graph have both sides."""
    rows = []
    for data in SRPRS:
        for preset in ("fast", BEST):
            before, now = shown.runs_before(data, preset), runs_in(shown.now, data, preset)
            if before and now:
                gap = 100 * (_hits(now) - _hits(before))
                runs = f"{len(before)}, {len(now)}"
                rows.append([data.name, f"`{preset}`", runs, _with_spread(before), _with_spread(now), gap])
    if not rows:
        return []
    headings = columns("data set", "preset", "seeds before, after", "before", "after")
    return [
        "",
        "## Before and after linked entities had both sides",
        "",
        "A walk is drawn towards the other graph (β). In the merged graph a linked pair is one entity, which belongs "
        f"to both graphs. In the runs of `results/{BEFORE}` it counted as one of the left graph, so that β drew walks "
        f"across from the right graph but not from the left; in those of `results/{NOW}` it draws them from either. "
        "Test Hits@1, the mean over the seeds ± the standard deviation, and the difference in points.",
        "",
        *markdown(Table([*headings, Column("difference", "+.1f")], rows)),
    ]


def _ablation_table(shown: Shown) -> Table:
    """`best` and what it is without each ingredient, in each column by runs of one state of the walks."""
    states = {data: shown.state((data, variant, None) for variant in ABLATIONS) for data in SRPRS}
    whole = {data: runs_in(states[data], data) for data in SRPRS}
    marks = {data: OLD if states[data] is shown.before and whole[data] else "" for data in SRPRS}
    rows: list[list[str | None]] = [["`best`", *(_hits_cell(whole[data]) for data in SRPRS)]]
    for variant in ABLATIONS:
        cells = [_ablated(runs_in(states[data], data, variant=variant), whole[data]) for data in SRPRS]
        if any(cells):
            rows.append([variant, *cells])
    return Table(columns("", *(f"{data.name}{marks[data]}" for data in SRPRS)), rows)


def _ablated(found: list[Record], whole: list[Record]) -> str | None:
    """Hits@1 of an ablation, and how far it is from that of runs with the same seeds and all ingredients."""
    seeds = {record["key"]["seed"] for record in found}
    same = [record for record in whole if record["key"]["seed"] in seeds]
    if not same:
        return _hits_cell(found)
    return f"{_hits_cell(found)} ({100 * (_hits(found) - _hits(same)):+.1f})"


def _limit_table(shown: Shown) -> Table:
    rows = []
    for data in SRPRS:
        found, known = shown.runs(data), shown.runs(data, variant=KNOWN)
        if found and known:
            name = f"{data.name}{shown.mark(found)}"
            share = f"{_hits(found) / _hits(known):.0%}"
            rows.append([name, _hits_cell(found), _hits_cell(known), share, _ceiling(found)])
    return Table(columns("data set", "`best`", KNOWN, "share reached", "ceiling"), rows)


def _share_table(shown: Shown) -> Table:
    rows = []
    for share, found in by_share(shown, DBP_WD):
        if share != OFFICIAL_SHARE:
            seconds = mean(record["seconds"] for record in found)
            rows.append([f"{share:.0%}{shown.mark(found)}", _figures(found), f"{seconds:.0f}", _cores(found)])
    return Table(columns("share of seeds", "Hits@1 / Hits@10 / MRR", "seconds", "cores"), rows)


def _draw_shares(shown: Shown, path: Path) -> None:
    points = [(100 * share, _hits(found)) for share, found in by_share(shown, DBP_WD)]

    def fill(axes: Axes) -> None:
        axes.plot([x for x, _ in points], [y for _, y in points], color=BLUE, marker="o", label="farlink, best")
        axes.axhline(RSN[DBP_WD][0], color=GREY, linestyle="--", linewidth=1, label="the paper's RSN at 30 %")
        axes.set(xlabel="share of links given as seeds (%)", ylabel="test Hits@1", ylim=(0, 1), title=DBP_WD.name)
        axes.legend(frameon=False, loc="lower right")

    draw(path, fill, vector=True)


def _figures(found: list[Record]) -> str:
    linked = [record["metrics"]["test"]["linked"]["left_to_right"] for record in found]
    text = written(*(mean(figures[name] for figures in linked) for name in ("hits@1", "hits@10", "mrr")))
    return text if len(found) == 1 else f"{text} (± {_spread(found)})"


def _spread(found: list[Record]) -> str:
    return written(stdev(map(hits, found)))


def _with_spread(found: list[Record]) -> str:
    """Hits@1 and how far it differs between seeds."""
    text = written(_hits(found))
    return text if len(found) == 1 else f"{text} ± {_spread(found)}"


def _ceiling(found: list[Record]) -> str:
    """What structure lets any method expect; the same for all seeds of a split."""
    told = [
        record["metrics"]["test"]["ceiling"]["linked"] for record in found if "ceiling" in record["metrics"]["test"]
    ]
    return written(mean(told)) if told else ""


def _hits(found: list[Record]) -> float:
    return mean(map(hits, found))


def _hits_cell(found: list[Record]) -> str | None:
    return written(_hits(found)) if found else None

"""What names, values and triples find together, mostly without a known link, and what each of them is worth."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.alignment.evaluation import pair_quality
from farlink.alignment.names import NEAREST, Names
from farlink.alignment.run import AlignmentRun
from farlink.alignment.task import AlignmentTask, open_task
from farlink.alignment.waterfall import Step, draw_steps
from farlink.engine.machine import use_threads
from farlink.experiments.datasets import (
    ANATOMY,
    DBP15K_FR,
    DBP15K_ZH,
    DBP_WD,
    DBP_YG,
    EN_DE,
    EN_FR,
    MOVIES,
    PERSONS,
    PLACES,
    RESTAURANTS,
    WORDNET,
    DataSet,
)
from farlink.experiments.published import BEYOND_STRUCTURE, sources_beyond_structure
from farlink.experiments.records import Record, Records, carry_out, check_parts, commit, cores, finished_run, written
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import short_name
from farlink.io.files import write_text
from farlink.measures.ranks import Ranks
from farlink.progress import Silent
from farlink.reports.plots import BLUE, GREY, figure_of, save
from farlink.reports.tables import Table, columns, markdown
from farlink.settings import make_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GB = 1e9
RECORDS, CALIBRATION, WATERFALL = "signals.jsonl", "signals-calibration.png", "signals-waterfall.png"
PARTS = ("named", "benchmarks", "seeds", "few-seeds", "names", "ablations")
NEAREST_NAME = "nearest name"  # no run, but what n-grams alone say
NO_LINKS, OWN_SEEDS = "none", "30 %"
FEW_SEEDS = {"20 %": "0.2", "10 %": "0.1", "5 %": "0.05", "1 %": "0.01"}  # shares of the links, split anew
STRUCTURE = ("--signals", "structure")
BUILT_IN = ("--set", "readings=never")  # names in other scripts are transliterated and nothing more
SAMPLED = (0.1, 0.8, 0.95, 0.98, 0.999)  # places of the pairs that are shown among all, the surest first
RIGHT_NAMES = "ent_ids_2"  # the file of a benchmark folder that has them


@dataclass(frozen=True)
class Case:
    """Two graphs as they are given to `farlink align`: a benchmark folder, or files of one."""

    data: DataSet
    files: tuple[str, ...] = ()  # left, right and the test links; none: a benchmark folder
    links: str = NO_LINKS
    attributes: str = ""  # a file with values of both sides
    note: str = ""  # what tells it from other cases of the data set
    options: tuple[str, ...] = ()
    scrambled: bool = False  # the letters of all names of the right side are in random order

    @property
    def words(self) -> str:
        """What the page calls it."""
        return ", ".join(filter(None, [self.data.name, self.attributes and f"`{self.attributes}`", self.note]))

    def arguments(self, folder: Path) -> list[str]:
        """The graphs and links as arguments of `farlink align`."""
        if self.files:
            left, right, test = (str(folder / name) for name in self.files)
            given = [left, right, "--test", test]
        else:
            share = {NO_LINKS: "0", **FEW_SEEDS}.get(self.links)
            given = [str(folder), *(["--share", share] if share else [])]
        for side in ("left", "right") if self.attributes else ():
            given += [f"--{side}-attributes", str(folder / self.attributes)]
        return [*given, *self.options]

    def task(self, folder: Path) -> AlignmentTask:
        """The same as a task."""
        values = folder / self.attributes if self.attributes else None
        more: dict[str, Any] = {"left_attributes": values, "right_attributes": values}
        more |= {"settings": make_settings(), "reporter": Silent()}
        if self.files:
            left, right, test = (str(folder / name) for name in self.files)
            return open_task(left, right, test=test, **more)
        return open_task(str(folder), share=0.0 if self.links == NO_LINKS else None, **more)


CASES: dict[str, tuple[Case, ...]] = {
    "named": (
        Case(MOVIES),
        Case(PERSONS, ("left.ttl", "right.ttl", "gold.tsv")),
        Case(RESTAURANTS),
        Case(ANATOMY, ("left.rdf", "right.rdf", "align.nt")),
        Case(PLACES, ("left.nt.gz", "right.nt.gz", "gold.tsv")),
        Case(WORDNET, ("left.nt.gz", "right.nt.gz", "gold.tsv.gz")),
    ),
    "benchmarks": (
        Case(EN_FR),
        Case(EN_DE),
        Case(DBP_YG),
        Case(DBP15K_FR),
        Case(DBP15K_ZH, options=BUILT_IN),
        Case(DBP15K_ZH, note="with `languages`"),
        Case(DBP15K_ZH, attributes="english_names", options=BUILT_IN),
    ),
    # identifiers of Wikidata are no names: without links there is nothing to begin with
    "seeds": (
        Case(DBP15K_ZH, links=OWN_SEEDS, options=BUILT_IN),
        Case(DBP_WD, links=OWN_SEEDS),
        Case(EN_FR, links=OWN_SEEDS, note="names of one side scrambled", scrambled=True),
    ),
    "few-seeds": tuple(Case(DBP15K_ZH, links=links, note="structure alone", options=STRUCTURE) for links in FEW_SEEDS),
}
EVERY = tuple(case for cases in CASES.values() for case in cases)

WITHOUT_VALUES = ("--signals", "names,structure")
WITHOUT_TRIPLES = ("--set", "evidence=0")
# of the sets of which choices were made; only the movies have values beside names
ABLATED = (MOVIES, EN_FR, EN_DE, DBP15K_FR)
ABLATIONS: dict[str, tuple[tuple[str, ...], tuple[DataSet, ...]]] = {
    "without values": (WITHOUT_VALUES, (MOVIES,)),
    "agreeing triples count nothing": (WITHOUT_TRIPLES, ABLATED),
    "both": ((*WITHOUT_VALUES, *WITHOUT_TRIPLES), (MOVIES,)),
}


@dataclass(frozen=True)
class Job:
    """One run: two graphs, a seed, and what is changed about it."""

    case: Case
    seed: int
    variant: str = ""
    changes: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Where the data set is."""
        return self.case.data.folder

    @property
    def key(self) -> dict[str, Any]:
        """What tells this run from others in the records."""
        return {**_key(self.case, self.variant), "seed": self.seed}

    def arguments(self, folder: Path, out: str) -> list[str]:
        """The arguments of `farlink` that make this run."""
        return ["align", *self.case.arguments(folder), *self.changes, "--seed", str(self.seed), "--out", out]


def _key(case: Case, variant: str) -> dict[str, Any]:
    return {
        "data": case.data.folder,
        "links": case.links,
        "attributes": case.attributes,
        "note": case.note,
        "variant": variant,
    }


def run(data: Path | None, out: Path, parts: list[str], only: list[str] | None, seeds: int) -> Iterator[str]:
    """Make the runs of some parts that are not recorded yet, then write the page; tells what it does."""
    check_parts(parts, PARTS)
    records = Records(out / "results" / RECORDS)
    yield from carry_out(jobs(parts, seeds), only, records, data, _made, _told)
    write_text(out / "signals.md", page(records.all))
    draw_pictures(records.all, out)
    yield f"wrote {out / 'signals.md'}"


def jobs(parts: Iterable[str], seeds: int) -> Iterator[Job]:
    """The runs of some parts, in the order of the parts."""
    for part in parts:
        if part == "names":
            yield from (
                Job(case, 0, NEAREST_NAME) for case in EVERY if case.options != STRUCTURE and not case.scrambled
            )
        elif part == "ablations":
            for variant, (changes, sets) in ABLATIONS.items():
                yield from (Job(_without_links(data), seed, variant, changes) for seed in range(seeds) for data in sets)
        else:
            yield from (Job(case, seed) for seed in range(seeds) for case in CASES[part])


def _made(job: Job, folder: Path) -> Record:
    if job.variant == NEAREST_NAME:
        return nearest_by_name(job.case, folder)
    if job.case.scrambled:
        with tempfile.TemporaryDirectory() as temporary:
            return finished_run(partial(job.arguments, scrambled(folder, Path(temporary), job.seed)), among_telling)
    return finished_run(partial(job.arguments, folder), among_telling)


def scrambled(folder: Path, out: Path, seed: int) -> Path:
    """A copy of a benchmark folder in which the letters of every name of the right side are in random order."""
    rng = np.random.default_rng([seed, 0x5C12])
    copied = out / folder.name
    shutil.copytree(folder, copied, copy_function=shutil.copyfile)
    copied.chmod(0o755)
    lines = []
    for line in (folder / RIGHT_NAMES).read_text("utf-8").splitlines():
        number, name = line.split("\t")
        letters = list(name.rsplit("/", 1)[-1])
        lines.append(f"{number}\thttp://scrambled/{number}/" + "".join(rng.permutation(letters)))
    (copied / RIGHT_NAMES).write_text("\n".join(lines) + "\n", "utf-8")
    return copied


def _told(job: Job, record: Record) -> str:
    words = ", ".join(filter(None, [job.case.words, f"links {job.case.links}", job.variant, f"seed {job.seed}"]))
    figures = f"Hits@1 {_hits(record):.3f}"
    if "mapping" in record["metrics"]["test"]:
        figures += f", F1 {record['metrics']['test']['mapping']['f1']:.3f}"
    return f"{words}: {figures} in {record['seconds']:.0f} s"


def nearest_by_name(case: Case, folder: Path) -> Record:
    """Hits@1 of the test links, left to right, by the character n-grams of names alone; nothing is learned."""
    started = time.monotonic()
    use_threads(make_settings().threads)
    found = name_ranks(case.task(folder)).summary()
    return {
        "command": "farlink experiment signals --part names",
        "commit": commit(),
        "cores": cores(),
        "seconds": round(time.monotonic() - started, 1),
        "metrics": {"test": {"all": {"left_to_right": found}}},
    }


def name_ranks(task: AlignmentTask) -> Ranks:
    """Ranks of the test links by how alike names are; all right entities but seeds are candidates.

    Who is not among the nearest by name comes behind all others.
    """
    names = Names(task.left, task.right)
    behind = np.full(len(task.test), len(task.right.entities))
    if not names.known:
        return Ranks(behind, behind)
    pairs = names.pairs(NEAREST)
    pairs = pairs[~np.isin(pairs[:, 1], task.seeds[:, 1])]
    alike = names.of(*np.ascontiguousarray(pairs.T))
    counterpart = np.full(len(task.left.entities), -1)
    counterpart[task.test[:, 0]] = task.test[:, 1]
    hit = counterpart[pairs[:, 0]] == pairs[:, 1]
    own = np.full(len(counterpart), np.nan)
    own[pairs[hit, 0]] = alike[hit]

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(pairs[which, 0], minlength=len(counterpart))[task.test[:, 0]]

    better, equal = count(alike > own[pairs[:, 0]]), count(alike == own[pairs[:, 0]])
    listed = equal > 0  # itself at the least
    return Ranks(np.where(listed, better + 1, behind), np.where(listed, better + equal, behind))


def among_telling(run: AlignmentRun) -> Record:
    """How many test links lead to an entity that the files say nothing of, and the mapping against the others."""
    test, graphs = run.links("test"), run.graphs
    heard = [speaking(graphs[side])[ends] for side, ends in zip(("left", "right"), test.T, strict=True)]
    both = heard[0] & heard[1]
    matched = run.alignment.filter(status="matched")
    places = [{name: place for place, name in enumerate(graphs[side].entities)} for side in ("left", "right")]
    found: list[tuple[int, int]] = [
        (places[0][left], places[1][right]) for left, right in matched.select("left", "right").iter_rows()
    ]
    pairs: Pairs = np.array(found, dtype=np.int32).reshape(-1, 2)
    quality = pair_quality(pairs, test[both])
    telling = {"silent": int((~both).sum()), "links": len(test), "mapping": quality}
    return {"telling": telling, "pairs": sampled_pairs(run)}


def sampled_pairs(run: AlignmentRun) -> list[dict[str, Any]]:
    """Pairs from the surest to the least likely, with the steps that their log odds are made of."""
    if run.candidates.parts is None:
        return []
    chosen = run.alignment.filter(pl.col("status") != "seed", pl.col("probability").is_not_null())
    rows = chosen.sort("probability", "left", descending=[True, False]).select("left", "right", "probability")
    found = []
    for place in sorted({int(share * rows.height) for share in SAMPLED} if rows.height else set()):
        left, right, probability = rows.row(place)
        steps = [[step.label, round(step.log_odds, 3), step.signal] for step in run.waterfall_steps(left, right)]
        names = " = ".join(short_name(name) for name in (left, right))
        found.append({"pair": names, "probability": round(probability, 3), "steps": steps})
    return found


def speaking(graph: KnowledgeGraph) -> NDArray[np.bool_]:
    """Which entities have a triple or a value."""
    valued = graph.entities.is_in(graph.literals["head"].unique().to_list()).to_numpy()
    return np.asarray((graph.degrees() > 0) | valued)


def page(records: list[Record]) -> str:
    """The page: every figure of it is from a record, or published."""
    lines = [
        "# Names, values and triples",
        "",
        f"Written by `farlink experiment signals` from `results/{RECORDS}`, where each run has its command, seed, "
        "commit and all metrics.",
        "",
        "Alignments of whole graphs as they are, with the default settings, one setting for all. P, R and F1 are those "
        "of the mapping against the test links. Hits@1: left to right, realistic ranks, protocol `all`, in which all "
        "right entities but seeds are candidates. With several seeds: the mean, and ± the standard deviation of F1. "
        "The gap is the mean difference between the probabilities told and how often pairs with such a probability "
        "are right. Seconds and peak memory are those of the whole command, from files to mapping and report, on the "
        "cores beside them.",
        "",
        "Beside them stands what takes no aligner: *equal names*, the F1 of pairs whose readable names (label, or the "
        "end of the identifier) are equal, case aside, and are one entity's on either side; and *nearest name*, the "
        "Hits@1 of the most alike by character n-grams of all names alone (`--part names`; equally alike ones share "
        "their mean rank, so that a tie is no hit).",
        "",
        "## All signals",
        "",
        *markdown(_table(records)),
        "",
        "Which data sets had a say: early choices (how scores are balanced, what vectors and agreeing triples weigh) "
        "were made on all links of EN-FR, EN-DE and DBP15K FR-EN, those of the test included, and on movies and "
        "places. So the figures of these sets are not held out. Later ones (words that stand for each other, from "
        "what weights are learned and against what, when rounds end) were compared on a tenth of all links of EN-FR "
        "and of FR-EN, as it is, with four fifths of its names scrambled, and with the words of one side in a cipher. "
        "From what weights are learned and against what was also tried on anatomy, with all of its links, in eleven "
        "variants; these were level on EN-FR, so that anatomy had the say, and its figure is the best of them and no "
        "held-out one. Faults were searched on anatomy, restaurants and places. Persons and DBP-YG were run in "
        "between. Of ZH-EN early trials were seen; its rows without seeds and with 30 % were read at the end, and "
        "no choice was made after it. That more rounds are made around few seeds was tried on FR-EN with 1 % of the "
        "links after ZH-EN with 1, 5 and 10 % had been seen to fall short.",
        "",
        "Most rows with one core were run beside other work on the same machine, so that their seconds are upper "
        "bounds; those with two cores had the machine to themselves. The gap was defined anew in between (all pairs "
        "that can be judged, in place of those of linked left entities): gaps of older versions of this page "
        "cannot be compared with these.",
        "",
        "The names of the SRPRS and DBP15K sets are the ends of identifiers, as they are in the files. DBP-YG is no "
        "task for who reads names: those of one side are the other's. The identifiers of Wikidata in DBP-WD say "
        "nothing, and the folder has no values, so that without links there is nothing to begin with: its row has "
        "seeds and shows what is left when only structure speaks. `english_names` are machine translations of the "
        "names of both sides.",
        *_silent_lines(records),
        "",
        "Figures of others are theirs, under their protocol and with what they read:",
        "",
        *(f"- {source.paper}: {source.protocol}" for source in sources_beyond_structure()),
        "",
        "## What probabilities are worth",
        "",
        "Pairs by their probability, in tenths, and how many of them are right; the numbers are those of the pairs. "
        "All pairs that can be judged count, those of entities without a counterpart, too: a pair is judged if the "
        "test links have either of its ends.",
        "",
        f"![Probabilities and what is right]({CALIBRATION})",
        "",
        "## Five pairs, step by step",
        "",
        "EN-FR without links: pairs from the surest to the least likely, and what adds up to their log odds.",
        "",
        f"![What adds up to the log odds of five pairs]({WATERFALL})",
        "",
        "## What each signal is worth",
        "",
        "F1, and Hits@1, without known links, and without some of the signals. Triples bring pairs into question "
        "even where agreement counts nothing (`--set evidence=0`). Only the movies have values that are no "
        "names. How far structure alone gets, "
        "with 30 % of the links given, stands in [alignment.md](alignment.md).",
        "",
        *markdown(_ablation_table(records)),
    ]
    return "\n".join(lines) + "\n"


def draw_pictures(records: list[Record], out: Path) -> None:
    """How probabilities compare with what is right, a panel for each row of the table; and pairs step by step."""
    shown = [(case, found[0]) for case in EVERY if (found := _runs(records, case))]
    if shown:
        panels = [partial(_fill_calibration, case, record) for case, record in shown]
        save(figure_of(panels, height=2.4 * len(panels), width=5.6), out / CALIBRATION)
    told: list[dict[str, Any]]
    told = next((record.get("pairs", []) for case, record in shown if case == _without_links(EN_FR)), [])
    if told:
        panels = [partial(_fill_steps, pair) for pair in told]
        save(figure_of(panels, height=2.4 * len(panels), width=8.0), out / WATERFALL)


def _fill_calibration(case: Case, record: Record, axes: Axes) -> None:
    said = record["metrics"]["test"]["calibration"]
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=0.8)
    axes.plot(said["probability"], said["right"], color=BLUE, marker="o", markersize=3)
    for x, y, pairs in zip(said["probability"], said["right"], said["pairs"], strict=True):
        axes.annotate(f"{pairs:,}", (x, y), xytext=(3, -8), textcoords="offset points", fontsize=6, color=GREY)
    title = f"{case.words}, links given: {case.links}; gap {said['gap']:.3f}"
    axes.set(xlim=(0, 1.02), ylim=(0, 1.05), xlabel="probability", ylabel="share right")
    axes.set_title(title, fontsize=8, loc="left")


def _fill_steps(pair: dict[str, Any], axes: Axes) -> None:
    steps = [Step(*step) for step in pair["steps"]]
    draw_steps(axes, steps, f"{pair['pair']}: probability {pair['probability']:.2f}")


def _table(records: list[Record]) -> Table:
    headings = ("data set", "links given", "runs", "P", "R", "F1", "Hits@1", "gap", "equal names, F1")
    rows = []
    for case in EVERY:
        found, names = _runs(records, case), _runs(records, case, NEAREST_NAME)
        if found or names:
            nearest = written(_hits(names[-1])) if names else None
            others = "" if case.scrambled else "; ".join(map(str, BEYOND_STRUCTURE.get(case.data, ())))
            rows.append([case.words, case.links, *_figures(found), nearest, others, *_cost(found)])
    return Table(columns(*headings, "nearest name, Hits@1", "others", "seconds", "cores", "memory"), rows)


def _figures(found: list[Record]) -> list[str | None]:
    """Runs, P, R, F1, Hits@1, gap and the F1 of equal names."""
    if not found:
        return [None] * 7
    tests = [record["metrics"]["test"] for record in found]
    precision, recall = (mean(test["mapping"][name] for test in tests) for name in ("precision", "recall"))
    gap, equal = (mean(test[part][name] for test in tests) for part, name in _BESIDE)
    hits = mean(map(_hits, found))
    return [str(len(found)), written(precision), written(recall), _f1(found), *map(written, (hits, gap, equal))]


_BESIDE = (("calibration", "gap"), ("name_equality", "f1"))


def _f1(found: list[Record]) -> str:
    """F1, and how far it differs between seeds."""
    values = [record["metrics"]["test"]["mapping"]["f1"] for record in found]
    return written(mean(values)) + (f" ± {written(stdev(values))}" if len(values) > 1 else "")


def _cost(found: list[Record]) -> list[str | None]:
    """Seconds, cores and memory."""
    if not found:
        return [None] * 3
    used = " or ".join(str(count) for count in sorted({record["cores"] for record in found}))
    memory = max(record["peak_memory"] for record in found) / GB
    return [f"{mean(record['seconds'] for record in found):.0f}", used, f"{memory:.1f} GB"]


def _silent_lines(records: list[Record]) -> list[str]:
    """What is to be said of test links of which the files tell one end by name only."""
    lines = []
    for case in EVERY:
        found = [record for record in _runs(records, case) if record["telling"]["silent"]]
        if found:
            told = found[-1]["telling"]
            f1 = mean(record["telling"]["mapping"]["f1"] for record in found)
            lines += [
                "",
                f"{case.words}: {told['silent']:,} of the {told['links']:,} test links lead to an entity of which the "
                "files have no triple and no value, so that it can only be guessed. They count in the figures "
                f"above. Among the other {told['links'] - told['silent']:,} links F1 is {written(f1)}.",
            ]
    return lines


def _ablation_table(records: list[Record]) -> Table:
    """All signals, and fewer; in each column runs of the same data set."""
    plain = [_without_links(data) for data in ABLATED]
    rows = []
    for variant in ("", *ABLATIONS):
        cells = [_both(_runs(records, case, variant)) for case in plain]
        if any(cells):
            rows.append([variant or "all signals", _options(variant), *cells])
    return Table(columns("", "options", *(data.name for data in ABLATED)), rows)


def _without_links(data: DataSet) -> Case:
    return next(case for case in EVERY if case.data == data and case.links == NO_LINKS)


def _options(variant: str) -> str | None:
    return f"`{' '.join(ABLATIONS[variant][0])}`" if variant else None


def _both(found: Sequence[Record]) -> str | None:
    """F1 and Hits@1."""
    if not found:
        return None
    return written(mean(r["metrics"]["test"]["mapping"]["f1"] for r in found), mean(map(_hits, found)))


def _hits(record: Record) -> float:
    return float(record["metrics"]["test"]["all"]["left_to_right"]["hits@1"])


def _runs(records: list[Record], case: Case, variant: str = "") -> list[Record]:
    wanted = _key(case, variant)
    return [record for record in records if wanted.items() <= record["key"].items()]

"""The page of names, values and triples, and its pictures: every figure is from a record, or published."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from farlink.alignment.waterfall import Step, draw_steps
from farlink.experiments.datasets import EN_FR
from farlink.experiments.published import BEYOND_STRUCTURE, sources_beyond_structure
from farlink.experiments.records import Record, written
from farlink.experiments.signal_cases import ABLATED, ABLATIONS, EVERY, NEAREST_NAME, Case, key_of, without_links
from farlink.reports.plots import BLUE, GREY, figure_of, save
from farlink.reports.tables import Table, columns, markdown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


GB = 1e9
RECORDS, CALIBRATION, WATERFALL = "signals.jsonl", "signals-calibration.png", "signals-waterfall.png"


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
    told = next((record.get("pairs", []) for case, record in shown if case == without_links(EN_FR)), [])
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
            nearest = written(hits_of(names[-1])) if names else None
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
    hits = mean(map(hits_of, found))
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
    plain = [without_links(data) for data in ABLATED]
    rows = []
    for variant in ("", *ABLATIONS):
        cells = [_both(_runs(records, case, variant)) for case in plain]
        if any(cells):
            rows.append([variant or "all signals", _options(variant), *cells])
    return Table(columns("", "options", *(data.name for data in ABLATED)), rows)


def _options(variant: str) -> str | None:
    return f"`{' '.join(ABLATIONS[variant][0])}`" if variant else None


def _both(found: Sequence[Record]) -> str | None:
    """F1 and Hits@1."""
    if not found:
        return None
    return written(mean(r["metrics"]["test"]["mapping"]["f1"] for r in found), mean(map(hits_of, found)))


def hits_of(record: Record) -> float:
    """Hits@1 of a run, left to right, among all right entities."""
    return float(record["metrics"]["test"]["all"]["left_to_right"]["hits@1"])


def _runs(records: list[Record], case: Case, variant: str = "") -> list[Record]:
    wanted = key_of(case, variant)
    return [record for record in records if wanted.items() <= record["key"].items()]

"""The report of an alignment: plots that people look at, and a model card in words and figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.alignment.candidates import Candidates
from farlink.alignment.folder import SIDES
from farlink.alignment.mapping import Mapping
from farlink.alignment.methods import method_class
from farlink.alignment.results import quality_table, ranks_table
from farlink.alignment.run import AlignmentRun
from farlink.graph.ids import Ids, Pairs, lookup
from farlink.graph.links import among
from farlink.io.files import write_text
from farlink.reports.card import notes_lines, training_lines
from farlink.reports.plots import BLUE, GREY, ORANGE, draw, draw_reliability, draw_training, figure_of, save
from farlink.reports.tables import Column, Table, markdown, measured_part
from farlink.settings import AlignmentSettings, settings_of
from farlink.wording import counted

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

RELATIONS_SHOWN, CLASSES_SHOWN = 12, 8
IN_WORDS = {
    "equal": "is the same as",
    "narrower": "is narrower than",
    "broader": "is broader than",
    "inverse": "is the inverse of",
    "inverse narrower": "is narrower than the inverse of",
    "inverse broader": "is broader than the inverse of",
}
SURE = 0.95  # probability from which on a pair is shown as a sure one
NEAR_ENOUGH = 0.05  # to a likeness that is shown
LIKENESSES = (1.0, 0.9, 0.75, 0.5, 0.25)  # of names, whose worth the card shows


def write(
    run: AlignmentRun, mapping: Mapping, test: Pairs, hits: NDArray[np.bool_], degrees: Ids, notes: list[str]
) -> None:
    """Draw the plots and write the model card.

    `hits` says of each test link whether its right entity ranks first; `degrees` are those of the left graph.
    """
    plots = run.folder / "plots"
    if len(run.trace):
        draw_training(run.trace, plots, "Hits@1")
    part = measured_part(run.metrics)
    if np.isfinite(mapping.threshold) and part:
        draw_reliability(plots / "reliability.png", run.metrics[part]["calibration"], f"{part} links")
    if len(test):
        if np.isfinite(mapping.threshold):
            draw(plots / "probabilities.png", lambda axes: _probabilities(axes, mapping, test))
        draw(plots / "degrees.png", lambda axes: _by_degree(axes, hits, degrees[test[:, 0]]))
    samples = sample_pairs(run)
    if samples:
        panels = [run.panel(left, right) for left, right in samples]
        save(figure_of(panels, height=2.9 * len(panels), width=8.0), plots / "waterfall.png")
    write_text(run.folder / "README.md", _card(run, notes))


def sample_pairs(run: AlignmentRun) -> list[tuple[str, str]]:
    """A pair that is sure, one that is doubtful and one that is rejected, as far as there are any, by what adds up."""
    if run.candidates.parts is None or run.metrics["threshold"] is None:
        return []
    found = run.alignment.filter(pl.col("status") != "seed", pl.col("probability").is_not_null())
    found = found.with_columns(doubt=(pl.col("probability") - run.metrics["threshold"]).abs())
    matched, others = found.filter(status="matched"), found.filter(status="unmatched")
    kinds = [_middle(matched.filter(pl.col("probability") >= SURE)), found.sort("doubt").head(1), _middle(others)]
    return pl.concat(kinds).select("left", "right").unique(maintain_order=True).rows()


def _middle(rows: pl.DataFrame) -> pl.DataFrame:
    """The row in the middle, which is neither the best nor the worst of its kind."""
    return rows.slice(rows.height // 2, 1)


def _probabilities(axes: Axes, mapping: Mapping, test: Pairs) -> None:
    """Probabilities of the right and of the wrong pairs among the test entities."""
    asked = mapping.of(test[:, 0]) & (mapping.status != "seed")
    probability, right = mapping.probability[asked], among(mapping.pairs[asked], test)
    bins = np.linspace(0, 1, 41).tolist()
    for mask, colour, label in ((right, BLUE, "right"), (~right, ORANGE, "wrong")):
        axes.hist(probability[mask], bins=bins, color=colour, alpha=0.65, label=f"{label} ({int(mask.sum()):,})")
    axes.axvline(mapping.threshold, color=GREY, linestyle="--", label=f"threshold {mapping.threshold:.2f}")
    axes.set(xlabel="probability of the chosen pair", ylabel="test entities")
    axes.legend(frameon=False)


def _by_degree(axes: Axes, hits: NDArray[np.bool_], degrees: Ids) -> None:
    """Hits@1 of the test links by the degree of the left entity."""
    labels = ["1", "2", "3", "4–5", "6–8", "9–13", "14–25", "26+"]
    group = np.digitize(degrees, [2, 3, 4, 6, 9, 14, 26])
    shown = [place for place in range(len(labels)) if (group == place).any()]
    heights = [float(hits[group == place].mean()) for place in shown]
    bars = axes.bar([labels[place] for place in shown], heights, color=BLUE)
    axes.bar_label(bars, [f"n={int((group == place).sum()):,}" for place in shown], fontsize=7, color=GREY)
    axes.set(xlabel="triples of the left entity", ylabel="test Hits@1 (linked, left to right)", ylim=(0, 1))


def _card(run: AlignmentRun, notes: list[str]) -> str:
    about, metrics, settings = run.about, run.metrics, run.settings
    counts = metrics["mapping"]
    lines = [
        f"# Alignment of {Path(about['left']['source']).name} and {Path(about['right']['source']).name}",
        "",
        f"Made by farlink {about['farlink']} on {about['date']} with {_preset_in_words(settings)} "
        f"and seed {settings.seed}. Every setting is in `config.toml`.",
        "",
        f"**{counted(counts.get('matched', 0), 'link')} found**, "
        f"{counted(counts.get('unmatched', 0), 'left entity', 'left entities')} without a "
        f"counterpart, {counted(counts.get('seed', 0), 'seed')} given. The mapping is in `alignment.tsv`.",
        "",
        "## Data",
        "",
        *markdown(_data_table(about)),
        "",
        f"Links: {counted(about['links']['seeds'], 'seed')}, {about['links']['validation']:,} for validation, "
        f"{about['links']['test']:,} for the test.",
        *notes_lines(notes),
        "",
        "## Training",
        "",
        *_training(run),
        "",
        "## Results",
        "",
        *result_lines(metrics),
        *_signal_lines(run),
        *_ontology_lines(run),
    ]
    shown = [
        name
        for name in ("reliability", "probabilities", "degrees", "waterfall")
        if (run.folder / f"plots/{name}.png").exists()
    ]
    if shown:
        lines += ["", " ".join(f"![{name}](plots/{name}.png)" for name in shown)]
    lines += [
        "",
        "## How to read this",
        "",
        "- Ranks are realistic: among equal scores the right answer takes the mean place.",
        "- `linked`: candidates are the ends of validation and test links. `all`: every entity that is not a seed.",
        f"- The score is {_score_in_words(settings)}. {_signals_in_words(run)} The margin is the lead over the next "
        "best candidate.",
        *_probability_in_words(metrics["threshold"], with_links=bool(about["links"]["validation"])),
        "- Name equality is what comparing names alone would have given; where it is high, names solve the task.",
    ]
    return "\n".join(lines) + "\n"


def _training(run: AlignmentRun) -> list[str]:
    if not len(run.trace):
        found = counted(len(run.links("found")), "link")
        return [f"None: {found} were found by names, triples and what follows from both, round after round."]
    return training_lines(run.trace, method_class(run.settings.method).description(run.settings), "Hits@1")


def _data_table(about: dict[str, Any]) -> Table:
    """What the two graphs hold."""
    counts = ("entities", "relations", "triples", "literals")
    columns = [Column(name, ",", "right") for name in ("entities", "relations", "triples", "literals set aside")]
    rows = [[side, about[side]["source"], *(about[side][name] for name in counts)] for side in ("left", "right")]
    return Table([Column("side"), Column("source"), *columns], rows)


def _preset_in_words(settings: AlignmentSettings) -> str:
    if "preset" in settings_of(settings.method):
        return f"the preset `{settings.preset}`"
    return f"the settings of `{settings.method}`"


def _score_in_words(settings: AlignmentSettings) -> str:
    if settings.temperature:
        return "the share of an entity's attention that the pair keeps when all candidates compete"
    return "the cosine of the two entities' vectors"


def _signals_in_words(run: AlignmentRun) -> str:
    """What the score was made of."""
    parts = run.candidates.parts
    if parts is None:
        return "It comes from the structure of the graphs alone; names were not read."
    return (
        f"It adds up {', '.join(parts)}, each as the logarithm of how much likelier what is seen is for the same "
        "entity than for any two; what it is worth was learned from the two graphs."
    )


def _signal_lines(run: AlignmentRun) -> list[str]:
    """What each signal was worth, on average, to the matched pairs."""
    candidates = run.candidates
    if candidates.parts is None or candidates.chance is None:
        return []
    matched = _accepted(run)
    if not matched.any():
        return []
    rows = [
        [name, float(part[matched].mean()), float(part[~matched].mean()), agreement(candidates, part, matched)]
        for name, part in candidates.parts.items()
    ]
    headings = [Column(name, "+.1f", "right") for name in ("matched pairs", "other candidates")]
    headings = [Column("signal"), *headings, Column("agreement", ".3f", "right")]
    told = markdown(Table(headings, rows, "What each signal adds to the log odds of a pair, on average:"))
    agreed = (
        "The agreement is the share of the matched pairs that this signal alone would rank first: it says more for the "
        "pair than for any other candidate of the left entity."
    )
    return ["", *told, "", agreed, *_worth_of_names(candidates)]


def _accepted(run: AlignmentRun) -> NDArray[np.bool_]:
    """Which candidates are matched pairs of the mapping."""
    ids = {side: run.vocabulary[side]["name"] for side in SIDES}
    matched = run.alignment.filter(status="matched")
    pairs = np.stack([lookup(ids[side], matched[side]) for side in SIDES], axis=1)
    return among(np.stack([run.candidates.left, run.candidates.right], axis=1), pairs)


def agreement(candidates: Candidates, part: NDArray[np.floating], matched: NDArray[np.bool_]) -> float:
    """The share of matched pairs of which a signal says more than of any candidate of the left entity that is none."""
    rival = np.full(candidates.shape[0], -np.inf)
    np.maximum.at(rival, candidates.left[~matched], part[~matched])
    return float((part[matched] > rival[candidates.left[matched]]).mean())


def _worth_of_names(candidates: Candidates) -> list[str]:
    """What names are worth that are so much alike, as it was learned."""
    if candidates.alike is None or candidates.parts is None or "names" not in candidates.parts:
        return []
    distance = np.abs(candidates.alike[:, None] - np.array(LIKENESSES))
    nearest, worth = distance.argmin(axis=0), candidates.parts["names"]
    told = [
        f"{likeness:g}: {worth[place]:+.1f}"
        for likeness, place, gap in zip(LIKENESSES, nearest, distance.min(axis=0), strict=True)
        if gap < NEAR_ENOUGH
    ]
    return ["", f"Names that are so much alike (1: equal) were found to be worth: {', '.join(told)}."] if told else []


def _ontology_lines(run: AlignmentRun) -> list[str]:
    """Which relations and classes correspond, of each those with the most evidence."""
    parts = [
        ("relations", "triples", run.relations, RELATIONS_SHOWN),
        ("classes", "members", run.classes, CLASSES_SHOWN),
    ]
    lines = [
        line for name, counted_on, found, most in parts for line in _correspondences(name, counted_on, found, most)
    ]
    if not lines:
        return []
    told = (
        "Counted where the entities are matched: of a relation, triples with a counterpart by the other one, among "
        "those with one by any. The confidence is the share that decides. What is narrower holds for less."
    )
    return ["", "## Relations and classes", "", told, *lines]


def _correspondences(name: str, counted_on: str, found: pl.DataFrame, most: int) -> list[str]:
    """A table of the strongest ones in words."""
    if found.is_empty():
        return []
    shown = found.sort("left_agreeing", "confidence", descending=True, maintain_order=True).head(most)
    rows = [
        [
            row["left_name"],
            IN_WORDS[row["kind"]],
            row["right_name"],
            *(f"{row[f'{side}_agreeing']:,} of {row[f'{side}_answered']:,}" for side in ("left", "right")),
            row["confidence"],
        ]
        for row in shown.iter_rows(named=True)
    ]
    headings = [Column("left"), Column(""), Column("right")]
    headings += [Column(f"{side} {counted_on}", align="right") for side in ("left", "right")]
    which = "The" if shown.height == found.height else f"{shown.height} of the {found.height:,}"
    title = f"{which} {name} that correspond (`{name}.tsv` has all):"
    return ["", *markdown(Table([*headings, Column("confidence", ".2f", "right")], rows, title))]


def _probability_in_words(threshold: float | None, *, with_links: bool) -> list[str]:
    if threshold is None:
        return ["- Without validation links there are no probabilities, and every entity is matched that can be."]
    if not with_links:
        return [
            "- The probability is the chance that the pair is right, by what the two graphs say together: no link was "
            "there to check it on. A pair less probable than one half is marked `unmatched`."
        ]
    return [
        "- The probability says how often pairs with such a score and such a resemblance were right among the "
        "validation links. These all have a counterpart, so it is too high for entities that may have none.",
        f"- A pair less probable than {threshold:.3f} is marked `unmatched`: the threshold with the best F1 on the "
        "validation links.",
    ]


def result_lines(metrics: dict[str, Any]) -> list[str]:
    """The figures of a run as Markdown tables."""
    part = measured_part(metrics)
    if not part:
        return ["No links were kept to measure with."]
    figures = metrics[part]
    return [
        *markdown(ranks_table(figures, f"On the {part} links, realistic ranks:")),
        "",
        _ceiling_in_words(figures["ceiling"]),
        "",
        *markdown(quality_table(figures)),
    ]


def _ceiling_in_words(ceiling: dict[str, float]) -> str:
    """How much structure can tell at all."""
    return (
        "Some entities look exactly like others, so that structure can only guess: no method that goes by it can "
        f"expect a Hits@1 above {ceiling['linked']:.3f} (`linked`) and {ceiling['all']:.3f} (`all`)."
    )

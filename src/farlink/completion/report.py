"""The report of a completion: plots that people look at, and a model card in words and figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.completion.results import NAMES, SIDES, ranks_table, scorers, sides, stages_table
from farlink.completion.run import CompletionRun
from farlink.progress import duration
from farlink.reports.card import network_words, notes_lines, training_lines
from farlink.reports.plots import BLUE, ORANGE, draw, draw_reliability, draw_training
from farlink.reports.tables import markdown, measured_part
from farlink.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def write(run: CompletionRun, notes: list[str]) -> None:
    """Draw the plots and write the model card."""
    plots = run.folder / "plots"
    draw_training(run.trace, plots, "MRR")
    metrics = run.metrics
    part = measured_part(metrics)
    if metrics["calibration"]:
        draw_reliability(plots / "reliability.png", metrics["calibration"], "best new answers, validation")
    if part:
        draw(plots / "classes.png", lambda axes: _by_class(axes, metrics[part]["classes"], part))
    run.write_text("README.md", _card(run, notes))


def _by_class(axes: Axes, classes: dict[str, Any], part: str) -> None:
    """MRR by mapping class and side."""
    shown = [name for name in ("1-1", "1-N", "N-1", "N-N") if name in classes]
    for shift, side, colour in ((-0.2, "tail", BLUE), (0.2, "head", ORANGE)):
        heights = [classes[name][side]["mrr"] for name in shown]
        bars = axes.bar([place + shift for place in range(len(shown))], heights, 0.38, color=colour, label=SIDES[side])
        axes.bar_label(bars, [f"{height:.2f}" for height in heights], fontsize=7)
    labels = [f"{name}\n{classes[name]['tail']['queries']:,} triples" for name in shown]
    axes.set_xticks(range(len(shown)), labels)
    axes.set(ylabel=f"{part} MRR", ylim=(0, 1.05))
    axes.legend(frameon=False)


def _card(run: CompletionRun, notes: list[str]) -> str:
    about, settings, metrics = run.about, run.settings, run.metrics
    graph, parts = about["graph"], about["triples"]
    lines = [
        f"# Completion of {Path(graph['source']).name or graph['source']}",
        "",
        f"Made by farlink {about['farlink']} on {about['date']} with the preset `{settings.preset}` "
        f"and seed {settings.seed}. Every setting is in `config.toml`.",
        "",
        "## Data",
        "",
        f"{graph['source']}: {counted(graph['entities'], 'entity', 'entities')}, "
        f"{counted(graph['relations'], 'relation')}, "
        f"{counted(graph['literals'], 'literal')} set aside.",
        f"Triples: {parts['train']:,} to learn from, {parts['validation']:,} for validation, {parts['test']:,} for "
        "the test.",
        *notes_lines(notes),
        "",
        "## Training",
        "",
        *training_lines(run.trace, network_words(settings), "MRR"),
        *_scorer_lines(run),
        "",
        *stage_lines(run.stages, run.trials),
        "",
        "## Results",
        "",
        *result_lines(metrics),
    ]
    shown = [name for name in ("classes", "reliability") if (run.folder / f"plots/{name}.png").exists()]
    if shown:
        lines += ["", " ".join(f"![{name}](plots/{name}.png)" for name in shown)]
    lines += [
        "",
        "## How to read this",
        "",
        "- Ranks are filtered (other known answers do not count) and realistic (among equal scores the right answer "
        "takes the mean place). Candidates are all entities.",
        "- Heads are asked for by the reverse relation. Figures by relation are in `relations.tsv`.",
        "- A relation is N on a side that has more than 1.5 entities on average.",
        "- The score of an answer is the logarithm of its chance among all entities. The probability says how often "
        "new answers with such a score were validation triples; true facts that nobody wrote down count as wrong "
        "there, so it is rather too low than too high.",
    ]
    return "\n".join(lines) + "\n"


def _scorer_lines(run: CompletionRun) -> list[str]:
    trace, settings, weights = run.factor_trace, run.settings, run.metrics["weights"]
    lines = []
    if not trace.is_empty():
        lines.append(
            f"A tensor model (ComplEx, nuclear 3-norm) with {settings.factors} complex factors; "
            f"{counted(len(trace), 'epoch')}, {duration(float(trace['seconds'][-1]))}."
        )
    if settings.rules:
        lines.append(f"Rules: at most {settings.rules} kinds of paths of one or two steps for each relation.")
    if len(weights) > 1:
        words = ", ".join(f"{NAMES[name]} {weight:g}" for name, weight in weights.items())
        lines.append(f"Weights of what each says, chosen by the validation triples: {words}.")
    return [line for text in lines for line in ("", text)]


def stage_lines(stages: dict[str, dict[str, Any]], trials: dict[str, float]) -> list[str]:
    """How each stage of training went, and the trials that chose what the settings leave open."""
    lines = markdown(stages_table(stages))
    if trials:
        scores = ", ".join(f"{title}: {score:.3f}" for title, score in trials.items())
        lines += ["", f"Chosen by the validation MRR of short trials: {scores}."]
    return lines


def result_lines(metrics: dict[str, Any]) -> list[str]:
    """The figures of a run as Markdown tables."""
    part = measured_part(metrics)
    if not part:
        return ["No triples were kept to measure with."]
    figures = metrics[part]
    rows = sides(figures) | scorers(figures)
    lines = markdown(ranks_table(rows, f"On the {part} triples, filtered realistic ranks:"))
    unseen = figures["unseen"]
    if unseen["triples"]:
        lines += ["", f"{unseen['triples']:,} of these triples name something that was never learned from."]
    return lines

"""What the command line prints: figures, links, facts and reasons as tables. Nothing heavy is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    import polars as pl


REASONS = 8  # agreeing triples shown at the most
LOOKALIKES = 5  # entities shown at the most that look like another
console = Console(highlight=False, soft_wrap=True)


def _measured_part(metrics: dict[str, Any]) -> str:
    """The test part, else the validation part, else none (an empty name)."""
    return next((part for part in ("test", "validation") if part in metrics), "")


def show_results(metrics: dict[str, Any]) -> None:
    """Print the figures of a run: the test part, or the validation part where there is no test."""
    part = _measured_part(metrics)
    if not part:
        console.print("no links were kept to measure with; see the mapping itself")
        return
    figures = metrics[part]
    console.print(ranks_table(figures, f"{part} links, realistic ranks"))
    best = ", ".join(f"{protocol} {value:.3f}" for protocol, value in figures["ceiling"].items())
    console.print(f"best Hits@1 that structure lets any method expect, as some entities look exactly alike: {best}")
    table = Table("", "precision", "recall", "F1")
    for name, key in (("the mapping", "mapping"), ("name equality, for comparison", "name_equality")):
        table.add_row(name, *(f"{figures[key][measure]:.3f}" for measure in ("precision", "recall", "f1")))
    console.print(table)
    counts = metrics["mapping"]
    console.print(
        f"{counts.get('matched', 0):,} links found, {counts.get('unmatched', 0):,} left entities not matched, "
        f"{counts.get('seed', 0):,} seeds"
    )


def ranks_table(figures: dict[str, Any], title: str) -> Table:
    """Ranks by protocol and direction."""
    table = Table(
        "protocol", "direction", "Hits@1", "Hits@5", "Hits@10", "MRR", "MR", title=title, title_justify="left"
    )
    for protocol in ("linked", "all"):
        for direction, ranks in figures[protocol].items():
            cells = [f"{ranks[name]:.3f}" for name in ("hits@1", "hits@5", "hits@10", "mrr")]
            table.add_row(protocol, direction.replace("_", " "), *cells, f"{ranks['mr']:,.1f}")
    return table


def show_completion(metrics: dict[str, Any]) -> None:
    """Print the figures of a completion: the test part, or the validation part where there is no test."""
    part = _measured_part(metrics)
    if not part:
        console.print("no triples were kept to measure with")
        return
    console.print(sides_table(metrics[part], f"{part} triples, filtered realistic ranks"))


def sides_table(figures: dict[str, Any], title: str) -> Table:
    """Ranks by side."""
    table = Table("asked for", "Hits@1", "Hits@3", "Hits@10", "MRR", "MR", title=title, title_justify="left")
    for side, name in (("tail", "tails"), ("head", "heads"), ("both", "both")):
        ranks = figures[side]
        cells = [f"{ranks[name]:.3f}" for name in ("hits@1", "hits@3", "hits@10", "mrr")]
        table.add_row(name, *cells, f"{ranks['mr']:,.1f}")
    return table


def show_predictions(found: pl.DataFrame, reasons: list[list[str]]) -> None:
    """Print predicted facts, and below them the paths that speak for each."""
    from farlink.graph.names import short_name

    table = Table("", "head", "relation", "tail", "probability", "known")
    for place, row in enumerate(found.iter_rows(named=True), 1):
        names = [short_name(row[column]) for column in ("head", "relation", "tail")]
        chance = "" if row["probability"] != row["probability"] else f"{row['probability']:.3f}"
        table.add_row(str(place), *names, chance, "yes" if row.get("known") else "no")
    console.print(table)
    for place, why in enumerate(reasons, 1):
        for path in why:
            console.print(f"{place:>3}  {path}", markup=False)
    if not any(reasons):
        console.print("no path of one or two steps speaks for any of these")


def show_links(found: pl.DataFrame) -> None:
    """Print some found links by name."""
    table = Table("left", "right", "score", title="ten of the links found", title_justify="left")
    for left, right, score in found.select("left", "right", "score").iter_rows():
        table.add_row(left.rsplit("/", 1)[-1], right, f"{score:.3f}")
    console.print(table)


def show_reasons(found: pl.DataFrame, reasons: list[list[str]]) -> None:
    """Say why the first candidate is the first, as far as triples tell."""
    if not reasons:
        console.print("nothing comes into question: the entity has no triples to go by")
        return
    console.print(f"why {found['name'][0]}:", markup=False)
    for reason in reasons[0][:REASONS]:
        console.print(f"  {reason}", markup=False)
    if len(reasons[0]) > REASONS:
        console.print(f"  and {len(reasons[0]) - REASONS} more")
    if not reasons[0]:
        console.print("  no triple agrees; it was found by resemblance further away")


def show_lookalikes(names: list[str]) -> None:
    """Warn where structure can only guess."""
    if names:
        shown = ", ".join(names[:LOOKALIKES]) + (", …" if len(names) > LOOKALIKES else "")
        count = "1 other entity looks" if len(names) == 1 else f"{len(names):,} other entities look"
        console.print(f"{count} exactly like this one, so among them this is a guess: {shown}", markup=False)


def measured_with(figures: dict[str, Any]) -> str:
    """How many links or triples an evaluation is of, and what was left out."""
    left_out = figures["left_out"]
    if "links" in figures:
        what, learned = f"{figures['links']:,} links", f"{left_out['seeds']:,} that touch a seed"
    else:
        what, learned = f"{figures['triples']:,} triples", f"{left_out['learned']:,} that the run learned from"
    return f"{what}, {figures['ranks']} ranks; left out: {left_out['unknown']:,} with unknown names, {learned}"

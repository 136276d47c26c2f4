"""What the command line prints: figures, links, facts and reasons as tables. Nothing heavy is imported here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import rich.table
from rich.console import Console
from rich.text import Text

from farlink.reports.tables import Column, Table, columns, measured_part
from farlink.wording import counted

if TYPE_CHECKING:
    import polars as pl


REASONS = 8  # agreeing triples shown at the most
ATTRIBUTES = 12  # attributes shown at the most
EXAMPLE = 24  # characters of an example that are shown
LOOKALIKES = 5  # entities shown at the most that look like another
console = Console(highlight=False, soft_wrap=True)
aside = Console(highlight=False, soft_wrap=True, stderr=True)  # what is not part of an answer


def show_notes(notes: list[str]) -> None:
    """Tell what is left out of a run that an older version made."""
    for note in notes:
        aside.print(f"note   {note}", markup=False)


def show_table(table: Table) -> None:
    """Print a table; names in it are not taken for markup."""
    shown = rich.table.Table(title=table.title or None, title_justify="left")
    for column in table.columns:
        shown.add_column(Text(column.heading), justify=column.align)
    for cells in table.cells():
        shown.add_row(*map(Text, cells))
    console.print(shown)


def show_attributes(title: str, attributes: list[dict[str, Any]]) -> None:
    """Print what is known of attributes: of those that most entities have."""
    from farlink.graph.names import short_name

    if not attributes:
        return
    shown = attributes[:ATTRIBUTES]
    if len(shown) < len(attributes):
        title += f": {len(shown)} of {len(attributes):,}"
    heads = [Column("attribute"), *(Column(name, ",", "right") for name in ("entities", "values"))]
    heads += [*(Column(name, ".3f", "right") for name in ("functional", "inverse")), Column("kind"), Column("example")]
    cells = [list(row.values()) for row in shown]
    rows = [[short_name(name), *figures, (example or "")[:EXAMPLE]] for name, *figures, example in cells]
    show_table(Table(heads, rows, title))


def show_results(metrics: dict[str, Any]) -> None:
    """Print the figures of a run: the test part, or the validation part where there is no test."""
    from farlink.alignment.results import quality_table, ranks_table

    part = measured_part(metrics)
    if not part:
        console.print("no links were kept to measure with; see the mapping itself")
        return
    figures = metrics[part]
    show_table(ranks_table(figures, f"{part} links, realistic ranks"))
    best = ", ".join(f"{protocol} {value:.3f}" for protocol, value in figures["ceiling"].items())
    console.print(f"best Hits@1 that structure lets any method expect, as some entities look exactly alike: {best}")
    show_table(quality_table(figures))
    counts = metrics["mapping"]
    console.print(
        f"{counted(counts.get('matched', 0), 'link')} found, "
        f"{counted(counts.get('unmatched', 0), 'left entity', 'left entities')} not matched, "
        f"{counted(counts.get('seed', 0), 'seed')}"
    )


def show_completion(metrics: dict[str, Any]) -> None:
    """Print the figures of a completion: the test part, or the validation part where there is no test."""
    from farlink.completion.results import ranks_table, sides

    part = measured_part(metrics)
    if not part:
        console.print("no triples were kept to measure with")
        return
    show_table(ranks_table(sides(metrics[part]), f"{part} triples, filtered realistic ranks"))


def show_predictions(found: pl.DataFrame, reasons: list[list[str]]) -> None:
    """Print predicted facts, and below them the paths that speak for each."""
    from farlink.graph.names import short_name

    rows: list[list[Any]] = []
    for place, row in enumerate(found.iter_rows(named=True), 1):
        names = [short_name(row[column]) for column in ("head", "relation", "tail")]
        probability = None if math.isnan(row["probability"]) else row["probability"]
        rows.append([place, *names, probability, "yes" if row.get("known") else "no"])
    names_columns = columns("", "head", "relation", "tail")
    show_table(Table([*names_columns, Column("probability", ".3f"), Column("known")], rows))
    for place, why in enumerate(reasons, 1):
        for path in why:
            console.print(f"{place:>3}  {path}", markup=False)
    if not any(reasons):
        console.print("no path of one or two steps speaks for any of these")


def show_links(found: pl.DataFrame) -> None:
    """Print some found links by name."""
    links = found.select("left", "right", "score").iter_rows()
    rows = [[left.rsplit("/", 1)[-1], right, score] for left, right, score in links]
    show_table(Table([*columns("left", "right"), Column("score", ".3f")], rows, "ten of the links found"))


def show_matches(found: pl.DataFrame, reasons: list[list[str]]) -> None:
    """Print ranked counterparts, and how many triples speak for each."""
    rows = [[*row[:4], len(why)] for row, why in zip(found.iter_rows(), reasons, strict=True)]
    shown = [*columns("rank", "entity", "name"), Column("score", ".3f"), Column("agreeing triples")]
    show_table(Table(shown, rows))


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


def show_waterfall(parts: pl.DataFrame) -> None:
    """Say what each signal adds to the log odds of the first candidate."""
    if len(parts):
        added = "  ".join(f"{signal} {odds:+.1f}" for signal, odds in parts.iter_rows())
        console.print(f"log odds: {added}  together {parts['log_odds'].sum():+.1f}", markup=False)


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
        what, learned = (
            counted(figures["links"], "link"),
            counted(left_out["seeds"], "that touches a seed", "that touch a seed"),
        )
    else:
        what, learned = counted(figures["triples"], "triple"), f"{left_out['learned']:,} that the run learned from"
    return f"{what}, {figures['ranks']} ranks; left out: {left_out['unknown']:,} with unknown names, {learned}"

"""Tables: described once, and shown in Markdown here and on the terminal by `farlink.cli.tables`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

RANKS = {"hits@1": "Hits@1", "hits@3": "Hits@3", "hits@5": "Hits@5", "hits@10": "Hits@10", "mrr": "MRR"}


@dataclass(frozen=True)
class Column:
    """What stands above a column, and how its values are written: a format as `format` has them."""

    heading: str
    format: str = ""
    align: Literal["left", "right"] = "left"

    def cell(self, value: Any) -> str:
        """A value as text; None is an empty cell, and text stays as it is."""
        if value is None:
            return ""
        return value if isinstance(value, str) else format(value, self.format)


@dataclass(frozen=True)
class Table:
    """Columns, rows of as many values, and perhaps a title."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    title: str = ""

    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [[column.cell(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]


def columns(*headings: str) -> list[Column]:
    """Columns of text."""
    return [Column(heading) for heading in headings]


def ranks_columns(*names: str) -> list[Column]:
    """Columns of a summary of ranks: some of `RANKS`, and the mean rank."""
    return [*(Column(RANKS[name], ".3f") for name in names), Column("MR", ",.1f")]


def markdown(table: Table) -> list[str]:
    """The lines of a table in Markdown, after its title."""
    rules = ["---:" if column.align == "right" else "---" for column in table.columns]
    lines = [_line([column.heading for column in table.columns]), "|" + "|".join(rules) + "|"]
    lines += [_line([cell.replace("|", "\\|") for cell in cells]) for cells in table.cells()]
    return [table.title, "", *lines] if table.title else lines


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def ranks_cells(ranks: Mapping[str, float], *names: str) -> list[float]:
    """The values of `ranks_columns` with the same names."""
    return [ranks[name] for name in (*names, "mr")]


def measured_part(metrics: Mapping[str, Any]) -> str:
    """The part that measures a run best: the test part, else the validation part, else none (an empty name)."""
    return next((part for part in ("test", "validation") if part in metrics), "")

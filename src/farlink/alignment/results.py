"""The figures of an alignment as tables, for its report and the terminal alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from farlink.reports.tables import Column, Table, columns, ranks_cells, ranks_columns

HITS = ("hits@1", "hits@5", "hits@10", "mrr")
QUALITY = ("precision", "recall", "f1")


def ranks_table(figures: Mapping[str, Any], title: str) -> Table:
    """Ranks by protocol and direction."""
    rows = [
        [protocol, direction.replace("_", " "), *ranks_cells(ranks, *HITS)]
        for protocol in ("linked", "all")
        for direction, ranks in figures[protocol].items()
    ]
    return Table([*columns("protocol", "direction"), *ranks_columns(*HITS)], rows, title)


def quality_table(figures: Mapping[str, Any]) -> Table:
    """How good the mapping is, beside what comparing names alone would have given."""
    compared = {"the mapping": "mapping", "name equality, for comparison": "name_equality"}
    rows = [[title, *(figures[key][name] for name in QUALITY)] for title, key in compared.items()]
    return Table([Column(""), Column("precision", ".3f"), Column("recall", ".3f"), Column("F1", ".3f")], rows)

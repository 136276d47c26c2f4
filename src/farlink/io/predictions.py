"""Questions in, predicted facts out."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from farlink.errors import FarlinkError, InputError
from farlink.io.delimited import read_triples
from farlink.io.files import atomic_path

ASKED = "?"


def read_queries(path: str | Path) -> list[tuple[str | None, str, str | None]]:
    """Questions from a TSV file with three fields a line, head, relation, tail, and ? for what is asked."""
    queries: list[tuple[str | None, str, str | None]] = []
    for place, (head, relation, tail) in enumerate(read_triples(path, "tsv").iter_rows(), 1):
        if (head == ASKED) == (tail == ASKED) or relation == ASKED:
            raise InputError(
                path, f"question {place:,} ({head}, {relation}, {tail}): expected one ?, for the head or the tail"
            )
        queries.append((None if head == ASKED else head, relation, None if tail == ASKED else tail))
    if not queries:
        raise InputError(path, "there is no question in this file")
    return queries


def write_predictions(found: pl.DataFrame, path: Path) -> None:
    """Write predicted facts as TSV, CSV or Parquet, by the extension."""
    kind = path.suffix.lower()
    if kind not in (".tsv", ".csv", ".parquet"):
        raise FarlinkError(f"{path}: predictions are written as .tsv, .csv or .parquet")
    with atomic_path(path) as temporary:
        if kind == ".parquet":
            found.write_parquet(temporary)
        elif kind == ".tsv":
            found.write_csv(temporary, separator="\t", quote_style="never")
        else:
            found.write_csv(temporary)

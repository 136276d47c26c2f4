"""Predicted facts out."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from farlink.errors import FarlinkError
from farlink.io.files import atomic_path


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

"""Where a mapping comes from, and which of its rows are links."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Provenance:
    """Where a mapping comes from, for the formats that say so."""

    left_source: str  # an IRI, or any name of the graph: a file, a data set
    right_source: str
    version: str  # of Farlink
    date: datetime.date  # of the mapping, not of the export
    threshold: float | None  # the probability under which a pair was left unmatched


def links_of(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a mapping that are links."""
    return frame.filter(pl.col("status").is_in(["seed", "matched"]))


def confidence(links: pl.DataFrame) -> pl.Series:
    """The probability of each link, or its score where no probability is known."""
    return links.select(pl.coalesce("probability", "score")).to_series()

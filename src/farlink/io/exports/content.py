"""What can be written of an alignment, where it comes from, and which rows of a mapping are links."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Vectors = dict[str, tuple[pl.Series, NDArray[np.float32]]]  # side → names of the entities, and a row for each


@dataclass(frozen=True)
class Provenance:
    """Where a mapping comes from, for the formats that say so."""

    left_source: str  # an IRI, or any name of the graph: a file, a data set
    right_source: str
    version: str  # of Farlink
    date: datetime.date  # of the mapping, not of the export
    threshold: float | None  # the probability under which a pair was left unmatched


@dataclass(frozen=True)
class Content:
    """All that a format may write of an alignment."""

    mapping: pl.DataFrame
    provenance: Provenance
    vectors: Callable[[], Vectors]  # asked only by a format that writes them, as they take time to compute
    relations: pl.DataFrame | None = None  # which correspond; None where they were not aligned
    classes: pl.DataFrame | None = None


def links_of(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a mapping that are links."""
    return frame.filter(pl.col("status").is_in(["seed", "matched"]))


def cardinality_of(links: pl.DataFrame) -> pl.Series:
    """How many left and how many right entities belong to each link by its ends: 1:1, n:1, 1:n or n:n (SSSOM)."""
    right_ends, left_ends = pl.len().over("left"), pl.len().over("right")
    counts = (pl.when(ends > 1).then(pl.lit("n")).otherwise(pl.lit("1")) for ends in (left_ends, right_ends))
    return links.select(pl.concat_str(*counts, separator=":")).to_series()


def confidence(links: pl.DataFrame) -> pl.Series:
    """The probability of each link, or its score where no probability is known."""
    return links.select(pl.coalesce("probability", "score")).to_series()


def correspondences_of(content: Content) -> pl.DataFrame:
    """Relations and classes that correspond (of, left, kind, right, confidence); `of` is relation or class."""
    columns = {"left": pl.String, "kind": pl.String, "right": pl.String, "confidence": pl.Float64}
    tables = {"relation": content.relations, "class": content.classes}
    parts = [pl.DataFrame(schema={"of": pl.String, **columns})]
    parts += [table.select(pl.lit(of).alias("of"), *columns) for of, table in tables.items() if table is not None]
    return pl.concat(parts)

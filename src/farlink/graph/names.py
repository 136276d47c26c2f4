"""What names alone would give: readable names of entities, and the name-equality baseline."""

from __future__ import annotations

import numpy as np
import polars as pl

from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.wording import did_you_mean, similar


def place_of(name: str, *columns: pl.Series) -> int | None:
    """The first place where one of the columns has the name; an earlier column counts more."""
    for column in columns:
        places = (column == name).arg_true()
        if len(places):
            return int(places[0])
    return None


def closest(name: str, *columns: pl.Series) -> str:
    """A hint with the names most like one that is not there, to end a message with; may be empty.

    Names that differ in case alone come first.
    """
    close = [found for column in columns for found in column.filter(column.str.to_lowercase() == name.lower())[:2]]
    close += [found for column in columns for found in similar(name, column.to_list(), most=2)]
    return did_you_mean(close)


LABEL_RELATIONS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "https://schema.org/name",
)


BLANK_NODE = "^_:"
HASH = r"(?i)^(?:[0-9a-f]{8,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$"  # if there is a digit in it
ONE_WORD = r"^[\p{L}0-9]{16,}$"
MIXED = 3  # numbers in one long word, which nobody writes


def short_name(identifier: str) -> str:
    """The last part of an identifier, for people."""
    return identifier.rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1].replace("_", " ")


def local_names(identifiers: pl.Series) -> pl.Series:
    """The last part of each identifier, for people."""
    local = identifiers.str.strip_chars_end("/#").str.split("/").list.last().str.split("#").list.last()
    return pl.Series(local).str.replace_all("_", " ", literal=True)


def are_readable(names: pl.Series) -> pl.Series:
    """Which last parts of identifiers say something to people: more letters than digits, and no hash."""
    letters, digits = names.str.count_matches(r"\p{L}"), names.str.count_matches("[0-9]")
    mixed = names.str.contains(ONE_WORD) & (names.str.count_matches("[0-9]+") >= MIXED)
    return (letters > digits) & ~names.str.contains(BLANK_NODE) & ~((names.str.contains(HASH) & (digits > 0)) | mixed)


def readable_names(graph: KnowledgeGraph) -> pl.Series:
    """A name to show for every entity: its label if the source has one, else the last part of its identifier."""
    local = local_names(graph.entities)
    labels = (
        graph.literals.filter(pl.col("relation").is_in(LABEL_RELATIONS))
        .unique("head", keep="first", maintain_order=True)
        .select(entity="head", label="value")
    )
    names = pl.DataFrame({"entity": graph.entities, "local": local})
    joined = names.join(labels, on="entity", how="left", maintain_order="left")
    return joined.select(pl.coalesce("label", "local").alias("name"))["name"]


def equal_names(left: KnowledgeGraph, right: KnowledgeGraph) -> Pairs:
    """Pairs of entities whose readable names are equal, case aside, and belong to one entity on each side."""
    both = _unique_names(left, "left").join(_unique_names(right, "right"), on="name")
    return both.select("left", "right").to_numpy().astype(np.int32)


def _unique_names(graph: KnowledgeGraph, side: str) -> pl.DataFrame:
    frame = pl.DataFrame({"name": readable_names(graph).str.to_lowercase().str.strip_chars()}).with_row_index(side)
    return frame.filter(pl.col("name").is_unique() & (pl.col("name") != ""))

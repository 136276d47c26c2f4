"""Graphs as tables of a run folder, and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from farlink.graph.ids import Pairs, Rows, Triples
from farlink.graph.knowledge_graph import KnowledgeGraph, literals_table
from farlink.graph.names import readable_names

TRIPLE = ("head", "relation", "tail")
PAIR = ("left", "right")


def stacked(column: str, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Tables under each other, with the name of each in a first column."""
    return pl.concat(
        [table.select(pl.lit(name).alias(column), pl.all()) for name, table in tables.items()], how="diagonal"
    )


def vocabulary_table(graph: KnowledgeGraph) -> pl.DataFrame:
    """Kind, id and name of every entity and relation, and the readable names of entities."""
    names = {
        "entity": pl.DataFrame({"name": graph.entities, "readable": readable_names(graph)}),
        "relation": pl.DataFrame({"name": graph.relations}),
    }
    return stacked("kind", {kind: table.with_row_index("id") for kind, table in names.items()})


def named(vocabulary: pl.DataFrame, kind: str) -> pl.DataFrame:
    """The entities, or the relations, in the order of their ids."""
    return vocabulary.filter(kind=kind).sort("id")


def triples_table(triples: Triples) -> pl.DataFrame:
    """Triples by id."""
    return pl.DataFrame(triples, schema=TRIPLE)


def pairs_table(pairs: Pairs) -> pl.DataFrame:
    """Pairs by id."""
    return pl.DataFrame(pairs, schema=PAIR)


def ids_of(table: pl.DataFrame, columns: tuple[str, ...]) -> Rows:
    """What `triples_table` or `pairs_table` was made of; other columns are left aside."""
    return table.select(columns).to_numpy().astype(np.int32)


def graph_of(vocabulary: pl.DataFrame, triples: pl.DataFrame, literals: pl.DataFrame, source: str) -> KnowledgeGraph:
    """The graph that the tables were made of."""
    return KnowledgeGraph(
        named(vocabulary, "entity")["name"],
        named(vocabulary, "relation")["name"],
        ids_of(triples, TRIPLE),
        literals_table(literals),
        source=source,
    )

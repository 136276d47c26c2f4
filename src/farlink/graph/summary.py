"""What a graph is like, in figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from farlink.graph.knowledge_graph import KnowledgeGraph, literals_table
from farlink.graph.names import aliases
from farlink.graph.values import normal_values

# in place of an attribute: the last part of the identifier, or a node with a name
LOCAL_NAME, NODE = "identifier", "node with a name"
EXAMPLE = 60  # characters of an example


def describe(graph: KnowledgeGraph) -> dict[str, int | float]:
    """Sizes, degrees and connectedness of a graph."""
    degrees = graph.degrees()
    head, _, tail = graph.triples.T
    size = len(graph.entities)
    links = coo_array((np.ones(len(head), dtype=np.int8), (head, tail)), shape=(size, size))
    components, label = connected_components(links, directed=False)
    return {
        "entities": size,
        "relations": len(graph.relations),
        "triples": len(graph.triples),
        "repeated triples": graph.duplicates,
        "literals": graph.literals.height,
        "loops": int((head == tail).sum()),
        "degree, mean": float(degrees.mean()),
        "degree, median": float(np.median(degrees)),
        "degree, most": int(degrees.max()),
        "entities of degree 1": int((degrees == 1).sum()),
        "entities without a triple": int((degrees == 0).sum()),
        "components": int(components),
        "entities in the largest component": int(np.bincount(label).max()),
    }


def describe_attributes(graph: KnowledgeGraph) -> list[dict[str, Any]]:
    """What is known of the values of each attribute, those of most entities first.

    Functionality is how many entities there are to an entity and value (1: each has one value), the inverse how many
    values (1: each value is of one entity). Values are told apart in their normal form.
    """
    return _figures(graph.literals)


def describe_names(graph: KnowledgeGraph) -> dict[str, Any]:
    """How many entities have a name that people can read, and of where the names are from what is told of attributes.

    A name comes from an attribute, from the identifier, or from a node that the entity has for its name.
    """
    names = aliases(graph)
    named = names.select(pl.col("name").alias("value"), head=graph.entities.gather(names["entity"]))
    said = graph.literals.join(named, on=["head", "value"], how="semi")
    other = named.join(said, on=["head", "value"], how="anti")
    own = pl.col("head").str.ends_with(pl.col("value")) | pl.col("head").str.contains("%", literal=True)
    other = other.with_columns(relation=pl.when(own).then(pl.lit(LOCAL_NAME)).otherwise(pl.lit(NODE)))
    return {
        "entities with a readable name": names["entity"].n_unique(),
        "names": [*_figures(said), *_figures(literals_table(other))],
    }


def _figures(literals: pl.DataFrame) -> list[dict[str, Any]]:
    """Figures of each attribute; an attribute of which no values are known has entities only."""
    values = normal_values(literals).group_by("relation").agg(**_figures_of_values())
    shown = pl.col("value").drop_nulls().first().str.head(EXAMPLE)
    table = literals.group_by("relation").agg(entities=pl.col("head").n_unique(), example=shown)
    table = table.join(values, on="relation", how="left").sort("entities", "relation", descending=[True, False])
    names = {"relation": "attribute", "inverse": "inverse functionality"}
    order = ["relation", "entities", "values", "functionality", "inverse", "kind", "example"]
    return table.select(order).rename(names).to_dicts()


def _figures_of_values() -> dict[str, pl.Expr]:
    rows = pl.struct("head", "text").n_unique()
    return {
        "values": pl.col("text").n_unique(),
        "functionality": pl.col("head").n_unique() / rows,
        "inverse": pl.col("text").n_unique() / rows,
        "kind": pl.col("kind").mode().sort().first(),
    }

"""Restrictions of OWL as plain triples.

That every left lung is part of some lung, an ontology says by way of a nameless node: the class is a subclass of the
node, and the node tells the property and the other class. As a triple this is (left lung, part of, lung). Other
nameless nodes, such as unions, stay as they are.
"""

from __future__ import annotations

import polars as pl

OWL = "http://www.w3.org/2002/07/owl#"
SUBCLASS = ["http://www.w3.org/2000/01/rdf-schema#subClassOf", f"{OWL}equivalentClass"]
PROPERTY = f"{OWL}onProperty"
FILLERS = [f"{OWL}{name}" for name in ("someValuesFrom", "allValuesFrom", "hasValue")]


def without_restrictions(triples: pl.DataFrame) -> pl.DataFrame:
    """Triples (head, relation, tail) in which restrictions to one property and one class are triples of their own."""
    nameless = pl.col("head").str.starts_with("_:")
    properties = triples.filter(nameless & (pl.col("relation") == PROPERTY)).select(node="head", property="tail")
    fillers = triples.filter(nameless & pl.col("relation").is_in(FILLERS)).select(node="head", filler="tail")
    restrictions = properties.join(fillers, on="node").filter(pl.col("node").is_unique())
    if restrictions.is_empty():
        return triples
    nodes = restrictions.select("node")
    restricted = triples.filter(pl.col("relation").is_in(SUBCLASS)).join(restrictions, left_on="tail", right_on="node")
    said = restricted.select("head", relation="property", tail="filler")
    rest = triples.join(nodes, left_on="head", right_on="node", how="anti", maintain_order="left")
    rest = rest.join(nodes, left_on="tail", right_on="node", how="anti", maintain_order="left")
    return pl.concat([rest, said])

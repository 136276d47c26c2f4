"""Restrictions of OWL as plain triples.

That every left lung is part of some lung, an ontology says by way of a nameless node: the class is a subclass of the
node, and the node tells the property and the other class. As a triple this is (left lung, part of, lung).

Such nodes also stand in lists: a class is the intersection or the union of classes and restrictions. What is in an
intersection is said of the class as if it stood alone; what is in a union is a way that it may be, and said likewise:
a restriction by its property, a class by owl:unionOf. A property may lead to a union or intersection of named classes,
and then leads to each of them. Cells of such lists are no entities, and other nameless nodes stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SUBCLASS = ["http://www.w3.org/2000/01/rdf-schema#subClassOf", f"{OWL}equivalentClass"]
PROPERTY = f"{OWL}onProperty"
FILLERS = [f"{OWL}{name}" for name in ("someValuesFrom", "allValuesFrom", "hasValue")]
INTERSECTION, UNION = f"{OWL}intersectionOf", f"{OWL}unionOf"
FIRST, REST, NIL = f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
NAMELESS = "_:"
Statement = tuple[str, str, str]


class _Combined(NamedTuple):
    """An intersection or a union of classes."""

    relation: str  # by which what is in it is said of a class
    parts: list[str]


class _Nodes(NamedTuple):
    """What nameless nodes mean, and other nodes that are combined of classes."""

    restrictions: dict[str, tuple[str, str]]  # node → property, filler
    combined: dict[str, _Combined]
    cells: set[str]  # of the lists

    def said(self, head: str, relation: str, node: str, within: tuple[str, ...] = ()) -> Iterator[Statement]:
        """The plain triples of a class that is a node."""
        if node in self.restrictions:
            relation, filler = self.restrictions[node]
            tails = self.combined[filler].parts if self.plain(filler) else [filler]
            yield from ((head, relation, tail) for tail in tails)
        elif self.dissolves(node) and node not in within:
            relation, parts = self.combined[node]
            for part in parts:
                yield from self.said(head, relation, part, (*within, node))
        else:
            yield head, relation, node

    def dissolves(self, node: str) -> bool:
        """Whether a node is nothing but what it is combined of."""
        return node.startswith(NAMELESS) and node in self.combined

    def plain(self, node: str) -> bool:
        """The same where all parts are named."""
        return self.dissolves(node) and not any(part.startswith(NAMELESS) for part in self.combined[node].parts)


def without_restrictions(triples: pl.DataFrame) -> pl.DataFrame:
    """Triples (head, relation, tail) in which restrictions to one property and one class are triples of their own."""
    nodes = _nodes(triples)
    if not nodes.restrictions and not nodes.combined:
        return triples
    axioms = triples.filter(pl.col("relation").is_in(SUBCLASS), _among("tail", {*nodes.restrictions, *nodes.combined}))
    # an axiom of a named class, even one that is combined itself, is a triple as it is
    kept = _kept(triples, nodes)
    gone = {*nodes.restrictions, *nodes.cells, *(node for node in nodes.combined if node not in kept)}
    axioms = axioms.filter(pl.col("tail").str.starts_with(NAMELESS), ~_among("head", gone))
    said = [statement for axiom in axioms.iter_rows() for statement in nodes.said(*axiom)]
    for node in kept:
        relation, parts = nodes.combined[node]
        said += [statement for part in parts for statement in nodes.said(node, relation, part)]
    lists = pl.col("relation").is_in([INTERSECTION, UNION]) & _among("head", set(kept))
    rest = triples.filter(~(_among("head", gone) | _among("tail", gone) | lists))
    schema = dict.fromkeys(triples.columns, pl.String)
    return pl.concat([rest, pl.DataFrame(list(dict.fromkeys(said)), schema=schema, orient="row")])


def _nodes(triples: pl.DataFrame) -> _Nodes:
    nameless = pl.col("head").str.starts_with(NAMELESS)
    properties = triples.filter(nameless & (pl.col("relation") == PROPERTY)).select(node="head", property="tail")
    fillers = triples.filter(nameless & pl.col("relation").is_in(FILLERS)).select(node="head", filler="tail")
    restrictions = properties.join(fillers, on="node").filter(pl.col("node").is_unique())
    first, rest = (
        dict(triples.filter(nameless & (pl.col("relation") == relation)).select("head", "tail").iter_rows())
        for relation in (FIRST, REST)
    )
    holders = triples.filter(pl.col("relation").is_in([INTERSECTION, UNION]))
    combined, cells = {}, set()
    for holder, relation, cell in holders.filter(pl.col("head").is_unique(), _among("tail", set(first))).iter_rows():
        parts = []
        while cell in first and cell not in cells:
            cells.add(cell)
            parts.append(first[cell])
            cell = rest.get(cell, NIL)
        combined[holder] = _Combined(SUBCLASS[0] if relation == INTERSECTION else UNION, parts)
    return _Nodes({node: (relation, filler) for node, relation, filler in restrictions.iter_rows()}, combined, cells)


def _kept(triples: pl.DataFrame, nodes: _Nodes) -> dict[str, None]:
    """Combined nodes that stay: named ones, and those that something else than a class or a list leads to."""
    known = pl.col("relation").is_in([*SUBCLASS, FIRST, *FILLERS])
    others = triples.filter(~known & _among("tail", set(nodes.combined)))["tail"]
    fillers = [filler for _, filler in nodes.restrictions.values() if not nodes.plain(filler)]
    needed = {*others, *fillers}
    return dict.fromkeys(node for node in nodes.combined if not node.startswith(NAMELESS) or node in needed)


def _among(column: str, names: set[str]) -> pl.Expr:
    return pl.col(column).is_in(pl.Series(sorted(names), dtype=pl.String).implode())

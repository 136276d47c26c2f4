"""What names alone would give: readable names of entities, and the name-equality baseline."""

from __future__ import annotations

from urllib.parse import unquote

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


RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NAME_WORDS = r"(?i)(name|label|title|alias|synonym)[a-z]{0,3}$"  # how the ends of relations to names read


def aliases(graph: KnowledgeGraph) -> pl.DataFrame:
    """The names of entities (entity, name).

    These are the values of relations like a label and, where such a relation leads to a node with labels of its own (as
    to a synonym in an ontology), those labels; such a node has no name itself. An entity without any has the end of its
    identifier, where that reads like a word: letters outnumber digits, and it is no hash.
    """
    ids = np.arange(len(graph.entities), dtype=np.int32)
    places = pl.DataFrame({"entity": ids, "head": graph.entities})
    labels = graph.literals.filter(_is_name(pl.col("relation")) & pl.col("value").is_not_null())
    said = labels.join(places, on="head").select("entity", name="value")
    passed_on = _label_nodes(graph).join(said, left_on="node", right_on="entity", how="semi")
    lent = passed_on.join(said, left_on="node", right_on="entity").select("entity", "name")
    named = pl.concat([said, lent]).join(passed_on, left_on="entity", right_on="node", how="anti")
    others = places.join(named, on="entity", how="anti").join(passed_on, left_on="entity", right_on="node", how="anti")
    return pl.concat([named.unique(maintain_order=True), _readable_ends(others)])


def _label_nodes(graph: KnowledgeGraph) -> pl.DataFrame:
    """Nodes that may hold a name of an entity (entity, node): relations to names lead there, and of their other triples
    all say which type they have.
    """
    head, relation, tail = graph.triples.T
    names = are_names(graph.relations).to_numpy()[relation]
    others = np.zeros(len(graph.entities), dtype=bool)
    typed = (graph.relations == RDF_TYPE).to_numpy()[relation]
    others[tail[~names]] = True
    others[head[~typed]] = True
    kept = names & ~others[tail]
    return pl.DataFrame({"entity": head[kept], "node": tail[kept]}, schema={"entity": pl.Int32, "node": pl.Int32})


def not_names(literals: pl.DataFrame) -> pl.DataFrame:
    """The literals that do not name their entity."""
    return literals.filter(~_is_name(pl.col("relation")))


def are_names(relations: pl.Series) -> pl.Series:
    """Which relations lead to names of their entity."""
    return pl.DataFrame({"relation": relations}).select(_is_name(pl.col("relation"))).to_series()


def has_names(graph: KnowledgeGraph) -> bool:
    """Whether any entity has a name."""
    return bool(aliases(graph).height)


def _is_name(relation: pl.Expr) -> pl.Expr:
    return relation.is_in(LABEL_RELATIONS) | _end(relation).str.contains(NAME_WORDS)


def _end(identifier: pl.Expr) -> pl.Expr:
    """What follows the last slash or hash of an identifier."""
    return identifier.str.strip_chars_end("/#").str.split("/").list.last().str.split("#").list.last()


def _readable_ends(places: pl.DataFrame) -> pl.DataFrame:
    """The ends of the identifiers of some entities (entity, head) that read like words."""
    ends = places.filter(~pl.col("head").str.starts_with("_:")).select("entity", name=_end(pl.col("head")))
    encoded = pl.col("name").str.contains("%", literal=True)
    decoded = pl.col("name").map_elements(unquote, pl.String)
    ends = pl.concat([ends.filter(~encoded), ends.filter(encoded).with_columns(decoded)])
    letters, digits = pl.col("name").str.count_matches(r"\p{L}"), pl.col("name").str.count_matches(r"\p{N}")
    hashed = pl.col("name").str.contains(r"^[0-9a-fA-F-]{8,}$") & (digits > 0)
    return ends.filter((letters > digits) & ~hashed)


def short_name(identifier: str) -> str:
    """The last part of an identifier, for people."""
    return identifier.rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1].replace("_", " ")


def readable_names(graph: KnowledgeGraph) -> pl.Series:
    """A name to show for every entity."""
    return readable(graph.entities, graph.literals)


def readable(identifiers: pl.Series, literals: pl.DataFrame) -> pl.Series:
    """A name to show for each identifier: its label if the literals have one, else the last part of it."""
    local = identifiers.str.strip_chars_end("/#").str.split("/").list.last().str.split("#").list.last()
    local = pl.Series(local).str.replace_all("_", " ", literal=True)
    labels = (
        literals.filter(pl.col("relation").is_in(LABEL_RELATIONS))
        .unique("head", keep="first", maintain_order=True)
        .select(entity="head", label="value")
    )
    names = pl.DataFrame({"entity": identifiers, "local": local})
    joined = names.join(labels, on="entity", how="left", maintain_order="left")
    return joined.select(pl.coalesce("label", "local").alias("name"))["name"]


def equal_names(left: KnowledgeGraph, right: KnowledgeGraph) -> Pairs:
    """Pairs of entities whose readable names are equal, case aside, and belong to one entity on each side."""
    both = _unique_names(left, "left").join(_unique_names(right, "right"), on="name")
    return both.select("left", "right").to_numpy().astype(np.int32)


def _unique_names(graph: KnowledgeGraph, side: str) -> pl.DataFrame:
    frame = pl.DataFrame({"name": readable_names(graph).str.to_lowercase().str.strip_chars()}).with_row_index(side)
    return frame.filter(pl.col("name").is_unique() & (pl.col("name") != ""))

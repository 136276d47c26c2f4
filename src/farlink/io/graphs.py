"""A knowledge graph from a file of any format."""

from __future__ import annotations

from pathlib import Path

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io import delimited, rdf
from farlink.io.attributes import read_attributes, with_attributes
from farlink.io.files import display_name, format_of


def read(path: str | Path, *, format: str | None = None, attributes: str | Path | None = None) -> KnowledgeGraph:
    """Read a knowledge graph from a file; `-` is standard input, which needs a `format`.

    The format is one of `nt`, `nq`, `turtle`, `trig`, `rdfxml`, `tsv`, `csv` and `parquet`. The extension
    tells it: .nt .nq .ttl .trig .rdf .xml .owl .tsv .txt .csv .parquet, in front of any .gz .bz2 .xz .zst.
    Whether a file is compressed is seen from its first bytes.

    - TSV has three fields to a line: head, relation, tail; a tab separates them and nothing is quoted. CSV
      may quote. A first line whose names are like head (subject, s, h), relation (predicate, property, p, r)
      and tail (object, o, t) is a header and gives the order. Blank lines are skipped.
    - Parquet has columns of those names, or else they are its first three.
    - In RDF, IRIs are bare names and blank nodes begin with `_:`. Literals, and triples as objects, are no
      entities: they are kept in `literals`. What they are said of is an entity, if nothing else is said of it, too.
      Named graphs are merged. The file's own URI is the base of relative IRIs.

    `attributes` is a file of more literals, as `farlink.io.attributes.read_attributes` tells: a table of (entity,
    value), of (entity, attribute, value), or with a column of entities and one of each attribute; or RDF. What it
    says of entities that the graph does not have is left out, and counted in `notes`.

    Text is UTF-8. A mistake in the file is an `InputError` that names the line.
    """
    format = format_of(path, format)
    if format in rdf.RDF_FORMATS:
        triples, literals = rdf.read_triples(path, format)
    else:
        triples, literals = delimited.read_triples(path, format), None
    graph = KnowledgeGraph.from_frame(triples, literals=literals, source=str(path))
    if attributes is None:
        return graph
    return with_attributes(graph, read_attributes(attributes), display_name(attributes))

"""The Alignment API's RDF/XML."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import polars as pl

from farlink.io.exports.content import Content, cardinality_of, confidence, correspondences_of, links_of
from farlink.io.exports.iris import GRAPH_NAMESPACE, LEFT_NAMESPACE, RIGHT_NAMESPACE, iris_of
from farlink.io.files import write_text

ALIGNMENT_HEAD = """\
<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment#"
         xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<Alignment>
  <xml>yes</xml>
  <level>0</level>
  <type>{}</type>
  <onto1><Ontology rdf:about="{}"><location>{}</location></Ontology></onto1>
  <onto2><Ontology rdf:about="{}"><location>{}</location></Ontology></onto2>
"""
ALIGNMENT_CELL = """\
  <map><Cell>
    <entity1 rdf:resource="{}"/>
    <entity2 rdf:resource="{}"/>
    <relation>{}</relation>
    <measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">{}</measure>
  </Cell></map>
"""
SIGNS = {"equal": "=", "narrower": "&lt;", "broader": "&gt;"}  # of relations; the format has none for an inverse
ALIGNMENT_FOOT = """\
</Alignment>
</rdf:RDF>
"""


def write(content: Content, path: str | Path) -> None:
    """Write the links, and relations and classes that correspond, in the RDF/XML format of the Alignment API.

    The alignment is of type `??`, one-to-one and partial, or `**` if an entity has several counterparts. The measure is
    the probability, or the score where no probability is known; a link without either, as a seed may be, is taken as
    given and measures 1. A relation or class that is narrower than another is `<`, a broader one `>`; what is
    inverse is left out.
    """
    links, provenance = links_of(content.mapping), content.provenance
    said = correspondences_of(content).filter(pl.col("kind").is_in(SIGNS.keys()))
    signs = said["kind"].replace_strict(SIGNS, return_dtype=pl.String)
    equal = pl.repeat("=", links.height, dtype=pl.String, eager=True)
    cells = pl.concat([_cells(links, equal, confidence(links).fill_null(1.0)), _cells(said, signs, said["confidence"])])
    names = [provenance.left_source, provenance.right_source]
    ontologies = zip(iris_of(pl.Series(names), GRAPH_NAMESPACE), names, strict=True)
    kind = "??" if cardinality_of(links).eq("1:1").all() else "**"
    head = ALIGNMENT_HEAD.format(kind, *(escape(text) for pair in ontologies for text in pair))
    write_text(path, head + "".join(cells) + ALIGNMENT_FOOT)


def _cells(pairs: pl.DataFrame, signs: pl.Series, measures: pl.Series) -> pl.Series:
    # No valid IRI has another character that XML would mind.
    ends = (
        iris_of(pairs[side], namespace).str.replace_all("&", "&amp;", literal=True)
        for side, namespace in (("left", LEFT_NAMESPACE), ("right", RIGHT_NAMESPACE))
    )
    return pl.select(pl.format(ALIGNMENT_CELL, *ends, signs, measures)).to_series()

"""Mappings out: TSV, SSSOM, owl:sameAs and the Alignment API's RDF.

A mapping is a data frame with the columns left, right, score, margin, probability and status. TSV carries all of
it. The other formats carry links, so they take only the rows whose status is seed or matched, and they speak of IRIs:

- a name that is a valid absolute IRI stays as it is;
- any other name, say `Nanjing (city)` in a TSV graph, becomes `urn:farlink:left:Nanjing%20%28city%29` (or
  `right`, by its graph), percent-encoded so that `urllib.parse.unquote` gives the name back.
"""

from __future__ import annotations

import datetime
import json
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

import polars as pl
from pyoxigraph import NamedNode, RdfFormat, Triple, serialize

from farlink.errors import FarlinkError
from farlink.io.files import atomic_path, write_text

LEFT_NAMESPACE = "urn:farlink:left:"
RIGHT_NAMESPACE = "urn:farlink:right:"
GRAPH_NAMESPACE = "urn:farlink:graph:"

WELL_KNOWN = {
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
    "fb": "http://rdf.freebase.com/ns/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "graph": GRAPH_NAMESPACE,
    "left": LEFT_NAMESPACE,
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "right": RIGHT_NAMESPACE,
    "schema": "http://schema.org/",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
    "wd": "http://www.wikidata.org/entity/",
    "yago": "http://yago-knowledge.org/resource/",
}

# Patterns of a namespace within an IRI, the most telling first. Namespaces are ASCII, as sssom-py takes a CURIE
# for a short URI and not for a short IRI.
IN_WELL_KNOWN = f"^({'|'.join(map(re.escape, WELL_KNOWN.values()))})"
IN_FOLDER = r"^([!-~]*[/#]|[!-~&&[^/#]]*:)."
ON_HOST = r"^([^:]+://[!-~&&[^/?#]]*/)."
OF_SCHEME = r"^([^:]+:(?://)?)"

# The characters of IRIs that have no place in a URI, and those that have one besides letters and digits.
NOT_IN_URIS = r"[^!-~]|[\[\]]"
IN_URIS = "/?#:@!$&'()*+,;=%"

SAME_AS = NamedNode(WELL_KNOWN["owl"] + "sameAs")

ALIGNMENT_HEAD = """\
<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment#"
         xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<Alignment>
  <xml>yes</xml>
  <level>0</level>
  <type>??</type>
  <onto1><Ontology rdf:about="{}"><location>{}</location></Ontology></onto1>
  <onto2><Ontology rdf:about="{}"><location>{}</location></Ontology></onto2>
"""
ALIGNMENT_CELL = """\
  <map><Cell>
    <entity1 rdf:resource="{}"/>
    <entity2 rdf:resource="{}"/>
    <relation>=</relation>
    <measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">{}</measure>
  </Cell></map>
"""
ALIGNMENT_FOOT = """\
</Alignment>
</rdf:RDF>
"""


@dataclass(frozen=True)
class Provenance:
    """Where a mapping comes from, for the formats that say so."""

    left_source: str  # an IRI, or any name of the graph: a file, a data set
    right_source: str
    version: str  # of Farlink
    date: datetime.date  # of the mapping, not of the export
    threshold: float | None  # the probability under which a pair was left unmatched


def write_tsv(frame: pl.DataFrame, path: str | Path) -> None:
    """Write all rows and columns as plain TSV with a header: no quotes, nothing where a value is missing."""
    names = pl.concat([frame["left"], frame["right"]])
    broken = names.filter(names.str.contains(r"[\t\r\n]"))
    if len(broken):
        raise FarlinkError(
            f"{path}: the name {broken[0]!r} has a tab or a line break in it, which TSV cannot hold; "
            "rename it, or write another format"
        )
    write_text(path, frame.write_csv(separator="\t", quote_style="never"))


def write_sssom(frame: pl.DataFrame, path: str | Path, provenance: Provenance) -> None:
    """Write the links as SSSOM/TSV: a table of CURIEs under a head of YAML.

    The predicate is owl:sameAs, as entities are individuals and a link says that two are one. Farlink's own
    links are justified by semapv:StructuralMatching; seed links by semapv:UnspecifiedMatching, as nobody
    told Farlink how they were made. Confidence is the probability, or the score where no probability is known.

    Expanding a CURIE gives back the IRI, except that characters outside ASCII are percent-encoded (the URI
    that RFC 3987 assigns to the IRI): sssom-py drops rows with such characters. Wherever the expanded
    CURIE is not the name, be it for this or because the name is no IRI, the label columns hold the name.
    """
    links = _links(frame)
    left, right = _iris(links["left"], LEFT_NAMESPACE), _iris(links["right"], RIGHT_NAMESPACE)
    sources = _iris(pl.Series([provenance.left_source, provenance.right_source]), GRAPH_NAMESPACE)
    compact = _compact(pl.concat([left, right, sources]))
    subjects, objects = compact[: links.height], compact[links.height : -2]
    table = pl.DataFrame(
        {
            "subject_id": subjects["curie"],
            "subject_label": _where_different(links["left"], subjects["expanded"]),
            "predicate_id": pl.repeat("owl:sameAs", links.height, eager=True),
            "object_id": objects["curie"],
            "object_label": _where_different(links["right"], objects["expanded"]),
            "mapping_justification": _justifications(links["status"]),
            "confidence": _confidence(links),
        }
    )
    body = _without_empty_columns(table).write_csv(separator="\t")
    head = _sssom_head(body, _curie_map(compact), compact["curie"][-2], compact["curie"][-1], provenance)
    write_text(path, head + body)


def write_same_as(frame: pl.DataFrame, path: str | Path) -> None:
    """Write the links as N-Triples, each `<left> owl:sameAs <right>`."""
    links = _links(frame)
    pairs = zip(_iris(links["left"], LEFT_NAMESPACE), _iris(links["right"], RIGHT_NAMESPACE), strict=True)
    triples = (Triple(NamedNode(left), SAME_AS, NamedNode(right)) for left, right in pairs)
    with atomic_path(path) as temporary:
        serialize(triples, temporary, format=RdfFormat.N_TRIPLES)


def write_alignment_rdf(frame: pl.DataFrame, path: str | Path, provenance: Provenance) -> None:
    """Write the links in the RDF/XML format of the Alignment API.

    The alignment is of type `??`, one-to-one and partial. The measure is the probability, or the score where no
    probability is known; a link without either, as a seed may be, is taken as given and measures 1.
    """
    links = _links(frame)
    cells = pl.select(
        pl.format(
            ALIGNMENT_CELL,
            # No valid IRI has another character that XML would mind.
            _iris(links["left"], LEFT_NAMESPACE).str.replace_all("&", "&amp;", literal=True),
            _iris(links["right"], RIGHT_NAMESPACE).str.replace_all("&", "&amp;", literal=True),
            _confidence(links).fill_null(1.0),
        )
    ).to_series()
    names = [provenance.left_source, provenance.right_source]
    ontologies = zip(_iris(pl.Series(names), GRAPH_NAMESPACE), names, strict=True)
    head = ALIGNMENT_HEAD.format(*(escape(text) for pair in ontologies for text in pair))
    write_text(path, head + "".join(cells) + ALIGNMENT_FOOT)


Writer = Callable[[pl.DataFrame, str | Path, Provenance], None]

WRITERS: dict[str, Writer] = {
    "tsv": lambda frame, path, _: write_tsv(frame, path),
    "sssom": write_sssom,
    "sameas": lambda frame, path, _: write_same_as(frame, path),
    "alignment-rdf": write_alignment_rdf,
}


def _links(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("status").is_in(["seed", "matched"]))


def _iris(names: pl.Series, namespace: str) -> pl.Series:
    """The names that are IRIs as they are, the others percent-encoded in `namespace`."""
    iris = [name if _is_iri(name) else namespace + quote(name, safe="") for name in names]
    return pl.Series(iris, dtype=pl.String)


def _is_iri(name: str) -> bool:
    try:
        NamedNode(name)
    except ValueError:
        return False
    return True


def _compact(iris: pl.Series) -> pl.DataFrame:
    """The columns prefix, namespace, curie and expanded (what the CURIE stands for) of some IRIs.

    A namespace that is not well known earns a prefix when at least one IRI in a hundred is in it. A prefix
    for each namespace would be exact as well, but where each entity is its own folder (`…/cb123#about`) it
    makes a CURIE map as long as the mapping, which sssom-py reads in quadratic time.
    """
    frame = pl.DataFrame({"iri": iris}).with_columns(
        namespace=pl.coalesce(
            pl.col("iri").str.extract(IN_WELL_KNOWN),
            _if_common(pl.col("iri").str.extract(IN_FOLDER)),
            _if_common(pl.col("iri").str.extract(ON_HOST)),
            pl.col("iri").str.extract(OF_SCHEME),
        )
    )
    local = _uri_part(frame.select(pl.col("iri").str.strip_prefix(pl.col("namespace"))).to_series())
    prefix = frame["namespace"].replace_strict(_prefixes(frame["namespace"]), return_dtype=pl.String)
    return frame.select("namespace", prefix=prefix, curie=prefix + ":" + local, expanded=pl.col("namespace") + local)


def _uri_part(iri_parts: pl.Series) -> pl.Series:
    """Percent-encode what only an IRI may hold; what is percent-encoded already stays as it is."""
    to_encode = iri_parts.str.contains(NOT_IN_URIS)
    parts = zip(iri_parts, to_encode, strict=True)
    return pl.Series([quote(part, safe=IN_URIS) if encode else part for part, encode in parts], dtype=pl.String)


def _if_common(namespace: pl.Expr) -> pl.Expr:
    return pl.when(pl.len().over(namespace) * 100 >= pl.len()).then(namespace)


def _prefixes(namespaces: pl.Series) -> dict[str, str]:
    """A prefix for each namespace: the usual one if there is one, else ns1, ns2, …"""
    usual = {namespace: prefix for prefix, namespace in WELL_KNOWN.items()}
    others = sorted(set(namespaces.unique()) - usual.keys())
    return usual | {namespace: f"ns{number}" for number, namespace in enumerate(others, start=1)}


def _curie_map(compact: pl.DataFrame) -> dict[str, str]:
    used = dict(compact.select("prefix", "namespace").unique().iter_rows())
    used |= {prefix: WELL_KNOWN[prefix] for prefix in ("owl", "semapv")}
    return dict(sorted(used.items()))


def _where_different(names: pl.Series, expanded: pl.Series) -> pl.Series:
    return pl.select(pl.when(names != expanded).then(names)).to_series()


def _justifications(statuses: pl.Series) -> pl.Series:
    reasons = {"seed": "semapv:UnspecifiedMatching", "matched": "semapv:StructuralMatching"}
    return statuses.replace_strict(reasons, return_dtype=pl.String)


def _without_empty_columns(table: pl.DataFrame) -> pl.DataFrame:
    optional = ("subject_label", "object_label", "confidence")
    return table.drop(column for column in optional if table[column].count() == 0)


def _sssom_head(
    body: str, curie_map: dict[str, str], subject_source: str, object_source: str, provenance: Provenance
) -> str:
    content = "\n".join([subject_source, object_source, provenance.version, str(provenance.date), body])
    slots = {
        # Made from the content, so that the same mapping has the same id wherever it is written.
        "mapping_set_id": uuid.uuid5(uuid.NAMESPACE_URL, content).urn,
        "license": WELL_KNOWN["sssom"] + "license/unspecified",
        "subject_source": subject_source,
        "object_source": object_source,
        "mapping_tool": "Farlink",
        "mapping_tool_version": provenance.version,
        "mapping_date": str(provenance.date),
        "comment": _sssom_comment(provenance.threshold),
    }
    lines = ["curie_map:"]
    lines += [f"  {prefix}: {json.dumps(namespace)}" for prefix, namespace in curie_map.items()]
    lines += [f"{slot}: {json.dumps(value)}" for slot, value in slots.items()]
    return "".join(f"#{line}\n" for line in lines)


def _confidence(links: pl.DataFrame) -> pl.Series:
    return links.select(pl.coalesce("probability", "score")).to_series()


def _sssom_comment(threshold: float | None) -> str:
    left_out = "" if threshold is None else f" Pairs with a probability under {threshold:g} were left out."
    return (
        "Rows with semapv:StructuralMatching were found by Farlink in the structure of the two graphs; "
        "their confidence is the probability that the pair is right, learned from validation links, or a score "
        f"from 0 to 1 where there were none.{left_out} "
        "Rows with semapv:UnspecifiedMatching are seed links that Farlink was given; it does not know how "
        "they were made. Where the CURIE of an entity does not expand to its name in the graph, the label "
        "is that name."
    )

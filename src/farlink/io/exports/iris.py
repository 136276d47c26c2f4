"""Names as IRIs and CURIEs.

- A name that is a valid absolute IRI stays as it is;
- any other name, say `Nanjing (city)` in a TSV graph, becomes `urn:farlink:left:Nanjing%20%28city%29` (or
  `right`, by its graph), percent-encoded so that `urllib.parse.unquote` gives the name back.
"""

from __future__ import annotations

import re
from urllib.parse import quote

import polars as pl
from pyoxigraph import NamedNode

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


def iris_of(names: pl.Series, namespace: str) -> pl.Series:
    """The names that are IRIs as they are, the others percent-encoded in `namespace`."""
    iris = [name if _is_iri(name) else namespace + quote(name, safe="") for name in names]
    return pl.Series(iris, dtype=pl.String)


def _is_iri(name: str) -> bool:
    try:
        NamedNode(name)
    except ValueError:
        return False
    return True


def compacted(iris: pl.Series) -> pl.DataFrame:
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

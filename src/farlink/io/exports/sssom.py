"""SSSOM/TSV: a table of CURIEs under a head of YAML."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import polars as pl

from farlink.io.exports.content import Content, Provenance, cardinality_of, confidence, correspondences_of, links_of
from farlink.io.exports.iris import GRAPH_NAMESPACE, LEFT_NAMESPACE, RIGHT_NAMESPACE, WELL_KNOWN, compacted, iris_of
from farlink.io.files import write_text

BY_INSTANCES = "semapv:InstanceBasedMatching"
# What is said of a relation or class on the left. That something is narrower than an inverse has no predicate: it is
# related, and a comment tells how.
PREDICATES = {
    ("relation", "equal"): "owl:equivalentProperty",
    ("relation", "narrower"): "rdfs:subPropertyOf",
    ("relation", "broader"): "skos:narrowMatch",
    ("relation", "inverse"): "owl:inverseOf",
    ("relation", "inverse narrower"): "skos:relatedMatch",
    ("relation", "inverse broader"): "skos:relatedMatch",
    ("class", "equal"): "owl:equivalentClass",
    ("class", "narrower"): "rdfs:subClassOf",
    ("class", "broader"): "sssom:superClassOf",
}
COMMENTS = {
    "inverse narrower": "the subject is narrower than the inverse of the object",
    "inverse broader": "the subject is broader than the inverse of the object",
}
ROWS = ("left", "right", "predicate_id", "mapping_justification", "mapping_cardinality", "confidence", "comment")


def write(content: Content, path: str | Path) -> None:
    """Write links, relations and classes as SSSOM/TSV: a table of CURIEs under a head of YAML.

    The predicate of links is owl:sameAs, as entities are individuals and a link says that two are one. Farlink's own
    links are justified by semapv:StructuralMatching; seed links by semapv:UnspecifiedMatching, as nobody
    told Farlink how they were made. How many counterparts the two ends of a link have in this mapping stands with it
    (mapping_cardinality). Confidence is the probability, or the score where no probability is known.
    Relations and classes come after them, with the predicates of RDFS and OWL as far as there are any, justified by
    semapv:InstanceBasedMatching; their confidence is the share that decides.

    Expanding a CURIE gives back the IRI, except that characters outside ASCII are percent-encoded (the URI
    that RFC 3987 assigns to the IRI): sssom-py drops rows with such characters. Wherever the expanded
    CURIE is not the name, be it for this or because the name is no IRI, the label columns hold the name.
    """
    provenance = content.provenance
    rows = pl.concat([_link_rows(content), _ontology_rows(content)])
    left, right = iris_of(rows["left"], LEFT_NAMESPACE), iris_of(rows["right"], RIGHT_NAMESPACE)
    sources = iris_of(pl.Series([provenance.left_source, provenance.right_source]), GRAPH_NAMESPACE)
    compact = compacted(pl.concat([left, right, sources]))
    subjects, objects = compact[: rows.height], compact[rows.height : -2]
    table = pl.DataFrame(
        {
            "subject_id": subjects["curie"],
            "subject_label": _where_different(rows["left"], subjects["expanded"]),
            "predicate_id": rows["predicate_id"],
            "object_id": objects["curie"],
            "object_label": _where_different(rows["right"], objects["expanded"]),
            "mapping_justification": rows["mapping_justification"],
            "mapping_cardinality": rows["mapping_cardinality"],
            "confidence": rows["confidence"],
            "comment": rows["comment"],
        }
    )
    body = _without_empty_columns(table).write_csv(separator="\t")
    head = _sssom_head(body, _curie_map(compact, rows), compact["curie"][-2], compact["curie"][-1], provenance)
    write_text(path, head + body)


def _link_rows(content: Content) -> pl.DataFrame:
    links = links_of(content.mapping)
    return links.with_columns(
        predicate_id=pl.lit("owl:sameAs"),
        mapping_justification=_justifications(links["status"]),
        mapping_cardinality=cardinality_of(links),
        confidence=confidence(links),
        comment=pl.lit(None, pl.String),
    ).select(ROWS)


def _ontology_rows(content: Content) -> pl.DataFrame:
    found = correspondences_of(content)
    predicates = [PREDICATES[row] for row in found.select("of", "kind").iter_rows()]
    comments = [COMMENTS.get(kind) for kind in found["kind"]]
    return found.with_columns(
        mapping_justification=pl.lit(BY_INSTANCES),
        mapping_cardinality=pl.lit(None, pl.String),
        predicate_id=pl.Series(predicates, dtype=pl.String),
        comment=pl.Series(comments, dtype=pl.String),
    ).select(ROWS)


def _curie_map(compact: pl.DataFrame, rows: pl.DataFrame) -> dict[str, str]:
    used = dict(compact.select("prefix", "namespace").unique().iter_rows())
    said = {predicate.partition(":")[0] for predicate in rows["predicate_id"].unique()}
    used |= {prefix: WELL_KNOWN[prefix] for prefix in ("owl", "semapv", *said)}
    return dict(sorted(used.items()))


def _where_different(names: pl.Series, expanded: pl.Series) -> pl.Series:
    return pl.select(pl.when(names != expanded).then(names)).to_series()


def _justifications(statuses: pl.Series) -> pl.Series:
    reasons = {"seed": "semapv:UnspecifiedMatching", "matched": "semapv:StructuralMatching"}
    return statuses.replace_strict(reasons, return_dtype=pl.String)


def _without_empty_columns(table: pl.DataFrame) -> pl.DataFrame:
    optional = ("subject_label", "object_label", "confidence", "comment")
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


def _sssom_comment(threshold: float | None) -> str:
    left_out = "" if threshold is None else f" Pairs with a probability under {threshold:g} were left out."
    return (
        "Rows with semapv:StructuralMatching were found by Farlink in the structure of the two graphs; "
        "their confidence is the probability that the pair is right, learned from validation links, or a score "
        f"from 0 to 1 where there were none.{left_out} "
        "Rows with semapv:UnspecifiedMatching are seed links that Farlink was given; it does not know how "
        "they were made. Rows with semapv:InstanceBasedMatching are relations and classes whose triples and members "
        "agree where the entities are matched; their confidence is the share that does. "
        "Where the CURIE of an entity does not expand to its name in the graph, the label is that name."
    )

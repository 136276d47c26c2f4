"""SSSOM/TSV: a table of CURIEs under a head of YAML."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import polars as pl

from farlink.io.exports.content import Content, Provenance, cardinality_of, confidence, links_of
from farlink.io.exports.iris import GRAPH_NAMESPACE, LEFT_NAMESPACE, RIGHT_NAMESPACE, WELL_KNOWN, compacted, iris_of
from farlink.io.files import write_text


def write(content: Content, path: str | Path) -> None:
    """Write the links as SSSOM/TSV: a table of CURIEs under a head of YAML.

    The predicate is owl:sameAs, as entities are individuals and a link says that two are one. Farlink's own
    links are justified by semapv:StructuralMatching; seed links by semapv:UnspecifiedMatching, as nobody
    told Farlink how they were made. How many counterparts the two ends of a link have in this mapping
    stands with it (mapping_cardinality). Confidence is the probability, or the score where no probability is known.

    Expanding a CURIE gives back the IRI, except that characters outside ASCII are percent-encoded (the URI
    that RFC 3987 assigns to the IRI): sssom-py drops rows with such characters. Wherever the expanded
    CURIE is not the name, be it for this or because the name is no IRI, the label columns hold the name.
    """
    links, provenance = links_of(content.mapping), content.provenance
    left, right = iris_of(links["left"], LEFT_NAMESPACE), iris_of(links["right"], RIGHT_NAMESPACE)
    sources = iris_of(pl.Series([provenance.left_source, provenance.right_source]), GRAPH_NAMESPACE)
    compact = compacted(pl.concat([left, right, sources]))
    subjects, objects = compact[: links.height], compact[links.height : -2]
    table = pl.DataFrame(
        {
            "subject_id": subjects["curie"],
            "subject_label": _where_different(links["left"], subjects["expanded"]),
            "predicate_id": pl.repeat("owl:sameAs", links.height, eager=True),
            "object_id": objects["curie"],
            "object_label": _where_different(links["right"], objects["expanded"]),
            "mapping_justification": _justifications(links["status"]),
            "mapping_cardinality": cardinality_of(links),
            "confidence": confidence(links),
        }
    )
    body = _without_empty_columns(table).write_csv(separator="\t")
    head = _sssom_head(body, _curie_map(compact), compact["curie"][-2], compact["curie"][-1], provenance)
    write_text(path, head + body)


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

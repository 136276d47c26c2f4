"""Links between the entities of two graphs: tables, RDF statements of equivalence, SSSOM mappings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import yaml

from farlink.errors import InputError
from farlink.io.delimited import DIALECTS, Text, name_problem, read_parquet, wrong_field_count
from farlink.io.files import display_name, format_of
from farlink.io.rdf import RDF_FORMATS, read_statements

LINK = ("left", "right")
LINK_SCHEMA = {"left": pl.String, "right": pl.String, "line": pl.Int64}
LINK_HEADERS = (
    ("left", "right"),
    ("source", "target"),
    ("entity1", "entity2"),
    ("entity_1", "entity_2"),
    ("subject_id", "object_id"),
    ("subject", "object"),
)

SSSOM_COLUMNS = ("subject_id", "predicate_id", "object_id")
SSSOM_PREFIXES = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
}
NO_TERM_FOUND = SSSOM_PREFIXES["sssom"] + "NoTermFound"

EQUIVALENCES = [
    SSSOM_PREFIXES["owl"] + "sameAs",
    SSSOM_PREFIXES["owl"] + "equivalentClass",
    SSSOM_PREFIXES["owl"] + "equivalentProperty",
    SSSOM_PREFIXES["skos"] + "exactMatch",
]

OWN_TOOL = '#mapping_tool: "Farlink"'  # a line of the head of a mapping that Farlink exported
BY_INSTANCES = "semapv:InstanceBasedMatching"  # why relations and classes correspond in it

UNMATCHED = "unmatched"  # the status of a left entity for which no counterpart is sure enough
OWN_NAMES = "^urn:farlink:(left|right):"  # under which names that are no IRIs are exported (io/mappings.py)

Link = tuple[str, str, int]


def read_links(path: str | Path, format: str | None = None) -> pl.DataFrame:
    """Links of a file as a frame: left name, right name, and the line that states the link (from 1).

    - TSV and CSV: the columns that a header calls left and right (or source and target, entity1 and entity2,
      subject_id and object_id, subject and object); without such a header the first two. Rows whose status, where
      there is such a column, is `unmatched` are no links: that is what Farlink writes of doubtful pairs.
    - SSSOM, recognised by its columns: subject and object of the mappings that state an equivalence, CURIEs expanded.
    - Parquet: columns as in TSV; the line is the row.
    - RDF: subject and object of owl:sameAs, owl:equivalentClass, owl:equivalentProperty and skos:exactMatch;
      the line is the number of the statement.
    """
    format = format_of(path, format)
    if format in DIALECTS:
        links = _delimited_links(Text.open(path, DIALECTS[format]))
    elif format == "parquet":
        links = _numbered(read_parquet(path, LINK, link_places))
    else:
        links = _stated_links(read_statements(path, format))
    if links.is_empty():
        stated = "; it has no statement of " + ", ".join(EQUIVALENCES) if format in RDF_FORMATS else ""
        raise InputError(display_name(path), f"no links in this file{stated}")
    return links.with_columns(_exported_names(links[side]) for side in LINK)


def _exported_names(names: pl.Series) -> pl.Series:
    """Names as the graphs have them, where Farlink had to write them as IRIs."""
    if not names.str.contains(OWN_NAMES).any():
        return names
    plain = [unquote(re.sub(OWN_NAMES, "", name)) if re.match(OWN_NAMES, name) else name for name in names]
    return pl.Series(names.name, plain)


def link_places(names: Sequence[str]) -> list[int] | None:
    """Where a header has the left and the right entity."""
    lowered = [name.strip().lower() for name in names]
    pairs = (pair for pair in LINK_HEADERS if set(pair) <= set(lowered))
    return next(([lowered.index(name) for name in pair] for pair in pairs), None)


def _stated_links(statements: pl.DataFrame) -> pl.DataFrame:
    numbered = _numbered(statements)
    stated = numbered.filter(pl.col("relation").is_in(EQUIVALENCES), pl.col("tail").is_not_null())
    return stated.select(pl.col("head").alias("left"), pl.col("tail").alias("right"), "line")


def _numbered(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))


def _delimited_links(text: Text) -> pl.DataFrame:
    comments = list(takewhile(lambda line: line.startswith("#"), text.lines()))
    line, header = next(text.records(len(comments)), (1, []))
    if set(SSSOM_COLUMNS) <= set(header):
        links = _sssom_links(text, header, line, _prefixes(text.name, comments), _own(comments))
    else:
        links = _table_links(text)
    return pl.DataFrame(list(links), schema=LINK_SCHEMA, orient="row")


def _table_links(text: Text) -> Iterator[Link]:
    first_line, first = next(text.records(), (1, []))
    places = link_places(first)
    status = first.index("status") if places and "status" in first else len(first)
    for line, fields in text.records(first_line - 1 if places is None else first_line):
        if fields[status : status + 1] == [UNMATCHED]:
            continue
        left, right = _names(text, fields, line, dict(zip(LINK, places or (0, 1), strict=True)))
        yield left, right, line


def _sssom_links(
    text: Text, header: list[str], header_line: int, prefixes: dict[str, str], own: bool
) -> Iterator[Link]:
    """The equivalences of a table; in Farlink's `own` files those of relations and classes are no links of entities."""
    quoted = replace(text, dialect=replace(text.dialect, quoted=True))
    places = {column: header.index(column) for column in SSSOM_COLUMNS}
    modifier = header.index("predicate_modifier") if "predicate_modifier" in header else len(header)
    reason = header.index("mapping_justification") if "mapping_justification" in header and own else len(header)
    for line, fields in quoted.records(header_line):
        names = _names(text, fields, line, places)
        left, predicate, right = (_expanded(name, prefixes) for name in names)
        negated = fields[modifier : modifier + 1] == ["Not"]
        of_instances = fields[reason : reason + 1] == [BY_INSTANCES]
        if predicate in EQUIVALENCES and not negated and not of_instances and NO_TERM_FOUND not in (left, right):
            yield left, right, line


def _own(comments: Sequence[str]) -> bool:
    """Whether Farlink wrote a mapping with this head."""
    return any(comment.rstrip() == OWN_TOOL for comment in comments)


def _names(text: Text, fields: list[str], line: int, places: dict[str, int]) -> list[str]:
    """The fields at `places`, which are known by their roles."""
    needed = max(places.values()) + 1
    if len(fields) < needed:
        expected = f"at least {needed} {text.dialect.adjective} fields ({', '.join(places)})"
        raise wrong_field_count(text, fields, expected, line)
    for role, place in places.items():
        if problem := name_problem(fields[place], role):
            raise InputError(text.name, problem, line)
    return [fields[place] for place in places.values()]


def _prefixes(source: str, comments: list[str]) -> dict[str, str]:
    """Prefixes of the `curie_map` in the YAML comments on top of SSSOM, and those that SSSOM has built in."""
    header = _header(source, [comment.removeprefix("#").rstrip() for comment in comments])
    given = (header.get("curie_map") or {}) if isinstance(header, dict) else {}
    if not isinstance(given, dict) or not all(isinstance(iri, str) and iri for iri in given.values()):
        line = next(number for number, comment in enumerate(comments, 1) if "curie_map" in comment)
        raise InputError(source, "the curie_map of the header is no list of prefixes, expected 'prefix: IRI'", line)
    return SSSOM_PREFIXES | given


def _header(source: str, lines: list[str]) -> object:
    text = "\n".join(lines)
    try:
        # a safe loader for which every scalar is text: a prefix may be `no`, which others take for false
        return yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = min(error.problem_mark.line + 1, len(lines)) if error.problem_mark else 1
        raise InputError(source, f"the header of this SSSOM file is not YAML ({error.problem})", line) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(source, f"the header of this SSSOM file is not YAML ({error.reason})", line) from None


def _expanded(name: str, prefixes: dict[str, str]) -> str:
    prefix, _, local = name.partition(":")
    return prefixes[prefix] + local if prefix in prefixes and not local.startswith("//") else name

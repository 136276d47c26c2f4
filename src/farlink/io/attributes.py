"""Attributes of entities from files of their own: tables of values, and RDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from farlink.errors import InputError
from farlink.graph.knowledge_graph import PLAIN_TEXT, KnowledgeGraph, literals_table
from farlink.io.delimited import (
    DIALECTS,
    Text,
    as_text,
    check_rows,
    name_problem,
    parquet_columns,
    read_values,
    wrong_field_count,
)
from farlink.io.files import display_name, format_of, format_suffix
from farlink.io.rdf import RDF_FORMATS, read_statements
from farlink.wording import counted

PAIR = ("entity", "value")
ROW = ("entity", "attribute", "value")
# Of these, the first that a header has is the column of the entities.
ENTITY_HEADERS = ("id", "entity", "iri", "uri")
ROW_HEADERS = (
    {"head", "subject", *ENTITY_HEADERS},
    {"attribute", "relation", "predicate", "property"},
    {"value", "tail", "object", "literal"},
)
NOTHING = "no attributes in this file"
UNNAMED = r"column_\d+"  # what Polars calls a column without a name

# A value in the manner of N-Triples: quoted with a language or a datatype, or bare with a datatype.
QUOTED = r'(?s)^"(.*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^<?([^<>"\s]+)>?)?$'
TYPED = r"(?s)^(.*)\^\^<([^<>\s]*)>$"


@dataclass(frozen=True)
class _Layout:
    """Where a table has what; without a column of values every column but that of the entities is an attribute."""

    entity: int = 0
    attribute: int | None = None
    value: int | None = None
    header: bool = True


def read_attributes(path: str | Path) -> pl.DataFrame:
    """Literals of a file, by name: what a table, or RDF, says of entities besides how they are joined.

    A table is TSV, CSV or Parquet, plain or compressed; a file whose name has no extension is TSV. It is of one of
    three kinds, and the names of its columns decide of which:

    - three columns (entity, attribute, value), (head, relation, tail) or (subject, predicate, object): a value a row;
    - two columns (entity, value): the attribute is called like the file, without extensions;
    - any other table with a column `id`, `entity`, `iri` or `uri` is wide: that column (the first of these names that
      it has) holds the entity, and every other one is an attribute; a cell is empty where the value is absent.

    A first line without such names is a row of two or three fields, not a header; if it has more fields, it is the
    header of a wide table whose first column holds the entity. Columns of Parquet always have names: a table in which
    none of them tells the entity is wide, and its first column does.

    Rows without a value are left out. In TSV of two or three columns a value may be written as in N-Triples, "quoted",
    with `@language` or `^^<datatype>` behind the quotes, or bare with `^^<datatype>`; what is no tag of a language or
    a datatype is part of the text. Of RDF the literals count.
    """
    format = _format_of(path)
    if format in RDF_FORMATS:
        statements = read_statements(path, format)
        table = statements.filter(pl.col("value").is_not_null())
    elif format == "parquet":
        table = _of_parquet(path)
    else:
        table = _of_text(Text.open(path, DIALECTS[format]), _stem(path))
    if table.is_empty():
        raise InputError(display_name(path), NOTHING)
    return literals_table(table)


def read_attribute_triples(path: Path) -> pl.DataFrame:
    """Literals of a file of a benchmark folder: entity, attribute and value a line; a value may hold tabs."""
    text = Text.open(path, DIALECTS["tsv"])
    return literals_table(_parsed(_of_rows(read_values(text, ROW, ROW[:2], rest=True), "")))


def with_attributes(graph: KnowledgeGraph, literals: pl.DataFrame, source: str) -> KnowledgeGraph:
    """A graph with more literals; those of unknown entities are left out with a note, which is an error if all are."""
    unknown = pl.Series(graph.ids(literals["head"]) < 0)
    if not unknown.any():
        return graph.with_literals(literals)
    first, whose = literals["head"].filter(unknown)[0], graph.source or "the graph"
    if unknown.all():
        raise InputError(
            source,
            f"nothing here is about an entity of {whose}: the first row is about '{first}', while the graph has "
            f"entities such as '{graph.entities[0]}'",
        )
    rows = counted(int(unknown.sum()), f"value of {source} is", f"values of {source} are")
    note = f"{rows} about an entity that {whose} does not have, left out; first: '{first}'"
    return graph.with_literals(literals.filter(~unknown)).noted(note)


def _format_of(path: str | Path) -> str:
    return "tsv" if str(path) != "-" and not format_suffix(path) else format_of(path)


def _stem(path: str | Path) -> str:
    """What a file is called without its extensions."""
    name = Path(path).name
    return name[: name.lower().rfind(format_suffix(path))] if format_suffix(path) else Path(path).stem


def _of_text(text: Text, stem: str) -> pl.DataFrame:
    line, first = next(text.records(), (1, []))
    if not first:
        raise InputError(text.name, NOTHING)
    if len(first) < len(PAIR):
        raise wrong_field_count(text, first, f"2 or more {text.dialect.adjective} fields ({', '.join(PAIR)})", line)
    layout = _named_layout(first) or _unnamed_layout(len(first))
    columns = _columns(first, layout, text.name, line)
    named = [columns[place] for place in (layout.entity, layout.attribute) if place is not None]
    table = read_values(text, columns, named, skip=line if layout.header else line - 1)
    if layout.value is None:
        return _of_columns(table, columns[layout.entity], text.name)
    rows = _of_rows(table, stem)
    return rows if text.dialect.quoted else _parsed(rows)


def _of_parquet(path: str | Path) -> pl.DataFrame:
    name, table = display_name(path), parquet_columns(path, lambda found: found)
    found = table.columns
    if len(found) < len(PAIR):
        raise InputError(name, f"expected 2 or more columns ({', '.join(PAIR)}), found {len(found)}")
    unnamed = all(re.fullmatch(UNNAMED, column) for column in found)
    layout = _unnamed_layout(len(found)) if unnamed else _named_layout(found) or _Layout()
    table.columns = _columns(found, layout, name, None)
    if layout.value is None:
        literals = _of_columns(table, table.columns[layout.entity], name)
    else:
        literals = _of_rows(_as_texts(table, name), _stem(path))
    check_rows(name, literals, ("head", "relation"))
    return literals


def _named_layout(header: Sequence[str]) -> _Layout | None:
    """What names of columns tell; None if they tell nothing."""
    names = [name.strip().lower() for name in header]
    roles = [[place for place, name in enumerate(names) if name in role] for role in ROW_HEADERS]
    counts = [len(places) for places in roles]
    if len(names) == len(ROW) and counts == [1, 1, 1]:
        return _Layout(roles[0][0], roles[1][0], roles[2][0])
    if len(names) == len(PAIR) and counts == [1, 0, 1]:
        return _Layout(entity=roles[0][0], value=roles[2][0])
    entity = next((names.index(name) for name in ENTITY_HEADERS if name in names), None)
    return None if entity is None else _Layout(entity)


def _unnamed_layout(count: int) -> _Layout:
    """What the number of columns tells where their names tell nothing."""
    if count > len(ROW):
        return _Layout()
    return _Layout(value=1, header=False) if count == len(PAIR) else _Layout(attribute=1, value=2, header=False)


def _columns(found: Sequence[str], layout: _Layout, source: str, line: int | None) -> list[str]:
    """What to call the columns of a table: by their roles, or as its header does where each is an attribute."""
    if layout.value is not None:
        roles = {layout.entity: "entity", layout.attribute: "attribute", layout.value: "value"}
        return [roles[place] for place in range(len(found))]
    names = [name.strip() for name in found]
    for place, name in enumerate(names):
        if problem := name_problem(name, f"name of column {place + 1}"):
            raise InputError(source, problem, line)
        if name in names[:place]:
            raise InputError(source, f"two columns are called '{name}'", line)
    return names


def _of_rows(table: pl.DataFrame, stem: str) -> pl.DataFrame:
    """Literals of a table with a value a row."""
    attribute = pl.col("attribute") if "attribute" in table.columns else pl.lit(stem)
    return _present(table.select(pl.col("entity").alias("head"), attribute.alias("relation"), "value"))


def _of_columns(table: pl.DataFrame, entity: str, source: str) -> pl.DataFrame:
    """Literals of a table with an attribute a column."""
    return pl.concat(_of_column(table, entity, name, source) for name in table.columns if name != entity)


def _of_column(table: pl.DataFrame, entity: str, attribute: str, source: str) -> pl.DataFrame:
    texts = _as_texts(table.select(entity, attribute), source)
    return _present(texts.select(pl.col(entity).alias("head"), pl.lit(attribute).alias("relation"), value=attribute))


def _as_texts(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """Columns as strings; a cell that lists several values makes a row of each."""
    for name, kind in table.schema.items():
        table = table.explode(name) if isinstance(kind, pl.List) else table
    return pl.DataFrame([as_text(source, column, column.name) for column in table.get_columns()])


def _present(literals: pl.DataFrame) -> pl.DataFrame:
    return literals.filter(pl.col("value").str.contains(r"\S").fill_null(False))


def _parsed(literals: pl.DataFrame) -> pl.DataFrame:
    """Values without what stands around them in the manner of N-Triples, which has columns of its own."""
    quoted = pl.col("value").str.extract_groups(QUOTED).struct
    within = literals.with_columns(
        value=pl.coalesce(quoted[0], "value"), language=quoted[1].str.to_lowercase(), datatype=quoted[2]
    )
    typed = pl.col("value").str.extract_groups(TYPED).struct
    datatype = pl.coalesce("datatype", typed[1])
    return _present(
        within.with_columns(
            value=pl.coalesce(typed[0], "value"), datatype=pl.when(datatype != PLAIN_TEXT).then(datatype)
        )
    )

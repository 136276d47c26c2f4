"""RDF: N-Triples, N-Quads, Turtle, TriG and RDF/XML.

Oxigraph turns any of them into canonical N-Quads, whose lines polars cuts into columns, so that no statement
passes through Python. Relations between entities and literal values part ways here.
"""

from __future__ import annotations

import io
from itertools import islice
from pathlib import Path
from xml.parsers import expat

import polars as pl
import pyoxigraph
from pyoxigraph import RdfFormat

from farlink.errors import InputError
from farlink.io.files import display_name, open_bytes, skip_byte_order_mark
from farlink.io.owl import without_restrictions

RDF_FORMATS = {
    "nt": RdfFormat.N_TRIPLES,
    "nq": RdfFormat.N_QUADS,
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "rdfxml": RdfFormat.RDF_XML,
}
FORMATS_WITH_RELATIVE_IRIS = {"turtle", "trig", "rdfxml"}

TERMS = ("head", "relation", "tail")
STATEMENT_SCHEMA = dict.fromkeys((*TERMS, "value", "datatype", "language"), pl.String)
CHUNK = 500_000  # statements turned into columns at once

# The escapes of canonical N-Quads. All begin with a backslash and none is the beginning of another.
LETTER_ESCAPES = {"\\": "\\", '"': '"', "b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
ESCAPED_CODES = [*range(0x08), 0x0B, *range(0x0E, 0x20), 0x7F, 0xFFFE, 0xFFFF]
ESCAPES = {f"\\{letter}": character for letter, character in LETTER_ESCAPES.items()} | {
    f"\\u{code:04X}": chr(code) for code in ESCAPED_CODES
}

# Oxigraph names each anonymous node by a random number of 128 bits.
ANONYMOUS = r"^_:[0-9a-f]{20,32}$"


def read_triples(path: str | Path, format: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Relational triples (head, relation, tail) of an RDF file, and its literals with datatypes and languages.

    Restrictions of OWL become triples (`owl.without_restrictions`).
    """
    statements = read_statements(path, format)
    literal = pl.col("value").is_not_null()
    literals = statements.filter(literal).drop("tail")
    triples = statements.filter(~literal).select(TERMS)
    if statements.is_empty():
        raise InputError(display_name(path), "no triples in this file")
    return without_restrictions(triples), literals


def read_statements(path: str | Path, format: str) -> pl.DataFrame:
    """All statements of an RDF file in their order; the object is either a tail or a literal value.

    IRIs are bare and blank nodes begin with `_:`. A triple term as an object counts as a value. The graphs of
    a dataset are merged. Values have the IRI of their datatype, but for plain text, or the tag of their language.
    """
    name = display_name(path)
    with open_bytes(path) as stream:
        skip_byte_order_mark(stream, name)
        try:
            frame = _parsed(stream, format, _base_iri(path, format))
        except SyntaxError as error:
            raise InputError(name, _reason(error), error.lineno) from error
        except expat.ExpatError as error:
            raise InputError(name, f"not well-formed XML ({error})", error.lineno) from error
        except MemoryError as error:
            if "buffer maximal size" not in str(error):
                raise
            raise InputError(name, "a term without end: more than 16 MB") from error
    return frame if format in ("nt", "nq") else _with_stable_names(frame)


def _parsed(stream: io.BufferedReader, format: str, base_iri: str | None) -> pl.DataFrame:
    checked = _WellFormedXml(stream) if format == "rdfxml" else stream
    parser = pyoxigraph.parse(checked, format=RDF_FORMATS[format], base_iri=base_iri)  # type: ignore[arg-type]
    chunks = [pl.DataFrame(schema=STATEMENT_SCHEMA)]
    while quads := pyoxigraph.serialize(islice(parser, CHUNK), format=RdfFormat.N_QUADS):
        chunks.append(_columns(quads))
    return pl.concat(chunks)


def _base_iri(path: str | Path, format: str) -> str | None:
    relative = format in FORMATS_WITH_RELATIVE_IRIS and str(path) != "-"
    return Path(path).absolute().as_uri() if relative else None


def _reason(error: SyntaxError) -> str:
    """Oxigraph's message without its place, which the error shows already, cut to a sane length."""
    message = error.msg.partition(": ")[2] if error.msg.startswith("Parser error at line") else error.msg
    return message if len(message) <= 200 else message[:199] + "…"


def _columns(quads: bytes) -> pl.DataFrame:
    """Canonical N-Quads, one statement per line, as a frame of statements."""
    lines = pl.read_csv(quads, separator="\0", quote_char=None, has_header=False, schema={"line": pl.String})
    parts = lines.select(pl.col("line").str.splitn(" ", 3).struct.rename_fields(["head", "relation", "object"]))
    term = pl.col("object")
    is_value = term.str.contains(r'^("|<<)')
    # what follows a value cannot hold a quote, unless it is a triple term: the value ends with the last one
    lexical = term.str.extract(r'^"((?:[^"\\]|\\.)*)"')
    rest = pl.when(term.str.starts_with('"')).then(term.str.extract(r'"([^"]*)$'))
    return parts.unnest("line").select(
        _bare(pl.col("head")),
        _bare(pl.col("relation")),
        pl.when(~is_value).then(_bare(term.str.extract(r"^([^ ]+)"))).alias("tail"),
        pl.when(is_value).then(pl.coalesce(_unescaped(lexical), term.str.extract(r"^(<<.*>>)"))).alias("value"),
        rest.str.extract(r"^\^\^<([^>]*)>").alias("datatype"),
        rest.str.extract(r"^@([A-Za-z]+(?:-[A-Za-z0-9]+)*)").str.to_lowercase().alias("language"),
    )


def _bare(term: pl.Expr) -> pl.Expr:
    return term.str.strip_prefix("<").str.strip_suffix(">")


def _unescaped(text: pl.Expr) -> pl.Expr:
    return text.str.replace_many(ESCAPES)


def _with_stable_names(statements: pl.DataFrame) -> pl.DataFrame:
    """Anonymous nodes numbered in the order of the file, so that a file always gives the same graph."""
    nodes = pl.concat([statements["head"], statements["tail"].rename("head")])
    anonymous = nodes.filter(nodes.str.contains(ANONYMOUS)).unique(maintain_order=True)
    if anonymous.is_empty():
        return statements
    numbered = [f"_:anonymous-{number}" for number in range(1, len(anonymous) + 1)]
    return statements.with_columns(pl.col("head", "tail").replace(anonymous, numbered))


class _WellFormedXml:
    """Passes XML on as it is read, checked: Oxigraph takes a file that was cut off for a whole one."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream, self._parser, self._empty = stream, expat.ParserCreate(), True

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._empty = self._empty and not data
        if not self._empty:
            self._parser.Parse(data, not data)
        return data

"""Tables of triples: TSV, CSV and Parquet.

Polars reads a good file in one go. A file it cannot read, or one with an empty or endless name, is read again
line by line, which names the first bad line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import cast

import polars as pl

from farlink.errors import InputError
from farlink.io.files import display_name, open_bytes, path_or_bytes, skip_byte_order_mark

TRIPLE = ("head", "relation", "tail")
TRIPLE_HEADERS = (
    {"head", "subject", "source", "from", "entity1", "entity_1", "s", "h"},
    {"relation", "predicate", "property", "edge", "p", "r"},
    {"tail", "object", "target", "to", "entity2", "entity_2", "o", "t"},
)

NAME_LIMIT = 65_536  # bytes; a longer name is a broken file
BLANK = " \r"  # a name needs something else
EXCERPT = 60  # characters of a bad line in a message
ROLES = 8  # columns named at the most in a message
BATCH = 100_000  # rows gathered by the slow way before they become columns

Places = Callable[[Sequence[str]], list[int] | None]
"""Finds the wanted columns among the names of a header, if it is a header that names them."""


@dataclass(frozen=True)
class Dialect:
    """How a line is cut into fields."""

    separator: str
    quoted: bool
    adjective: str


DIALECTS = {"tsv": Dialect("\t", False, "tab-separated"), "csv": Dialect(",", True, "comma-separated")}


@dataclass(frozen=True)
class Text:
    """A delimited text that can be read more than once."""

    content: Path | bytes
    dialect: Dialect
    name: str  # for messages

    @classmethod
    def open(cls, path: str | Path, dialect: Dialect) -> Text:
        """The text at `path`; `-` and compressed files are read into memory."""
        return cls(path_or_bytes(path), dialect, display_name(path))

    def lines(self) -> Iterator[str]:
        """Lines with their ends, decoded."""
        with self._stream() as stream:
            skip_byte_order_mark(stream, self.name)
            for number, line in enumerate(stream, start=1):
                try:
                    yield line.decode()
                except UnicodeDecodeError as error:
                    place = f"not UTF-8 at byte {error.start + 1:,} of the line"
                    raise InputError(self.name, f"{place}: {_excerpt(line.decode('latin-1'))}", number) from error

    def records(self, skip: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Line number and fields of each record that is not blank, after `skip` lines."""
        lines = islice(self.lines(), skip, None)
        cut = self._quoted_records if self.dialect.quoted else self._plain_records
        for number, fields in cut(lines, skip):
            if not all(map(_is_empty, fields)):
                yield number, fields

    def _stream(self) -> AbstractContextManager[io.BufferedReader]:
        if isinstance(self.content, Path):
            return open_bytes(self.content)
        return nullcontext(io.BufferedReader(cast("io.RawIOBase", io.BytesIO(self.content))))

    def _plain_records(self, lines: Iterator[str], skip: int) -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(lines, start=skip + 1):
            fields = line.removesuffix("\n").split(self.dialect.separator)
            yield number, [field.removesuffix("\r") for field in fields]  # of any field, as Polars does

    def _quoted_records(self, lines: Iterator[str], skip: int) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(lines, delimiter=self.dialect.separator, strict=True)
        number = skip + 1
        try:
            for fields in reader:
                yield number, fields
                number = skip + reader.line_num + 1
        except csv.Error as error:
            raise InputError(self.name, f"not a valid quoted record ({error})", number) from error


def read_triples(path: str | Path, format: str) -> pl.DataFrame:
    """Triples of a `tsv`, `csv` or `parquet` file as a frame of names: head, relation, tail."""
    if format == "parquet":
        frame = read_parquet(path, TRIPLE, triple_places)
    else:
        frame = _read_delimited_triples(Text.open(path, DIALECTS[format]))
    if frame.is_empty():
        raise InputError(display_name(path), "no triples in this file")
    return frame


def read_columns(path: str | Path, columns: Sequence[str]) -> pl.DataFrame:
    """A TSV file without a header, and with just these columns, as a frame of strings."""
    frame = _read_table(Text.open(path, DIALECTS["tsv"]), columns, skip=0)
    if frame.is_empty():
        raise InputError(display_name(path), "nothing in this file")
    return frame


def read_values(
    text: Text, columns: Sequence[str], named: Sequence[str], skip: int = 0, rest: bool = False
) -> pl.DataFrame:
    """A table without its header, if it has one; what is not among the `named` columns may be empty or long.

    With `rest` the last field of a line is all that is left of it, whatever separators are in there.
    """
    quoted = text.dialect.quoted
    frame = _values_of_records(text, columns, skip) if quoted else _values_of_lines(text, columns, skip, rest)
    if frame is None or _any(frame, _bad(named)):
        return _read_by_line(text, columns, skip, named, rest)
    return frame


def read_parquet(path: str | Path, columns: Sequence[str], places: Places) -> pl.DataFrame:
    """Columns of a Parquet file as strings: those that `places` finds by name, else the first ones."""
    name = display_name(path)
    frame = parquet_columns(path, lambda found: _chosen_columns(name, found, columns, places))
    texts = [as_text(name, source, target) for source, target in zip(frame.get_columns(), columns, strict=True)]
    table = pl.DataFrame(texts)
    check_rows(name, table, columns)
    return table


def parquet_columns(path: str | Path, choose: Callable[[list[str]], list[str]]) -> pl.DataFrame:
    """Those columns of a Parquet file that are chosen among its names, as they are."""
    content = path_or_bytes(path)
    try:
        found = pl.read_parquet_schema(io.BytesIO(content) if isinstance(content, bytes) else content)
        chosen = choose(list(found))
        return pl.read_parquet(content, columns=chosen, glob=False).select(chosen)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(display_name(path), f"not a readable Parquet file ({_first_line(error)})") from error


def triple_places(names: Sequence[str]) -> list[int] | None:
    """Where a header has head, relation and tail, if it names each of them exactly once."""
    lowered = [name.strip().lower() for name in names]
    matches = [[place for place, name in enumerate(lowered) if name in role] for role in TRIPLE_HEADERS]
    return [places[0] for places in matches] if all(len(places) == 1 for places in matches) else None


def name_problem(field: str | None, role: str) -> str | None:
    """What is wrong with a field that should be the name of, say, a head; None if nothing is."""
    if field is None:
        return f"the {role} is null"
    if _is_empty(field):
        return f"the {role} is empty"
    if (size := len(field.encode())) > NAME_LIMIT:
        return f"the {role} has {size:,} bytes, at most {NAME_LIMIT:,} are allowed: {_excerpt(field)}"
    return None


def wrong_field_count(text: Text, fields: list[str], expected: str, line: int) -> InputError:
    """The error for a record whose number of fields is not the `expected` one."""
    excerpt = _excerpt(text.dialect.separator.join(fields))
    return InputError(text.name, f"expected {expected}, found {len(fields):,}: {excerpt}", line)


def _read_delimited_triples(text: Text) -> pl.DataFrame:
    line, fields = next(text.records(), (1, []))
    places = triple_places(fields) if len(fields) == len(TRIPLE) else None
    if places is None:
        return _read_table(text, TRIPLE, skip=line - 1)
    columns = [TRIPLE[places.index(place)] for place in range(len(TRIPLE))]
    return _read_table(text, columns, skip=line).select(TRIPLE)


def _read_table(text: Text, columns: Sequence[str], skip: int) -> pl.DataFrame:
    frame = _read_at_once(text, columns, skip)
    return _read_by_line(text, columns, skip) if frame is None else frame


def _read_at_once(text: Text, columns: Sequence[str], skip: int) -> pl.DataFrame | None:
    """The table without its blank lines; None if anything about it is odd."""
    frame = _polars_table(text, columns, skip)
    if frame is None:
        return None
    # A stray quote makes Polars join lines, where the slow way complains.
    if text.dialect.quoted and _any(frame, pl.col(*columns).str.contains("\n", literal=True)):
        return None
    if _any(frame, _bad(columns)):
        frame = frame.filter(~pl.all_horizontal(_empty(columns)))
    return None if _any(frame, _bad(columns)) else frame


def _polars_table(text: Text, columns: Sequence[str], skip: int) -> pl.DataFrame | None:
    try:
        return pl.read_csv(
            text.content,
            separator=text.dialect.separator,
            quote_char='"' if text.dialect.quoted else None,
            has_header=False,
            schema=dict.fromkeys(columns, pl.String),
            skip_lines=skip,
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError):
        return None


def _values_of_lines(text: Text, columns: Sequence[str], skip: int, rest: bool) -> pl.DataFrame | None:
    """Lines cut at their separators; None if one has another number of fields."""
    try:
        lines = pl.read_csv(
            text.content,
            separator="\0",
            quote_char=None,
            has_header=False,
            schema={"line": pl.String},
            skip_lines=skip,
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError):
        return None
    separator, line = text.dialect.separator, pl.col("line")
    lines = lines.filter(line.str.contains(f"[^{BLANK}{separator}]")).select(line.str.strip_suffix("\r"))
    fields = line.str.count_matches(separator, literal=True) + 1
    if _any(lines, fields < len(columns) if rest else fields != len(columns)):
        return None
    parts = line.str.splitn(separator, len(columns)).struct.rename_fields(list(columns))
    return lines.select(parts).unnest("line")


def _values_of_records(text: Text, columns: Sequence[str], skip: int) -> pl.DataFrame | None:
    """Records as Polars reads them; None where it would join lines, or take a short record for a whole one."""
    frame = _polars_table(text, columns, skip)
    if frame is None:
        return None
    frame = frame.filter(~pl.all_horizontal(_empty(columns)))
    odd = pl.col(*columns).str.contains("\n", literal=True) | pl.col(columns[-1]).is_null()
    return None if _any(frame, odd) else frame


def _read_by_line(
    text: Text, columns: Sequence[str], skip: int, named: Sequence[str] | None = None, rest: bool = False
) -> pl.DataFrame:
    rows = _checked_rows(text, columns, skip, columns if named is None else named, rest)
    schema = dict.fromkeys(columns, pl.String)
    batches = [pl.DataFrame(schema=schema)]
    while batch := list(islice(rows, BATCH)):
        batches.append(pl.DataFrame(batch, schema=schema, orient="row"))
    return pl.concat(batches)


def _checked_rows(
    text: Text, columns: Sequence[str], skip: int, named: Sequence[str], rest: bool
) -> Iterator[list[str]]:
    count, separator = len(columns), text.dialect.separator
    roles = ", ".join(columns if count <= ROLES else (*columns[: ROLES - 1], "…"))
    expected = f"{'at least ' if rest else ''}{count} {text.dialect.adjective} fields ({roles})"
    for line, fields in text.records(skip):
        if len(fields) < count or (len(fields) > count and not rest):
            raise wrong_field_count(text, fields, expected, line)
        row = [*fields[: count - 1], separator.join(fields[count - 1 :])]
        for column, field in zip(columns, row, strict=True):
            if column in named and (problem := name_problem(field, column)):
                raise InputError(text.name, problem, line)
        yield row


def _chosen_columns(name: str, found: list[str], wanted: Sequence[str], places: Places) -> list[str]:
    if len(found) < len(wanted):
        problem = f"expected {len(wanted)} columns ({', '.join(wanted)}), found {len(found)}"
        raise InputError(name, f"{problem} ({', '.join(found)})" if found else problem)
    return [found[place] for place in places(found) or range(len(wanted))]


def as_text(name: str, column: pl.Series, target: str) -> pl.Series:
    """A column as strings under another name; one of lists or structures is an error."""
    with suppress(pl.exceptions.PolarsError):
        if not column.dtype.is_nested():  # a struct would become text, too
            return column.cast(pl.String).rename(target)
    raise InputError(name, f"column {column.name!r} ({column.dtype}) does not hold names, expected strings")


def check_rows(name: str, frame: pl.DataFrame, named: Sequence[str]) -> None:
    """Whether the named columns of a table without lines hold names."""
    bad = frame.select(pl.any_horizontal(_bad(named))).to_series().arg_true()
    for row in bad.head(1):
        problems = (name_problem(field, role) for role, field in frame.select(named).row(row, named=True).items())
        raise InputError(name, f"row {row + 1:,}: {next(filter(None, problems))}")


def _any(frame: pl.DataFrame, condition: pl.Expr) -> bool:
    return bool(frame.select(pl.any_horizontal(condition.any())).item())


def _empty(columns: Sequence[str]) -> pl.Expr:
    return ~pl.col(*columns).str.contains(f"[^{BLANK}]").fill_null(False)


def _bad(columns: Sequence[str]) -> pl.Expr:
    return _empty(columns) | (pl.col(*columns).str.len_bytes() > NAME_LIMIT)


def _is_empty(field: str) -> bool:
    return not field.strip(BLANK)


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]

"""Tables of triples: what TSV, CSV and Parquet may look like, and the message about a bad one."""

import csv
import gzip
import time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.errors import InputError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.delimited import DIALECTS, TRIPLE, read_columns, read_triples

TRIPLES = [("a", "knows", "b"), ("b", "knows", "ç d"), ("a", "likes", "ç d")]
TSV = "".join("\t".join(triple) + "\n" for triple in TRIPLES).encode()
CSV = TSV.replace(b"\t", b",")

SMALL = 20_000  # lines: enough for Polars to use more than one thread


@pytest.fixture
def file(tmp_path):
    def write(data):
        path = tmp_path / "graph"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def rows(path, format):
    return read_triples(path, format).rows()


def error(path, format="tsv"):
    with pytest.raises(InputError) as caught:
        read_triples(path, format)
    assert len(str(caught.value)) < 400
    return str(caught.value).replace(str(path), "graph")


# What is accepted


@pytest.mark.parametrize(
    "data",
    [
        TSV,
        TSV.removesuffix(b"\n"),
        TSV.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + TSV,
        b"\n \n" + TSV.replace(b"\n", b"\n\n") + b"\t\t\n   \n",
        b"Subject\tPredicate\tObject\n" + TSV,
        b"\xef\xbb\xbf\r\nh\tr\tt\r\n" + TSV.replace(b"\n", b"\r\n"),
        gzip.compress(TSV),
    ],
    ids=["plain", "no last newline", "Windows", "BOM", "blank lines", "header", "all of it", "gzip"],
)
def test_one_table_of_triples_in_many_guises(file, data):
    assert rows(file(data), "tsv") == TRIPLES
    if data[:2] != b"\x1f\x8b":
        assert rows(file(data.replace(b"\t", b",")), "csv") == TRIPLES


def test_columns_are_named_head_relation_tail(file):
    assert dict(read_triples(file(TSV), "tsv").schema) == dict.fromkeys(TRIPLE, pl.String)


def test_tsv_has_no_quotes_and_no_escapes(file):
    assert rows(file('"a\tb "c"\t\\n,"\n'), "tsv") == [('"a', 'b "c"', '\\n,"')]


def test_csv_has_quotes(file):
    assert rows(file('"a,1","b ""c""","d\ne"\nf,g"h,i\n'), "csv") == [("a,1", 'b "c"', "d\ne"), ("f", 'g"h', "i")]


def test_numbers_stay_text(file):
    assert rows(file("007\t1.0\ttrue\n"), "tsv") == [("007", "1.0", "true")]


def test_a_header_gives_the_order_of_the_columns(file):
    assert rows(file("object,subject,property\nc,a,b\n"), "csv") == [("a", "b", "c")]


@pytest.mark.parametrize("header", ["source\tedge\ttarget", "from\tproperty\tto", "Entity1\tRelation\tEntity2"])
def test_columns_go_by_several_names(file, header):
    assert rows(file(f"{header}\na\tb\tc\n"), "tsv") == [("a", "b", "c")]


def test_only_three_names_of_the_right_kinds_make_a_header(file):
    assert len(rows(file("head\trelation\tneck\na\tb\tc\n"), "tsv")) == 2


names = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1).filter(str.strip)


@pytest.mark.slow
@given(triples=st.lists(st.tuples(names, names, names), min_size=1, max_size=8))
def test_tsv_to_graph_to_names_gives_back_the_triples(tmp_path_factory, triples):
    path = tmp_path_factory.getbasetemp() / "any.tsv"
    path.write_bytes("".join("\t".join(triple) + "\n" for triple in [TRIPLE, *triples]).encode())
    graph = KnowledgeGraph.from_frame(read_triples(path, "tsv"))
    head, relation, tail = graph.triples.T
    columns = graph.entities.gather(head), graph.relations.gather(relation), graph.entities.gather(tail)
    assert set(zip(*columns, strict=True)) == set(triples)
    assert graph.duplicates == len(triples) - len(set(triples))


@given(triples=st.lists(st.tuples(names, names, names), min_size=1, max_size=8))
def test_csv_gives_back_the_triples(tmp_path_factory, triples):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([TRIPLE, *triples])
    assert rows(path, "csv") == triples


# What is refused, and how


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"\xef\xbb\xbf", b"head\trelation\ttail\n", gzip.compress(b"", mtime=0)]
)
def test_a_file_without_triples(file, data):
    assert error(file(data)) == "graph: no triples in this file"


def test_a_line_of_two_fields(file):
    data = TSV * SMALL + b"a\tknows\n" + TSV
    expected = "expected 3 tab-separated fields (head, relation, tail), found 2: 'a\\tknows'"
    assert error(file(data)) == f"graph, line {3 * SMALL + 1:,}: {expected}"


def test_a_line_of_four_fields(file):
    data = b"\n" + TSV * SMALL + b"a\tknows\tb\t.\n" + TSV
    expected = "expected 3 tab-separated fields (head, relation, tail), found 4: 'a\\tknows\\tb\\t.'"
    assert error(file(data)) == f"graph, line {3 * SMALL + 2:,}: {expected}"


def test_a_csv_record_of_two_fields_after_one_of_two_lines(file):
    expected = "expected 3 comma-separated fields (head, relation, tail), found 2: 'c,d'"
    assert error(file('"a\nb",p,q\nc,d\n'), "csv") == f"graph, line 3: {expected}"


def test_commas_in_a_tsv(file):
    assert "line 1: expected 3 tab-separated fields (head, relation, tail), found 1" in error(file(CSV))


@pytest.mark.parametrize("gap", ["", " "])
def test_an_empty_name(file, gap):
    assert error(file(f"a\tb\tc\n\na\t{gap}\tc\n")) == "graph, line 3: the relation is empty"


def test_the_wrong_encoding(file):
    data = TSV + "a\tkänner\tb\n".encode("latin-1")
    assert error(file(data)) == "graph, line 4: not UTF-8 at byte 4 of the line: 'a\\tkänner\\tb\\n'"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(file, encoding):
    mark = b"" if encoding == "utf-16" else "\ufeff".encode(encoding)
    message = error(file(mark + TSV.decode().encode(encoding)))
    assert message == "graph: this text is UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)"


@pytest.mark.parametrize("format", ["tsv", "csv"])
@pytest.mark.parametrize("start", [b"", TSV])
def test_ten_megabytes_in_one_line(file, format, start):
    path = file(start.replace(b"\t", DIALECTS[format].separator.encode()) + b"x" * 10_000_000)
    began = time.perf_counter()
    assert f"line {len(start.splitlines()) + 1}: " in error(path, format)
    assert time.perf_counter() - began < 5


def test_a_name_without_end(file):
    message = error(file(TSV + b"a\tb\t" + b"x" * 65_537 + b"\n"))
    assert message.startswith("graph, line 4: the tail has 65,537 bytes, at most 65,536 are allowed: 'xxx")
    assert rows(file(b"a\tb\t" + b"x" * 65_536), "tsv")


def test_a_quote_that_is_never_closed(file):
    assert error(file(CSV + b'"a,b,c\n' + CSV), "csv").startswith("graph, line 4: not a valid quoted record")


def test_a_truncated_gzip_file(file):
    message = error(file(gzip.compress(TSV)[:-12]))
    assert message.startswith("graph: this gzip file is truncated or damaged")


# Tables without a header


def test_columns_by_their_number(file):
    assert read_columns(file("0\ta\n1\tb\n"), ("id", "name")).rows() == [("0", "a"), ("1", "b")]
    with pytest.raises(InputError, match=r"line 2: expected 2 tab-separated fields \(id, name\), found 1: '1'"):
        read_columns(file("0\ta\n1\n"), ("id", "name"))


# Parquet


@pytest.fixture
def parquet(tmp_path):
    def write(columns):
        pl.DataFrame(columns).write_parquet(tmp_path / "graph")
        return tmp_path / "graph"

    return write


def test_parquet_takes_columns_by_name(parquet):
    path = parquet({"id": [1], "Object": ["c"], "Subject": ["a"], "Predicate": ["b"]})
    assert rows(path, "parquet") == [("a", "b", "c")]


def test_parquet_takes_the_first_three_columns_without_names(parquet):
    assert rows(parquet({"x": ["a"], "y": [2], "z": ["c"], "w": [0.5]}), "parquet") == [("a", "2", "c")]


def test_parquet_may_be_compressed_from_outside(parquet):
    path = parquet({"x": ["a"], "y": ["b"], "z": ["c"]})
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert rows(path, "parquet") == [("a", "b", "c")]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"h": ["a", "b"], "r": ["p", None], "t": ["c", "d"]}, "graph: row 2: the relation is null"),
        ({"h": ["a"], "r": ["p"], "t": [""]}, "graph: row 1: the tail is empty"),
        ({"h": ["a"], "r": ["p"]}, "graph: expected 3 columns (head, relation, tail), found 2 (h, r)"),
        ({"h": ["a"], "r": [["p"]], "t": ["b"]}, "graph: column 'r' (List(String)) does not hold names"),
        ({"h": ["a"], "r": [{"p": 1}], "t": ["b"]}, "graph: column 'r' (Struct({'p': Int64})) does not hold names"),
        ({"h": ["a"], "r": ["p"], "t": [b"\xff"]}, "graph: column 't' (Binary) does not hold names"),
        (pl.DataFrame(schema=dict.fromkeys("hrt", pl.String)), "graph: no triples in this file"),
    ],
    ids=["null", "empty", "two columns", "lists", "structs", "bytes", "no rows"],
)
def test_a_bad_parquet_file(parquet, columns, message):
    assert error(parquet(columns), "parquet").startswith(message)


def test_a_file_that_is_not_parquet(file):
    assert error(file(TSV), "parquet").startswith("graph: not a readable Parquet file (")

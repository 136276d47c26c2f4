"""Attributes from files of their own: which table is of which kind, and what is refused."""

import gzip

import polars as pl
import pytest

import farlink
import farlink.io.benchmark
from farlink.errors import InputError
from farlink.io.attributes import read_attribute_triples, read_attributes

XSD = "http://www.w3.org/2001/XMLSchema#"
ANN = [("a", "born", "1970"), ("a", "name", "Ann"), ("b", "name", "Bea")]


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        if isinstance(content, pl.DataFrame):
            content.write_parquet(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows(path):
    return sorted(read_attributes(path).select("head", "relation", "value").rows())


def error(path):
    with pytest.raises(InputError) as caught:
        read_attributes(path)
    assert len(str(caught.value)) < 500
    return str(caught.value).replace(f"{path.parent}/", "")


# Which table is of which kind


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.tsv", "a\tname\tAnn\na\tborn\t1970\nb\tname\tBea\n"),
        ("no_extension", "a\tname\tAnn\n\na\tborn\t1970\r\nb\tname\tBea"),
        ("header.tsv", "value\tentity\tattribute\nAnn\ta\tname\n1970\ta\tborn\nBea\tb\tname\n"),
        ("header.csv", 'subject,predicate,object\na,name,"Ann"\na,born,1970\nb,"name",Bea\n'),
        ("like_a_graph.csv", "head,relation,tail\na,name,Ann\na,born,1970\nb,name,Bea\n"),
        ("packed.txt.gz", gzip.compress(b"a\tname\tAnn\na\tborn\t1970\nb\tname\tBea\n", mtime=0)),
        ("wide.tsv", "id\tname\tborn\na\tAnn\t1970\nb\tBea\t\n"),
        ("wide.csv", "name,born,id\nAnn,1970,a\nBea,,b\n"),
        ("iri.csv", "\ufeffname,IRI,born\nAnn,a,1970\nBea,b,\n"),
        ("long_header.tsv", "person\tname\tborn\tdied\na\tAnn\t1970\t\nb\tBea\t\t\n"),
        ("long.parquet", pl.DataFrame(ANN, schema=["entity", "property", "value"], orient="row")),
        ("unnamed.parquet", pl.DataFrame(ANN, schema=["column_0", "column_1", "column_2"], orient="row")),
        ("wide.parquet", pl.DataFrame({"person": ["a", "b"], "name": ["Ann", "Bea"], "born": [1970, None]})),
        ("a.nt", '<a:a> <a:name> "Ann" .\n<a:a> <a:born> "1970" .\n<a:b> <a:name> "Bea" .\n<a:a> <a:knows> <a:b> .\n'),
    ],
)
def test_every_kind_of_file_says_the_same(file, name, content):
    expected = [tuple(f"a:{part}" for part in row[:2]) + row[2:] for row in ANN] if name == "a.nt" else ANN
    assert rows(file(name, content)) == expected


@pytest.mark.parametrize(
    ("name", "content", "attribute"),
    [
        ("english_names", "a\tAnn\nb\tBea\n", "english_names"),
        ("english.names.tsv.gz", gzip.compress(b"entity\tvalue\na\tAnn\nb\tBea\n", mtime=0), "english.names"),
        ("names.csv", "value,id\nAnn,a\nBea,b\n", "names"),
        ("wide.csv", "id,label\na,Ann\nb,Bea\n", "label"),
        ("two.parquet", pl.DataFrame({"uri": ["a", "b"], "value": ["Ann", "Bea"]}), "two"),
        ("wide.parquet", pl.DataFrame({"person": ["a", "b"], "label": ["Ann", "Bea"]}), "label"),
    ],
)
def test_two_columns_are_named_after_the_file_unless_a_header_names_them(file, name, content, attribute):
    assert rows(file(name, content)) == [("a", attribute, "Ann"), ("b", attribute, "Bea")]


def test_rows_and_cells_without_a_value_are_absent(file):
    assert rows(file("a.tsv", "a\tname\t\nb\tname\t \nc\tname\tCid\n")) == [("c", "name", "Cid")]
    assert rows(file("a.csv", 'id,name,age\na,,\n"",,\nb,"",7\n')) == [("b", "age", "7")]


def test_a_cell_of_parquet_may_list_several_values(file):
    table = pl.DataFrame({"id": ["a", "b"], "name": [["Ann", "Anna"], []], "age": [7, 8]})
    assert rows(file("a.parquet", table)) == [
        ("a", "age", "7"),
        ("a", "name", "Ann"),
        ("a", "name", "Anna"),
        ("b", "age", "8"),
    ]


def test_a_value_of_csv_may_have_several_lines(file):
    assert rows(file("a.csv", 'a,note,"one\ntwo"\nb,note,x\n')) == [("a", "note", "one\ntwo"), ("b", "note", "x")]


# Values in the manner of N-Triples


@pytest.mark.parametrize(
    ("written", "value", "datatype", "language"),
    [
        ("plain", "plain", None, None),
        ('"quoted"', "quoted", None, None),
        ('"Farbe"@de-AT', "Farbe", None, "de-at"),
        ('"7"^^<http://www.w3.org/2001/XMLSchema#integer>', "7", XSD + "integer", None),
        ('"7"^^http://www.w3.org/2001/XMLSchema#integer', "7", XSD + "integer", None),
        ("7^^<http://www.w3.org/2001/XMLSchema#integer>", "7", XSD + "integer", None),
        ('"7^^<http://www.w3.org/2001/XMLSchema#integer>"', "7", XSD + "integer", None),
        ("some^^text^^<http://www.w3.org/2001/XMLSchema#string>", "some^^text", None, None),
        ('"a "word" in it"@en', 'a "word" in it', None, "en"),
        ("ann@example.org", "ann@example.org", None, None),
        ('"colour"@123', '"colour"@123', None, None),
        ('"half', '"half', None, None),
    ],
)
def test_a_value_may_have_quotes_a_language_or_a_datatype(file, written, value, datatype, language):
    for path in (file("a.tsv", f"a\tp\t{written}\n"), file("b.tsv", f"a\t{written}\n")):
        assert read_attributes(path).select("value", "datatype", "language").rows() == [(value, datatype, language)]


def test_a_value_of_csv_is_what_the_cell_holds(file):
    assert rows(file("a.csv", 'a,p,"""x""@en"\n')) == [("a", "p", '"x"@en')]


def test_in_a_benchmark_folder_a_value_may_hold_tabs(file):
    path = file("attr_triples_1", 'a\tp\tone\ttwo\nb\tp\t"x\ty"@en\n')
    found = read_attribute_triples(path)
    assert found.select("head", "value", "language").rows() == [("a", "one\ttwo", None), ("b", "x\ty", "en")]
    with pytest.raises(InputError, match=r"line 2: expected at least 3 tab-separated fields \(entity, .*found 2: 'b"):
        read_attribute_triples(file("attr_triples_2", "a\tp\tone\nb\tp\n"))


# What is refused, and how


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "\n\n", "a.tsv: no attributes in this file"),
        ("a.tsv", "a,b\n", "a.tsv, line 1: expected 2 or more tab-separated fields (entity, value), found 1: 'a,b'"),
        ("a.tsv", "a\tp\tx\nb\tp\n", "a.tsv, line 2: expected 3 tab-separated fields (entity, attribute, value), f"),
        ("a.tsv", "a\tx\n\nb\ty\tz\n", "a.tsv, line 3: expected 2 tab-separated fields (entity, value), found 3"),
        ("a.csv", "id,p,q,r\na,1,2\n", "a.csv, line 2: expected 4 comma-separated fields (id, p, q, r), found 3"),
        ("a.tsv", "a\tp\tx\n\tp\ty\n", "a.tsv, line 2: the entity is empty"),
        ("a.tsv", "a\tp\tx\nb\t \ty\n", "a.tsv, line 2: the attribute is empty"),
        ("a.csv", "\nid,p,p\na,1,2\n", "a.csv, line 2: two columns are called 'p'"),
        ("a.csv", "id,,q\na,1,2\n", "a.csv, line 1: the name of column 2 is empty"),
        ("a.csv", "id,p\na,\n", "a.csv: no attributes in this file"),
        ("a.csv", 'id,p\na,"x\n', "a.csv, line 2: not a valid quoted record"),
        ("a.tsv", b"a\tp\t\xff\n", "a.tsv, line 1: not UTF-8"),
        ("a.json", "{}", "a.json: unknown extension '.json'"),
        ("a.nt", "<a:a> <a:p> <a:b> .", "a.nt: no attributes in this file"),
        ("a.parquet", pl.DataFrame({"id": ["a"]}), "a.parquet: expected 2 or more columns (entity, value), found 1"),
        ("a.parquet", pl.DataFrame({"id": [None], "p": ["x"]}), "a.parquet: row 1: the head is null"),
        ("a.parquet", pl.DataFrame({"id": ["a"], "p": [{"x": 1}]}), "a.parquet: column 'p' (Struct"),
    ],
)  # fmt: skip
def test_mistakes_in_attribute_files(file, name, content, message):
    assert error(file(name, content)).startswith(message)


def test_many_columns_are_not_all_named(file):
    columns = "\t".join(["id", *(f"attribute_{number}" for number in range(1000))])
    assert "expected 1001 tab-separated fields (id, attribute_0, " in error(file("a.tsv", f"{columns}\na\t1\n"))


# Attributes of a graph


@pytest.fixture
def graph(file):
    return file("graph.nt", '<x:a> <x:p> <x:b> .\n<x:a> <x:name> "Ann"@en .\n')


def test_attributes_are_literals_beside_those_of_the_graph(file, graph):
    read = farlink.read(graph, attributes=file("names.tsv", "x:b\tBea\n"))
    assert read.literals.rows() == [("x:a", "x:name", "Ann", None, "en"), ("x:b", "names", "Bea", None, None)]
    assert read.notes == ()


def test_values_of_unknown_entities_are_left_out_counted_and_the_first_named(file, graph):
    names = file("names.tsv", "x:ghost\tBoo\nx:b\tBea\nx:other\tO\n")
    read = farlink.read(graph, attributes=names)
    assert len(read.entities) == 2
    assert read.literals["value"].to_list() == ["Ann", "Bea"]
    assert read.notes == (
        f"2 values of {names} are about an entity that {graph} does not have, left out; first: 'x:ghost'",
    )


def test_attributes_of_another_graph_are_an_error_with_an_example_of_both(file, graph):
    with pytest.raises(InputError, match=r"names\.tsv: nothing here .* about 'y:a', while the graph has .* 'x:[ab]'$"):
        farlink.read(graph, attributes=file("names.tsv", "y:a\tAnn\n"))


def test_a_graph_as_a_table_has_three_columns_as_ever(file):
    with pytest.raises(InputError, match="expected 3 tab-separated fields"):
        farlink.read(file("graph.tsv", "a\tp\tb\tmore\n"))


# The public data sets


@pytest.mark.parametrize(
    ("name", "literals", "typed"), [("movies_tmdb_tvdb", (5_326, 4_096), True), ("restaurants", (565, 3_759), False)]
)
def test_attributes_of_public_data_sets(shared_data, name, literals, typed):
    data = farlink.io.benchmark.read_alignment_folder(shared_data / "named" / name)
    graphs = (data.left, data.right)
    assert tuple(graph.literals.height for graph in graphs) == literals
    assert all(graph.notes == () for graph in graphs)
    assert all(graph.literals["datatype"].is_not_null().any() == typed for graph in graphs)
    assert not any(graph.literals["value"].str.contains(r"\^\^<").any() for graph in graphs)

"""RDF in five syntaxes: one graph, whatever the syntax; literals aside; errors with their line."""

import gzip
import time

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.errors import InputError
from farlink.io.rdf import CHUNK, RDF_FORMATS, read_statements, read_triples

EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
TRIPLES = {
    (EX + "a", EX + "knows", EX + "b"),
    (EX + "b", EX + "knows", EX + "é"),
    (EX + "a", EX + "likes", "_:node"),
    ("_:node", EX + "likes", EX + "a"),
}
LITERALS = {
    (EX + "a", EX + "name", 'Ann "the\tfirst"\n\\n é', None, "en-gb"),
    (EX + "a", EX + "name", "Anne", None, "fr"),
    (EX + "a", EX + "age", "7", XSD + "integer", None),
    ("_:node", EX + "name", "", None, None),
}

N_TRIPLES = r"""
# two comments are
# no statements
<http://example.org/a> <http://example.org/knows> <http://example.org/b> .
<http://example.org/b> <http://example.org/knows> <http://example.org/\u00E9> .
<http://example.org/a> <http://example.org/likes> _:node .
_:node <http://example.org/likes> <http://example.org/a> .
<http://example.org/a> <http://example.org/name> "Ann \"the\tfirst\"\n\\n é"@en-GB .
<http://example.org/a> <http://example.org/name> "Anne"@fr .
<http://example.org/a> <http://example.org/age> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:node <http://example.org/name> ""^^<http://www.w3.org/2001/XMLSchema#string> .
"""

N_QUADS = N_TRIPLES.replace(" .\n<", " <http://example.org/graph> .\n<")

TURTLE = r"""
@prefix : <http://example.org/> .
:a :knows :b ; :likes _:node ; :name "Ann \"the\tfirst\"\n\\n é"@en-GB, "Anne"@fr ; :age 7 .
:b :knows :é .
_:node :likes :a ; :name "" .
"""

TRIG = r"""
@prefix : <http://example.org/> .
:a :knows :b ; :age 7 .
:graph { :a :name 'Ann "the\tfirst"\n\\n é'@EN-gb, "Anne"@fr ; :likes _:node . :b :knows :é . }
_:other { _:node :likes :a ; :name "" . }
"""

RDF_XML = """<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://example.org/">
  <rdf:Description rdf:about="http://example.org/a">
    <knows rdf:resource="http://example.org/b"/>
    <likes><rdf:Description rdf:nodeID="node"><likes rdf:resource="http://example.org/a"/><name/></rdf:Description></likes>
    <name xml:lang="en-GB">Ann "the&#9;first"&#10;\\n é</name>
    <name xml:lang="fr">Anne</name>
    <age rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">7</age>
  </rdf:Description>
  <rdf:Description rdf:about="http://example.org/b"><knows rdf:resource="http://example.org/é"/></rdf:Description>
</rdf:RDF>
"""

SAME_GRAPH = {"nt": N_TRIPLES, "nq": N_QUADS, "turtle": TURTLE, "trig": TRIG, "rdfxml": RDF_XML}


@pytest.fixture
def file(tmp_path):
    def write(data):
        path = tmp_path / "graph"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def error(path, format):
    with pytest.raises(InputError) as caught:
        read_triples(path, format)
    assert len(str(caught.value)) < 400
    return str(caught.value).replace(str(path), "graph")


# What is read


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_every_syntax_gives_the_same_graph(file, format):
    triples, literals = read_triples(file(SAME_GRAPH[format]), format)
    assert sorted(triples.rows()) == sorted(TRIPLES)
    assert sorted(literals.rows(), key=str) == sorted(LITERALS, key=str)
    assert triples.columns == ["head", "relation", "tail"]
    assert literals.columns == ["head", "relation", "value", "datatype", "language"]


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_a_byte_order_mark_and_compression_change_nothing(file, format):
    data = gzip.compress(b"\xef\xbb\xbf" + SAME_GRAPH[format].strip().encode())
    triples, _ = read_triples(file(data), format)
    assert set(triples.rows()) == TRIPLES


@pytest.mark.parametrize("format", ["turtle", "trig", "rdfxml"])
def test_relative_iris_belong_to_the_file(file, format):
    turtle = "<#a> <http://example.org/p> <b> ."
    xml = RDF_XML.splitlines()[1] + '<rdf:Description rdf:about="#a"><p rdf:resource="b"/></rdf:Description></rdf:RDF>'
    path = file(xml if format == "rdfxml" else turtle)
    triples, _ = read_triples(path, format)
    assert triples.rows() == [(path.as_uri() + "#a", EX + "p", path.parent.as_uri() + "/b")]


def test_anonymous_nodes_have_the_same_names_each_time(file):
    path = file('@prefix : <http://e/> . :a :p [ :q [] ; :n "x" ], _:mine .')
    triples, literals = read_triples(path, "turtle")
    outer, inner = "_:anonymous-1", "_:anonymous-2"
    assert set(triples.rows()) == {
        ("http://e/a", "http://e/p", outer),
        (outer, "http://e/q", inner),
        ("http://e/a", "http://e/p", "_:mine"),
    }
    assert literals.rows() == [(outer, "http://e/n", "x", None, None)]


def test_a_triple_as_an_object_is_put_aside(file):
    statement = '<http://e/a> <http://e/says> <<( <http://e/b> <http://e/p> "<<( \\" )>>" )>> <http://e/g> .\n'
    path = file(statement + "<http://e/a> <http://e/p> <http://e/b> .\n")
    triples, literals = read_triples(path, "nq")
    assert triples.rows() == [("http://e/a", "http://e/p", "http://e/b")]
    assert literals.select("value", "datatype", "language").rows() == [
        ('<<( <http://e/b> <http://e/p> "<<( \\" )>>" )>>', None, None)
    ]


@pytest.mark.parametrize(
    ("written", "datatype", "language"),
    [
        ('"7"^^<http://e/a-number>', "http://e/a-number", None),
        ('"7"^^<http://www.w3.org/2001/XMLSchema#string>', None, None),
        ('"seven"@EN-us', None, "en-us"),
        ('"seven"@ar--rtl', None, "ar"),
        ('"7\\"@en"', None, None),
        ('"7\\"^^<http://e/a-number>"@de', None, "de"),
    ],
)
def test_a_value_has_a_datatype_or_a_language_or_neither(file, written, datatype, language):
    path = file(f"<http://e/a> <http://e/p> {written} <http://e/graph> .\n")
    assert read_statements(path, "nq").select("datatype", "language").rows() == [(datatype, language)]


def test_a_language_tag_that_is_none(file):
    path = file('<http://e/a> <http://e/p> <http://e/b> .\n<http://e/a> <http://e/p> "x"@123 .\n')
    assert error(path, "nt").startswith("graph, line 2: A language code should always start with a letter")


@pytest.mark.slow
def test_statements_keep_their_order_over_many_chunks(file):
    count = CHUNK + 1000
    path = file("".join(f"<http://e/{number}> <http://e/p> <http://e/o> .\n" for number in range(count)))
    statements = read_statements(path, "nt")
    assert statements.height == count
    assert statements["head"][[0, CHUNK, -1]].to_list() == [f"http://e/{n}" for n in (0, CHUNK, count - 1)]


@given(value=st.text())
def test_a_literal_comes_back_as_it_was(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "any.nt"
    node = pyoxigraph.NamedNode("http://e/a")
    pyoxigraph.serialize(
        [pyoxigraph.Triple(node, node, pyoxigraph.Literal(value))], path, pyoxigraph.RdfFormat.N_TRIPLES
    )
    assert read_statements(path, "nt")["value"].to_list() == [value]


def test_every_escaped_character_comes_back(file):
    value = "".join(map(chr, range(0x3000))) + "\ufffe\uffff\\u0041\\\\n"
    node = pyoxigraph.NamedNode("http://e/a")
    quads = pyoxigraph.serialize(
        [pyoxigraph.Quad(node, node, pyoxigraph.Literal(value))], format=pyoxigraph.RdfFormat.N_QUADS
    )
    assert read_statements(file(quads), "nq")["value"].to_list() == [value]


# What is refused, and how


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_an_empty_file(file, format):
    assert error(file(b""), format) == "graph: no triples in this file"


def test_nothing_but_literals(file):
    triples, literals = read_triples(file('<http://e/a> <http://e/p> "b", "c" .'), "turtle")
    assert (triples.height, literals.height) == (0, 2)


def test_a_literal_as_a_subject(file):
    path = file('<http://e/a> <http://e/p> <http://e/b> .\n"a" <http://e/p> <http://e/b> .\n')
    for format in ("nt", "nq"):
        assert error(path, format) == "graph, line 2: The subject of a triple must be an IRI or a blank node"
    for format in ("turtle", "trig"):
        assert error(path, format).startswith("graph, line 2: ")


def test_an_undeclared_prefix(file):
    assert error(file("\n\nex:a ex:b ex:c ."), "turtle").startswith("graph, line 3: ")


def test_the_wrong_encoding(file):
    data = "<http://e/a> <http://e/p> <http://e/b> .\n<http://e/a> <http://e/p> <http://e/é> .\n".encode("latin-1")
    assert error(file(data), "nt").startswith("graph, line 2: Invalid UTF-8")


def test_utf_16(file):
    assert "UTF-16, expected UTF-8" in error(file(TURTLE.encode("utf-16")), "turtle")


@pytest.mark.parametrize("format", ["nt", "turtle"])
def test_ten_megabytes_in_one_line(file, format):
    began = time.perf_counter()
    assert error(file(b"\n<http://" + b"x" * 10_000_000), format) == "graph, line 2: Unexpected end of file"
    assert error(file(b"\n<http://" + b"x" * 20_000_000), format) == "graph: a term without end: more than 16 MB"
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_a_truncated_gzip_file(file, format):
    message = error(file(gzip.compress(SAME_GRAPH[format].encode())[:-12]), format)
    assert message.startswith("graph: this gzip file is truncated or damaged")


def test_xml_that_was_cut_off(file):
    cut = "\n".join(RDF_XML.splitlines()[:5])
    assert error(file(cut), "rdfxml") == "graph, line 5: not well-formed XML (no element found: line 5, column 123)"


def test_xml_with_crossed_tags(file):
    assert error(file(RDF_XML.replace("Anne</name>", "Anne</age>")), "rdfxml").startswith(
        "graph, line 7: not well-formed"
    )


def test_xml_that_is_not_rdf(file):
    assert error(file("<html><body/></html>"), "rdfxml").startswith("graph: ")

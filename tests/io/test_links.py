"""Links between two graphs: left, right and the line that states them, from many kinds of files."""

import datetime
import gzip

import polars as pl
import pytest

from farlink.errors import InputError
from farlink.io.exports import same_as
from farlink.io.exports.content import Content, Provenance
from farlink.io.links import read_links

OWL, SKOS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2004/02/skos/core#"

SSSOM = """\
#mapping_set_id: https://example.org/set
#curie_map:
#  A: "https://a.org/"
#  B: https://b.org/
#license: "CC0"
subject_id	subject_label	predicate_id	predicate_modifier	object_id	mapping_justification	comment
A:1	one	skos:exactMatch		B:1	semapv:ManualMappingCuration	plain
A:2	two	owl:sameAs	Not	B:2	semapv:ManualMappingCuration	not the same
A:3	three	skos:broadMatch		B:3	semapv:ManualMappingCuration	wider
A:4	four	owl:equivalentClass		B:4	semapv:ManualMappingCuration	"quoted	tab"
A:5	five	skos:exactMatch		sssom:NoTermFound	semapv:ManualMappingCuration	nothing there
https://a.org/6	six	http://www.w3.org/2002/07/owl#sameAs		C:6	semapv:ManualMappingCuration
"""


@pytest.fixture
def file(tmp_path):
    def write(data, name="links.tsv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def error(path, format=None):
    with pytest.raises(InputError) as caught:
        read_links(path, format)
    return str(caught.value).replace(str(path), "links")


# Tables


def test_two_columns(file):
    links = read_links(file("a\tx\n\nb\ty\r\n"))
    assert links.rows() == [("a", "x", 1), ("b", "y", 3)]
    assert dict(links.schema) == {"left": pl.String, "right": pl.String, "line": pl.Int64}


def test_more_columns_than_two(file):
    assert read_links(file("a\tx\t0.9\nb\ty\t\n")).rows() == [("a", "x", 1), ("b", "y", 2)]


@pytest.mark.parametrize(
    "header", ["left,right", "Source,Target", "entity1,entity2", "entity_1,entity_2", "subject_id,object_id"]
)
def test_a_header_is_recognised(file, header):
    assert read_links(file(f"{header},score\na,x,1\n", "links.csv")).rows() == [("a", "x", 2)]


def test_a_header_tells_the_places(file):
    assert read_links(file("score,right,left\n1,x,a\n", "links.csv")).rows() == [("a", "x", 2)]


def test_doubtful_pairs_of_a_mapping_are_no_links(file):
    mapping = "left\tright\tscore\tstatus\na\tx\t1\tseed\nb\ty\t.9\tmatched\nc\tz\t.1\tunmatched\n"
    assert read_links(file(mapping)).rows() == [("a", "x", 2), ("b", "y", 3)]


def test_names_that_were_exported_as_iris_come_back_as_they_were(tmp_path):
    mapping = pl.DataFrame(
        {"left": ["Nanjing (city)", "http://e/a"], "right": ["南京 市", "100%"], "status": ["matched", "seed"]}
    )
    made = Provenance("a.nt", "b.nt", version="1.0", date=datetime.date(2025, 1, 31), threshold=None)
    same_as.write(Content(mapping, made, vectors=dict), tmp_path / "links.nt")
    assert read_links(tmp_path / "links.nt").select("left", "right").equals(mapping.select("left", "right"))


def test_any_other_first_line_is_a_link(file):
    assert read_links(file("left\tleft\n")).rows() == [("left", "left", 1)]


def test_csv_may_quote_and_the_line_is_where_a_record_begins(file):
    path = file('"a\n1",x\n"b, 2",y\n', "links.csv")
    assert read_links(path).rows() == [("a\n1", "x", 1), ("b, 2", "y", 3)]


def test_compressed_links(file):
    assert read_links(file(gzip.compress(b"a\tx\n"), "links.tsv.gz")).rows() == [("a", "x", 1)]


def test_parquet(tmp_path):
    pl.DataFrame({"score": [1, 2], "target": ["x", "y"], "source": ["a", "b"]}).write_parquet(tmp_path / "a.parquet")
    assert read_links(tmp_path / "a.parquet").rows() == [("a", "x", 1), ("b", "y", 2)]


# RDF


def test_rdf_statements_of_equivalence(file):
    turtle = f"""@prefix owl: <{OWL}> . @prefix skos: <{SKOS}> . @prefix : <http://e/> .
    :a owl:sameAs :x . :a :p :y . :b skos:exactMatch :y . :c owl:sameAs "z" . :d owl:equivalentClass :z ."""
    links = read_links(file(turtle, "links.ttl"))
    assert links.rows() == [
        ("http://e/a", "http://e/x", 1),
        ("http://e/b", "http://e/y", 3),
        ("http://e/d", "http://e/z", 5),
    ]
    assert links.columns == ["left", "right", "line"]


# SSSOM


def test_sssom_keeps_the_mappings_that_state_an_equivalence(file):
    assert read_links(file(SSSOM, "a.sssom.tsv")).rows() == [
        ("https://a.org/1", "https://b.org/1", 7),
        ("https://a.org/4", "https://b.org/4", 10),
        ("https://a.org/6", "C:6", 12),
    ]


def test_sssom_without_metadata_keeps_its_names(file):
    text = "\n".join(SSSOM.splitlines()[5:7])
    assert read_links(file(text)).rows() == [("A:1", "B:1", 2)]


def test_sssom_as_csv(file):
    text = "#curie_map:\n#  A: http://a/\nsubject_id,predicate_id,object_id\nA:1,skos:exactMatch,A:2\n"
    assert read_links(file(text, "links.csv")).rows() == [("http://a/1", "http://a/2", 4)]


SSSOM_TABLE = "subject_id\tpredicate_id\tobject_id\nA:1\tskos:exactMatch\tno:2\n"


@pytest.mark.parametrize(
    "header",
    [
        "#curie_map: {A: 'http://a/', no: \"http://no/\"}\n",
        "# curie_map:\n#   A: http://a/  # ours\n#   no: http://no/\n# license: https://l/\n",
        "#mapping_set_id: https://m/\n#curie_map:\n#    'A': http://a/\n#\n#    no: http://no/\n",
    ],
    ids=["flow style", "comments in it", "an empty line"],
)
def test_the_header_of_sssom_is_yaml(file, header):
    lines = header.count("\n")
    assert read_links(file(header + SSSOM_TABLE)).rows() == [("http://a/1", "http://no/2", lines + 2)]


@pytest.mark.parametrize("header", ["", "# Matched by hand.\n", "#license: https://l/\n", "#curie_map:\n"])
def test_sssom_may_do_without_prefixes(file, header):
    assert read_links(file(header + SSSOM_TABLE))["left"].to_list() == ["A:1"]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("#license: https://l/\n#curie_map: {A: http://a/\n", "line 2: the header of this SSSOM file is not YAML ("),
        ("#license: https://l/\n#  title: a: b\n", "line 2: the header of this SSSOM file is not YAML ("),
        ('#title: "\x07"\n#license: no\n', "line 1: the header of this SSSOM file is not YAML ("),
        ("#license: no\n#curie_map: [A, B]\n", "line 2: the curie_map of the header is no list of prefixes"),
        ("#curie_map:\n#  A: {b: c}\n", "line 1: the curie_map of the header is no list of prefixes"),
        ("#curie_map:\n#  A:\n", "line 1: the curie_map of the header is no list of prefixes"),
    ],
    ids=["open brace", "two colons", "a bell", "a list", "nested", "no IRI"],
)
def test_a_broken_header_of_sssom_is_told_with_its_line(file, header, message):
    found = error(file(header + SSSOM_TABLE))
    assert message in found
    assert "\n" not in found


# What is refused, and how


@pytest.mark.parametrize("text", ["", "\n", "left\tright\n", SSSOM[: SSSOM.index("A:1")]])
def test_no_links(file, text):
    assert error(file(text)) == "links: no links in this file"


def test_rdf_without_links(file):
    message = error(file("<http://e/a> <http://e/p> <http://e/b> .", "links.nt"))
    assert message.startswith(f"links: no links in this file; it has no statement of {OWL}sameAs, ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tx\nb\n", "line 2: expected at least 2 tab-separated fields (left, right), found 1: 'b'"),
        ("left\tright\na\tx\n\t y\n", "line 3: the left is empty"),
        (SSSOM + "A:7\tseven\n", "line 13: expected at least 5 tab-separated fields"),
        (SSSOM + "\t\tskos:exactMatch\t\tB:7\n", "line 13: the subject_id is empty"),
        (SSSOM + 'A:7\t"seven\n', "line 13: not a valid quoted record"),
        ("a\tx\n".encode("utf-16"), "this text is UTF-16"),
        (b"a\tx\n\xe9\ty\n", "line 2: not UTF-8 at byte 1 of the line"),
        (b"a\t" + b"x" * 10_000_000, "line 1: the right has 10,000,000 bytes, at most 65,536 are allowed: 'xxx"),
        (gzip.compress(b"a\tx\n")[:-4], "this gzip file is truncated or damaged"),
    ],
    ids=["one field", "empty", "SSSOM cut", "SSSOM empty", "SSSOM quote", "UTF-16", "latin-1", "10 MB", "gzip"],
)
def test_bad_links(file, text, message):
    found = error(file(text))
    assert message in found
    assert len(found) < 300


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.tsv: no such file"):
        read_links(tmp_path / "nothing.tsv")


def test_the_format_may_be_given(file):
    path = file("a\tx\n", "links")
    assert error(path).startswith("links: no extension, expected one of .nt")
    assert read_links(path, "tsv").rows() == [("a", "x", 1)]

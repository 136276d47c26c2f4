import datetime
import io
import json
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sssom.parsers import parse_alignment_xml, parse_sssom_table
from sssom.util import MappingSetDataFrame
from sssom.validators import validate

from farlink.errors import FarlinkError
from farlink.io.exports import EXPORTS
from farlink.io.exports.content import Content, Provenance
from farlink.io.exports.iris import LEFT_NAMESPACE, RIGHT_NAMESPACE, WELL_KNOWN
from farlink.io.exports.tsv import write_tsv
from farlink.io.links import read_links

SCHEMA = {
    "left": pl.String,
    "right": pl.String,
    "score": pl.Float64,
    "margin": pl.Float64,
    "probability": pl.Float64,
    "status": pl.String,
}
PROVENANCE = Provenance(
    left_source="data/left graph.nt.gz",
    right_source="https://example.org/right.ttl",
    version="1.2.3",
    date=datetime.date(2025, 1, 31),
    threshold=0.25,
)
LINK_FORMATS = ["sssom", "sameas", "alignment-rdf"]
MAPPING_FORMATS = [*LINK_FORMATS, "tsv"]
OWL, RDFS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#"
ALIGN = "http://knowledgeweb.semanticweb.org/heterogeneity/alignment#"

ODD_NAMES = [
    "http://dbpedia.org/resource/Nanjing",
    "http://dbpedia.org/resource/AC/DC",
    "http://dbpedia.org/resource/Paris,_Texas_(film)",
    "http://dbpedia.org/resource/Rock_'n'_Roll_&_More;_$1=2*3+4!@~",
    "http://dbpedia.org/resource/Category:Cities",
    "http://dbpedia.org/resource/100%25",
    "http://dbpedia.org/resource/%C3%89tude",
    "http://fr.dbpedia.org/resource/Étude",
    "http://zh.dbpedia.org/resource/南京",
    "http://example.org/ü/é#ß",
    "http://example.org/😀",
    "http://sws.geonames.org/2988507/",
    "http://data.bnf.fr/ark:/12148/cb11894764b#about",
    "http://example.org/search?q=a&lang=en",
    "http://example.org",
    "http://[2001:db8::1]/x",
    "https://w3id.org/sssom/Mapping",
    "urn:isbn:0451450523",
    "urn:farlink:left:minted%20before",
    "wd:Q42",
    "http://example.org/with space",
    "http://example.org/100%",
    "http://example.org/a|b",
    "Nanjing",
    "Nanjing (city), Jiangsu",
    'say "hi"',
    "O'Neill <&> co",
    "São Paulo",
    "_:b0",
    "#1",
    "NA",
]


def mapping(*rows: tuple[str, str | None, float | None, str]) -> pl.DataFrame:
    records = [(left, right, score, None, None, status) for left, right, score, status in rows]
    return pl.DataFrame(records, schema=SCHEMA, orient="row")


def matched(pairs: list[tuple[str, str]]) -> pl.DataFrame:
    return mapping(*((left, right, 0.5, "matched") for left, right in pairs))


def written(name: str, frame: pl.DataFrame, folder: Path) -> Path:
    path = folder / f"mapping.{name}"
    EXPORTS[name].write(Content(frame, PROVENANCE, vectors=dict), path)
    return path


RELATIONS = pl.DataFrame(
    [
        ("http://dbpedia.org/ontology/director", "equal", "Regie & Schnitt", 0.9),
        ("http://dbpedia.org/ontology/city", "narrower", "liegt in", 0.8),
        ("http://dbpedia.org/ontology/genre", "broader", "gattung", 0.95),
        ("http://dbpedia.org/ontology/parent", "inverse", "kind", 0.99),
        ("http://dbpedia.org/ontology/starring", "inverse narrower", "beteiligt an", 0.85),
        ("http://dbpedia.org/ontology/label", "inverse broader", "verlegte", 1.0),
    ],
    schema={"left": pl.String, "kind": pl.String, "right": pl.String, "confidence": pl.Float64},
    orient="row",
)
CLASSES = RELATIONS.head(3).with_columns(
    left=pl.Series([f"http://dbpedia.org/ontology/{name}" for name in ("Film", "City", "Work")]),
    right=pl.Series(["Film", "Ort", "Buch"]),
)


def with_ontology(name: str, frame: pl.DataFrame, folder: Path) -> Path:
    path = folder / f"mapping.{name}"
    EXPORTS[name].write(Content(frame, PROVENANCE, dict, RELATIONS, CLASSES), path)
    return path


def parsed_sssom(path: Path) -> MappingSetDataFrame:
    return parse_sssom_table(io.StringIO(path.read_text(encoding="utf-8")), sep="\t")


def unminted(iri: str) -> str:
    for namespace in (LEFT_NAMESPACE, RIGHT_NAMESPACE):
        if iri.startswith(namespace):
            return unquote(iri.removeprefix(namespace))
    return iri


def sssom_pairs(path: Path) -> list[tuple[str, str]]:
    msdf = parsed_sssom(path)

    def name(row: dict[str, str], side: str) -> str:
        uri = msdf.converter.expand(row[f"{side}_id"], strict=True)
        is_minted = uri.startswith((LEFT_NAMESPACE, RIGHT_NAMESPACE))
        return unminted(uri) if is_minted else row.get(f"{side}_label") or uri

    rows = [] if msdf.df.empty else msdf.df.to_dict("records")
    return [(name(row, "subject"), name(row, "object")) for row in rows]


def same_as_pairs(path: Path) -> list[tuple[str, str]]:
    triples = list(ox.parse(path=path, format=ox.RdfFormat.N_TRIPLES))
    assert {triple.predicate.value for triple in triples} <= {str(rdflib.OWL.sameAs)}
    return [(unminted(triple.subject.value), unminted(triple.object.value)) for triple in triples]


def alignment_pairs(path: Path) -> list[tuple[str, str]]:
    store = ox.Store()
    store.load(path=path, format=ox.RdfFormat.RDF_XML)
    query = f"SELECT ?a ?b {{ ?cell <{ALIGN}entity1> ?a ; <{ALIGN}entity2> ?b ; <{ALIGN}relation> '=' }}"
    return [(unminted(row["a"].value), unminted(row["b"].value)) for row in store.query(query)]


READERS = {"sssom": sssom_pairs, "sameas": same_as_pairs, "alignment-rdf": alignment_pairs}


@pytest.fixture
def small() -> pl.DataFrame:
    return mapping(
        ("http://dbpedia.org/resource/A", "http://www.wikidata.org/entity/Q1", None, "seed"),
        ("http://dbpedia.org/resource/B", "http://www.wikidata.org/entity/Q2", 0.75, "matched"),
        ("http://dbpedia.org/resource/C", "http://www.wikidata.org/entity/Q3", 0.125, "unmatched"),
        ("http://dbpedia.org/resource/D", None, None, "unmatched"),
    )


@pytest.mark.parametrize("name", LINK_FORMATS)
def test_odd_names_come_back(name: str, tmp_path: Path) -> None:
    pairs = list(zip(ODD_NAMES, reversed(ODD_NAMES), strict=True))
    path = written(name, matched(pairs), tmp_path)
    # "urn:farlink:left:minted%20before" is an IRI of the graph; only this test's reader cannot tell.
    expected = [(unminted(left), unminted(right)) for left, right in pairs]
    assert sorted(READERS[name](path)) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINK_FORMATS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(
        st.one_of(
            st.text(min_size=1),
            st.text("aZ9/#:?%[]@é南😀 ._~'(),&=", min_size=1),
            st.text("aZ9/:?@é南😀._~'(),;&=+*!$-").map("http://example.org/".__add__),
            st.text("aZ9/:@é南._~'()").map("urn:x:".__add__),
        ).filter(lambda name: name == unminted(name)),
        min_size=1,
        max_size=8,
        unique=True,
    )
)
def test_any_name_comes_back(name: str, names: list[str], tmp_path: Path) -> None:
    path = written(name, matched([(each, each) for each in names]), tmp_path)
    assert sorted(READERS[name](path)) == sorted((each, each) for each in names)


@pytest.mark.parametrize("name", LINK_FORMATS)
def test_links_leave_out_unmatched_rows(name: str, small: pl.DataFrame, tmp_path: Path) -> None:
    path = written(name, small, tmp_path)
    links = small.filter(pl.col("status") != "unmatched").select("left", "right").rows()
    assert sorted(READERS[name](path)) == links


def test_tsv_holds_every_row(small: pl.DataFrame, tmp_path: Path) -> None:
    path = written("tsv", small, tmp_path)
    assert pl.read_csv(path, separator="\t", quote_char=None, schema=SCHEMA).equals(small)


def test_tsv_does_not_quote(tmp_path: Path) -> None:
    path = written("tsv", matched([('say "hi"', "#1, really")]), tmp_path)
    assert path.read_text().splitlines()[1] == 'say "hi"\t#1, really\t0.5\t\t\tmatched'


@pytest.mark.parametrize("pair", [("tab\there", "x"), ("x", "line\nbreak"), ("x", "carriage\rreturn")])
def test_tsv_refuses_names_it_cannot_hold(pair: tuple[str, str], tmp_path: Path) -> None:
    broken = next(name for name in pair if name != "x")
    with pytest.raises(FarlinkError) as caught:
        write_tsv(matched([pair]), tmp_path / "mapping.tsv")
    assert repr(broken) in str(caught.value)


@pytest.mark.parametrize("name", LINK_FORMATS)
def test_a_mapping_without_links(name: str, tmp_path: Path) -> None:
    assert READERS[name](written(name, mapping(), tmp_path)) == []
    assert READERS[name](written(name, mapping(("a", None, None, "unmatched")), tmp_path)) == []


def test_an_empty_tsv_has_a_header(tmp_path: Path) -> None:
    assert written("tsv", mapping(), tmp_path).read_text() == "left\tright\tscore\tmargin\tprobability\tstatus\n"


@pytest.mark.parametrize("name", MAPPING_FORMATS)
def test_an_existing_file_is_replaced(name: str, small: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / f"mapping.{name}"
    path.write_text("old")
    written(name, small, tmp_path)
    assert "http" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", MAPPING_FORMATS)
def test_an_existing_file_survives_a_failed_write(
    name: str, small: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"mapping.{name}"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(FarlinkError, match="the disk is gone"):
        written(name, small, tmp_path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("names", [[], ODD_NAMES], ids=["empty", "odd"])
def test_sssom_passes_the_validator(names: list[str], tmp_path: Path) -> None:
    msdf = parsed_sssom(written("sssom", matched([(name, name) for name in names]), tmp_path))
    reports = validate(msdf, fail_on_error=False)
    assert [result.message for report in reports.values() for result in report.results] == []
    assert len(msdf.df) == len(names)


def test_sssom_rows(small: pl.DataFrame, tmp_path: Path) -> None:
    lines = written("sssom", small, tmp_path).read_text().splitlines()
    assert [line.split("\t") for line in lines if not line.startswith("#")] == [
        ["subject_id", "predicate_id", "object_id", "mapping_justification", "mapping_cardinality", "confidence"],
        ["dbr:A", "owl:sameAs", "wd:Q1", "semapv:UnspecifiedMatching", "1:1", ""],
        ["dbr:B", "owl:sameAs", "wd:Q2", "semapv:StructuralMatching", "1:1", "0.75"],
    ]


COPIES = [("a1", "b"), ("a2", "b"), ("c", "d1"), ("c", "d2"), ("e1", "f1"), ("e1", "f2"), ("e2", "f1"), ("g", "h")]


def test_sssom_tells_how_many_counterparts_the_ends_of_a_link_have(tmp_path: Path) -> None:
    msdf = parsed_sssom(written("sssom", matched(COPIES), tmp_path))
    told = [str(getattr(value, "value", value)) for value in msdf.df["mapping_cardinality"]]
    assert told == ["n:1", "n:1", "1:n", "1:n", "n:n", "1:n", "n:1", "1:1"]
    reports = validate(msdf)
    assert [result.message for report in reports.values() for result in report.results] == []


@pytest.mark.parametrize("name", READERS)
def test_every_link_of_an_entity_is_written(name: str, tmp_path: Path) -> None:
    assert sorted(READERS[name](written(name, matched(COPIES), tmp_path))) == sorted(COPIES)


def test_alignment_rdf_tells_whether_it_is_one_to_one(tmp_path: Path) -> None:
    assert "<type>**</type>" in written("alignment-rdf", matched(COPIES), tmp_path).read_text()


def test_sssom_metadata(small: pl.DataFrame, tmp_path: Path) -> None:
    msdf = parsed_sssom(written("sssom", small, tmp_path))
    first = msdf.df.to_dict("records")[0]
    assert msdf.metadata["mapping_set_id"].startswith("urn:uuid:")
    assert msdf.metadata["license"] == "https://w3id.org/sssom/license/unspecified"
    assert "confidence is the probability that the pair is right" in msdf.metadata["comment"]
    assert "under 0.25 were left out" in msdf.metadata["comment"]
    assert (first["mapping_tool"], first["mapping_tool_version"]) == ("Farlink", "1.2.3")
    assert str(first["mapping_date"]) == "2025-01-31"
    assert first["subject_source"] == "graph:data%2Fleft%20graph.nt.gz"
    assert msdf.converter.expand(first["object_source"]) == PROVENANCE.right_source


def test_sssom_is_the_same_twice(small: pl.DataFrame, tmp_path: Path) -> None:
    first, second = (written("sssom", small, tmp_path).read_bytes() for _ in range(2))
    other = written("sssom", small.head(1), tmp_path).read_bytes()
    assert first == second
    assert mapping_set_id(first) != mapping_set_id(other)


def test_the_confidence_is_the_probability_where_it_is_known(tmp_path: Path) -> None:
    frame = matched([("http://a.org/1", "http://b.org/1")]).with_columns(probability=0.875)
    assert "\t0.875" in written("sssom", frame, tmp_path).read_text()
    assert ">0.875<" in written("alignment-rdf", frame, tmp_path).read_text()


def mapping_set_id(sssom: bytes) -> str:
    return next(line for line in sssom.decode().splitlines() if line.startswith("#mapping_set_id"))


def test_ascii_iris_need_no_label(tmp_path: Path) -> None:
    names = [name for name in ODD_NAMES if name.isascii() and name.startswith("http://dbpedia.org/")]
    msdf = parsed_sssom(written("sssom", matched([(name, name) for name in names]), tmp_path))
    assert "subject_label" not in msdf.df
    assert sorted(msdf.converter.expand(curie) for curie in msdf.df["subject_id"]) == sorted(names)


def test_iris_beyond_ascii_expand_to_their_uri(tmp_path: Path) -> None:
    msdf = parsed_sssom(written("sssom", matched([("http://zh.dbpedia.org/resource/南京", "x")]), tmp_path))
    row = msdf.df.to_dict("records")[0]
    assert msdf.converter.expand(row["subject_id"]) == "http://zh.dbpedia.org/resource/%E5%8D%97%E4%BA%AC"
    assert row["subject_label"] == "http://zh.dbpedia.org/resource/南京"


def test_the_curie_map_stays_short(tmp_path: Path) -> None:
    folders = [(f"http://{i}.example.org/x", f"http://example.org/{i}#about") for i in range(1000)]
    written("sssom", matched(folders), tmp_path)
    head = [line for line in (tmp_path / "mapping.sssom").read_text().splitlines() if line.startswith("#  ")]
    namespaces = [json.loads(line.split(": ", 1)[1]) for line in head]
    assert len(namespaces) < 10
    assert "http://example.org/" in namespaces


def test_alignment_rdf_parses_with_rdflib(tmp_path: Path) -> None:
    rows = [("http://x.org/a?b=1&c=2", "http://y.org/é", 0.75, "matched"), ("plain", "<&>", None, "seed")]
    graph = rdflib.Graph().parse(written("alignment-rdf", mapping(*rows), tmp_path), format="xml")
    align = rdflib.Namespace(ALIGN)
    cells = {
        (str(graph.value(cell, align.entity1)), graph.value(cell, align.measure).toPython())
        for cell in graph.subjects(rdflib.RDF.type, align.Cell)
    }
    assert cells == {("http://x.org/a?b=1&c=2", 0.75), ("urn:farlink:left:plain", 1.0)}
    (alignment,) = graph.subjects(rdflib.RDF.type, align.Alignment)
    assert str(graph.value(alignment, align.type)) == "??"
    locations = [graph.value(graph.value(alignment, onto), align.location) for onto in (align.onto1, align.onto2)]
    assert [str(location) for location in locations] == [PROVENANCE.left_source, PROVENANCE.right_source]


def test_alignment_rdf_parses_with_sssom(small: pl.DataFrame, tmp_path: Path) -> None:
    path = written("alignment-rdf", small, tmp_path)
    msdf = parse_alignment_xml(path, prefix_map={key: WELL_KNOWN[key] for key in ("dbr", "wd")})
    assert sorted(msdf.df["subject_id"]) == ["dbr:A", "dbr:B"]
    assert sorted(float(value) for value in msdf.df["confidence"]) == [0.75, 1.0]


def test_sssom_tells_how_relations_and_classes_correspond(small: pl.DataFrame, tmp_path: Path) -> None:
    msdf = parsed_sssom(with_ontology("sssom", small, tmp_path))
    reports = validate(msdf, fail_on_error=False)
    assert [result.message for report in reports.values() for result in report.results] == []
    records = msdf.df.to_dict("records")
    rows = [row for row in records if row["mapping_justification"] == "semapv:InstanceBasedMatching"]
    assert {(row["predicate_id"], row["object_label"], row["confidence"]) for row in rows} == {
        ("owl:equivalentProperty", "Regie & Schnitt", 0.9),
        ("rdfs:subPropertyOf", "liegt in", 0.8),
        ("skos:narrowMatch", "gattung", 0.95),
        ("owl:inverseOf", "kind", 0.99),
        ("skos:relatedMatch", "beteiligt an", 0.85),
        ("skos:relatedMatch", "verlegte", 1.0),
        ("owl:equivalentClass", "Film", 0.9),
        ("rdfs:subClassOf", "Ort", 0.8),
        ("sssom:superClassOf", "Buch", 0.95),
    }
    first = next(row for row in rows if row["object_label"] == "beteiligt an")
    assert first["comment"] == "the subject is narrower than the inverse of the object"
    assert msdf.converter.expand(first["subject_id"]) == "http://dbpedia.org/ontology/starring"
    assert [row["predicate_id"] for row in records if row not in rows] == ["owl:sameAs"] * 2


def test_relations_and_classes_of_sssom_are_no_links_of_entities(small: pl.DataFrame, tmp_path: Path) -> None:
    links = read_links(with_ontology("sssom", small, tmp_path).rename(tmp_path / "links.sssom.tsv"))
    assert links.select("left", "right").rows() == small.head(2).select("left", "right").rows()


def test_owl_has_an_inverse_where_something_is_narrower_than_it(tmp_path: Path) -> None:
    graph = rdflib.Graph().parse(with_ontology("ontology", mapping(), tmp_path), format="nt")
    onto = "http://dbpedia.org/ontology/"
    said = {tuple(map(str, triple)) for triple in graph if isinstance(triple[0], rdflib.URIRef)}
    right = "urn:farlink:right:"
    assert said >= {
        (f"{onto}director", f"{OWL}equivalentProperty", f"{right}Regie%20%26%20Schnitt"),
        (f"{onto}city", f"{RDFS}subPropertyOf", f"{right}liegt%20in"),
        (f"{right}gattung", f"{RDFS}subPropertyOf", f"{onto}genre"),
        (f"{onto}parent", f"{OWL}inverseOf", f"{right}kind"),
        (f"{onto}Film", f"{OWL}equivalentClass", f"{right}Film"),
        (f"{onto}City", f"{RDFS}subClassOf", f"{right}Ort"),
        (f"{right}Buch", f"{RDFS}subClassOf", f"{onto}Work"),
    }
    narrower = f"SELECT ?a ?b {{ ?a <{RDFS}subPropertyOf> ?node . ?node <{OWL}inverseOf> ?b }}"
    assert {(str(row.a), str(row.b)) for row in graph.query(narrower)} == {
        (f"{onto}starring", f"{right}beteiligt%20an"),
        (f"{right}verlegte", f"{onto}label"),
    }


def test_owl_is_the_same_twice_and_empty_without_relations(small: pl.DataFrame, tmp_path: Path) -> None:
    first, second = (with_ontology("ontology", small, tmp_path).read_bytes() for _ in range(2))
    assert first == second
    assert written("ontology", small, tmp_path).read_text() == ""


def test_alignment_rdf_has_signs_for_narrower_and_broader(small: pl.DataFrame, tmp_path: Path) -> None:
    graph = rdflib.Graph().parse(with_ontology("alignment-rdf", small, tmp_path), format="xml")
    align = rdflib.Namespace(ALIGN)
    cells = list(graph.subjects(rdflib.RDF.type, align.Cell))
    signs = {
        str(graph.value(cell, align.entity1)).rsplit("/", 1)[-1]: str(graph.value(cell, align.relation))
        for cell in cells
    }
    assert signs == {
        "A": "=",
        "B": "=",
        "director": "=",
        "city": "<",
        "genre": ">",
        "Film": "=",
        "City": "<",
        "Work": ">",
    }

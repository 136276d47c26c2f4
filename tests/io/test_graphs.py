"""`read`: any file in, one graph out."""

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import polars as pl
import pytest
import zstandard

from farlink.errors import InputError
from farlink.io.graphs import read

NAMES = [("http://e/a", "http://e/p", "http://e/b"), ("http://e/b", "http://e/p", "http://e/c")]
LITERAL = '<http://e/a> <http://e/name> "Ann" .\n'

TSV = "".join("\t".join(triple) + "\n" for triple in NAMES).encode()
N_TRIPLES = "".join("<{}> <{}> <{}> .\n".format(*triple) for triple in NAMES).encode()


def parquet():
    buffer = io.BytesIO()
    pl.DataFrame(NAMES, schema=["head", "relation", "tail"], orient="row").write_parquet(buffer)
    return buffer.getvalue()


FILES = {
    "a.tsv": TSV,
    "a.txt": TSV,
    "a.csv": TSV.replace(b"\t", b","),
    "a.parquet": parquet(),
    "a.nt": N_TRIPLES,
    "a.nq": N_TRIPLES.replace(b" .", b" <http://e/g> ."),
    "a.ttl": N_TRIPLES,
    "a.trig": b"<http://e/g> {" + N_TRIPLES + b"}",
    "a.tsv.gz": gzip.compress(TSV),
    "a.csv.bz2": bz2.compress(TSV.replace(b"\t", b",")),
    "a.nt.xz": lzma.compress(N_TRIPLES),
    "a.TTL.zst": zstandard.compress(N_TRIPLES),
    "packed.nt": zstandard.compress(N_TRIPLES),
} | dict.fromkeys(
    ["a.rdf", "a.xml", "a.owl"],
    b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e/">
    <rdf:Description rdf:about="http://e/a"><p rdf:resource="http://e/b"/></rdf:Description>
    <rdf:Description rdf:about="http://e/b"><p rdf:resource="http://e/c"/></rdf:Description></rdf:RDF>""",
)


def names(graph):
    head, relation, tail = graph.triples.T
    columns = graph.entities.gather(head), graph.relations.gather(relation), graph.entities.gather(tail)
    return sorted(zip(*columns, strict=True))


@pytest.mark.parametrize("name", FILES)
def test_every_format_and_compression_gives_the_same_graph(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    graph = read(tmp_path / name)
    assert names(graph) == NAMES
    assert graph.source == str(tmp_path / name)


def test_a_given_format_overrides_the_extension(tmp_path):
    (tmp_path / "triples_1").write_bytes(TSV)
    assert names(read(tmp_path / "triples_1", format="tsv")) == NAMES


def test_ids_say_nothing_of_the_order_in_the_file_or_in_the_alphabet(tmp_path):
    lines = [f"e{number:02}\tp\te{number + 1:02}\n" for number in range(50)]
    for name, order in (("forwards", 1), ("backwards", -1)):
        (tmp_path / f"{name}.tsv").write_text("".join(lines[::order]))
    one, other = (read(tmp_path / f"{name}.tsv") for name in ("forwards", "backwards"))
    assert one.entities.equals(other.entities)
    assert abs(np.corrcoef(np.arange(51), one.ids(one.entities.sort()))[0, 1]) < 0.5


def test_literals_are_kept_aside(tmp_path):
    (tmp_path / "a.nt").write_bytes(N_TRIPLES + LITERAL.encode())
    graph = read(tmp_path / "a.nt")
    assert names(graph) == NAMES
    assert graph.literals.rows() == [("http://e/a", "http://e/name", "Ann", None, None)]


def test_nothing_but_literals_is_a_graph_of_entities_without_triples(tmp_path):
    (tmp_path / "a.nt").write_text(LITERAL)
    graph = read(tmp_path / "a.nt")
    assert graph.entities.to_list() == ["http://e/a"]
    assert (len(graph.triples), graph.literals.height) == (0, 1)


def test_types_are_triples_to_classes(tmp_path):
    (tmp_path / "a.ttl").write_text('@prefix : <http://e/> . :a a :Person ; :name "Ann" . :b :name "Bea" .')
    graph = read(tmp_path / "a.ttl")
    assert names(graph) == [("http://e/a", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://e/Person")]
    assert set(graph.entities) == {"http://e/a", "http://e/b", "http://e/Person"}


@pytest.mark.parametrize(
    ("format", "data"), [("tsv", TSV), ("nt", gzip.compress(N_TRIPLES, mtime=0)), ("parquet", parquet())]
)
def test_standard_input(monkeypatch, format, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert names(read("-", format=format)) == NAMES


def test_standard_input_needs_a_format():
    with pytest.raises(InputError, match="standard input: give the format, one of nt"):
        read("-")


def test_errors_on_standard_input_have_lines(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TSV + b"a\n")))
    with pytest.raises(InputError, match="standard input, line 3: expected 3 tab-separated fields"):
        read("-", format="tsv")


@pytest.mark.parametrize("suffix", ["tsv", "csv", "parquet", "nt", "rdf"])
def test_missing_files_and_folders(tmp_path, suffix):
    with pytest.raises(InputError, match=f"nothing.{suffix}: no such file"):
        read(tmp_path / f"nothing.{suffix}")
    (tmp_path / f"folder.{suffix}").mkdir()
    with pytest.raises(InputError, match=f"folder.{suffix}: this is a folder, expected a file"):
        read(tmp_path / f"folder.{suffix}")


@pytest.mark.parametrize("name", ["a.tsv.gz", "a.nt.gz"])
def test_a_truncated_download(tmp_path, name):
    whole = gzip.compress((TSV if "tsv" in name else N_TRIPLES) * 50_000)
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=f"{name}: this gzip file is truncated or damaged"):
        read(tmp_path / name)


def test_an_unknown_extension(tmp_path):
    path = tmp_path / "a.json"
    path.touch()
    with pytest.raises(InputError, match=r"unknown extension '\.json', expected one of \.nt .*, parquet$"):
        read(path)

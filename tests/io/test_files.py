"""Bytes in and out: compression is seen from the bytes, a file appears whole or not at all."""

import bz2
import gzip
import io
import lzma
import random
import sys

import pytest
import zstandard

from farlink.errors import InputError
from farlink.io.files import (
    atomic_path,
    display_name,
    format_of,
    format_suffix,
    open_bytes,
    path_or_bytes,
    sweep,
    write_text,
)

TEXT = b"a line\n" * 40_000
NOISE = random.Random(0).randbytes(2_000_000)  # stays long when it is compressed

COMPRESSORS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def read(path):
    with open_bytes(path) as stream:
        return stream.read()


@pytest.fixture(params=COMPRESSORS)
def compression(request):
    return request.param


@pytest.fixture
def standard_input(monkeypatch):
    def feed(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return feed


def test_a_plain_file_is_read_as_it_is(tmp_path):
    (tmp_path / "a").write_bytes(TEXT)
    assert read(tmp_path / "a") == TEXT


def test_compression_is_known_by_content_not_by_name(tmp_path, compression):
    (tmp_path / "a.txt").write_bytes(COMPRESSORS[compression](TEXT))
    assert read(tmp_path / "a.txt") == TEXT


def test_compressed_pieces_may_follow_each_other(tmp_path, compression):
    compress = COMPRESSORS[compression]
    (tmp_path / "a").write_bytes(compress(b"one\n") + compress(b"two\n"))
    assert read(tmp_path / "a") == b"one\ntwo\n"


def test_an_empty_compressed_file_is_empty(tmp_path, compression):
    (tmp_path / "a").write_bytes(COMPRESSORS[compression](b""))
    assert read(tmp_path / "a") == b""


def test_a_text_that_begins_like_bzip2_is_a_text(tmp_path):
    (tmp_path / "a").write_bytes(b"BZh9 is a name\n")
    assert read(tmp_path / "a") == b"BZh9 is a name\n"


@pytest.mark.slow
def test_a_truncated_file_is_an_error(tmp_path, compression):
    (tmp_path / "a").write_bytes(COMPRESSORS[compression](NOISE)[:-1000])
    with pytest.raises(InputError, match=f"a: this {compression} file is truncated or damaged"):
        read(tmp_path / "a")


def test_a_damaged_file_is_an_error(tmp_path, compression):
    damaged = bytearray(COMPRESSORS[compression](NOISE[:30_000]))
    damaged[10_000:20_000] = bytes(10_000)
    (tmp_path / "a").write_bytes(damaged)
    with pytest.raises(InputError, match=f"this {compression} file is truncated or damaged"):
        read(tmp_path / "a")


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match="nothing: no such file"):
        read(tmp_path / "nothing")


def test_a_folder_is_an_error(tmp_path):
    with pytest.raises(InputError, match="this is a folder, expected a file"):
        read(tmp_path)


def test_a_forbidden_file_is_an_error(tmp_path, monkeypatch):
    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    with pytest.raises(InputError, match="no permission to read this file"):
        read(tmp_path / "a")


def test_standard_input_is_read_and_stays_open(standard_input, compression):
    standard_input(COMPRESSORS[compression](TEXT))
    assert read("-") == TEXT
    assert not sys.stdin.buffer.closed


def test_only_a_plain_file_is_used_in_its_place(tmp_path, standard_input):
    plain, packed, pipe = tmp_path / "plain", tmp_path / "packed", tmp_path / "pipe"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    standard_input(TEXT)
    assert path_or_bytes(plain) == plain
    assert path_or_bytes(packed) == TEXT
    assert path_or_bytes("-") == TEXT
    with pytest.raises(InputError, match="no such file"):
        path_or_bytes(pipe)


@pytest.mark.parametrize(
    ("path", "suffix"),
    [("a.nt", ".nt"), ("b/a.NT.gz", ".nt"), ("a.b.ttl.zst", ".ttl"), ("triples_1", ""), ("a.gz", "")],
)
def test_the_suffix_of_the_format_is_in_front_of_the_compression(path, suffix):
    assert format_suffix(path) == suffix


@pytest.mark.parametrize(
    ("path", "format"),
    [("a.owl.xz", "rdfxml"), ("a.txt", "tsv"), ("a.csv", "csv"), ("a.nq.bz2", "nq"), ("a.parquet", "parquet")],
)
def test_the_extension_tells_the_format(path, format):
    assert format_of(path) == format


def test_a_given_format_counts_more_than_the_extension():
    assert format_of("a.nt", "turtle") == "turtle"


@pytest.mark.parametrize(
    ("path", "format", "message"),
    [
        ("a.docx", None, r"a.docx: unknown extension '.docx', expected one of .nt .* .parquet; or give the format"),
        ("triples", None, "no extension, expected one of .nt"),
        ("a.nt", "json", "unknown format 'json', expected one of nt, nq, turtle"),
        ("-", None, "standard input: give the format, one of nt, nq, turtle"),
    ],
)
def test_an_unknown_format_is_an_error_that_lists_the_formats(tmp_path, monkeypatch, path, format, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / path).touch()
    with pytest.raises(InputError, match=message):
        format_of(path, format)


def test_what_is_no_file_is_told_before_its_extension(tmp_path):
    with pytest.raises(InputError, match="nothing: no such file"):
        format_of(tmp_path / "nothing")
    with pytest.raises(InputError, match="this is a folder, expected a file"):
        format_of(tmp_path)


def test_messages_name_standard_input():
    assert (display_name("-"), display_name("a.nt")) == ("standard input", "a.nt")


def test_writing_makes_the_folders_it_needs(tmp_path):
    write_text(tmp_path / "new" / "folder" / "a.txt", "héllo")
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == "héllo".encode()


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    write_text(tmp_path / "a.txt", "old")

    def fail_in_the_middle():
        with atomic_path(tmp_path / "a.txt") as temporary:
            temporary.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_in_the_middle()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_what_a_killed_write_leaves_is_swept_away_and_nothing_else(tmp_path):
    (tmp_path / "plots").mkdir()
    kept = (".hidden", ".letter.abcdefgh.txt", "a.txt", ".a.txt.longer_than_8.txt")
    for name in (*kept, ".found.parquet.ed0k_fyv.parquet", "plots/.loss.png.abcd1234.png", ".notes.abcd1234"):
        (tmp_path / name).write_text("x")
    sweep(tmp_path)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(kept)

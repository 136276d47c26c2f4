"""Bytes in and out: decompression by magic number, and files that appear whole or not at all."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import zstandard

from farlink.errors import FarlinkError, InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

FORMATS = {
    ".nt": "nt",
    ".nq": "nq",
    ".ttl": "turtle",
    ".trig": "trig",
    ".rdf": "rdfxml",
    ".xml": "rdfxml",
    ".owl": "rdfxml",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".parquet": "parquet",
}

COMPRESSION_SUFFIXES = {".gz", ".bz2", ".xz", ".zst"}

# bzip2 is recognised by its first block as well: a text may well begin with "BZh".
MAGIC_NUMBERS = {
    "gzip": rb"\x1f\x8b",
    "bzip2": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    "xz": rb"\xfd7zXZ\x00",
    "zstd": rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18",
}
MAGIC_LENGTH = 10

DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)

BUFFER = 1 << 20


def format_of(path: str | Path, format: str | None = None) -> str:
    """The format of a file: `format` if it is given, else what the extension of `path` says."""
    choices = "one of " + ", ".join(dict.fromkeys(FORMATS.values()))
    if format is not None:
        if format not in FORMATS.values():
            raise InputError(display_name(path), f"unknown format {format!r}, expected {choices}")
        return format
    if str(path) == "-":
        raise InputError(display_name(path), f"give the format, {choices}")
    suffix = format_suffix(path)
    if suffix not in FORMATS:
        _check_file(path)
        problem = f"unknown extension {suffix!r}" if suffix else "no extension"
        raise InputError(path, f"{problem}, expected one of {' '.join(FORMATS)}; or give the format, {choices}")
    return FORMATS[suffix]


def _check_file(path: str | Path) -> None:
    """What is no file is told as when it is opened, but without opening it: a pipe can be read only once."""
    try:
        os.stat(path)
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise _cannot_read(path, error) from error


def format_suffix(path: str | Path) -> str:
    """The extension of a path in lower case, without those of compression: `.nt` for `a.NT.gz`."""
    path = Path(path)
    while path.suffix.lower() in COMPRESSION_SUFFIXES:
        path = path.with_suffix("")
    return path.suffix.lower()


def display_name(path: str | Path) -> str:
    """What messages call the source at `path`."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[io.BufferedReader]:
    """The bytes of a file, decompressed if its first bytes say so; `-` is standard input."""
    with _open_raw(path) as raw:
        compression = _compression(raw)
        try:
            yield _decompressed(raw, compression)
        except DAMAGE as error:
            problem = f"this {compression} file is truncated or damaged" if compression else "cannot be read"
            raise InputError(display_name(path), f"{problem} ({error})") from error


def path_or_bytes(path: str | Path) -> Path | bytes:
    """The path of a plain file, which may be mapped and read twice; the bytes of anything else."""
    if str(path) != "-" and Path(path).is_file():
        with _open_raw(path) as raw:
            if _compression(raw) is None:
                return Path(path)
    with open_bytes(path) as stream:
        return stream.read()


def skip_byte_order_mark(stream: io.BufferedReader, source: str) -> None:
    """Pass over the mark of UTF-8; UTF-16, which only its mark tells for certain, is an error."""
    start = stream.peek(3)[:3]
    if start == b"\xef\xbb\xbf":
        stream.read(3)
    elif start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(source, "this text is UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)")


@contextmanager
def _open_raw(path: str | Path) -> Iterator[io.BufferedReader]:
    if str(path) == "-":
        standard_input: io.BufferedReader = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer))
        try:
            yield standard_input
        finally:
            standard_input.detach()  # else it would be closed
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - only the opening may be a user's mistake
    except OSError as error:
        raise _cannot_read(path, error) from error
    with file:
        yield file


def _cannot_read(path: str | Path, error: OSError) -> InputError:
    problems = {
        errno.ENOENT: "no such file",
        errno.EISDIR: "this is a folder, expected a file",
        errno.EACCES: "no permission to read this file",
    }
    return InputError(path, problems.get(error.errno or 0, f"cannot read this file ({error.strerror})"))


def _compression(raw: io.BufferedReader) -> str | None:
    start = raw.peek(MAGIC_LENGTH)
    return next((name for name, magic in MAGIC_NUMBERS.items() if re.match(magic, start)), None)


def _decompressed(raw: io.BufferedReader, compression: str | None) -> io.BufferedReader:
    match compression:
        case "gzip":
            return io.BufferedReader(gzip.GzipFile(fileobj=raw), BUFFER)
        case "bzip2":
            return io.BufferedReader(bz2.BZ2File(raw), BUFFER)
        case "xz":
            return io.BufferedReader(lzma.LZMAFile(raw), BUFFER)
        case "zstd":
            return io.BufferedReader(_ZstdFile(raw), BUFFER)
    return raw


class _ZstdFile(io.RawIOBase):
    """Decompresses zstd frames; unlike `zstandard.stream_reader`, it notices a truncated one."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._chunks = _zstd_chunks(raw)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        target = memoryview(buffer)
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _zstd_chunks(raw: io.BufferedReader) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    while block := raw.read(BUFFER):
        while block:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            if chunk := frame.decompress(block):
                yield chunk
            block = frame.unused_data
    if not frame.eof:
        raise EOFError("the last frame is incomplete")


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well.

    A reader sees the old file or the whole new one, whatever happens in between.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            os.chmod(temporary, 0o666 & ~_umask())
            with open(temporary, "rb") as written:
                os.fsync(written.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    except Exception as error:
        if stated := re.search(r"\(os error (\d+)\)", str(error)):  # as libraries in Rust say it
            raise cannot_write(path, OSError(int(stated[1]), os.strerror(int(stated[1])))) from error
        raise


def sweep(folder: Path) -> None:
    """Remove the temporary files in a folder that `atomic_path` left because it was killed."""
    for path in folder.rglob(".*"):
        name = re.fullmatch(r"\.(.+)\.[a-z0-9_]{8}(\.[^.]+)?", path.name)
        if name and Path(name[1]).suffix == (name[2] or "") and path.is_file():
            path.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def cannot_write(path: str | Path, error: OSError) -> FarlinkError:
    """The error to show when a file could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return FarlinkError(
            f"{path}: no room left to write this file; nothing was half-written, make room and try again"
        )
    return FarlinkError(f"{path}: cannot write this file ({error.strerror or error})")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current

"""Bytes in and out: decompression by magic number, and files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from farlink.errors import FarlinkError


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
        raise _cannot_write(path, error) from error


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _cannot_write(path: Path, error: OSError) -> FarlinkError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return FarlinkError(f"{path}: no room left to write this file; nothing was half-written, make room and try again")
    return FarlinkError(f"{path}: cannot write this file ({error.strerror or error})")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current

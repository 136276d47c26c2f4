"""The whole mapping as plain TSV."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from farlink.errors import FarlinkError
from farlink.io.exports.content import Content
from farlink.io.files import write_text


def write(content: Content, path: str | Path) -> None:
    """Write the whole mapping."""
    write_tsv(content.mapping, path)


def write_tsv(frame: pl.DataFrame, path: str | Path) -> None:
    """Write all rows and columns as plain TSV with a header: no quotes, nothing where a value is missing."""
    names = pl.concat([frame["left"], frame["right"]])
    broken = names.filter(names.str.contains(r"[\t\r\n]"))
    if len(broken):
        raise FarlinkError(
            f"{path}: the name {broken[0]!r} has a tab or a line break in it, which TSV cannot hold; "
            "rename it, or write another format"
        )
    write_text(path, frame.write_csv(separator="\t", quote_style="never"))

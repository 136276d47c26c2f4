"""Formats in which a mapping can be written; each is a file here and a line of `WRITERS`.

A mapping is a data frame with the columns left, right, score, margin, probability and status. TSV carries all of
it. The other formats carry links, so they take only the rows whose status is seed or matched, and they speak of IRIs
(`iris`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from farlink.io.exports.alignment_rdf import write_alignment_rdf
from farlink.io.exports.provenance import Provenance
from farlink.io.exports.same_as import write_same_as
from farlink.io.exports.sssom import write_sssom
from farlink.io.exports.tsv import write_tsv

Writer = Callable[[pl.DataFrame, str | Path, Provenance], None]
WRITERS: dict[str, Writer] = {
    "tsv": lambda frame, path, _: write_tsv(frame, path),
    "sssom": write_sssom,
    "sameas": lambda frame, path, _: write_same_as(frame, path),
    "alignment-rdf": write_alignment_rdf,
}

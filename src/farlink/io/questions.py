"""Questions in: what a completion is asked."""

from __future__ import annotations

from pathlib import Path

from farlink.errors import InputError
from farlink.io.delimited import read_triples

ASKED = "?"


def read_queries(path: str | Path) -> list[tuple[str | None, str, str | None]]:
    """Questions from a TSV file with three fields a line, head, relation, tail, and ? for what is asked."""
    queries: list[tuple[str | None, str, str | None]] = []
    for place, (head, relation, tail) in enumerate(read_triples(path, "tsv").iter_rows(), 1):
        if (head == ASKED) == (tail == ASKED) or relation == ASKED:
            raise InputError(
                path, f"question {place:,} ({head}, {relation}, {tail}): expected one ?, for the head or the tail"
            )
        queries.append((None if head == ASKED else head, relation, None if tail == ASKED else tail))
    if not queries:
        raise InputError(path, "there is no question in this file")
    return queries

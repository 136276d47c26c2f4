"""What a caller may hand over as a graph or as links: a path, or the thing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.attributes import read_attributes, with_attributes
from farlink.io.files import display_name
from farlink.io.graphs import read
from farlink.io.links import UNMATCHED, read_links


@dataclass(frozen=True)
class GraphFile:
    """A file whose extension does not tell its format; the path `-` is standard input."""

    path: str | Path
    format: str

    def __str__(self) -> str:
        return str(self.path)


GraphSource = KnowledgeGraph | GraphFile | str | Path
AttributeSource = str | Path | pl.DataFrame
LinkSource = str | Path | pl.DataFrame | Sequence[tuple[str, str]]
NamedLinks = tuple[pl.DataFrame, str]
"""Links as a frame (left, right, line), and where they came from, for messages."""


def graph_from(source: GraphSource) -> KnowledgeGraph:
    """A graph, read from its file if a path is given."""
    if isinstance(source, KnowledgeGraph):
        return source
    return read(source.path, format=source.format) if isinstance(source, GraphFile) else read(source)


def with_attributes_from(graph: KnowledgeGraph, source: AttributeSource | None) -> KnowledgeGraph:
    """A graph with more attributes, if any are given; a frame of them has the columns of literals, at least three."""
    if source is None:
        return graph
    if not isinstance(source, pl.DataFrame):
        return with_attributes(graph, read_attributes(source), display_name(source))
    if not {"head", "relation", "value"} <= set(source.columns):
        raise FarlinkError("a data frame of attributes has the columns head, relation and value")
    return with_attributes(graph, source, "the given attributes")


def links_from(source: LinkSource) -> NamedLinks:
    """Links as a frame (left, right, line), and where they came from, for messages."""
    if isinstance(source, (str, Path)):
        return read_links(source), str(source)
    if isinstance(source, pl.DataFrame):
        if source.width < 2:
            raise FarlinkError("a data frame of links has two columns: left and right names")
        frame = source.filter(pl.col("status") != UNMATCHED) if "status" in source.columns else source
    else:
        frame = _paired(source)
    names = frame.columns[:2] if not {"left", "right"} <= set(frame.columns) else ["left", "right"]
    frame = frame.select(
        pl.col(names[0]).cast(pl.String).alias("left"), pl.col(names[1]).cast(pl.String).alias("right")
    )
    return frame.with_row_index("line", offset=1).select("left", "right", "line"), "the given links"


def _paired(source: object) -> pl.DataFrame:
    try:
        return pl.DataFrame([(left, right) for left, right in source], schema=["left", "right"], orient="row")  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise FarlinkError("links are a path, a data frame, or pairs of a left and a right name") from None

"""Align and complete knowledge graphs by learning from long relational paths.

import farlink

left, right = farlink.read("left.nt.gz"), farlink.read("right.parquet")
run = farlink.align(left, right, seeds="seeds.tsv")
run.alignment            # a data frame: left, right, score, margin, status
run.match("Nanjing")     # ranked counterparts of one entity

run = farlink.complete("graph.tsv")
run.predict(head="Nanjing", relation="country")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from farlink.alignment.align import align as align
    from farlink.alignment.run import AlignmentRun as AlignmentRun
    from farlink.completion.complete import complete as complete
    from farlink.completion.run import CompletionRun as CompletionRun
    from farlink.errors import FarlinkError as FarlinkError
    from farlink.errors import InputError as InputError
    from farlink.graph.knowledge_graph import KnowledgeGraph as KnowledgeGraph
    from farlink.io.graphs import read as read
    from farlink.io.links import read_links as read_links
    from farlink.loading import load as load
    from farlink.runs.folder import Run as Run

# Loaded when first asked for: torch and numba take seconds, and `farlink --help` needs neither.
_HOMES = {
    "align": "farlink.alignment.align",
    "AlignmentRun": "farlink.alignment.run",
    "complete": "farlink.completion.complete",
    "CompletionRun": "farlink.completion.run",
    "FarlinkError": "farlink.errors",
    "InputError": "farlink.errors",
    "KnowledgeGraph": "farlink.graph.knowledge_graph",
    "read": "farlink.io.graphs",
    "read_links": "farlink.io.links",
    "Run": "farlink.runs.folder",
    "load": "farlink.loading",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'farlink' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)

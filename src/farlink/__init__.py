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
    from farlink.aligned import AlignmentRun as AlignmentRun
    from farlink.alignment import align as align
    from farlink.completed import CompletionRun as CompletionRun
    from farlink.completion import complete as complete
    from farlink.errors import FarlinkError as FarlinkError
    from farlink.errors import InputError as InputError
    from farlink.graph import KnowledgeGraph as KnowledgeGraph
    from farlink.io import read as read
    from farlink.io import read_links as read_links
    from farlink.runs import Run as Run
    from farlink.runs import load as load

# Loaded when first asked for: torch and numba take seconds, and `farlink --help` needs neither.
_HOMES = {
    "align": "farlink.alignment",
    "AlignmentRun": "farlink.aligned",
    "complete": "farlink.completion",
    "CompletionRun": "farlink.completed",
    "FarlinkError": "farlink.errors",
    "InputError": "farlink.errors",
    "KnowledgeGraph": "farlink.graph",
    "read": "farlink.io",
    "read_links": "farlink.io",
    "Run": "farlink.runs",
    "load": "farlink.runs",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'farlink' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)

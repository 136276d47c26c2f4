"""Formats in which an alignment can be written; each is a file here, with a function `write`, and a line of `EXPORTS`.

TSV carries the whole mapping: a data frame with the columns left, right, score, margin, probability and status. SSSOM,
owl:sameAs and the RDF of the Alignment API carry links, so they take only the rows whose status is seed or matched, and
they speak of IRIs (`iris`). SSSOM and the Alignment API carry relations and classes that correspond as well, and RDFS
and OWL these alone. NumPy carries the vectors instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from farlink.io.exports.content import Content


@dataclass(frozen=True)
class Export:
    """A format: its file here, what it holds, and what it is called in a run folder if no other place is named."""

    module: str
    holds: str  # in words, for people who choose
    place: str

    def write(self, content: Content, path: Path) -> None:
        """Write in this format; what that needs is imported only now, as the command line lists all formats."""
        import_module(f"{__name__}.{self.module}").write(content, path)


EXPORTS = {
    "sssom": Export("sssom", "links, relations and classes with how each was found", "alignment.sssom.tsv"),
    "sameas": Export("same_as", "links as owl:sameAs", "alignment.nt"),
    "alignment-rdf": Export("alignment_rdf", "links, relations and classes for the Alignment API", "alignment.rdf"),
    "ontology": Export("ontology", "relations and classes in RDFS and OWL", "ontology.nt"),
    "tsv": Export("tsv", "the whole mapping", "alignment.tsv"),
    "npy": Export("npy", "the vectors", "vectors"),
}

"""Links as owl:sameAs in N-Triples."""

from __future__ import annotations

from pathlib import Path

from pyoxigraph import NamedNode, RdfFormat, Triple, serialize

from farlink.io.exports.content import Content, links_of
from farlink.io.exports.iris import LEFT_NAMESPACE, RIGHT_NAMESPACE, WELL_KNOWN, iris_of
from farlink.io.files import atomic_path

SAME_AS = NamedNode(WELL_KNOWN["owl"] + "sameAs")


def write(content: Content, path: str | Path) -> None:
    """Write the links as N-Triples, each `<left> owl:sameAs <right>`."""
    links = links_of(content.mapping)
    pairs = zip(iris_of(links["left"], LEFT_NAMESPACE), iris_of(links["right"], RIGHT_NAMESPACE), strict=True)
    triples = (Triple(NamedNode(left), SAME_AS, NamedNode(right)) for left, right in pairs)
    with atomic_path(path) as temporary:
        serialize(triples, temporary, format=RdfFormat.N_TRIPLES)

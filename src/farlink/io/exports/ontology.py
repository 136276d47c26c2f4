"""Relations and classes that correspond, as statements of RDFS and OWL in N-Triples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import BlankNode, NamedNode, RdfFormat, Triple, serialize

from farlink.io.exports.content import Content, correspondences_of
from farlink.io.exports.iris import LEFT_NAMESPACE, RIGHT_NAMESPACE, WELL_KNOWN, iris_of
from farlink.io.files import atomic_path

OWL, RDFS = WELL_KNOWN["owl"], WELL_KNOWN["rdfs"]
EQUAL = {"relation": NamedNode(OWL + "equivalentProperty"), "class": NamedNode(OWL + "equivalentClass")}
NARROWER = {"relation": NamedNode(RDFS + "subPropertyOf"), "class": NamedNode(RDFS + "subClassOf")}
INVERSE = NamedNode(OWL + "inverseOf")


def write(content: Content, path: str | Path) -> None:
    """Write what corresponds as N-Triples: a narrower relation is a property under the other one, and so on.

    That a relation is narrower than the inverse of another takes a nameless node, which is that inverse.
    """
    found = correspondences_of(content)
    left, right = iris_of(found["left"], LEFT_NAMESPACE), iris_of(found["right"], RIGHT_NAMESPACE)
    rows = zip(found["of"], left, found["kind"], right, strict=True)
    triples = (
        triple
        for number, (of, one, kind, other) in enumerate(rows)
        for triple in _said(of, NamedNode(one), kind, NamedNode(other), BlankNode(f"inverse{number}"))
    )
    with atomic_path(path) as temporary:
        serialize(triples, temporary, format=RdfFormat.N_TRIPLES)


def _said(of: str, left: NamedNode, kind: str, right: NamedNode, turned: BlankNode) -> Iterator[Triple]:
    """What one row says; `turned` is a node for an inverse if that needs one."""
    match kind:
        case "equal":
            yield Triple(left, EQUAL[of], right)
        case "narrower":
            yield Triple(left, NARROWER[of], right)
        case "broader":
            yield Triple(right, NARROWER[of], left)
        case "inverse":
            yield Triple(left, INVERSE, right)
        case "inverse narrower" | "inverse broader":
            narrow, broad = (left, right) if kind == "inverse narrower" else (right, left)
            yield Triple(turned, INVERSE, broad)
            yield Triple(narrow, NARROWER[of], turned)

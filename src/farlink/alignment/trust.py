"""Links that the graphs themselves hold: entities of one name, and statements that two entities are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.errors import FarlinkError
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.wording import counted

TRUSTS = ("same-iris", "same-as")
SAME_AS = (
    "http://www.w3.org/2002/07/owl#sameAs",
    "http://www.w3.org/2004/02/skos/core#exactMatch",
    "http://schema.org/sameAs",
    "https://schema.org/sameAs",
)
SAME_AS_SHORT = "owl:sameAs, skos:exactMatch or schema:sameAs"
BLANK_NODE = "_:"  # names of blank nodes mean something in their own file only

NO_NAMES = "no entity name occurs in both graphs, so there is none to trust"
JOINED = ("own", "other")
Mask = NDArray[np.bool_]


class Parted(NamedTuple):
    """Two graphs without the statements that joined them, and the pairs of names that these stated."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    stated: pl.DataFrame  # left, right: each pair once


def checked_trust(trust: str | Sequence[str]) -> tuple[str, ...]:
    """What a caller trusts, each by its name; another name is a clear error."""
    names = (trust,) if isinstance(trust, str) else tuple(trust)
    for name in names:
        if name not in TRUSTS:
            raise FarlinkError(f"'{name}' is nothing that can be trusted; choose {' or '.join(TRUSTS)}", "trust")
    return names


def parted(left: KnowledgeGraph, right: KnowledgeGraph) -> Parted:
    """Take out the statements that an entity of one graph is one of the other.

    Such a statement brings an entity of the other graph in, which is none of this one: it is one if anything else is
    said of it here. Statements about entities of one graph, or of third ones, stay triples.
    """
    left_less, from_left = _without_statements(left, right)
    right_less, from_right = _without_statements(right, left)
    stated = pl.concat([from_left.select(left="own", right="other"), from_right.select(left="other", right="own")])
    return Parted(left_less, right_less, stated.unique(maintain_order=True))


def same_names(left: KnowledgeGraph, right: KnowledgeGraph) -> Pairs:
    """Entities that have one name in both graphs, blank nodes aside."""
    places = right.ids(left.entities)
    shared = (places >= 0) & ~left.entities.str.starts_with(BLANK_NODE).to_numpy()
    return np.stack([np.flatnonzero(shared).astype(np.int32), places[shared]], axis=1)


def stated_note(statements: int, trusted: bool) -> list[str]:
    """What was found of statements that join the graphs, and what becomes of them."""
    if not statements:
        return [f"no {SAME_AS_SHORT} joins the graphs, so there is none to trust"] if trusted else []
    found = counted(statements, "pair", "pairs")
    said = f"{found} of a left and a right entity stated in the graphs by {SAME_AS_SHORT}"
    if trusted:
        return [f"{said}: taken as seeds, and out of the triples"]
    return [f"{said}: left out of the triples and not used; trust same-as to take them as seeds"]


def shared_note(shared: int, trusted: bool) -> list[str]:
    """What was found of names that both graphs have, and what becomes of them."""
    names = counted(shared, "entity name occurs", "entity names occur")
    if trusted:
        return [f"{names} in both graphs: taken as seeds" if shared else NO_NAMES]
    if not shared:
        return []
    return [f"{names} in both graphs, which means nothing here; trust same-iris to take them as seeds"]


def _without_statements(graph: KnowledgeGraph, other: KnowledgeGraph) -> tuple[KnowledgeGraph, pl.DataFrame]:
    """The graph without its statements that join it with the other; the own and the other name in each of them."""
    states = _states(graph)
    if not states.any():
        return graph, pl.DataFrame(schema=dict.fromkeys(JOINED, pl.String))
    own = _described(graph, states)
    foreign = ~own & _is_of(graph, other)
    head, _, tail = graph.triples.T
    # of two entities of which nothing else is said, the one that the statement is about is this graph's
    forth, back = states & foreign[tail] & ~foreign[head], states & foreign[head] & own[tail]
    ends = np.concatenate([graph.triples[forth][:, [0, 2]], graph.triples[back][:, [2, 0]]])
    names = pl.DataFrame([graph.entities.gather(ids).alias(name) for ids, name in zip(ends.T, JOINED, strict=True)])
    gone = forth | back
    foreign[graph.triples[~gone][:, ::2]] = False
    return graph.without(gone, foreign), names


def _states(graph: KnowledgeGraph) -> Mask:
    """Which triples state that two entities are the same."""
    relations = np.flatnonzero(graph.relations.is_in(SAME_AS).to_numpy())
    return np.isin(graph.triples[:, 1], relations)


def _described(graph: KnowledgeGraph, states: Mask) -> Mask:
    """Of which entities something else is said than what they are the same as, or nothing at all."""
    stated, described = np.zeros((2, len(graph.entities)), dtype=bool)
    stated[graph.triples[states][:, ::2]] = True
    described[graph.triples[~states][:, ::2]] = True
    literals = graph.ids(graph.literals["head"].unique())
    described[literals[literals >= 0]] = True
    return described | ~stated


def _is_of(graph: KnowledgeGraph, other: KnowledgeGraph) -> Mask:
    """Which entities of a graph are described by the other one."""
    places = other.ids(graph.entities)
    described = _described(other, _states(other))
    return (places >= 0) & described[places]

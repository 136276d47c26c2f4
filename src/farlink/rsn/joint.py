"""The joint graph (section 2.1 of the paper): reverse relations, two graphs woven into one by their seed links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from farlink.graph.edges import Adjacency, Edges, both_ways
from farlink.graph.ids import Ids, Pairs, Triples
from farlink.graph.knowledge_graph import KnowledgeGraph

LEFT, RIGHT, BOTH = 0, 1, 2  # sides that an entity can be of
Sides = NDArray[np.uint8]


@dataclass(frozen=True)
class JointGraph:
    """One graph over the entities of both sides: left ids first, then right ids shifted behind them.

    Every relation r has a reverse with id r + relations / 2, and every triple its reverse twin.
    """

    triples: Triples  # distinct and sorted
    entities: int  # of both sides together
    first_right: int  # ids from here on are those of the right graph
    relations: int  # reverse relations included
    adjacency: Adjacency
    side: Sides  # LEFT, RIGHT, or BOTH for an entity in which the two ends of a link are one
    linked: NDArray[np.bool_]  # whether an entity is an end of a link, or both


def swapped(triples: Triples, partner: Ids) -> Triples:
    """The triples with seed entities exchanged for their partners, in every combination of ends.

    `partner[e]` is the entity linked to e by a seed, or -1.
    """
    head, relation, tail = triples.T
    new_head, new_tail = partner[head], partner[tail]
    forms = [
        (new_head >= 0, (new_head, relation, tail)),
        (new_tail >= 0, (head, relation, new_tail)),
        ((new_head >= 0) & (new_tail >= 0), (new_head, relation, new_tail)),
    ]
    return np.concatenate([np.stack(columns, axis=1)[chosen] for chosen, columns in forms])


def join(left: KnowledgeGraph, right: KnowledgeGraph, links: Pairs) -> JointGraph:
    """Weave two graphs into one as the paper does: linked entities stand in for each other in the triples.

    `links` holds (left id, right id) rows, one-to-one.
    """
    entities = len(left.entities) + len(right.entities)
    partner = np.full(entities, -1, dtype=np.int32)
    left_ends, right_ends = links[:, 0], links[:, 1] + np.int32(len(left.entities))
    partner[left_ends], partner[right_ends] = right_ends, left_ends
    triples = both_ways(left, right)
    triples = np.concatenate([triples, swapped(triples, partner)])
    return _joint_graph(left, right, triples, _own_sides(left, right), partner >= 0)


def merge(left: KnowledgeGraph, right: KnowledgeGraph, links: Pairs) -> JointGraph:
    """Weave two graphs into one with a single entity for each link: the left one. The right one is left bare.

    A linked entity is of both sides. With the biases of `walks.bias_table` a step is as likely as in the graph of
    `join` with the two ends of a link seen as one, but for one case: to go from an end of a link to the other is to go
    back here, and to go on there. The triples are a fraction, as one of linked entities stands up to four times in
    `join` and begins as many walks. What is learned of one end of a link need not be learned again for the other.
    """
    row = shared_rows(left, right, links)
    side = _own_sides(left, right)
    side[links[:, 0]] = BOTH
    head, relation, tail = both_ways(left, right).T
    return _joint_graph(left, right, np.stack([row[head], relation, row[tail]], axis=1), side, side == BOTH)


def shared_rows(left: KnowledgeGraph, right: KnowledgeGraph, links: Pairs) -> Ids:
    """Where the vectors of each entity are if linked entities are one: at its id, or at its left partner's."""
    row = np.arange(len(left.entities) + len(right.entities), dtype=np.int32)
    row[links[:, 1] + len(left.entities)] = links[:, 0]
    return row


def alone(graph: KnowledgeGraph) -> JointGraph:
    """One graph by itself with its reverse triples, to walk in."""
    edges = Edges.of(graph)
    return _with_adjacency(
        edges, edges.entities, np.full(edges.entities, LEFT, np.uint8), np.zeros(edges.entities, bool)
    )


def _own_sides(left: KnowledgeGraph, right: KnowledgeGraph) -> Sides:
    """Every entity is of the side that it comes from."""
    return np.repeat(np.array([LEFT, RIGHT], dtype=np.uint8), [len(left.entities), len(right.entities)])


def _joint_graph(
    left: KnowledgeGraph, right: KnowledgeGraph, triples: Triples, side: Sides, linked: NDArray[np.bool_]
) -> JointGraph:
    relations = 2 * (len(left.relations) + len(right.relations))
    return _with_adjacency(Edges.of_triples(triples, len(side), relations), len(left.entities), side, linked)


def _with_adjacency(edges: Edges, first_right: int, side: Sides, linked: NDArray[np.bool_]) -> JointGraph:
    near = Adjacency.of(edges)
    return JointGraph(edges.triples, edges.entities, first_right, edges.relations, near, side, linked)

"""What the neighbourhood says about an entity: views by which entities of two graphs can be compared.

A view is a matrix with a row for every entity of both graphs, left first. Rows have length one, or zero where
nothing is known. Seeds appear in both graphs under one vector; everything else follows from who is next to
whom, and by which relations.

Shapes in comments: E entities of both graphs, R relations of both, S distinct steps (from an entity by a relation),
d the width.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from torch import Tensor
from torch.nn.functional import normalize

from farlink.graph.edges import Edges, reverse
from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.rsn.model import PathModel
from farlink.settings import AlignmentSettings

CHUNK = 2**13  # steps predicted at a time
ROUNDING = 1e-4  # share of a sum: what is less when its parts are taken away is what float32 rounds


class Neighbourhoods:
    """Two graphs side by side, not linked: neighbours and relations of every entity."""

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph) -> None:
        self.left = len(left.entities)
        self.entities = self.left + len(right.entities)
        edges = Edges.of(left, right)
        self.relations = edges.relations // 2
        head, degree = edges.head, np.maximum(np.diff(edges.first), 1)
        # each step divides by the roots of both degrees: a hub says little about its neighbours
        weight = 1 / np.sqrt(degree[head] * degree[edges.tail])
        self.neighbours = _counts(head, edges.tail, (self.entities, self.entities), weight)  # (E, E)
        self.uses = _counts(head, edges.relation, (self.entities, edges.relations))  # (E, 2 R)
        # who is reached by which step: from a neighbour, by the relation that leads back
        self.arrivals = head
        self.steps = np.stack([edges.tail, reverse(edges.relation, edges.relations)], axis=1)

    def sides(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """The rows of the left and of the right graph."""
        return vectors[: self.left], vectors[self.left :]

    def spread(self, vectors: Tensor, hops: int) -> list[Tensor]:
        """The vectors, those of the neighbours, those of their neighbours, and so on."""
        views = [normalize(vectors, dim=1)]
        for _ in range(hops):
            views.append(normalize(_product(self.neighbours, views[-1]), dim=1))
        return views

    def shared(self, vectors: Tensor, pairs: Pairs) -> Tensor:
        """The vectors with the two ends of each pair under their mean."""
        left, right = torch.from_numpy(pairs[:, 0]).long(), torch.from_numpy(pairs[:, 1]).long() + self.left
        vectors = vectors.clone()
        vectors[left] = vectors[right] = (vectors[left] + vectors[right]) / 2
        return vectors


def seed_views(neighbourhoods: Neighbourhoods, pairs: Pairs, settings: AlignmentSettings) -> list[Tensor]:
    """Views from known pairs alone: each pair has a random direction, and directions spread.

    Entities are close if the same known entities are near them. A relation is described by the known
    entities near those that use it, and an entity by its relations: that compares relations across graphs.
    """
    near = _marks(neighbourhoods, pairs, settings)
    return [*near, *_profiles(neighbourhoods, near, settings)]


def judging_views(neighbourhoods: Neighbourhoods, pairs: Pairs, settings: AlignmentSettings) -> tuple[Tensor, Tensor]:
    """The same side by side, of the left and of the right entities, but for what a pair says of itself.

    Pairs that were found are judged by these views once more: their own direction, at the start and when it comes back
    from the neighbours, would say of every pair, right or wrong, that it is right. In graphs too large for vectors
    all are alike.
    """
    if neighbourhoods.entities > settings.vector_entities:
        return neighbourhoods.sides(torch.zeros(neighbourhoods.entities, 1))
    own = _directions(neighbourhoods, pairs, settings)
    around = _product(neighbourhoods.neighbours, own)  # (E, d)
    length = around.norm(dim=1).clamp(min=1e-12)
    views = [normalize(around, dim=1)]
    back = _product(neighbourhoods.neighbours.power(2), (1 / length)[:, None])  # (E, 1), what comes back in two steps
    twice = _product(neighbourhoods.neighbours, views[-1])
    others = twice - back * own
    rounded = others.norm(dim=1) < ROUNDING * twice.norm(dim=1)  # nothing but the own direction was there
    views.append(normalize(others.masked_fill(rounded[:, None], 0), dim=1))
    views += neighbourhoods.spread(views[-1], settings.hops - 2)[1:]
    profiles = _profiles(neighbourhoods, [own, *views], settings)
    return neighbourhoods.sides(torch.cat([*views, *profiles], dim=1))


def _profiles(neighbourhoods: Neighbourhoods, near: list[Tensor], settings: AlignmentSettings) -> list[Tensor]:
    """Entities by their relations, and their neighbours; relations by the known entities near those that use them."""
    width = settings.width
    subjects = normalize(_product(neighbourhoods.uses.T.tocsr(), near[0] + near[1] + near[2]), dim=1)  # (2 R, d)
    relations = torch.cat([subjects, subjects.roll(neighbourhoods.relations, dims=0)], dim=1)  # subjects and objects
    relations = normalize(relations - relations.mean(0), dim=1)  # (2 R, 2 d)
    projection = torch.randn(2 * width, width, generator=torch.Generator().manual_seed(settings.seed))
    profile = normalize(normalize(_product(neighbourhoods.uses, relations), dim=1) @ projection, dim=1)  # (E, d)
    return neighbourhoods.spread(profile, 1)


def _marks(neighbourhoods: Neighbourhoods, pairs: Pairs, settings: AlignmentSettings) -> list[Tensor]:
    """Each known pair under a random direction of its own, and what spreads from there."""
    return neighbourhoods.spread(_directions(neighbourhoods, pairs, settings), settings.hops)


def _directions(neighbourhoods: Neighbourhoods, pairs: Pairs, settings: AlignmentSettings) -> Tensor:
    """A random direction for both ends of each known pair; zero for all others."""
    directions = torch.randn(len(pairs), settings.width, generator=torch.Generator().manual_seed(settings.seed + 1))
    marks = torch.zeros(neighbourhoods.entities, settings.width)  # (E, d)
    for ends in (pairs[:, 0], pairs[:, 1] + neighbourhoods.left):
        marks[torch.from_numpy(ends).long()] = normalize(directions, dim=1)
    return marks


def start_vectors(neighbourhoods: Neighbourhoods, pairs: Pairs, settings: AlignmentSettings) -> Tensor:
    """Vectors to start training from: known pairs near an entity, in one view. Zero where none is near."""
    return normalize(sum(_marks(neighbourhoods, pairs, settings)[: settings.hops], torch.zeros(())), dim=1)


def learned_views(neighbourhoods: Neighbourhoods, vectors: Tensor, pairs: Pairs) -> list[Tensor]:
    """Views from learned vectors: an entity's own, its neighbours', and their neighbours'."""
    return neighbourhoods.spread(neighbourhoods.shared(vectors, pairs), 2)


@torch.no_grad()
def predicted_view(neighbourhoods: Neighbourhoods, model: PathModel) -> Tensor:
    """What the model expects to find, on average, when it comes to an entity from each of its neighbours."""
    steps, place = np.unique(neighbourhoods.steps, axis=0, return_inverse=True)
    entities, relations = torch.from_numpy(steps).long().T  # both (S)
    states = torch.cat(
        [
            model.after(entity, relation)
            for entity, relation in zip(entities.split(CHUNK), relations.split(CHUNK), strict=True)
        ]
    )  # (S, d)
    arrivals = _counts(neighbourhoods.arrivals, place.astype(np.int32), (neighbourhoods.entities, len(steps)))  # (E, S)
    return normalize(_product(arrivals, normalize(states, dim=1)), dim=1)


def compared_vectors(
    neighbourhoods: Neighbourhoods, pairs: Pairs, model: PathModel, settings: AlignmentSettings
) -> tuple[Tensor, Tensor]:
    """The vectors by which left and right entities are compared, given a trained model and known pairs."""
    if settings.vectors == "seeds":
        return neighbourhoods.sides(torch.cat(seed_views(neighbourhoods, pairs, settings), dim=1))
    entity_in, entity_out = model.entity_in.weight.detach(), model.entity_out.weight.detach()
    if settings.vectors == "input":
        return neighbourhoods.sides(entity_in)
    both = torch.cat([normalize(entity_in, dim=1), normalize(entity_out, dim=1)], dim=1)  # (E, 2 d)
    if settings.vectors == "both":
        return neighbourhoods.sides(both)
    return neighbourhoods.sides(
        torch.cat([*learned_views(neighbourhoods, both, pairs), predicted_view(neighbourhoods, model)], dim=1)
    )


def _counts(rows: Ids, columns: Ids, shape: tuple[int, int], weight: NDArray[np.float64] | None = None) -> csr_array:
    values = np.ones(len(rows)) if weight is None else weight
    return coo_array((values.astype(np.float32), (rows, columns)), shape=shape).tocsr()


def _product(matrix: csr_array, vectors: Tensor) -> Tensor:
    return torch.from_numpy(matrix @ vectors.numpy())

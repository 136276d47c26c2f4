"""Candidates that compete: a sparse list of likely pairs, and Sinkhorn's balance among them.

An entity that is near to many others says little about each of them. Sinkhorn's algorithm divides each
entity's attention among its candidates until every entity of both sides gives and takes about the same. It
runs on the nearest candidates of every entity only, so memory is linear in the entities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from farlink.graph.ids import Ids

MOST = 60.0  # a larger logit would leave the range of numbers; e^60 is certain among any number of entities
LEAST = (
    1e-6  # chance that an entity has no counterpart, at the least, so that one without candidates divides nothing by it
)


def balanced(
    left: Ids, right: Ids, logit: NDArray[np.floating], shape: tuple[int, int], rounds: int
) -> NDArray[np.float64]:
    """Share of the left entity's attention that each pair keeps after Sinkhorn's balancing."""
    most = np.full(shape[0], -np.inf)
    np.maximum.at(most, left, logit)
    share: NDArray[np.float64] = np.exp(logit - most[left])
    for _ in range(rounds):
        for ids, count in ((right, shape[1]), (left, shape[0])):
            share /= np.maximum(np.bincount(ids, share, minlength=count), 1e-300)[ids]
    return share


def transported(
    left: Ids, right: Ids, logit: NDArray[np.floating], shape: tuple[int, int], rounds: int
) -> NDArray[np.float64]:
    """Share of an entity's attention that each pair keeps where one side may be larger than the other.

    Every entity of the smaller side gives all it has. Those of the larger side take as much as one has at the most;
    what is more than the smaller side can give, they take together from outside, whoever is left over. With sides of
    one size this is `balanced`.
    """
    if shape[0] > shape[1]:
        return transported(right, left, logit, (shape[1], shape[0]), rounds)
    most = np.full(shape[0], -np.inf)
    np.maximum.at(most, left, logit)
    weight: NDArray[np.float64] = np.exp(logit - most[left])
    weight /= np.bincount(left, weight, minlength=shape[0])[left]
    mine, outside = np.ones(shape[0]), 1.0
    excess = shape[1] - shape[0]
    for _ in range(rounds):
        theirs = 1 / np.maximum(np.bincount(right, weight * mine[left], minlength=shape[1]) + outside, 1e-300)
        mine = 1 / np.maximum(np.bincount(left, weight * theirs[right], minlength=shape[0]), 1e-300)
        outside = excess / theirs.sum()
    share: NDArray[np.float64] = weight * mine[left] * theirs[right]
    return share


def uncontested(
    left: Ids, right: Ids, logit: NDArray[np.floating], shape: tuple[int, int], several: tuple[bool, bool]
) -> NDArray[np.float64]:
    """Share that each pair keeps where entities of the left, the right or both sides may have several counterparts.

    Who may have several divides nothing among them: a pair competes with the others of its other end only. Where both
    ends may have several, its share is what its odds are of those of the best pair that either end is in.
    """
    best = np.full(len(left), -np.inf)
    for ids, count, may in ((left, shape[0], several[0]), (right, shape[1], several[1])):
        if all(several) or not may:
            most = np.full(count, -np.inf)
            np.maximum.at(most, ids, logit)
            best = np.maximum(best, most[ids])
    odds = np.exp(np.asarray(logit, dtype=np.float64) - best)
    if all(several):
        return np.asarray(odds)
    ids, count = (right, shape[1]) if several[0] else (left, shape[0])
    return np.asarray(odds / np.bincount(ids, odds, minlength=count)[ids])


def shared_out(
    left: Ids,
    right: Ids,
    logit: NDArray[np.floating],
    shape: tuple[int, int],
    rounds: int,
    overlap: float,
    several: tuple[bool, bool] = (False, False),
) -> tuple[NDArray[np.float64], float]:
    """The chance of each pair if an entity has at most one counterpart, and how many have one.

    `logit` is the logarithm of a likelihood ratio: how much likelier what is seen is for the same entity than for any
    two. Before anything is seen a pair is right with the chance overlap / (all pairs), and an entity of a side is
    without a counterpart with the chance 1 - overlap / (entities of the side). Every entity divides itself among its
    candidates and that; if all entities of both sides have a counterpart, this is Sinkhorn's balance.

    Entities of the left, of the right or of both sides may have `several` counterparts. Those give themselves whole to
    each of them. If both sides may, a pair has nothing to compete with but its being wrong, and `overlap` is how many
    pairs are right.

    The `overlap` is what was thought before. It follows what is found, but falls by half at the most: as long as little
    is known about who is near whom, every pair looks unlikely.
    """
    factor = np.exp(np.minimum(logit, MOST))
    least, most = overlap / 2, min([count for count, may in zip(shape, several, strict=True) if not may] or [len(left)])
    mine, theirs = np.ones(shape[0]), np.ones(shape[1])
    for _ in range(rounds):
        weight = factor * (overlap / shape[0] / shape[1])
        if all(several):
            chance = weight / (weight + max(1 - overlap / shape[0] / shape[1], LEAST))
        else:
            if not several[1]:
                free = max(1 - overlap / shape[1], LEAST)
                theirs = 1 / (np.bincount(right, weight * mine[left], minlength=shape[1]) + free)
            if not several[0]:
                free = max(1 - overlap / shape[0], LEAST)
                mine = 1 / (np.bincount(left, weight * theirs[right], minlength=shape[0]) + free)
            chance = weight * mine[left] * theirs[right]
        overlap = min(max(float(chance.sum()), least), most)
    return chance, overlap

"""Confident pairs become seeds: what was found helps to find more.

A pair counts if each end is the other's best candidate and keeps enough of its attention. Every round chooses
afresh among all entities that are no seeds, so a pair can be withdrawn when better evidence comes. Nothing
here knows which entities have a counterpart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from torch import Tensor

from farlink.balancing import Candidates
from farlink.evaluation import unseeded
from farlink.graph import Ids
from farlink.linking import repeated
from farlink.settings import Settings


def grown_pairs(seeds: Ids, known: Ids, views: Callable[[Ids], tuple[Tensor, Tensor]], settings: Settings) -> Ids:
    """Seeds and the pairs found in `settings.rounds` rounds.

    `views` gives the (left, right) vectors that follow from known pairs; the first round starts from `known`.
    """
    for _ in range(settings.rounds):
        known = np.concatenate([seeds, confident_pairs(*views(known), seeds, settings)])
    return known


def confident_pairs(left: Tensor, right: Tensor, seeds: Ids, settings: Settings) -> Ids:
    """Pairs of entities that are no seeds, each the other's best, with a score above `settings.confidence`."""
    pools = unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])
    listed = Candidates.among(left[pools[0]], right[pools[1]], settings.candidates, settings.temperature)
    sure = listed.mutual() & (listed.score > settings.confidence)
    pairs = np.stack([pools[0][listed.left[sure]], pools[1][listed.right[sure]]], axis=1)
    return pairs[~(repeated(pairs[:, 0]) | repeated(pairs[:, 1]))]  # equal scores may leave an entity undecided

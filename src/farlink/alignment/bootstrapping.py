"""Confident pairs become seeds: what was found helps to find more.

A pair counts if each end is the other's best candidate and keeps enough of its attention. Every round chooses
afresh among all entities that are no seeds, so a pair can be withdrawn when better evidence comes. Nothing
here knows which entities have a counterpart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from farlink.alignment.candidates import Candidates
from farlink.graph.ids import Pairs
from farlink.graph.links import repeated
from farlink.settings import AlignmentSettings


def grown_pairs(seeds: Pairs, judge: Callable[[Pairs], Candidates], settings: AlignmentSettings) -> Pairs:
    """Seeds and the pairs found in `settings.rounds` rounds; `judge` gives the candidates that known pairs lead to."""
    known = seeds
    for _ in range(settings.rounds):
        known = np.concatenate([seeds, confident_pairs(judge(known), settings)])
    return known


def confident_pairs(candidates: Candidates, settings: AlignmentSettings) -> Pairs:
    """Pairs that are each other's best, with a score above `settings.confidence`."""
    sure = candidates.mutual() & (candidates.score > settings.confidence)
    pairs = np.stack([candidates.left[sure], candidates.right[sure]], axis=1)
    return pairs[~(repeated(pairs[:, 0]) | repeated(pairs[:, 1]))]  # equal scores may leave an entity undecided

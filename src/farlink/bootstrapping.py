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
from farlink.evidence import Evidence
from farlink.graph import Ids
from farlink.linking import repeated, unseeded
from farlink.settings import AlignmentSettings

REFINEMENTS = 3  # times that candidates are judged by what is thought of their neighbours


def judged_candidates(left: Tensor, right: Tensor, evidence: Evidence, settings: AlignmentSettings) -> Candidates:
    """Candidates among all entities that are no seeds: near by their vectors, then weighed by their triples."""
    seeds = evidence.seeds
    pools = unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])
    listed = Candidates.nearest(left, right, pools, settings.candidates)
    if not settings.temperature:
        return listed
    resemblance = listed.cosine / settings.temperature
    listed = listed.balanced(resemblance)
    for _ in range(REFINEMENTS if settings.evidence else 0):
        listed = listed.balanced(resemblance + settings.evidence * evidence.of(listed))
    return listed


def grown_pairs(seeds: Ids, judge: Callable[[Ids], Candidates], settings: AlignmentSettings) -> Ids:
    """Seeds and the pairs found in `settings.rounds` rounds; `judge` gives the candidates that known pairs lead to."""
    known = seeds
    for _ in range(settings.rounds):
        known = np.concatenate([seeds, confident_pairs(judge(known), settings)])
    return known


def confident_pairs(listed: Candidates, settings: AlignmentSettings) -> Ids:
    """Pairs that are each other's best, with a score above `settings.confidence`."""
    sure = listed.mutual() & (listed.score > settings.confidence)
    pairs = np.stack([listed.left[sure], listed.right[sure]], axis=1)
    return pairs[~(repeated(pairs[:, 0]) | repeated(pairs[:, 1]))]  # equal scores may leave an entity undecided

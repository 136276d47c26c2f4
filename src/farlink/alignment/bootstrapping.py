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
from farlink.graph.links import among

LITTLE = 0.003  # share of the known pairs: if no more of them change, further rounds change nothing
FEW = 0.1  # share of them: if no more of them change,
GROWING = 1.04  # times as many pairs as before: where a round finds so many, the next one finds more
SETTLED = 0.9  # and more than this share of what changed in the round before, it is doubtful pairs that come and go


def grown_pairs(
    seeds: Pairs, judge: Callable[[Pairs], Candidates], rounds: int, confidence: float, most: int = 0
) -> Pairs:
    """Seeds and the pairs found in some rounds, or fewer if nothing changes any more.

    `judge` gives the candidates that known pairs lead to. After the rounds asked for, up to `most` are made as long as
    each finds many more: a few seeds reach only what is near them at first.
    """
    known, before, moved = seeds, seeds[:0], float("inf")
    for number in range(max(rounds, most) if rounds else 0):
        if number >= rounds and len(known) <= GROWING * len(before):
            break
        before, known = known, np.concatenate([seeds, judge(known).confident(confidence)])
        kept = int(among(known, before).sum())
        moved_before, moved = moved, len(known) + len(before) - 2 * kept
        if moved <= LITTLE * len(known) or SETTLED * moved_before < moved <= FEW * len(known):
            break
    return known

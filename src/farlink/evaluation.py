"""How good an alignment is: ranks of known links under two protocols, and the mapping against them.

`linked`: candidates are the ends of the validation and test links, as in the paper.
`all`: candidates are all entities that are not seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from farlink.graph import Ids
from farlink.matching import target_ranks
from farlink.metrics import RankKind, Ranks

DIRECTIONS = ("left_to_right", "right_to_left")
RanksByProtocol = dict[str, dict[str, Ranks]]


def rank_links(
    left: Tensor, right: Tensor, links: Ids, candidates: tuple[Ids, Ids], direction: str = "left_to_right"
) -> Ranks:
    """Ranks of the counterparts given by `links` among the (left, right) candidate ids, in one direction."""
    if direction == "right_to_left":
        return rank_links(right, left, links[:, ::-1], candidates[::-1])
    pool = np.unique(candidates[1])
    targets = np.searchsorted(pool, links[:, 1]).astype(np.int32)
    return target_ranks(left[links[:, 0]], right[pool], targets)


def protocol_ranks(left: Tensor, right: Tensor, links: Ids, *, linked: Ids, seeds: Ids) -> RanksByProtocol:
    """Ranks of the links under both protocols and in both directions.

    `linked` holds the links whose ends are the candidates of the protocol of that name.
    """
    candidates = {
        "linked": (linked[:, 0], linked[:, 1]),
        "all": (unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])),
    }
    return {
        protocol: {direction: rank_links(left, right, links, pool, direction) for direction in DIRECTIONS}
        for protocol, pool in candidates.items()
    }


def summaries(ranks: RanksByProtocol, kind: RankKind = "realistic") -> dict[str, Any]:
    """Hits@k, MRR and MR by protocol and direction."""
    return {
        protocol: {direction: found.summary(kind) for direction, found in by_direction.items()}
        for protocol, by_direction in ranks.items()
    }


def unseeded(count: int, seeds: Ids) -> Ids:
    """Ids below `count` that are no seeds."""
    return np.setdiff1d(np.arange(count, dtype=np.int32), seeds)

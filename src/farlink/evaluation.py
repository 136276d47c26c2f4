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

Nested = dict[str, Any]


def rank_links(
    left: Tensor, right: Tensor, links: Ids, candidates: tuple[Ids, Ids], direction: str = "left_to_right"
) -> Ranks:
    """Ranks of the counterparts given by `links` among the (left, right) candidate ids, in one direction."""
    if direction == "right_to_left":
        return rank_links(right, left, links[:, ::-1], candidates[::-1])
    pool = np.unique(candidates[1])
    targets = np.searchsorted(pool, links[:, 1]).astype(np.int32)
    return target_ranks(left[links[:, 0]], right[pool], targets)


def both_directions(
    left: Tensor, right: Tensor, links: Ids, candidates: tuple[Ids, Ids], kind: RankKind = "realistic"
) -> Nested:
    """Metrics of the links in both directions."""
    return {
        direction: rank_links(left, right, links, candidates, direction).summary(kind)
        for direction in ("left_to_right", "right_to_left")
    }


def protocols(
    left: Tensor, right: Tensor, links: Ids, *, linked: Ids, seeds: Ids, kind: RankKind = "realistic"
) -> Nested:
    """Metrics of the links under both protocols; `linked` holds the links whose ends are candidates."""
    everyone = unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])
    return {
        "linked": both_directions(left, right, links, (linked[:, 0], linked[:, 1]), kind),
        "all": both_directions(left, right, links, everyone, kind),
    }


def unseeded(count: int, seeds: Ids) -> Ids:
    """Ids below `count` that are no seeds."""
    return np.setdiff1d(np.arange(count, dtype=np.int32), seeds)

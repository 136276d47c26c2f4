"""How good an alignment is: ranks of known links under two protocols, and the mapping against them.

`linked`: candidates are the ends of the validation and test links, as in the paper.
`all`: candidates are all entities that are not seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from farlink.balancing import Candidates, candidate_ranks
from farlink.graph import Ids
from farlink.matching import target_ranks
from farlink.metrics import RankKind, Ranks
from farlink.settings import Settings

RanksByDirection = dict[str, Ranks]  # left_to_right, right_to_left


def rank_links(
    left: Tensor, right: Tensor, links: Ids, candidates: tuple[Ids, Ids], settings: Settings
) -> RanksByDirection:
    """Ranks, in both directions, of the counterparts given by `links` among the (left, right) candidate ids."""
    pools = np.unique(candidates[0]), np.unique(candidates[1])
    places = [np.searchsorted(pool, links[:, side]) for side, pool in enumerate(pools)]
    pairs = np.stack(places, axis=1).astype(np.int32)
    left, right = left[pools[0]], right[pools[1]]
    if not settings.temperature:
        return {
            "left_to_right": target_ranks(left[pairs[:, 0]], right, pairs[:, 1]),
            "right_to_left": target_ranks(right[pairs[:, 1]], left, pairs[:, 0]),
        }
    listed = Candidates.among(left, right, settings.candidates, settings.temperature)
    return {
        "left_to_right": candidate_ranks(listed, left, right, pairs),
        "right_to_left": candidate_ranks(listed.reversed(), right, left, pairs[:, ::-1]),
    }


def protocol_ranks(
    left: Tensor, right: Tensor, links: Ids, *, linked: Ids, seeds: Ids, settings: Settings
) -> dict[str, RanksByDirection]:
    """Ranks of the links under both protocols and in both directions.

    `linked` holds the links whose ends are the candidates of the protocol of that name.
    """
    ends = np.unique(linked[:, 0]), np.unique(linked[:, 1])
    everyone = unseeded(len(left), seeds[:, 0]), unseeded(len(right), seeds[:, 1])
    ranks = {"linked": rank_links(left, right, links, ends, settings)}
    if all(np.array_equal(one, other) for one, other in zip(ends, everyone, strict=True)):
        return {**ranks, "all": ranks["linked"]}  # every entity has a link: the protocols are the same
    return {**ranks, "all": rank_links(left, right, links, everyone, settings)}


def summaries(ranks: dict[str, RanksByDirection], kind: RankKind = "realistic") -> dict[str, Any]:
    """Hits@k, MRR and MR by protocol and direction."""
    return {
        protocol: {direction: found.summary(kind) for direction, found in by_direction.items()}
        for protocol, by_direction in ranks.items()
    }


def unseeded(count: int, seeds: Ids) -> Ids:
    """Ids below `count` that are no seeds."""
    return np.setdiff1d(np.arange(count, dtype=np.int32), seeds)

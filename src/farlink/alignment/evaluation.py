"""How good an alignment is: ranks of known links under two protocols, and the mapping against them.

`linked`: candidates are the ends of the validation and test links, as in the paper.
`all`: candidates are all entities that are not seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cosine_similarity

from farlink.alignment.candidates import Candidates
from farlink.alignment.ceiling import ceiling, colours
from farlink.alignment.mapping import Mapping
from farlink.alignment.nearest import target_ranks
from farlink.alignment.task import AlignmentTask
from farlink.graph import names
from farlink.graph.ids import Ids, Pairs, Pools, unseeded
from farlink.graph.links import among
from farlink.measures.calibration import reliability
from farlink.measures.ranks import RankKind, Ranks
from farlink.settings import AlignmentSettings


def pair_quality(found: Pairs, truth: Pairs) -> dict[str, float]:
    """Precision, recall and F1 of `found` pairs against `truth` pairs, both (n, 2).

    Only pairs that touch an entity of the truth can be judged; the others are left out and counted.
    """
    judged = found[np.isin(found[:, 0], truth[:, 0]) | np.isin(found[:, 1], truth[:, 1])]
    right = int(among(judged, truth).sum())
    precision = right / len(judged) if len(judged) else 0.0
    recall = right / len(truth) if len(truth) else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
        "right": right,
        "judged": len(judged),
        "not_judged": len(found) - len(judged),
    }


def candidate_ranks(candidates: Candidates, left: Tensor, right: Tensor, pairs: Pairs, pool: Ids) -> Ranks:
    """Rank of the right entity of each pair for its left entity: candidates by score, then the others.

    The others, right entities of the `pool`, follow by their cosine. Where a left entity is in several pairs, the
    candidates that are right as well do not count as better than the one that is asked for.
    """
    turn = _turns(pairs[:, 0])
    if not turn.any():
        return _ranks_of_each(candidates, left, right, pairs, pool)
    ranks = np.empty((2, len(pairs)))
    for number in range(int(turn.max()) + 1):
        asked = turn == number
        others = candidates.without(pairs[~asked])
        found = _ranks_of_each(others, left, right, pairs[asked], pool)
        ranks[:, asked] = found.optimistic, found.pessimistic
    return Ranks(*ranks.astype(np.int64))


def _turns(ids: Ids) -> NDArray[np.int64]:
    """How often each id occurs before."""
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    turns = np.empty(len(ids), dtype=np.int64)
    turns[order] = np.arange(len(ids)) - np.searchsorted(ordered, ordered)
    return turns


def _ranks_of_each(candidates: Candidates, left: Tensor, right: Tensor, pairs: Pairs, pool: Ids) -> Ranks:
    """The same where each left entity is in one pair."""
    target = np.full(candidates.shape[0], -1, dtype=np.int32)
    target[pairs[:, 0]] = pairs[:, 1]
    own_score, own_cosine = (np.full(candidates.shape[0], np.nan) for _ in range(2))
    hit = candidates.right == target[candidates.left]
    own_score[candidates.left[hit]] = candidates.score[hit]

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(candidates.left[which], minlength=candidates.shape[0])[pairs[:, 0]]

    own = own_score[candidates.left]
    better, equal = count(candidates.score > own), count(candidates.score == own)
    absent = np.isnan(own_score[pairs[:, 0]])
    if absent.any():
        rows = pairs[absent]
        places = np.searchsorted(pool, rows[:, 1]).astype(np.int32)
        cosine = target_ranks(left[rows[:, 0]], right[pool], places)
        own_cosine[rows[:, 0]] = cosine_similarity(left[rows[:, 0]], right[rows[:, 1]]).numpy()
        closer = count(candidates.cosine > own_cosine[candidates.left])[absent]
        better[absent] = count(np.ones(len(own), dtype=bool))[absent] + cosine.optimistic - 1 - closer
        equal[absent] = cosine.pessimistic - cosine.optimistic + 1
    return Ranks(optimistic=better + 1, pessimistic=better + equal)


RanksByDirection = dict[str, Ranks]  # left_to_right, right_to_left


def rank_links(
    left: Tensor, right: Tensor, links: Pairs, pools: Pools, candidates: Candidates | None
) -> RanksByDirection:
    """Ranks, in both directions, of the counterparts given by `links` among the (left, right) entities of the pools.

    `candidates` come first, by their score; without a list, the cosine decides alone.
    """
    if candidates is None:
        places = [np.searchsorted(pool, links[:, side]).astype(np.int32) for side, pool in enumerate(pools)]
        return {
            "left_to_right": target_ranks(left[links[:, 0]], right[pools[1]], places[1]),
            "right_to_left": target_ranks(right[links[:, 1]], left[pools[0]], places[0]),
        }
    some = candidates.within(pools, compete=True)
    return {
        "left_to_right": candidate_ranks(some, left, right, links, pools[1]),
        "right_to_left": candidate_ranks(some.reversed(), right, left, links[:, ::-1], pools[0]),
    }


def protocol_ranks(
    left: Tensor, right: Tensor, links: Pairs, *, linked: Pairs, seeds: Pairs, candidates: Candidates | None
) -> dict[str, RanksByDirection]:
    """Ranks of the links under both protocols and in both directions.

    `linked` holds the links whose ends are the pool of the protocol of that name; for `candidates` see `rank_links`.
    """
    pools = protocol_pools(linked, seeds, (len(left), len(right)))
    ranks = {"linked": rank_links(left, right, links, pools["linked"], candidates)}
    if all(np.array_equal(one, other) for one, other in zip(*pools.values(), strict=True)):
        return {**ranks, "all": ranks["linked"]}  # every entity has a link: the protocols are the same
    return {**ranks, "all": rank_links(left, right, links, pools["all"], candidates)}


def protocol_pools(linked: Pairs, seeds: Pairs, entities: tuple[int, int]) -> dict[str, Pools]:
    """The left and right entities among which each protocol ranks."""
    return {
        "linked": (np.unique(linked[:, 0]), np.unique(linked[:, 1])),
        "all": (
            np.union1d(unseeded(entities[0], seeds[:, 0]), linked[:, 0]),
            np.union1d(unseeded(entities[1], seeds[:, 1]), linked[:, 1]),
        ),
    }


def validation_hits(left: Tensor, right: Tensor, seeds: Pairs, valid: Pairs) -> float | None:
    """Hits@1 of validation links, left to right, by cosine among all entities that are no seeds; None without links.

    The ends of test links are not singled out as candidates: nothing about them is known before the end.
    """
    if not len(valid):
        return None
    pool = np.union1d(unseeded(len(right), seeds[:, 1]), valid[:, 1])
    targets = np.searchsorted(pool, valid[:, 1]).astype(np.int32)
    return target_ranks(left[valid[:, 0]], right[pool], targets).summary()["hits@1"]


def summaries(ranks: dict[str, RanksByDirection], kind: RankKind = "realistic") -> dict[str, Any]:
    """Hits@k, MRR and MR by protocol and direction."""
    return {
        protocol: {direction: found.summary(kind) for direction, found in by_direction.items()}
        for protocol, by_direction in ranks.items()
    }


@dataclass(frozen=True)
class Measured:
    """The figures of an alignment."""

    metrics: dict[str, Any]  # by part, as in `metrics.json`
    hits: NDArray[np.bool_]  # for each test link: does its right entity rank first among the linked ones?


def measure(
    task: AlignmentTask,
    vectors: tuple[Tensor, Tensor],
    candidates: Candidates,
    mapping: Mapping,
    settings: AlignmentSettings,
) -> Measured:
    """Measure vectors, candidates and mapping on the validation and the test links."""
    left, right = vectors
    linked = np.concatenate([task.valid, task.test])
    by_name = names.equal_names(task.left, task.right)
    pools = protocol_pools(linked, task.seeds, (len(left), len(right)))
    seen = colours(task.left, task.seeds[:, 0]), colours(task.right, task.seeds[:, 1])
    competing = candidates if settings.temperature else None
    metrics: dict[str, Any] = {}
    hits = np.empty(0, dtype=bool)
    for part, links in (("validation", task.valid), ("test", task.test)):
        if len(links):
            ranks = protocol_ranks(left, right, links, linked=linked, seeds=task.seeds, candidates=competing)
            metrics[part] = {
                **summaries(ranks),
                "ceiling": {name: ceiling(*seen, links, pool) for name, pool in pools.items()},
                "mapping": pair_quality(mapping.matched(), links),
                "name_equality": pair_quality(by_name, links),
                "calibration": _calibration(mapping, links),
            }
            hits = ranks["linked"]["left_to_right"].realistic <= 1
    statuses, counts = np.unique(mapping.status, return_counts=True)
    metrics["mapping"] = dict(zip(statuses.tolist(), counts.tolist(), strict=True))
    metrics["threshold"] = None if np.isneginf(mapping.threshold) else mapping.threshold
    return Measured(metrics, hits)


def _calibration(mapping: Mapping, links: Pairs) -> dict[str, Any]:
    """How the probabilities of the chosen pairs that can be judged compare with how often they are right.

    These are the pairs that touch a linked entity on either side: of those that do, some are right. To ask of linked
    left entities only would leave out the wrong pairs of entities that have no counterpart, for which the probability
    has to be low.
    """
    linked = mapping.of(links[:, 0]) | np.isin(mapping.pairs[:, 1], links[:, 1])
    judged = linked & ~np.isnan(mapping.probability) & (mapping.status != "seed")
    return reliability(mapping.probability[judged], among(mapping.pairs[judged], links))

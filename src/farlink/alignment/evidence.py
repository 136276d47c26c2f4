"""What the triples of two entities say about their being the same, in the manner of PARIS.

If two entities are the same, a triple of one often has a counterpart among the triples of the other: a
relation that means about the same, leading to the same neighbour. How often, is counted on the pairs that are
known or likely. A neighbour whom few others share through that relation says more than a hub.

All of it is a likelihood ratio. Let x have the triple (x, r, y). Given that x is x', a share q(r, r') of such
triples has a counterpart (x', r', y') with y' the same as y. Of any other entity, only `sharers` / `entities`
have that triple. The ratio of the two is what the triple is worth; a triple without a counterpart counts
against the pair. Logarithms add up over the triples of x, and the view from x and from x' is averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph

if TYPE_CHECKING:
    from farlink.alignment.candidates import Candidates

PRIOR = 3.0  # triples that the average over all relations counts as, when a relation is rare
LIKELY = 0.5  # a pair is likely enough to count relations on
LEAST = 0.02  # a pair less likely than this is no longer thought of
DOUBT = 0.05  # what remains of a pair's odds, at the least, for a triple that has no counterpart


@dataclass(frozen=True)
class Edges:
    """Triples of a graph, seen from both ends, in compressed rows by entity."""

    start: NDArray[np.int64]
    relation: Ids  # r, or r + relations where the entity is the object
    neighbour: Ids
    source: Ids  # the entity whose row it is
    sharers: NDArray[np.float64]  # entities that have this relation to this neighbour
    entities: int
    relations: int  # reverse ones included

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Edges:
        """The edges of a graph."""
        head, relation, tail = graph.triples.T
        count = len(graph.relations)
        source, neighbour = np.concatenate([head, tail]), np.concatenate([tail, head])
        order = np.argsort(source, kind="stable")
        source, neighbour = source[order], neighbour[order]
        relation = np.concatenate([relation, relation + np.int32(count)])[order]
        _, place, sharers = np.unique(
            neighbour.astype(np.int64) * 2 * count + relation, return_inverse=True, return_counts=True
        )
        entities = len(graph.entities)
        start = np.searchsorted(source, np.arange(entities + 1))
        return cls(start, relation, neighbour, source, sharers[place].astype(np.float64), entities, 2 * count)


class _Beliefs(NamedTuple):
    """Who may be whom, in compressed rows by left entity."""

    start: NDArray[np.int64]
    right: Ids
    chance: NDArray[np.float64]
    sum: NDArray[np.float64]  # of the chances of each left entity, one at the most


class _Rates(NamedTuple):
    """How often triples of one relation have a counterpart by another, counted where both ends are known."""

    start: Ids
    other: Ids
    both: NDArray[np.float64]  # triples of a relation with a counterpart by `other`
    known: NDArray[np.float64]  # triples of a relation whose ends are both known
    share: NDArray[np.float64]  # of each relation of the other graph among all triples, times the rate of any
    any: NDArray[np.float64]  # chance that a triple of a relation has a counterpart at all


class Reason(NamedTuple):
    """A triple of each entity that speaks for their being the same; relations by directed id."""

    relation: int
    neighbour: int
    other_relation: int
    other_neighbour: int
    chance: float  # that the neighbours are the same
    weight: float  # logarithm of what it multiplies the odds by, against a triple without a counterpart


class Evidence:
    """Judges pairs of entities of two graphs by their triples, given seeds and who else is likely whom."""

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph, seeds: Pairs) -> None:
        self.left, self.right, self.seeds = Edges.of(left), Edges.of(right), seeds

    def of(self, candidates: Candidates) -> NDArray[np.float64]:
        """Logarithm of the odds that the triples give each candidate pair."""
        forth = _log_odds(self.left, self.right, self.seeds, candidates)
        back = _log_odds(self.right, self.left, self.seeds[:, ::-1], candidates.reversed())
        return (forth + back) / 2

    def reasons(self, left: int, right: int, candidates: Candidates) -> list[Reason]:
        """The agreeing triples of one pair, the weightiest first; each triple of the left entity once."""
        beliefs = _beliefs(self.left.entities, self.seeds, candidates)
        rates = _rates(self.left, self.right, _likely(self.left.entities, self.seeds, candidates))
        best: dict[int, Reason] = {}
        theirs: dict[int, list[int]] = {}
        for place in range(self.right.start[right], self.right.start[right + 1]):
            theirs.setdefault(int(self.right.neighbour[place]), []).append(place)
        for place in range(self.left.start[left], self.left.start[left + 1]):
            relation, neighbour = int(self.left.relation[place]), int(self.left.neighbour[place])
            row = slice(beliefs.start[neighbour], beliefs.start[neighbour + 1])
            for other, chance in zip(beliefs.right[row].tolist(), beliefs.chance[row].tolist(), strict=True):
                for edge in theirs.get(other, ()):
                    rate = _rate(rates, relation, int(self.right.relation[edge]))
                    ratio = chance * rate * self.right.entities / self.right.sharers[edge]
                    without = max(1 - beliefs.sum[neighbour] * rates.any[relation], DOUBT)
                    weight = float(np.log1p(ratio / without))
                    reason = Reason(relation, neighbour, int(self.right.relation[edge]), other, chance, weight)
                    if place not in best or weight > best[place].weight:
                        best[place] = reason
        return sorted(best.values(), key=lambda reason: -reason.weight)


def _log_odds(left: Edges, right: Edges, seeds: Pairs, candidates: Candidates) -> NDArray[np.float64]:
    order = np.argsort(candidates.left, kind="stable")
    start = np.searchsorted(candidates.left[order], np.arange(left.entities + 1))
    beliefs = _beliefs(left.entities, seeds, candidates)
    rates = _rates(left, right, _likely(left.entities, seeds, candidates))
    odds = np.empty(len(order))
    _sum_up(
        left.start, left.relation, left.neighbour,
        right.start, right.relation, right.neighbour, right.entities / right.sharers,
        start, candidates.right[order], *beliefs, *rates, odds,
    )  # fmt: skip
    result = np.empty_like(odds)
    result[order] = odds
    return result


def _beliefs(entities: int, seeds: Pairs, candidates: Candidates) -> _Beliefs:
    kept = candidates.score > LEAST
    left = np.concatenate([seeds[:, 0], candidates.left[kept]])
    right = np.concatenate([seeds[:, 1], candidates.right[kept]])
    chance = np.concatenate([np.ones(len(seeds)), candidates.score[kept]])
    order = np.argsort(left, kind="stable")
    start = np.searchsorted(left[order], np.arange(entities + 1))
    total = np.bincount(left, chance, minlength=entities)
    return _Beliefs(start, right[order], chance[order], np.minimum(total, 1.0))


def _likely(entities: int, seeds: Pairs, candidates: Candidates) -> Ids:
    """For each left entity the one right entity it is likely to be, or -1."""
    partner = np.full(entities, -1, dtype=np.int32)
    sure = candidates.score > LIKELY
    partner[candidates.left[sure]] = candidates.right[sure]
    partner[seeds[:, 0]] = seeds[:, 1]
    return partner


def _rates(left: Edges, right: Edges, partner: Ids) -> _Rates:
    source, neighbour = partner[left.source], partner[left.neighbour]
    both_known = (source >= 0) & (neighbour >= 0)
    relation = left.relation[both_known]
    known = np.bincount(relation, minlength=left.relations).astype(np.float64)
    # the right edges between the partners of the two ends, found by binary search
    key = right.source.astype(np.int64) * right.entities + right.neighbour
    order = np.argsort(key, kind="stable")
    wanted = source[both_known].astype(np.int64) * right.entities + neighbour[both_known]
    first, last = (np.searchsorted(key[order], wanted, side=side) for side in ("left", "right"))
    counterparts = last - first
    before = np.cumsum(counterparts) - counterparts
    places = np.repeat(first - before, counterparts) + np.arange(counterparts.sum())
    pairs = np.repeat(relation, counterparts), right.relation[order[places]]
    both: csr_array = coo_array((np.ones(len(places)), pairs), shape=(left.relations, right.relations)).tocsr()
    both.sort_indices()

    answered = counterparts > 0
    overall = float(answered.mean()) if len(answered) else 0.5
    share = np.bincount(right.relation, minlength=right.relations) / max(1, len(right.relation))
    found = np.bincount(relation, answered, minlength=left.relations)
    return _Rates(
        both.indptr, both.indices, both.data, known, overall * share, (found + PRIOR * overall) / (known + PRIOR)
    )


def _rate(rates: _Rates, relation: int, other: int) -> float:
    return float(_smoothed(rates.start, rates.other, rates.both, rates.known, rates.share, relation, other))


@njit(cache=True)
def _smoothed(start, other, both, known, share, relation, wanted):  # type: ignore[no-untyped-def]
    """Chance that a triple of a relation has a counterpart by the wanted one."""
    first, last = start[relation], start[relation + 1]
    place = first + np.searchsorted(other[first:last], wanted)
    count = both[place] if place < last and other[place] == wanted else 0.0
    return (count + PRIOR * share[wanted]) / (known[relation] + PRIOR)


@njit(cache=True, parallel=True)
def _sum_up(  # type: ignore[no-untyped-def]
    left_start, left_relation, left_neighbour,
    right_start, right_relation, right_neighbour, rarity,
    listed_start, listed_right,
    belief_start, belief_right, chance, chance_sum,
    rate_start, rate_other, rate_both, known, share, any_rate,
    odds,
):  # fmt: skip
    for entity in prange(len(left_start) - 1):
        if listed_start[entity] == listed_start[entity + 1]:
            continue
        first, last = left_start[entity], left_start[entity + 1]
        # whom the neighbours may be, sorted, so that a candidate's neighbours are found by binary search
        size = 0
        for edge in range(first, last):
            size += belief_start[left_neighbour[edge] + 1] - belief_start[left_neighbour[edge]]
        who, via, likely = np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size)
        unanswered = np.empty(last - first)
        size = 0
        for edge in range(first, last):
            neighbour = left_neighbour[edge]
            unanswered[edge - first] = max(1 - chance_sum[neighbour] * any_rate[left_relation[edge]], DOUBT)
            for place in range(belief_start[neighbour], belief_start[neighbour + 1]):
                who[size], via[size], likely[size] = belief_right[place], edge, chance[place]
                size += 1
        order = np.argsort(who)
        who, via, likely = who[order], via[order], likely[order]
        for pair in range(listed_start[entity], listed_start[entity + 1]):
            ratio = unanswered.copy()
            candidate = listed_right[pair]
            for edge in range(right_start[candidate], right_start[candidate + 1]):
                place = np.searchsorted(who, right_neighbour[edge])
                while place < size and who[place] == right_neighbour[edge]:
                    rate = _smoothed(
                        rate_start, rate_other, rate_both, known, share, left_relation[via[place]], right_relation[edge]
                    )
                    ratio[via[place] - first] += likely[place] * rate * rarity[edge]
                    place += 1
            odds[pair] = np.log(ratio).sum()

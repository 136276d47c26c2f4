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

from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from farlink.graph.edges import Edges, begins
from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.settings import AlignmentSettings

if TYPE_CHECKING:
    from farlink.alignment.candidates import Candidates


class _Side(NamedTuple):
    """The triples of one graph, from both ends, and how much each of them says."""

    edges: Edges
    rarity: NDArray[np.float64]  # of each edge: entities of the graph for one that has this relation to this neighbour

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> _Side:
        edges = Edges.of(graph)
        return cls(edges, edges.entities / edges.sharers())


class _Listed(NamedTuple):
    """The candidates to judge, in compressed rows by left entity."""

    start: NDArray[np.int64]
    right: Ids


class _Beliefs(NamedTuple):
    """Who may be whom, in compressed rows by left entity."""

    start: NDArray[np.int64]
    right: Ids
    chance: NDArray[np.float64]
    sum: NDArray[np.float64]  # of the chances of each left entity, one at the most
    doubt: float  # what remains of a pair's odds, at the least, for a triple that has no counterpart


class _Rates(NamedTuple):
    """How often triples of one relation have a counterpart by another, counted where both ends are known."""

    start: Ids
    other: Ids
    both: NDArray[np.float64]  # triples of a relation with a counterpart by `other`
    known: NDArray[np.float64]  # triples of a relation whose ends are both known
    share: NDArray[np.float64]  # of each relation of the other graph among all triples, times the rate of any
    any: NDArray[np.float64]  # chance that a triple of a relation has a counterpart at all
    prior: float  # triples that `share` counts as, beside those of a relation


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

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph, seeds: Pairs, settings: AlignmentSettings) -> None:
        self.left, self.right, self.seeds, self.settings = _Side.of(left), _Side.of(right), seeds, settings
        self._counted: tuple[ref[Candidates], _Beliefs, _Rates] | None = None

    def of(self, candidates: Candidates) -> NDArray[np.float64]:
        """Logarithm of the odds that the triples give each candidate pair."""
        forth = _log_odds(self.left, self.right, self.seeds, candidates, self.settings)
        back = _log_odds(self.right, self.left, self.seeds[:, ::-1], candidates.reversed(), self.settings)
        return (forth + back) / 2

    def reasons(self, left: int, right: int, candidates: Candidates) -> list[Reason]:
        """The agreeing triples of one pair, the weightiest first; each triple of the left entity once."""
        beliefs, rates = self.believed(candidates)
        ours, theirs = self.left.edges, self.right.edges
        at: dict[int, list[int]] = {}  # places of the right entity's edges to each neighbour
        row = theirs.row(right)
        for place, neighbour in enumerate(theirs.tail[row].tolist(), row.start):
            at.setdefault(neighbour, []).append(place)
        best: dict[int, Reason] = {}
        row = ours.row(left)
        for place in range(row.start, row.stop):
            relation, neighbour = int(ours.relation[place]), int(ours.tail[place])
            without = max(1 - beliefs.sum[neighbour] * rates.any[relation], beliefs.doubt)
            maybe = slice(beliefs.start[neighbour], beliefs.start[neighbour + 1])
            for other, chance in zip(beliefs.right[maybe].tolist(), beliefs.chance[maybe].tolist(), strict=True):
                for edge in at.get(other, ()):
                    other_relation = int(theirs.relation[edge])
                    ratio = chance * _rate(rates, relation, other_relation) * self.right.rarity[edge]
                    weight = float(np.log1p(ratio / without))
                    if place not in best or weight > best[place].weight:
                        best[place] = Reason(relation, neighbour, other_relation, other, chance, weight)
        return sorted(best.values(), key=lambda reason: -reason.weight)

    def believed(self, candidates: Candidates) -> tuple[_Beliefs, _Rates]:
        """What is believed given some candidates: counted once as long as the same ones are asked about."""
        counted = self._counted
        if counted is None or counted[0]() is not candidates:
            believed = _believed(self.left, self.right, self.seeds, candidates, self.settings)
            counted = ref(candidates), *believed
            self._counted = counted
        return counted[1:]


def _log_odds(
    left: _Side, right: _Side, seeds: Pairs, candidates: Candidates, settings: AlignmentSettings
) -> NDArray[np.float64]:
    order = np.argsort(candidates.left, kind="stable")
    listed = _Listed(begins(candidates.left[order], left.edges.entities), candidates.right[order])
    odds = np.empty(len(order))
    beliefs, rates = _believed(left, right, seeds, candidates, settings)
    odds[order] = _sum_up(left.edges, right.edges, right.rarity, listed, beliefs, rates)
    return odds


def _believed(
    left: _Side, right: _Side, seeds: Pairs, candidates: Candidates, settings: AlignmentSettings
) -> tuple[_Beliefs, _Rates]:
    entities = left.edges.entities
    likely = _likely(entities, seeds, candidates, settings.evidence_likely)
    rates = _rates(left.edges, right.edges, likely, settings.evidence_prior)
    return _beliefs(entities, seeds, candidates, settings), rates


def _beliefs(entities: int, seeds: Pairs, candidates: Candidates, settings: AlignmentSettings) -> _Beliefs:
    kept = candidates.score > settings.evidence_least
    left = np.concatenate([seeds[:, 0], candidates.left[kept]])
    right = np.concatenate([seeds[:, 1], candidates.right[kept]])
    chance = np.concatenate([np.ones(len(seeds)), candidates.score[kept]])
    order = np.argsort(left, kind="stable")
    total = np.minimum(np.bincount(left, chance, minlength=entities), 1.0)
    return _Beliefs(begins(left[order], entities), right[order], chance[order], total, settings.evidence_doubt)


def _likely(entities: int, seeds: Pairs, candidates: Candidates, least: float) -> Ids:
    """For each left entity the one right entity that it is with more than the `least` chance, or -1.

    Of several the likeliest; of equally likely ones the first in the list.
    """
    partner = np.full(entities, -1, dtype=np.int32)
    sure = np.flatnonzero(candidates.score > least)
    sure = sure[np.argsort(-candidates.score[sure], kind="stable")]
    left, first = np.unique(candidates.left[sure], return_index=True)
    partner[left] = candidates.right[sure[first]]
    partner[seeds[:, 0]] = seeds[:, 1]
    return partner


class Counterparts(NamedTuple):
    """The triples of two graphs that say the same, given who is whom."""

    known: NDArray[np.int64]  # places of the left triples whose ends both are someone of the right graph
    counts: NDArray[np.int64]  # how many counterparts each of them has
    right: Edges  # the right triples, those of a head in the order of their tails
    places: NDArray[np.int64]  # of the counterparts among these, one known triple after the other


def counterparts(left: Edges, right: Edges, partner: Ids) -> Counterparts:
    """The triples of the right graph between the partners of both ends of left triples; -1 is no partner."""
    head, tail = partner[left.head], partner[left.tail]
    known = np.flatnonzero((head >= 0) & (tail >= 0))
    # found by binary search
    near = right.by_tail()
    key = near.head.astype(np.int64) * right.entities + near.tail
    wanted = head[known].astype(np.int64) * right.entities + tail[known]
    first, last = (np.searchsorted(key, wanted, side=side) for side in ("left", "right"))
    count = last - first
    before = np.cumsum(count) - count
    places = np.repeat(first - before, count) + np.arange(count.sum())
    return Counterparts(known, count, near, places)


def _rates(left: Edges, right: Edges, partner: Ids, prior: float) -> _Rates:
    found = counterparts(left, right, partner)
    relation = left.relation[found.known]
    known = np.bincount(relation, minlength=left.relations).astype(np.float64)
    pairs = np.repeat(relation, found.counts), found.right.relation[found.places]
    counts = np.ones(len(found.places))
    both: csr_array = coo_array((counts, pairs), shape=(left.relations, right.relations)).tocsr()
    both.sort_indices()

    answered = found.counts > 0
    overall = float(answered.mean()) if len(answered) else 0.5
    share = np.bincount(right.relation, minlength=right.relations) / max(1, len(right.relation))
    said = np.bincount(relation, answered, minlength=left.relations)
    return _Rates(
        start=both.indptr,
        other=both.indices,
        both=both.data,
        known=known,
        share=overall * share,
        any=(said + prior * overall) / (known + prior),
        prior=prior,
    )


@njit(cache=True)
def _rate(rates, relation, wanted):  # type: ignore[no-untyped-def]
    """Chance that a triple of a relation has a counterpart by the wanted one."""
    first, last = rates.start[relation], rates.start[relation + 1]
    place = first + np.searchsorted(rates.other[first:last], wanted)
    count = rates.both[place] if place < last and rates.other[place] == wanted else 0.0
    return (count + rates.prior * rates.share[wanted]) / (rates.known[relation] + rates.prior)


@njit(cache=True, parallel=True)
def _sum_up(left, right, rarity, listed, beliefs, rates):  # type: ignore[no-untyped-def]
    """Logarithm of the odds of each pair that is listed; `rarity` is that of the right edges."""
    odds = np.empty(len(listed.right))
    for entity in prange(len(listed.start) - 1):
        if listed.start[entity] == listed.start[entity + 1]:
            continue
        first, last = left.first[entity], left.first[entity + 1]
        # whom the neighbours may be, sorted, so that a candidate's neighbours are found by binary search
        size = 0
        for edge in range(first, last):
            size += beliefs.start[left.tail[edge] + 1] - beliefs.start[left.tail[edge]]
        who, via, likely = np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size)
        unanswered = np.empty(last - first)
        size = 0
        for edge in range(first, last):
            neighbour = left.tail[edge]
            unanswered[edge - first] = max(1 - beliefs.sum[neighbour] * rates.any[left.relation[edge]], beliefs.doubt)
            for place in range(beliefs.start[neighbour], beliefs.start[neighbour + 1]):
                who[size], via[size], likely[size] = beliefs.right[place], edge, beliefs.chance[place]
                size += 1
        order = np.argsort(who)
        who, via, likely = who[order], via[order], likely[order]
        for pair in range(listed.start[entity], listed.start[entity + 1]):
            ratio = unanswered.copy()
            candidate = listed.right[pair]
            for edge in range(right.first[candidate], right.first[candidate + 1]):
                place = np.searchsorted(who, right.tail[edge])
                while place < size and who[place] == right.tail[edge]:
                    rate = _rate(rates, left.relation[via[place]], right.relation[edge])
                    ratio[via[place] - first] += likely[place] * rate * rarity[edge]
                    place += 1
            odds[pair] = np.log(ratio).sum()
    return odds

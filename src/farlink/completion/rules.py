"""Rules: which short paths of the graph speak for which relation, and how loudly.

A kind of path is a relation, or two relations one after the other; reverses count as relations. If x is joined to y
by such a path, that may speak for (x, r, y): *child of* reversed speaks for *parent of*. The score of y as the answer
of (x, r, ?) is the sum of the weights of all kinds of path that lead from x to y. The weights are learned: the known
answers of questions are to score above all other entities.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor, nn

from farlink.graph.ids import Ids

SAMPLE = 300  # triples of each relation from which its rules are found and learned
MOST_KINDS = 20_000  # paths looked at between the ends of one triple
MOST_ENDS = 50_000  # ends of one kind of path from one entity; a kind with more says nothing about any of them
EPOCHS = 4
RATE = 0.3
BLOCKS = 8  # of questions, each answered with memory of its own


class Edges(NamedTuple):
    """Triples, reverses among them, by head: those of e are `first[e]:first[e + 1]`, ordered by relation, tail."""

    first: NDArray[np.int64]
    relation: Ids
    tail: Ids

    @classmethod
    def of(cls, triples: Ids, entities: int) -> Edges:
        """The edges of distinct triples."""
        ordered = triples[np.lexsort((triples[:, 2], triples[:, 1], triples[:, 0]))]
        return cls(_begins(ordered[:, 0], entities), *(np.ascontiguousarray(ordered[:, column]) for column in (1, 2)))

    @property
    def triples(self) -> Ids:
        """The triples in order."""
        head = np.repeat(np.arange(len(self.first) - 1, dtype=np.int32), np.diff(self.first))
        return np.stack([head, self.relation, self.tail], axis=1)


class Rules(nn.Module):
    """Weighed kinds of path for every relation, reverses included.

    Those of relation r are in the rows `first[r]:first[r + 1]` of `steps`. The second step is -1 in a path of one.
    """

    first: Tensor
    steps: Tensor
    weight: Tensor

    def __init__(self, edges: Edges, rules: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.edges = edges
        for name in ("first", "steps", "weight"):
            self.register_buffer(name, rules[name])

    def forward(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores (B, n) of all entities as answers; zero where no path leads."""
        rules = [tensor.numpy() for tensor in (self.first, self.steps, self.weight)]
        return torch.from_numpy(_scores(*self.edges, *rules, head.numpy(), relation.numpy()))  # type: ignore[call-arg]


class Sample(NamedTuple):
    """Some triples of each relation: those of r are `triples[first[r]:first[r + 1]]`."""

    triples: Ids
    first: NDArray[np.int64]

    @classmethod
    def of(cls, triples: Ids, relations: int, seed: int) -> Sample:
        """At most `SAMPLE` of each relation, at random."""
        shuffled = triples[np.random.default_rng([seed, 0x12]).permutation(len(triples))]
        ordered = shuffled[np.argsort(shuffled[:, 1], kind="stable")]
        begin = _begins(ordered[:, 1], relations)
        number = np.arange(len(ordered)) - np.repeat(begin[:-1], np.diff(begin))  # within its relation
        sample = ordered[number < SAMPLE]
        return cls(sample, _begins(sample[:, 1], relations))


def learn_rules(triples: Ids, entities: int, relations: int, most: int, seed: int) -> Rules:
    """At most so many rules for each of the relations, reverses included, from triples that include reverses."""
    edges, sample = Edges.of(triples, entities), Sample.of(triples, relations, seed)
    first, steps = find_kinds(edges, sample, most)
    weight = np.zeros(len(steps), dtype=np.float32)
    asked = np.unique(sample.triples[:, 1::-1], axis=0)  # (relation, head): a question once, whatever its answers
    _learn(*edges, first, steps, weight, np.ascontiguousarray(asked[:, 1]), _begins(asked[:, 0], relations))
    arrays = {"first": first, "steps": steps, "weight": weight}
    return Rules(edges, {name: torch.from_numpy(array) for name, array in arrays.items()})


def find_kinds(edges: Edges, sample: Sample, most: int) -> tuple[NDArray[np.int64], Ids]:
    """The commonest kinds of path that join the ends of each relation's triples, as `first` and `steps` of `Rules`."""
    near, relations = _by_tail(edges), len(sample.first) - 1
    kinds = [
        _commonest(_keys_beside(edges, near, sample.triples[begin:end], relations), relations, most)
        for begin, end in pairwise(sample.first)
    ]
    return np.concatenate([[0], np.cumsum([len(some) for some in kinds])]), np.concatenate(kinds)


def _begins(ordered: Ids, count: int) -> NDArray[np.int64]:
    """Where each of the numbers below `count` begins among ordered ones, and their end."""
    return np.searchsorted(ordered, np.arange(count + 1))


def _by_tail(edges: Edges) -> tuple[Ids, Ids]:
    """Relations and tails of the edges of each head, ordered by tail."""
    triples = edges.triples
    ordered = triples[np.lexsort((triples[:, 2], triples[:, 0]))]
    return np.ascontiguousarray(ordered[:, 1]), np.ascontiguousarray(ordered[:, 2])


def _commonest(keys: NDArray[np.int64], relations: int, most: int) -> Ids:
    """The kinds of path that occur beside most triples, and beside two at least, commonest first (kinds, 2)."""
    kinds, times = np.unique(keys, return_counts=True)
    chosen = kinds[np.argsort(-times, kind="stable")[: min(most, np.count_nonzero(times > 1))]]
    return np.stack([chosen // (relations + 1), chosen % (relations + 1) - 1], axis=1).astype(np.int32)


def _keys_beside(edges: Edges, near: tuple[Ids, Ids], triples: Ids, relations: int) -> NDArray[np.int64]:
    """Every kind of path that joins the ends of triples of one relation, once for each triple, as a number."""
    head, relation, tail = (np.ascontiguousarray(column) for column in triples.T)
    keys, triple = _paths_beside(edges.first, *near, head, relation, tail, relations)
    room = (relations + 1) ** 2
    return np.unique(triple * room + keys) % room


@njit(cache=True)
def _paths_beside(first, near_relation, near, head, relation, tail, relations):  # type: ignore[no-untyped-def]
    """The kinds of all paths of two steps, and of one, that join the ends of triples; the triple itself is none."""
    keys, triple, count = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    for i in range(len(head)):
        most, x, y = count + MOST_KINDS, head[i], tail[i]
        a, b = first[x], first[y]
        while a < first[x + 1] and b < first[y + 1] and count < most:
            if near[a] < near[b]:
                a += 1
            elif near[a] > near[b]:
                b += 1
            else:
                a_end, b_end = _run_end(near, a, first[x + 1]), _run_end(near, b, first[y + 1])
                if near[a] != x and near[a] != y and x != y:
                    for p in range(a, a_end):
                        for q in range(b, b_end):
                            back = (near_relation[q] + relations // 2) % relations
                            keys, _ = _with(keys, count, _key(near_relation[p], back, relations))
                            triple, count = _with(triple, count, i)
                a, b = a_end, b_end
        for p in range(first[x], first[x + 1]):
            if near[p] == y and near_relation[p] != relation[i]:
                keys, _ = _with(keys, count, _key(near_relation[p], -1, relations))
                triple, count = _with(triple, count, i)
    return keys[:count], triple[:count]


@njit(cache=True)
def _key(step, next_step, relations):  # type: ignore[no-untyped-def]
    return np.int64(step) * (relations + 1) + next_step + 1


@njit(cache=True)
def _run_end(values, begin, end):  # type: ignore[no-untyped-def]
    """Where the run of equal values ends that begins here."""
    place = begin
    while place < end and values[place] == values[begin]:
        place += 1
    return place


@njit(cache=True)
def _with(numbers, count, number):  # type: ignore[no-untyped-def]
    """The first `count` numbers and one more, in twice the room if there is none left."""
    if count == len(numbers):
        larger = np.empty(2 * count, numbers.dtype)
        larger[:count] = numbers
        numbers = larger
    numbers[count] = number
    return numbers, count + 1


@njit(parallel=True, cache=True)
def _learn(first, relation, tail, rule_first, steps, weight, head, head_first):  # type: ignore[no-untyped-def]
    for r in prange(len(rule_first) - 1):
        rules, heads = slice(rule_first[r], rule_first[r + 1]), slice(head_first[r], head_first[r + 1])
        if rule_first[r] < rule_first[r + 1]:
            _learn_one(first, relation, tail, steps[rules], weight[rules], head[heads], r)


@njit(cache=True)
def _learn_one(first, relation, tail, steps, weight, heads, asked):  # type: ignore[no-untyped-def]
    """Adagrad on the weights of one relation's rules, question by question."""
    entities, rules = len(first) - 1, len(steps)
    mark, stamp, squares = np.full(entities, -1, np.int64), 0, np.full(rules, 0.1)
    score, push = np.zeros(entities), np.zeros(entities)
    is_known, is_reached = np.zeros(entities, np.bool_), np.zeros(entities, np.bool_)
    ends, rule_ends, reached = np.empty(1024, np.int32), np.zeros(rules + 1, np.int64), np.empty(entities, np.int32)
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        for x in heads:
            met = 0
            for rule in range(rules):
                begin = rule_ends[rule]
                ends, end = _ends(first, relation, tail, x, steps[rule], mark, stamp, ends, begin)
                stamp, rule_ends[rule + 1] = stamp + 1, end
                for place in range(begin, end):
                    y = ends[place]
                    score[y] += weight[rule]
                    if not is_reached[y]:
                        is_reached[y], reached[met] = True, y
                        met += 1
            begin, end = _span(first, relation, x, asked)
            for place in range(begin, end):
                is_known[tail[place]] = True
            _push(score, reached[:met], tail[begin:end], is_known, is_reached, push)
            for rule in range(rules):
                gradient = 0.0
                for place in range(rule_ends[rule], rule_ends[rule + 1]):
                    gradient += push[ends[place]]
                gradient /= end - begin
                squares[rule] += gradient * gradient
                weight[rule] -= rate * gradient / np.sqrt(squares[rule])
            for place in range(begin, end):
                is_known[tail[place]] = False
            for place in range(met):
                score[reached[place]], is_reached[reached[place]] = 0.0, False


@njit(cache=True)
def _push(score, reached, known, is_known, is_reached, push):  # type: ignore[no-untyped-def]
    """The gradient of the loss by the score of each entity that was reached; the others all have score zero.

    Each known answer is to stand out among the entities that are not known answers: cross-entropy over these.
    """
    top = 0.0
    for y in reached:
        top = max(top, score[y])
    missed = len(score) - len(reached)  # neither reached nor known
    for y in known:
        missed -= not is_reached[y]
    others = missed * np.exp(-top)
    for y in reached:
        if not is_known[y]:
            push[y] = np.exp(score[y] - top)
            others += push[y]
    pressure = 0.0
    for y in known:
        mass = np.exp(score[y] - top)
        pressure += 1 / (mass + others)
        push[y] = mass / (mass + others) - 1
    for y in reached:
        if not is_known[y]:
            push[y] *= pressure


@njit(cache=True)
def _ends(first, relation, tail, x, steps, mark, stamp, ends, count):  # type: ignore[no-untyped-def]
    """Add the entities that a kind of path leads to from x to the first `count` ends; none if there are too many."""
    before = count
    begin, end = _span(first, relation, x, steps[0])
    for p in range(begin, end):
        z = tail[p]
        if steps[1] < 0:
            ends, count = _with(ends, count, z)
        elif z != x:
            for q in range(*_span(first, relation, z, steps[1])):
                y = tail[q]
                if y != x and y != z and mark[y] != stamp:
                    mark[y] = stamp
                    ends, count = _with(ends, count, y)
        if count - before > MOST_ENDS:
            return ends, before
    return ends, count


@njit(cache=True)
def _span(first, relation, entity, asked):  # type: ignore[no-untyped-def]
    """Where the edges of an entity with a relation begin and end."""
    begin, end = first[entity], first[entity + 1]
    while begin < end:
        middle = (begin + end) // 2
        if relation[middle] < asked:
            begin = middle + 1
        else:
            end = middle
    while end < first[entity + 1] and relation[end] == asked:
        end += 1
    return begin, end


@njit(parallel=True, cache=True)
def _scores(first, relation, tail, rule_first, steps, weight, heads, asked):  # type: ignore[no-untyped-def]
    entities = len(first) - 1
    scores = np.zeros((len(heads), entities), np.float32)
    for block in prange(BLOCKS):
        mark, stamp, ends = np.full(entities, -1, np.int64), 0, np.empty(64, np.int32)
        for i in range(block, len(heads), BLOCKS):
            for rule in range(rule_first[asked[i]], rule_first[asked[i] + 1]):
                ends, count = _ends(first, relation, tail, heads[i], steps[rule], mark, stamp, ends, 0)
                stamp += 1
                for y in ends[:count]:
                    scores[i, y] += weight[rule]
    return scores

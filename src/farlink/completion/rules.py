"""Rules: which short paths of the graph speak for which relation, and how loudly.

A kind of path is a relation, or two relations one after the other; reverses count as relations. If x is joined to y
by such a path, that may speak for (x, r, y): *child of* reversed speaks for *parent of*. The score of y as the answer
of (x, r, ?) is the sum of the weights of all kinds of path that lead from x to y. The weights are learned: the known
answers of questions are to score above all other entities.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor, nn

from farlink.graph.compositions import Sample, appended, find_kinds
from farlink.graph.edges import Edges, begins
from farlink.graph.ids import Ids, Pairs, Triples

MOST_ENDS = 50_000  # ends of one kind of path from one entity; a kind with more says nothing about any of them
EPOCHS = 4
RATE = 0.3
BLOCKS = 8  # of questions, each answered with memory of its own
ONE_AT_A_TIME = Lock()  # where neither TBB nor OpenMP is, numba runs one parallel loop at a time or ends the process


class Kinds(NamedTuple):
    """Weighed kinds of path: those of relation r are in the rows `first[r]:first[r + 1]`."""

    first: NDArray[np.int64]
    steps: Pairs  # relations one after the other; the second is -1 in a path of one step
    weight: NDArray[np.float32]


class Rules(nn.Module):
    """Weighed kinds of path for every relation, reverses included: the tensors of `Kinds`, and the graph's edges."""

    first: Tensor
    steps: Tensor
    weight: Tensor

    def __init__(self, edges: Edges, rules: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.edges = edges
        for name in Kinds._fields:
            self.register_buffer(name, rules[name])

    def forward(self, head: Tensor, relation: Tensor) -> Tensor:
        """Scores (B, n) of all entities as answers; zero where no path leads."""
        kinds = Kinds(self.first.numpy(), self.steps.numpy(), self.weight.numpy())
        with ONE_AT_A_TIME:
            return torch.from_numpy(_scores(self.edges, kinds, head.numpy(), relation.numpy()))


def learn_rules(triples: Triples, entities: int, relations: int, most: int, seed: int) -> Rules:
    """At most `most` rules for each of the relations, reverses included, from triples that include reverses."""
    edges, sample = Edges.of_triples(triples, entities, relations), Sample.of(triples, relations, seed)
    first, steps = find_kinds(edges, sample, most)
    kinds = Kinds(first, steps, np.zeros(len(steps), dtype=np.float32))
    asked = np.unique(sample.triples[:, 1::-1], axis=0)  # (relation, head): a question once, whatever its answers
    _learn(edges, kinds, np.ascontiguousarray(asked[:, 1]), begins(asked[:, 0], relations))
    return Rules(edges, {name: torch.from_numpy(array) for name, array in kinds._asdict().items()})


class _Scratch(NamedTuple):
    """Room for learning the rules of one relation, used again for every question (head, relation, ?).

    Between two questions `score` is zero and `is_reached` and `is_known` are false everywhere: `_forget` sees to it.
    `push` and what lies behind the current question's part of `reached` and `ends` is left as it is and never read.
    """

    score: NDArray[np.float64]  # of every entity as an answer
    push: NDArray[np.float64]  # the gradient of the loss by the score of each entity reached, and of each known answer
    is_reached: NDArray[np.bool_]  # whether a rule leads to the entity
    is_known: NDArray[np.bool_]  # whether the entity is a known answer
    reached: Ids  # the entities that a rule leads to, each once
    rule_end: NDArray[np.int64]  # the ends of rule i are `rule_end[i]:rule_end[i + 1]` of all ends
    mark: NDArray[np.int64]  # the last rule, counted on over all questions, that led to the entity


@njit(cache=True)
def _scratch(entities, rules):  # type: ignore[no-untyped-def]
    return _Scratch(
        np.zeros(entities),
        np.zeros(entities),
        np.zeros(entities, np.bool_),
        np.zeros(entities, np.bool_),
        np.empty(entities, np.int32),
        np.zeros(rules + 1, np.int64),
        np.full(entities, -1, np.int64),
    )


@njit(parallel=True, cache=True)
def _learn(edges, kinds, head, head_first):  # type: ignore[no-untyped-def]
    for r in prange(len(kinds.first) - 1):
        rules, heads = slice(kinds.first[r], kinds.first[r + 1]), slice(head_first[r], head_first[r + 1])
        if kinds.first[r] < kinds.first[r + 1]:
            _learn_one(edges, kinds.steps[rules], kinds.weight[rules], head[heads], r)


@njit(cache=True)
def _learn_one(edges, steps, weight, heads, relation):  # type: ignore[no-untyped-def]
    """Adagrad on the weights of one relation's rules, question by question."""
    scratch, ends = _scratch(len(edges.first) - 1, len(steps)), np.empty(1024, np.int32)
    squares, stamp = np.full(len(steps), 0.1), 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        for x in heads:
            reached, ends = _score(edges, steps, weight, x, scratch, ends, stamp)
            stamp += len(steps)
            begin, end = _span(edges, x, relation)
            known = edges.tail[begin:end]
            _push(known, reached, scratch)
            _adagrad_step(weight, squares, rate, ends, len(known), scratch)
            _forget(known, reached, scratch)


@njit(cache=True)
def _score(edges, steps, weight, x, scratch, ends, stamp):  # type: ignore[no-untyped-def]
    """Score what the rules lead to from x: the entities reached, and the ends of the rules one after the other.

    The ends may have moved to a larger array.
    """
    met = 0
    for rule in range(len(steps)):
        begin = scratch.rule_end[rule]
        ends, end = _ends(edges, x, steps[rule], scratch.mark, stamp + rule, ends, begin)
        scratch.rule_end[rule + 1] = end
        for place in range(begin, end):
            y = ends[place]
            scratch.score[y] += weight[rule]
            if not scratch.is_reached[y]:
                scratch.is_reached[y], scratch.reached[met] = True, y
                met += 1
    return scratch.reached[:met], ends


@njit(cache=True)
def _push(known, reached, scratch):  # type: ignore[no-untyped-def]
    """The gradient of the loss by the score of each entity that was reached; the others all have score zero.

    Each known answer is to stand out among the entities that are not known answers: cross-entropy over these.
    """
    score, push = scratch.score, scratch.push
    for y in known:
        scratch.is_known[y] = True
    top = 0.0
    for y in reached:
        top = max(top, score[y])
    missed = len(score) - len(reached)  # neither reached nor known
    for y in known:
        missed -= not scratch.is_reached[y]
    others = missed * np.exp(-top)
    for y in reached:
        if not scratch.is_known[y]:
            push[y] = np.exp(score[y] - top)
            others += push[y]
    pressure = 0.0
    for y in known:
        mass = np.exp(score[y] - top)
        pressure += 1 / (mass + others)
        push[y] = mass / (mass + others) - 1
    for y in reached:
        if not scratch.is_known[y]:
            push[y] *= pressure


@njit(cache=True)
def _adagrad_step(weight, squares, rate, ends, known, scratch):  # type: ignore[no-untyped-def]
    """Move the weight of every rule against the push on its ends; `known` answers share the loss of a question."""
    for rule in range(len(weight)):
        gradient = 0.0
        for place in range(scratch.rule_end[rule], scratch.rule_end[rule + 1]):
            gradient += scratch.push[ends[place]]
        gradient /= known
        squares[rule] += gradient * gradient
        weight[rule] -= rate * gradient / np.sqrt(squares[rule])


@njit(cache=True)
def _forget(known, reached, scratch):  # type: ignore[no-untyped-def]
    """Leave nothing of a question behind for the next one."""
    for y in known:
        scratch.is_known[y] = False
    for y in reached:
        scratch.score[y], scratch.is_reached[y] = 0.0, False


@njit(cache=True)
def _ends(edges, x, steps, mark, stamp, ends, count):  # type: ignore[no-untyped-def]
    """Add the entities that a kind of path leads to from x to the first `count` ends; none if there are too many.

    An entity counts once, however many paths of two steps lead to it: `mark` has the `stamp` of those that do, which
    the caller must not have used before. Only one triple has this head, relation and tail, so one step needs no mark.
    """
    before = count
    begin, end = _span(edges, x, steps[0])
    for p in range(begin, end):
        z = edges.tail[p]
        if steps[1] < 0:
            ends, count = appended(ends, count, z)
        elif z != x:
            for q in range(*_span(edges, z, steps[1])):
                y = edges.tail[q]
                if y != x and y != z and mark[y] != stamp:
                    mark[y] = stamp
                    ends, count = appended(ends, count, y)
        if count - before > MOST_ENDS:
            return ends, before
    return ends, count


@njit(cache=True)
def _span(edges, entity, relation):  # type: ignore[no-untyped-def]
    """Where the edges of an entity with a relation begin and end."""
    begin, end = edges.first[entity], edges.first[entity + 1]
    while begin < end:
        middle = (begin + end) // 2
        if edges.relation[middle] < relation:
            begin = middle + 1
        else:
            end = middle
    while end < edges.first[entity + 1] and edges.relation[end] == relation:
        end += 1
    return begin, end


@njit(parallel=True, cache=True)
def _scores(edges, kinds, heads, relations):  # type: ignore[no-untyped-def]
    entities = len(edges.first) - 1
    scores = np.zeros((len(heads), entities), np.float32)
    for block in prange(BLOCKS):
        mark, stamp, ends = np.full(entities, -1, np.int64), 0, np.empty(64, np.int32)
        for i in range(block, len(heads), BLOCKS):
            for rule in range(kinds.first[relations[i]], kinds.first[relations[i] + 1]):
                ends, count = _ends(edges, heads[i], kinds.steps[rule], mark, stamp, ends, 0)
                stamp += 1
                for y in ends[:count]:
                    scores[i, y] += kinds.weight[rule]
    return scores

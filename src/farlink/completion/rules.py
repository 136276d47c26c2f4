"""Rules: which short paths of the graph speak for which relation, and how loudly.

A kind of path is a relation, or two relations one after the other; reverses count as relations. If x is joined to y
by such a path, that may speak for (x, r, y): *child of* reversed speaks for *parent of*. The score of y as the answer
of (x, r, ?) is the sum of the weights of all kinds of path that lead from x to y. The weights are learned: the known
answers of questions are to score above all other entities.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor, nn

from farlink.graph.compositions import Sample, appended, find_kinds
from farlink.graph.edges import Edges, begins
from farlink.graph.ids import Triples

MOST_ENDS = 50_000  # ends of one kind of path from one entity; a kind with more says nothing about any of them
EPOCHS = 4
RATE = 0.3
BLOCKS = 8  # of questions, each answered with memory of its own


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


def learn_rules(triples: Triples, entities: int, relations: int, most: int, seed: int) -> Rules:
    """At most so many rules for each of the relations, reverses included, from triples that include reverses."""
    edges, sample = Edges.of(triples, entities), Sample.of(triples, relations, seed)
    first, steps = find_kinds(edges, sample, most)
    weight = np.zeros(len(steps), dtype=np.float32)
    asked = np.unique(sample.triples[:, 1::-1], axis=0)  # (relation, head): a question once, whatever its answers
    _learn(*edges, first, steps, weight, np.ascontiguousarray(asked[:, 1]), begins(asked[:, 0], relations))
    arrays = {"first": first, "steps": steps, "weight": weight}
    return Rules(edges, {name: torch.from_numpy(array) for name, array in arrays.items()})


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
            ends, count = appended(ends, count, z)
        elif z != x:
            for q in range(*_span(first, relation, z, steps[1])):
                y = tail[q]
                if y != x and y != z and mark[y] != stamp:
                    mark[y] = stamp
                    ends, count = appended(ends, count, y)
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

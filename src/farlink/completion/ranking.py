"""Filtered ranks of answers among all entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from farlink.completion.questions import Questions
from farlink.graph.edges import runs, with_reverses
from farlink.graph.ids import Triples
from farlink.measures.ranks import Ranks

CHUNK = 512  # questions scored at a time: memory is this many rows of one score per entity
Score = Callable[[Tensor, Tensor], Tensor]  # heads (B), relations (B) → scores of all entities (B, n)
Scores = Callable[[Tensor, Tensor], Iterable[Tensor]]  # the same in several ways, one after the other


def filtered_ranks(score: Score, triples: Triples, known: Questions) -> Ranks:
    """Ranks of the tails of triples among all entities that are not known answers themselves."""
    return ranks_by_each(lambda head, relation: [score(head, relation)], 1, triples, known)[0]


def ranks_by_each(scores: Scores, count: int, triples: Triples, known: Questions) -> list[Ranks]:
    """The same by each of `count` ways to score. Every distinct question is scored once, `CHUNK` of them at a time."""
    optimistic, pessimistic = (np.empty((count, len(triples)), dtype=np.int64) for _ in range(2))
    order = np.lexsort((triples[:, 1], triples[:, 0]))
    head, relation, tail = triples[order].T
    first_row = runs(head, relation)
    starts, question = first_row[:-1], np.repeat(np.arange(len(first_row) - 1), np.diff(first_row))
    for chunk in _chunks(len(starts)):
        heads, relations = head[starts[chunk]], relation[starts[chunk]]
        rows = np.flatnonzero((question >= chunk.start) & (question < chunk.stop))
        first, answers = known.known_answers(heads, relations)
        found = scores(torch.from_numpy(heads).long(), torch.from_numpy(relations).long())
        for place, table in enumerate(found):
            better, equal = _beaten_by(table.numpy(), question[rows] - chunk.start, tail[rows], first, answers)
            optimistic[place, order[rows]], pessimistic[place, order[rows]] = better + 1, better + equal + 1
    return [Ranks(*bounds) for bounds in zip(optimistic, pessimistic, strict=True)]


def both_sides(score: Score, triples: Triples, known: Questions, relations: int) -> dict[str, Ranks]:
    """Filtered ranks of the tails, of the heads, which are asked for by the reverse relations, and of both."""
    return by_side(filtered_ranks(score, with_reverses(triples, relations), known))


def by_side(ranks: Ranks) -> dict[str, Ranks]:
    """Ranks of triples, and behind them those of their reverses, by what was asked for."""
    count = len(ranks.optimistic) // 2
    return {
        "tail": Ranks(ranks.optimistic[:count], ranks.pessimistic[:count]),
        "head": Ranks(ranks.optimistic[count:], ranks.pessimistic[count:]),
        "both": ranks,
    }


def _chunks(count: int) -> Iterator[slice]:
    return (slice(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK))


@njit(parallel=True, cache=True)
def _beaten_by(scores, rows, targets, first, answers):  # type: ignore[no-untyped-def]
    """How many entities score above each target, and how many others the same; known answers do not count."""
    better, equal = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    for i in prange(len(rows)):
        row, own = rows[i], scores[rows[i], targets[i]]
        above, same = 0, -1  # the target is the same as itself
        for entity in range(scores.shape[1]):
            above += scores[row, entity] > own
            same += scores[row, entity] == own
        for j in range(first[row], first[row + 1]):
            if answers[j] != targets[i]:
                above -= scores[row, answers[j]] > own
                same -= scores[row, answers[j]] == own
        better[i], equal[i] = above, same
    return better, equal

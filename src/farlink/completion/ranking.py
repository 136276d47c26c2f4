"""Filtered ranks of answers among all entities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from farlink.completion.questions import Questions
from farlink.graph.edges import with_reverses
from farlink.graph.ids import Triples
from farlink.measures.ranks import Ranks

CHUNK = 512  # questions scored at a time: memory is this many rows of one score per entity
Score = Callable[[Tensor, Tensor], Tensor]  # heads (B), relations (B) → scores of all entities (B, n)


def filtered_ranks(scores: Sequence[Score], triples: Triples, known: Questions) -> list[Ranks]:
    """Ranks of the tails of triples among all entities that are not known answers themselves, by each of some scores.

    Every distinct question is asked once of each, `CHUNK` of them at a time.
    """
    optimistic, pessimistic = (np.empty((len(scores), len(triples)), dtype=np.int64) for _ in range(2))
    order = np.lexsort((triples[:, 1], triples[:, 0]))
    head, relation, tail = triples[order].T
    new = np.ones(len(order), dtype=bool)
    new[1:] = (head[1:] != head[:-1]) | (relation[1:] != relation[:-1])
    question, starts = np.cumsum(new) - 1, np.flatnonzero(new)
    for chunk in _chunks(len(starts)):
        heads, relations = head[starts[chunk]], relation[starts[chunk]]
        asked = torch.from_numpy(heads).long(), torch.from_numpy(relations).long()
        rows = np.flatnonzero((question >= chunk.start) & (question < chunk.stop))
        first, answers = known.known_answers(heads, relations)
        for place, score in enumerate(scores):
            found = score(*asked).numpy()
            better, equal = _beaten_by(found, question[rows] - chunk.start, tail[rows], first, answers)
            optimistic[place, order[rows]], pessimistic[place, order[rows]] = better + 1, better + equal + 1
    return [Ranks(*bounds) for bounds in zip(optimistic, pessimistic, strict=True)]


def sides_by_each(
    scores: Sequence[Score], triples: Triples, known: Questions, relations: int
) -> list[dict[str, Ranks]]:
    """Filtered ranks of the tails, and of the heads, which are asked for by the reverse relations; by each score."""
    count = len(triples)
    return [
        {
            "tail": Ranks(whole.optimistic[:count], whole.pessimistic[:count]),
            "head": Ranks(whole.optimistic[count:], whole.pessimistic[count:]),
            "both": whole,
        }
        for whole in filtered_ranks(scores, with_reverses(triples, relations), known)
    ]


def both_sides(score: Score, triples: Triples, known: Questions, relations: int) -> dict[str, Ranks]:
    """Filtered ranks of the tails, of the heads and of both by one score."""
    return sides_by_each([score], triples, known, relations)[0]


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

"""Questions (head, relation, ?) about one graph, the answers that are known, and ranks among all other answers.

(?, relation, tail) is asked as (tail, reverse relation, ?), so there is one kind of question only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from farlink.graph import Ids
from farlink.joint import with_reverses
from farlink.loss import AllAnswersLoss, rounded
from farlink.metrics import Ranks
from farlink.optimiser import rows_of

CHUNK = 512  # questions scored at a time: memory is this many rows of one score per entity
NOBODY = -1e4  # the score of a row that only fills up

Score = Callable[[Tensor, Tensor], Tensor]  # heads (B), relations (B) → scores of all entities (B, n)


@dataclass(frozen=True)
class Questions:
    """Distinct questions in order, each with its known answers in order.

    The answers of question i are `answer[first[i]:first[i + 1]]`.
    """

    head: Ids
    relation: Ids
    first: NDArray[np.int64]
    answer: Ids

    @classmethod
    def about(cls, triples: Ids) -> Questions:
        """The questions that triples answer. Triples are distinct; add their reverses to ask both ways."""
        triples = triples[np.lexsort((triples[:, 2], triples[:, 1], triples[:, 0]))]
        head, relation, answer = triples.T
        new = np.ones(len(triples), dtype=bool)
        new[1:] = (head[1:] != head[:-1]) | (relation[1:] != relation[:-1])
        first = np.append(np.flatnonzero(new), len(triples))
        return cls(head[new], relation[new], first, np.ascontiguousarray(answer))

    def __len__(self) -> int:
        return len(self.head)

    def find(self, head: Ids, relation: Ids) -> NDArray[np.int64]:
        """The place of each question (head, relation); -1 where nothing is known."""
        if not len(self):
            return np.full(len(head), -1)
        width = int(max(self.relation.max(), relation.max(initial=0))) + 1
        mine, asked = (h.astype(np.int64) * width + r for h, r in ((self.head, self.relation), (head, relation)))
        place = np.searchsorted(mine, asked).clip(max=len(mine) - 1)
        return np.where(mine[place] == asked, place, -1)

    def known_answers(self, head: Ids, relation: Ids) -> tuple[NDArray[np.int64], Ids]:
        """Known answers of some questions, one after the other, behind where each question's begin."""
        place = self.find(head, relation)
        begin = np.where(place >= 0, self.first[place], 0)
        count = np.where(place >= 0, self.first[place + 1] - begin, 0) if len(self) else np.zeros(len(head), np.int64)
        first = np.concatenate([[0], np.cumsum(count)])
        within = np.arange(first[-1]) - np.repeat(first[:-1], count)
        return first, self.answer[np.repeat(begin, count) + within]


@dataclass(frozen=True)
class Lesson:
    """Some questions with all their known answers, as tensors: pairs (question, tail) are right."""

    head: Tensor
    relation: Tensor
    answers: Tensor  # how many each question has
    question: Tensor  # of each right pair, sorted
    tail: Tensor

    def misses(self, states: Tensor, vectors: Tensor, bias: Tensor, drawn: int) -> Tensor:
        """Cross-entropy of all right answers among all entities, the sum; a score is h·w + b.

        In a graph of more than `drawn` entities so many stand for all: the right answers of the lesson for
        themselves, the others that were drawn also for those that were not.
        """
        entity, stands_for = self._candidates(len(vectors), drawn)
        place = torch.searchsorted(entity, self.tail)
        # a bias is one more element of an entity's vector, for one more element of the state that is always 1
        level = bias.index_select(0, entity) + stands_for.log()
        candidates = _with_level(rounded(rows_of(vectors, entity), 0.0), rounded(level, NOBODY))
        states = _with_level(states, states.new_ones(len(states)))
        total: Tensor = AllAnswersLoss.apply(states, candidates, self.question, place)  # type: ignore[no-untyped-call]
        return total

    def _candidates(self, entities: int, drawn: int) -> tuple[Tensor, Tensor]:
        """Entities to tell the answers from, in order, and how many each one stands for."""
        if entities <= drawn:
            return torch.arange(entities), torch.ones(entities)
        is_drawn = torch.zeros(entities, dtype=torch.bool)
        is_drawn[torch.randperm(entities)[:drawn]] = True
        is_right = torch.zeros(entities, dtype=torch.bool)
        is_right[self.tail] = True
        others, right = int((is_drawn & ~is_right).sum()), int(is_right.sum())
        entity = (is_drawn | is_right).nonzero()[:, 0]
        return entity, torch.where(is_right[entity], 1.0, (entities - right) / max(others, 1))


def _with_level(vectors: Tensor, level: Tensor) -> Tensor:
    """Vectors with one more element, and zeros up to a multiple of eight, a width that is multiplied faster."""
    return torch.cat([vectors, pad(level[:, None], (0, 7 - vectors.shape[1] % 8))], dim=1)


@dataclass(frozen=True)
class QuestionLessons:
    """Questions in the order of an epoch: what a model learns from that answers them one by one."""

    questions: Questions
    examples: Ids  # (questions, 1): their places
    drawn: int  # entities that stand for all in a step

    @classmethod
    def of_epoch(cls, questions: Questions, seed: int, epoch: int, *, drawn: int, **more: float) -> Self:
        """All questions in an order of their own for every epoch, and what else the lessons need."""
        order = np.random.default_rng([seed, epoch]).permutation(len(questions)).astype(np.int32)
        return cls(questions, order[:, None], drawn, **more)

    def lesson(self, batch: Tensor) -> Lesson:
        """What a batch of examples asks."""
        places = batch[:, 0].numpy()
        head, relation = self.questions.head[places], self.questions.relation[places]
        first, tail = self.questions.known_answers(head, relation)
        heads, relations, tails = (torch.from_numpy(ids).long() for ids in (head, relation, tail))
        answers = torch.from_numpy(np.diff(first))
        return Lesson(heads, relations, answers, torch.repeat_interleave(answers), tails)


def filtered_ranks(scores: Sequence[Score], triples: Ids, known: Questions) -> list[Ranks]:
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


def sides_by_each(scores: Sequence[Score], triples: Ids, known: Questions, relations: int) -> list[dict[str, Ranks]]:
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


def both_sides(score: Score, triples: Ids, known: Questions, relations: int) -> dict[str, Ranks]:
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

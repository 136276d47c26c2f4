"""Questions (head, relation, ?) about one graph, the answers that are known, and ranks among all other answers.

(?, relation, tail) is asked as (tail, reverse relation, ?), so there is one kind of question only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from farlink.graph.edges import runs
from farlink.graph.ids import Ids, Triples, sorted_distinct


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
    def about(cls, triples: Triples) -> Questions:
        """The questions that triples answer; add their reverses to ask both ways."""
        head, relation, answer = np.ascontiguousarray(sorted_distinct(triples).T)
        first = runs(head, relation)
        return cls(head[first[:-1]], relation[first[:-1]], first, answer)

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

"""Ranks and what is said of them; precision and recall of a set of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from farlink.graph import Ids

RankKind = Literal["realistic", "optimistic", "pessimistic"]
HITS_AT = (1, 3, 5, 10)


@dataclass(frozen=True)
class Ranks:
    """Rank of the right answer of each query, between the best and the worst place that ties allow."""

    optimistic: NDArray[np.int64]  # before all candidates with the same score
    pessimistic: NDArray[np.int64]  # behind all of them

    @property
    def realistic(self) -> NDArray[np.float64]:
        """The mean of both: what a random order of equal scores gives on average."""
        return (self.optimistic + self.pessimistic) / 2

    def of(self, which: NDArray[np.bool_]) -> Ranks:
        """The ranks of some queries only."""
        return Ranks(self.optimistic[which], self.pessimistic[which])

    def of_kind(self, kind: RankKind) -> NDArray[np.float64]:
        """Ranks of one kind."""
        return np.asarray(getattr(self, kind), dtype=np.float64)

    def summary(self, kind: RankKind = "realistic") -> dict[str, float]:
        """Hits@k, mean reciprocal rank and mean rank; empty where there is no query."""
        ranks = self.of_kind(kind)
        if not len(ranks):
            return {}
        hits = {f"hits@{k}": float(np.mean(ranks <= k)) for k in HITS_AT}
        return {**hits, "mrr": float(np.mean(1 / ranks)), "mr": float(np.mean(ranks)), "queries": len(ranks)}


def pair_quality(found: Ids, truth: Ids) -> dict[str, float]:
    """Precision, recall and F1 of `found` pairs against `truth` pairs, both (n, 2).

    Only pairs that touch an entity of the truth can be judged; the others are left out and counted.
    """
    judged = found[np.isin(found[:, 0], truth[:, 0]) | np.isin(found[:, 1], truth[:, 1])]
    partner = dict(zip(truth[:, 0].tolist(), truth[:, 1].tolist(), strict=True))
    right = sum(partner.get(a) == b for a, b in judged.tolist())
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


def best_threshold(probability: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The probability from which on accepting predictions gives the best F1, when each query has one right answer.

    Where it is best to accept all of them, they do not tell what a less probable one is worth. Then half of the F1 is
    the limit: accepting what is more probable than that raises an F1, accepting what is less probable lowers it.
    """
    if not len(probability):
        return -np.inf
    order = np.argsort(-probability, kind="stable")
    ordered = probability[order]
    accepted = np.arange(1, len(ordered) + 1)
    hits = np.cumsum(right[order])
    f1 = 2 * hits / (accepted + len(ordered))  # precision hits/accepted, recall hits/all
    last_of_equals = np.append(ordered[1:] != ordered[:-1], True)
    best = int(np.argmax(np.where(last_of_equals, f1, -1.0)))
    accepts_all = best == len(ordered) - 1
    return float(min(ordered[best], f1[best] / 2) if accepts_all else ordered[best])

"""Ranks and their summary: Hits@k, MRR and MR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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

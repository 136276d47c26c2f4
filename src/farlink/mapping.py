"""The mapping people use: one-to-one, every left entity, doubtful pairs marked as not matched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from torch import Tensor

from farlink.balancing import Candidates
from farlink.evaluation import unseeded
from farlink.graph import Ids
from farlink.matching import one_to_one
from farlink.metrics import best_threshold
from farlink.settings import Settings


@dataclass(frozen=True)
class Mapping:
    """For each left entity its chosen right entity (-1: none), the score, and the lead over the runner-up."""

    right: Ids
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    seeds: Ids
    threshold: float  # pairs below it are not matched

    @property
    def status(self) -> NDArray[np.str_]:
        """`seed`, `matched` or `unmatched` for each left entity."""
        status = np.where((self.right >= 0) & (self.score >= self.threshold), "matched", "unmatched")
        status[self.seeds[:, 0]] = "seed"
        return status

    def matched(self) -> Ids:
        """The pairs found and kept, seeds not included: (left id, right id) rows."""
        rows = np.flatnonzero(self.status == "matched")
        return np.stack([rows, self.right[rows]], axis=1).astype(np.int32)

    def frame(self, left_names: pl.Series, right_names: pl.Series) -> pl.DataFrame:
        """The mapping by name; seeds first, then by falling score."""
        place = pl.Series(np.where(self.right >= 0, self.right, 0))
        found = pl.Series(self.right >= 0)
        order = pl.Enum(["seed", "matched", "unmatched"])
        frame = pl.DataFrame(
            {
                "left": left_names,
                "right": right_names.gather(place),
                "score": self.score,
                "margin": self.margin,
                "status": pl.Series(self.status.tolist(), dtype=order),
            }
        )
        missing = pl.when(~found).then(None)
        frame = frame.with_columns(
            missing.otherwise(pl.col("right")).alias("right"),
            missing.otherwise(pl.col("score").clip(0, 1).round(6)).alias("score"),
            missing.otherwise(pl.col("margin").fill_nan(None).round(6)).alias("margin"),
        )
        return frame.sort("status", "score", "left", descending=[False, True, False], nulls_last=True).cast(
            {"status": pl.String}
        )


def make_mapping(
    left: Tensor, right: Tensor, seeds: Ids, valid: Ids, connected: tuple[Ids, Ids], settings: Settings
) -> Mapping:
    """Choose counterparts for all left entities that are no seeds; the threshold comes from `valid` links.

    `connected` holds the ids of the entities that have a triple, left and right; the others say nothing
    about themselves and stay unmatched.
    """
    queries = np.intersect1d(unseeded(len(left), seeds[:, 0]), connected[0])
    pool = np.intersect1d(unseeded(len(right), seeds[:, 1]), connected[1])
    listed = Candidates.among(left[queries], right[pool], settings.candidates, settings.temperature)
    kept = one_to_one(listed.left, listed.right, listed.score, listed.shape)

    chosen = np.full(len(left), -1, dtype=np.int32)
    score, margin = np.full(len(left), np.nan), np.full(len(left), np.nan)
    found = queries[listed.left[kept]]
    chosen[found], score[found] = pool[listed.right[kept]], listed.score[kept]
    margin[found] = _lead(listed, kept)
    chosen[seeds[:, 0]], score[seeds[:, 0]], margin[seeds[:, 0]] = seeds[:, 1], 1.0, np.nan

    judged = valid[chosen[valid[:, 0]] >= 0]
    threshold = best_threshold(score[judged[:, 0]], chosen[judged[:, 0]] == judged[:, 1])
    return Mapping(chosen, score, margin, seeds, threshold)


def _lead(listed: Candidates, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The chosen score minus the best other score; negative where one-to-one forced a lower choice."""
    best_other = np.full(listed.shape[0], -np.inf)
    np.maximum.at(best_other, listed.left[~kept], listed.score[~kept])
    others = best_other[listed.left[kept]]
    return np.where(np.isfinite(others), listed.score[kept] - others, np.nan)

"""The mapping people use: one-to-one, every left entity, doubtful pairs marked as not matched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.alignment.assignment import one_to_one
from farlink.alignment.candidates import Candidates
from farlink.graph.ids import Ids, Pairs, Pools
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.measures.calibration import Calibration, best_threshold
from farlink.settings import AlignmentSettings

LIKELIER_THAN_NOT = 0.5  # the probability from which on a pair is matched where no validation links say better
ENOUGH = 100  # validation links from which on they say better


@dataclass(frozen=True)
class Mapping:
    """For each left entity its chosen right entity (-1: none), with score and lead over the runner-up."""

    right: Ids
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    probability: NDArray[np.float64]  # that the pair is right; unknown (nan) without validation links
    seeds: Pairs
    threshold: float  # pairs of a lower probability are not matched

    @property
    def status(self) -> NDArray[np.str_]:
        """`seed`, `matched` or `unmatched` for each left entity."""
        likely = np.isneginf(self.threshold) | (self.probability >= self.threshold)
        status = np.where((self.right >= 0) & likely, "matched", "unmatched")
        status[self.seeds[:, 0]] = "seed"
        return status

    def matched(self) -> Pairs:
        """The pairs found and kept, seeds not included: (left id, right id) rows."""
        rows = np.flatnonzero(self.status == "matched")
        return np.stack([rows, self.right[rows]], axis=1).astype(np.int32)

    def frame(self, left_names: pl.Series, right_names: pl.Series) -> pl.DataFrame:
        """The mapping by name; seeds first, then the most probable."""
        place = pl.Series(np.where(self.right >= 0, self.right, 0))
        found = pl.Series(self.right >= 0)
        statuses = pl.Enum(["seed", "matched", "unmatched"])
        frame = pl.DataFrame(
            {
                "left": left_names,
                "right": right_names.gather(place),
                "score": self.score,
                "margin": self.margin,
                "probability": self.probability,
                "status": pl.Series(self.status.tolist(), dtype=statuses),
            }
        )
        missing = pl.when(~found).then(None)
        frame = frame.with_columns(
            missing.otherwise(pl.col("right")).alias("right"),
            missing.otherwise(pl.col("score").clip(0, 1).round(6)).alias("score"),
            missing.otherwise(pl.col("margin").fill_nan(None).round(6)).alias("margin"),
            missing.otherwise(pl.col("probability").fill_nan(None).round(6)).alias("probability"),
        )
        order = ["status", "probability", "score", "left"]
        return frame.sort(order, descending=[False, True, True, False], nulls_last=True).cast({"status": pl.String})


def connected(left: KnowledgeGraph, right: KnowledgeGraph) -> Pools:
    """The left and right entities that have a triple: of the others nothing is known."""
    pools = [np.flatnonzero(graph.degrees()).astype(np.int32) for graph in (left, right)]
    return pools[0], pools[1]


def make_mapping(
    candidates: Candidates, seeds: Pairs, valid: Pairs, connected: Pools, settings: AlignmentSettings
) -> Mapping:
    """Choose counterparts for all left entities that are no seeds, one-to-one among the candidates.

    What a score is worth, and from where on a pair counts as matched, comes from the `valid` links. `connected`
    holds the ids of the entities that have a triple, left and right; the others say nothing about themselves
    and stay unmatched.
    """
    candidates = candidates.within(connected, compete=settings.temperature > 0)
    kept = _chosen(candidates, settings)
    found = candidates.left[kept]

    chosen = np.full(candidates.shape[0], -1, dtype=np.int32)
    score, margin, probability = (np.full(candidates.shape[0], np.nan) for _ in range(3))
    chosen[found], score[found], margin[found] = candidates.right[kept], candidates.score[kept], _lead(candidates, kept)
    threshold = -np.inf
    if candidates.chance is not None:
        probability[found], threshold = candidates.chance[kept].clip(0, 1), LIKELIER_THAN_NOT
    judged = valid[chosen[valid[:, 0]] >= 0]
    if len(judged) >= (1 if candidates.chance is None else ENOUGH):
        columns = [values[kept] for values in candidates.features().values()]
        features = np.full((candidates.shape[0], len(columns)), np.nan)
        features[found] = np.column_stack(columns)
        right = chosen[judged[:, 0]] == judged[:, 1]
        probability[found] = Calibration.fit(features[judged[:, 0]], right)(features[found])
        threshold = best_threshold(probability[judged[:, 0]], right)
    chosen[seeds[:, 0]], score[seeds[:, 0]], probability[seeds[:, 0]] = seeds[:, 1], 1.0, 1.0
    return Mapping(chosen, score, margin, probability, seeds, threshold)


def _chosen(candidates: Candidates, settings: AlignmentSettings) -> NDArray[np.bool_]:
    """Which pairs are chosen: one for a left entity, and for a right one unless it may have several."""
    if settings.cardinality == "many-to-one":
        order = np.argsort(-candidates.score, kind="stable")
        chosen = np.zeros(len(order), dtype=bool)
        chosen[order[np.unique(candidates.left[order], return_index=True)[1]]] = True
        return chosen
    return one_to_one(candidates.left, candidates.right, candidates.score, candidates.shape)


def _lead(candidates: Candidates, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The chosen score minus the best other score; negative where one-to-one forced a lower choice."""
    best_other = np.full(candidates.shape[0], -np.inf)
    np.maximum.at(best_other, candidates.left[~kept], candidates.score[~kept])
    others = best_other[candidates.left[kept]]
    return np.where(np.isfinite(others), candidates.score[kept] - others, np.nan)

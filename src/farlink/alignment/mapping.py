"""The mapping people use: every left entity, doubtful pairs marked as not matched; one-to-one, or as it is asked for.

Where entities may have several counterparts, every pair that is probable enough by itself is in it: a row for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.alignment.assignment import one_to_one
from farlink.alignment.candidates import Candidates
from farlink.graph.ids import Ids, Pairs, Pools, unseeded
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.links import among
from farlink.measures.calibration import Calibration, best_threshold
from farlink.settings import AlignmentSettings

LIKELIER_THAN_NOT = 0.5  # the probability from which on a pair is matched where no validation links say better
ENOUGH = 100  # validation links from which on they say better


@dataclass(frozen=True)
class Mapping:
    """The rows of the mapping, by left entity: the chosen right one (-1: none), with score and lead over the runner-up.

    A left entity has one row, or one for each of its counterparts.
    """

    left: Ids
    right: Ids
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    probability: NDArray[np.float64]  # that the pair is right; unknown (nan) without validation links
    likely: NDArray[np.bool_]  # whether the row is a match; others only show what came nearest
    seeds: Pairs
    threshold: float  # pairs of a lower probability are not matched

    @property
    def status(self) -> NDArray[np.str_]:
        """`seed`, `matched` or `unmatched` for each row."""
        found = self.right >= 0
        status = np.where(found & self.likely, "matched", "unmatched")
        status[found & among(self.pairs, self.seeds)] = "seed"
        return status

    @property
    def pairs(self) -> Pairs:
        """All rows as (left id, right id); -1 where none was found."""
        return np.stack([self.left, self.right], axis=1).astype(np.int32)

    def matched(self) -> Pairs:
        """The pairs found and kept, seeds not included: (left id, right id) rows."""
        return np.asarray(self.pairs[self.status == "matched"])

    def of(self, entities: Ids) -> NDArray[np.bool_]:
        """Which rows give some left entities a counterpart."""
        return (self.right >= 0) & np.isin(self.left, entities)

    def frame(self, left_names: pl.Series, right_names: pl.Series) -> pl.DataFrame:
        """The mapping by name; seeds first, then the most probable."""
        place = pl.Series(np.where(self.right >= 0, self.right, 0))
        found = pl.Series(self.right >= 0)
        statuses = pl.Enum(["seed", "matched", "unmatched"])
        frame = pl.DataFrame(
            {
                "left": left_names.gather(self.left),
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
        order = ["status", "probability", "score", "left", "right"]
        falling = [name in ("probability", "score") for name in order]
        return frame.sort(order, descending=falling, nulls_last=True).cast({"status": pl.String})


def connected(left: KnowledgeGraph, right: KnowledgeGraph) -> Pools:
    """The left and right entities that have a triple: of the others nothing is known."""
    pools = [np.flatnonzero(graph.degrees()).astype(np.int32) for graph in (left, right)]
    return pools[0], pools[1]


def make_mapping(
    candidates: Candidates, seeds: Pairs, valid: Pairs, connected: Pools, settings: AlignmentSettings
) -> Mapping:
    """Choose counterparts for all left entities among the candidates, as many as the cardinality allows.

    What a score is worth, and from where on a pair counts as matched, comes from the `valid` links. `connected`
    holds the ids of the entities that have a triple, left and right; the others say nothing about themselves
    and stay unmatched.
    """
    candidates = candidates.within(connected, compete=settings.temperature > 0)
    chosen = _chosen(candidates)
    probability, threshold = _probabilities(candidates, chosen, valid)
    likely = chosen & (np.isneginf(threshold) | (probability >= threshold))
    if any(settings.several):
        likely, chosen = _rows_of_several(candidates, likely, threshold, seeds)
    margin = np.full(len(chosen), np.nan)
    margin[chosen] = _lead(candidates, chosen)
    found = _Rows(candidates.left, candidates.right, candidates.score, margin, probability, likely).only(chosen)
    missing = unseeded(candidates.shape[0], np.concatenate([found.left, seeds[:, 0]]))
    rows = _Rows.joined([found, _Rows.of_seeds(seeds), _Rows.without_counterpart(missing)])
    return Mapping(*rows, seeds, threshold)


class _Rows(NamedTuple):
    """The columns of a mapping."""

    left: Ids
    right: Ids
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    probability: NDArray[np.float64]
    likely: NDArray[np.bool_]

    @classmethod
    def of_seeds(cls, seeds: Pairs) -> _Rows:
        """Known pairs are certain, and lead nobody."""
        one = np.ones(len(seeds))
        return cls(seeds[:, 0], seeds[:, 1], one, np.full(len(seeds), np.nan), one, one > 0)

    @classmethod
    def without_counterpart(cls, left: Ids) -> _Rows:
        """Rows of left entities that nothing comes into question for."""
        unknown = np.full(len(left), np.nan)
        return cls(left, np.full(len(left), -1, dtype=np.int32), unknown, unknown, unknown, unknown > 0)

    @classmethod
    def joined(cls, parts: list[_Rows]) -> _Rows:
        """All rows, by left and right entity."""
        rows = cls._make(np.concatenate(columns) for columns in zip(*parts, strict=True))
        return rows.only(np.lexsort((rows.right, rows.left)))

    def only(self, kept: NDArray[np.bool_] | NDArray[np.int64]) -> _Rows:
        """Some rows, or all in another order."""
        return _Rows._make(column[kept] for column in self)


def _chosen(candidates: Candidates) -> NDArray[np.bool_]:
    """Which pairs may be in the mapping: each entity chooses its best one, unless it may have several.

    Where no entity may, the choice that is best for all together is made.
    """
    if not any(candidates.several):
        return one_to_one(candidates.left, candidates.right, candidates.score, candidates.shape)
    chosen = np.ones(len(candidates.left), dtype=bool)
    for side in (candidates, candidates.reversed()):
        if not side.several[0]:
            chosen &= _first(side.left, side.score)
    return chosen


def _first(ids: Ids, score: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which entries have the best score of their id; of equal ones the first."""
    order = np.argsort(-score, kind="stable")
    first = np.zeros(len(ids), dtype=bool)
    first[order[np.unique(ids[order], return_index=True)[1]]] = True
    return first


def _probabilities(
    candidates: Candidates, chosen: NDArray[np.bool_], valid: Pairs
) -> tuple[NDArray[np.float64], float]:
    """The probability of each candidate pair, and from where on one is matched; unknown (nan) if nothing tells.

    Validation links tell if there are enough: how often chosen pairs of their left entities are right.
    """
    probability, threshold = np.full(len(chosen), np.nan), -np.inf
    if candidates.chance is not None:
        probability, threshold = candidates.chance.clip(0, 1), LIKELIER_THAN_NOT
    judged = chosen & np.isin(candidates.left, valid[:, 0])
    if judged.sum() >= (1 if candidates.chance is None else ENOUGH):
        features = np.column_stack(list(candidates.features().values()))
        right = among(np.stack([candidates.left, candidates.right], axis=1)[judged], valid)
        probability = Calibration.fit(features[judged], right)(features)
        asked = judged.sum() if not any(candidates.several) else np.isin(valid[:, 0], candidates.left).sum()
        threshold = best_threshold(probability[judged], right, int(asked))
    return probability, threshold


def _rows_of_several(
    candidates: Candidates, likely: NDArray[np.bool_], threshold: float, seeds: Pairs
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pairs are matches, and which are rows: beside the matches the best of a left entity that has none.

    If nothing tells how likely pairs are, the matches are the best of every entity of either side, and nothing is shown
    beside them.
    """
    best = _first(candidates.left, candidates.score)
    if np.isneginf(threshold):
        likely = likely & (best | _first(candidates.right, candidates.score))
        return likely, likely
    served = np.zeros(candidates.shape[0], dtype=bool)
    served[candidates.left[likely]] = served[seeds[:, 0]] = True
    return likely, likely | (best & ~served[candidates.left])


def _lead(candidates: Candidates, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The chosen score minus the best score that was not chosen; negative where a lower choice was forced."""
    best_other = np.full(candidates.shape[0], -np.inf)
    np.maximum.at(best_other, candidates.left[~kept], candidates.score[~kept])
    others = best_other[candidates.left[kept]]
    return np.where(np.isfinite(others), candidates.score[kept] - others, np.nan)

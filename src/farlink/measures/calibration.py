"""From scores to probabilities: how often pairs like this one were right among the validation links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def best_threshold(probability: NDArray[np.float64], right: NDArray[np.bool_], answers: int | None = None) -> float:
    """The probability from which on accepting predictions gives the best F1.

    There are so many right `answers`, those among the predictions included; without a number each has one.

    Where it is best to accept all of them, they do not tell what a less probable one is worth. Then half of the F1 is
    the limit: accepting what is more probable than that raises an F1, accepting what is less probable lowers it.
    """
    if not len(probability):
        return -np.inf
    order = np.argsort(-probability, kind="stable")
    ordered = probability[order]
    accepted = np.arange(1, len(ordered) + 1)
    hits = np.cumsum(right[order])
    answers = len(ordered) if answers is None else answers
    f1 = 2 * hits / (accepted + answers)  # precision hits/accepted, recall hits/all
    last_of_equals = np.append(ordered[1:] != ordered[:-1], True)
    best = int(np.argmax(np.where(last_of_equals, f1, -1.0)))
    accepts_all = best == len(ordered) - 1
    return float(min(ordered[best], f1[best] / 2) if accepts_all else ordered[best])


Floats = NDArray[np.float64]
RIDGE = 1e-2  # holds the weights back where all validation pairs are right, or all wrong
STEPS = 25
BINS = 10


@dataclass(frozen=True)
class Calibration:
    """A logistic model of a few features of a pair: the chance that the pair is right."""

    weights: Floats  # the first is the constant

    @classmethod
    def fit(cls, features: Floats, right: NDArray[np.bool_]) -> Calibration:
        """Learn from pairs, (n, features), that are known to be right or wrong (Newton's method)."""
        design = _with_constant(features)
        weights = np.zeros(design.shape[1])
        for _ in range(STEPS):
            chance = _logistic(design @ weights)
            curvature = (design * (chance * (1 - chance))[:, None]).T @ design + RIDGE * np.eye(len(weights))
            weights += np.linalg.solve(curvature, design.T @ (right - chance) - RIDGE * weights)
        return cls(weights)

    def __call__(self, features: Floats) -> Floats:
        """The probability that each pair is right."""
        return _logistic(_with_constant(features) @ self.weights)


def log_odds(share: Floats) -> Floats:
    """log(p / (1 - p)), finite for all shares."""
    share = share.clip(1e-4, 1 - 1e-4)
    return np.asarray(np.log(share / (1 - share)))


def reliability(probability: Floats, right: NDArray[np.bool_]) -> dict[str, Any]:
    """In each tenth of the probability: pairs, mean probability, share that is right; and the mean gap of the two."""
    place = np.minimum((probability * BINS).astype(int), BINS - 1)
    pairs = np.bincount(place, minlength=BINS)
    filled = pairs > 0
    said, was = (np.bincount(place, values, minlength=BINS)[filled] / pairs[filled] for values in (probability, right))
    gap = float((pairs[filled] * np.abs(said - was)).sum() / max(1, pairs.sum()))
    return {"pairs": pairs[filled].tolist(), "probability": said.tolist(), "right": was.tolist(), "gap": gap}


def _with_constant(features: Floats) -> Floats:
    return np.column_stack([np.ones(len(features)), features])


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x.clip(-500, 500))))

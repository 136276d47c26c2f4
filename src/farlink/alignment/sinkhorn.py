"""Candidates that compete: a sparse list of likely pairs, and Sinkhorn's balance among them.

An entity that is near to many others says little about each of them. Sinkhorn's algorithm divides each
entity's attention among its candidates until every entity of both sides gives and takes about the same. It
runs on the nearest candidates of every entity only, so memory is linear in the entities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from farlink.graph.ids import Ids


def balanced(
    left: Ids, right: Ids, logit: NDArray[np.floating], shape: tuple[int, int], rounds: int
) -> NDArray[np.float64]:
    """Share of the left entity's attention that each pair keeps after Sinkhorn's balancing."""
    most = np.full(shape[0], -np.inf)
    np.maximum.at(most, left, logit)
    share: NDArray[np.float64] = np.exp(logit - most[left])
    for _ in range(rounds):
        for ids, count in ((right, shape[1]), (left, shape[0])):
            share /= np.maximum(np.bincount(ids, share, minlength=count), 1e-300)[ids]
    return share

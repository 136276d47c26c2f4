"""A one-to-one choice among candidate pairs, by auction."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from farlink.graph.ids import Ids

BID = 1e-4  # the least step of a price in the auction of `one_to_one`


def one_to_one(left: Ids, right: Ids, score: NDArray[np.floating], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Which of the candidate pairs to keep, so that each place is used once and the scores' sum is greatest.

    Scores are not negative. The sum is the greatest possible but for `BID` a left place at the most.
    """
    order = np.argsort(left, kind="stable")
    start = np.searchsorted(left[order], np.arange(shape[0] + 1))
    chosen = _auction(start, right[order], score[order].astype(np.float64), shape[1])
    kept = np.zeros(len(left), dtype=bool)
    kept[order[chosen[chosen >= 0]]] = True
    return kept


@njit(cache=True)
def _auction(start, right, score, rights):  # type: ignore[no-untyped-def]
    """The place in `right` and `score` that each left place wins, or -1 (Bertsekas' auction algorithm).

    A left place bids for the candidate that is worth most to it after the price, and pays as much as keeps it
    worth more than the second best. Who is outbid bids again, or gives up when nothing is worth its price.
    """
    lefts = len(start) - 1
    price, owner = np.zeros(rights), np.full(rights, -1)
    chosen = np.full(lefts, -1)
    waiting, count = np.arange(lefts), lefts
    while count:
        count -= 1
        bidder = waiting[count]
        best, most, second = -1, 0.0, 0.0
        for place in range(start[bidder], start[bidder + 1]):
            worth = score[place] - price[right[place]]
            if worth > most:
                best, most, second = place, worth, most
            elif worth > second:
                second = worth
        if best < 0:
            continue
        prize = right[best]
        price[prize] += most - second + BID
        if owner[prize] >= 0:
            chosen[owner[prize]] = -1
            waiting[count] = owner[prize]
            count += 1
        owner[prize] = bidder
        chosen[bidder] = best
    return chosen

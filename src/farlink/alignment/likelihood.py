"""What a likeness is worth: how much more often it is seen between the same entities than between any two.

This is the weight of evidence of Fellegi and Sunter (1969), as a logarithm, for likenesses in bins. How often any two
entities are so alike is counted. How often the same entities are is counted on the pairs that are known or likely,
again whenever it is better known who they are; where names mean nothing both are the same, and the weight is nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

STEP = 0.5  # of weights that count as one
SURE = 0.98  # share that is right of pairs that look so, at the most: one in fifty may always be another
BINS = 20  # of likenesses below 1, which have a bin of their own
EQUAL = 0.9999  # a cosine from here on is 1 but for rounding
PRIOR = 2.0  # pairs that a bin counts as, whatever was seen
ENOUGH = 100  # known pairs from which on the likely ones are not asked


def bins_of(likeness: NDArray[np.floating]) -> NDArray[np.int64]:
    """The bin of each likeness; -1 where there is none."""
    bins = np.minimum((likeness * BINS).astype(np.int64), BINS - 1)
    return np.where(likeness < 0, -1, np.where(likeness >= EQUAL, BINS, bins))


@dataclass(frozen=True)
class Background:
    """How often any two entities of two graphs are how much alike: a share for each bin."""

    share: NDArray[np.float64]

    @classmethod
    def of(cls, listed: NDArray[np.floating], pairs: float, drawn: NDArray[np.floating]) -> Background:
        """From the likenesses of the nearest of all `pairs`, and of some that were drawn at random.

        Where few are alike only the list has seen enough of them; where many are, only what was drawn is not biased.
        """
        near, any_two = (np.bincount(bins_of(some)[some >= 0], minlength=BINS + 1) for some in (listed, drawn))
        share = np.maximum(near / pairs, any_two / max(1, any_two.sum()))
        if not share.any():  # nothing was seen
            share = np.ones(BINS + 1)
        return cls(np.maximum(share / share.sum(), 1 / pairs))


Likenesses = NDArray[np.floating]
Kinds = NDArray[np.integer]  # a number for each pair, from 0


@dataclass(frozen=True)
class LikelihoodRatio:
    """The logarithm of the ratio for each bin."""

    weight: NDArray[np.float64]

    @classmethod
    def fit(
        cls, background: Background, likeness: NDArray[np.floating], chance: NDArray[np.floating]
    ) -> LikelihoodRatio:
        """From the likenesses of pairs that are the same with a chance."""
        bins = bins_of(likeness)
        seen = bins >= 0
        count = np.bincount(bins[seen], chance[seen], minlength=BINS + 1) + PRIOR * background.share
        ratio = np.log(count / count.sum()) - np.log(background.share)
        # the more alike, the likelier: what a bin with few pairs says against it is chance
        return cls(isotonic_regression(ratio, weights=count).x)

    def of(self, likeness: NDArray[np.floating]) -> NDArray[np.float64]:
        """The weight of each likeness; nothing where there is none."""
        return np.append(self.weight, 0.0)[bins_of(likeness)]  # -1 is the last


@dataclass(frozen=True)
class OfKinds:
    """What likenesses are worth where pairs are of several kinds, for each of which it is learned apart."""

    backgrounds: list[Background]

    @classmethod
    def of(cls, kinds: int, listed: tuple[Likenesses, Kinds], pairs: float, drawn: tuple[Likenesses, Kinds]) -> OfKinds:
        """From likenesses with their kinds, as a background is made of them."""
        backgrounds = []
        for kind in range(kinds):
            near, any_two = (likeness[kind_of == kind] for likeness, kind_of in (listed, drawn))
            share = max(len(near) / pairs, len(any_two) / max(1, len(drawn[0])))  # of all pairs that are of the kind
            backgrounds.append(Background.of(near, max(1.0, share * pairs), any_two))
        return cls(backgrounds)

    def weight(
        self, asked: tuple[Likenesses, Kinds], known: tuple[Likenesses, Kinds], chance: Likenesses
    ) -> NDArray[np.float64]:
        """The weight of each likeness, given those of pairs that are the same with a chance."""
        weight = np.zeros(len(asked[0]))
        for kind, background in enumerate(self.backgrounds):
            mine, some = asked[1] == kind, known[1] == kind
            weight[mine] = LikelihoodRatio.fit(background, known[0][some], chance[some]).of(asked[0][mine])
        return weight


def against_others(weight: NDArray[np.floating], chance: NDArray[np.floating]) -> NDArray[np.float64]:
    """The weight against two entities that are not the same, given that against any two.

    Among any two entities are those that are the same. Where most pairs that look so are these, as with an equal name
    or a value that nobody else has, the weight against any two stays below what the rarity of right pairs takes away,
    and no pair would be likelier than not. How many are right is learned from the `chance` of each pair.
    """
    level, place, count = np.unique(np.round(weight / STEP), return_inverse=True, return_counts=True)
    right = np.bincount(place, chance, minlength=len(level)) / (count + 1)
    share = isotonic_regression(right, weights=count + 1).x if len(level) else right
    more = -np.log1p(-np.minimum(share, SURE))[place]
    return np.where(weight == 0, 0.0, weight + more)  # nothing was there to see

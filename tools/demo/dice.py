"""The random choices that make up the world, all from one generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Option = TypeVar("Option")


class Dice:
    """Choices that come out the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def chance(self, probability: float) -> bool:
        """Whether something with this probability happens."""
        return bool(self._rng.random() < probability)

    def chances(self, probability: float, count: int) -> NDArray[np.bool_]:
        """The same, `count` times."""
        return self._rng.random(count) < probability

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return int(self._rng.integers(low, high + 1))

    def any_of(self, options: Sequence[Option]) -> Option:
        """One of the options, each as likely as the others."""
        return options[self.number(0, len(options) - 1)]

    def shuffled(self, options: Sequence[Option]) -> list[Option]:
        """All the options, in any order."""
        return [options[place] for place in self._rng.permutation(len(options))]

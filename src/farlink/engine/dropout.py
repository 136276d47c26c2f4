"""Dropout whose random bits do not hold up training.

PyTorch draws the bits of a mask one after the other, on one thread, while the others wait. Here they come
from counters, as those of the walks do: all threads draw, and a mask depends on one number of PyTorch's generator and
on nothing else.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor, nn

from farlink.engine.random_bits import GOLDEN, mix

LEVELS = 2**16  # a share is rounded to one of these
DRAWS = 4  # of that size in one random number of 64 bits


def dropout(x: Tensor, share: float) -> Tensor:
    """A copy with about a `share` of the elements zero, and the others larger, so that means stay what they are."""
    cut = round(share * LEVELS)
    if not cut:
        return x
    mask = torch.empty(-(-x.numel() // DRAWS) * DRAWS)
    key = np.uint64(int(torch.randint(2**62, ())))
    _draw(key, np.uint64(cut), np.float32(LEVELS / (LEVELS - cut)), mask.numpy())
    return x * mask[: x.numel()].view(x.shape).to(x.dtype)


class Dropout(nn.Module):
    """Drops a share of the elements while the model is trained."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """The elements that are left, or all."""
        return dropout(x, self.share) if self.training else x


@njit(cache=True, parallel=True)
def _draw(key, cut, kept, mask):  # type: ignore[no-untyped-def]
    for i in prange(len(mask) // DRAWS):
        bits = mix(key + np.uint64(i) * GOLDEN)
        for j in range(DRAWS):
            draw = (bits >> np.uint64(16 * j)) & np.uint64(LEVELS - 1)
            mask[DRAWS * i + j] = kept if draw >= cut else np.float32(0)

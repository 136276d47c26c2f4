"""Numbers of 16 bits (bfloat16) in compiled code, which knows none: a bfloat16 is the upper half of a float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import types
from numba.extending import overload
from numpy.typing import NDArray
from torch import Tensor

KEPT = np.uint32(0x8000)  # half of the last bit that is kept


def array_of(tensor: Tensor) -> NDArray[Any]:
    """The memory of a tensor as an array: bfloat16 as the bits that `widened` and `narrowed` read and write."""
    plain = tensor.detach()
    return plain.view(torch.uint16).numpy() if plain.dtype == torch.bfloat16 else plain.numpy()


def widened(number: Any) -> Any:
    """In compiled code: a float32 from an element of `array_of`."""
    raise TypeError("only compiled code reads and writes bfloat16 bit by bit")


def narrowed(number: Any, like: Any) -> Any:
    """In compiled code: what to write for a float32 in the place of `like`, an element of `array_of`."""
    raise TypeError("only compiled code reads and writes bfloat16 bit by bit")


@overload(widened, inline="always")
def _widened(number):  # type: ignore[no-untyped-def]
    if number == types.uint16:
        return lambda number: np.uint32(np.uint32(number) << np.uint32(16)).view(np.float32)
    return lambda number: number


@overload(narrowed, inline="always")
def _narrowed(number, like):  # type: ignore[no-untyped-def]
    if like == types.uint16:
        return lambda number, like: np.uint16(np.uint32(np.float32(number).view(np.uint32) + KEPT) >> np.uint32(16))
    return lambda number, like: number

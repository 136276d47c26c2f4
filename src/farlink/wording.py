"""Words for numbers."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """How many there are of something: 1 link, 2 links; `many` where more than an s tells it from `one`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"

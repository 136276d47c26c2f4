"""Parts of a run that are read when first asked for, by however many threads ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, overload

Part = TypeVar("Part")


class lazy(cached_property[Part]):
    """A `cached_property` that is computed once: a thread that asks while another computes it waits for the result.

    The object has one reentrant `lock` for all of them, as one part is made of others.
    """

    def __init__(self, compute: Callable[[Any], Part]) -> None:
        super().__init__(compute)

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> lazy[Part]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Part: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> lazy[Part] | Part:
        """The part; once it is there, Python finds it in the object itself and does not come here again."""
        if instance is None:
            return self
        with instance.lock:
            part: Part = super().__get__(instance, owner)
            return part

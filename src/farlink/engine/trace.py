"""What is remembered of every epoch, as lines of JSON. Nothing heavy is imported here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol


@dataclass(frozen=True)
class EpochRecord:
    """What is remembered of an epoch: a line of `trace.jsonl`."""

    epoch: int
    examples: int  # read since the start
    loss: float
    validation: float | None
    best: bool
    seconds: float  # since the start, interruptions not counted


class Watcher(Protocol):
    """Receives training progress."""

    def step(self, done: int, total: int, epoch: int, loss: float, best: float | None) -> None:
        """Called after every step."""

    def epoch(self, record: EpochRecord) -> None:
        """Called after every epoch."""


def trace_lines(trace: Sequence[EpochRecord]) -> str:
    """Epochs as lines of JSON."""
    return "".join(json.dumps(asdict(record)) + "\n" for record in trace)

"""What the model cards of all tasks share: which network was trained, and how."""

from __future__ import annotations

import polars as pl

from farlink.progress import duration
from farlink.settings import Settings
from farlink.wording import counted


def network_words(settings: Settings) -> str:
    """Which network was trained on what."""
    layers = f"{settings.layers} {settings.cell.upper()} layer(s) of width {settings.width}"
    return f"{settings.model.upper()} with {layers} on paths of length {settings.walk_length}"


def notes_lines(notes: list[str]) -> list[str]:
    """What was left out or put right, after an empty line."""
    return ["", *(f"- {note}" for note in notes)] if notes else []


def training_lines(trace: pl.DataFrame, learned: str, measure: str) -> list[str]:
    """How what was learned was trained, as lines of a model card."""
    best = trace.filter(pl.col("best")).tail(1).row(0, named=True)
    measured = best["validation"] is not None
    return [
        f"{learned}; {counted(len(trace), 'epoch')}, {int(trace['examples'][-1]):,} examples, "
        f"{duration(float(trace['seconds'][-1]))}. The weights are those of epoch {best['epoch']}"
        + (f", the best on validation ({measure} {best['validation']:.3f})." if measured else "."),
        "",
        "![loss](plots/loss.png)" + (" ![validation](plots/validation.png)" if measured else ""),
    ]

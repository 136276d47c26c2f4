"""A figure of curves: a line for every run or series of runs, those with the same label alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes

from farlink.report import BLUE, GREEN, GREY, ORANGE, PURPLE

COLOURS, MARKERS = (BLUE, ORANGE, GREEN, PURPLE, GREY), "osD^v"
PATHS = "paths read"  # the axis of what is learned

Line = tuple[str, Sequence[tuple[float, float]]]
"""A label and points."""


def learned(label: str, record: dict[str, Any]) -> Line:
    """Validation Hits@1 of a run by paths read."""
    return label, [(row["examples"], row["validation"]) for row in record["trace"]]


def fill(axes: Axes, labels: Iterable[str], lines: Iterable[Line], axis: str, measure: str, title: str) -> None:
    """Draw the lines; a label keeps its colour and marker whether others have lines or not."""
    styles = dict(zip(dict.fromkeys(labels), zip(COLOURS, MARKERS, strict=True), strict=False))
    told: set[str] = set()
    for label, points in lines:
        colour, marker = styles[label]
        shown = None if label in told else label
        axes.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=4, label=shown)
        told.add(label)
    axes.set(xlabel=axis, ylabel=measure, title=title)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if told:
        axes.legend(frameon=False)

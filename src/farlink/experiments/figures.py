"""The figures of the experiments: curves of training, and a table as dots.

Curves: a line for every run or series of runs, a colour and marker for every label. Dots: a line for each method, a dot
for what each data set gave, a ring for what was published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from farlink.reports.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY

COLOURS, MARKERS = (BLUE, ORANGE, GREEN, PURPLE, GREY, SKY, RED), "osD^vPX"
HEIGHT = 0.3  # inches of a line of dots
PATHS = "paths read"  # the axis of what is learned
Cells = Mapping[tuple[str, str], float]  # figures by method and data set
Line = tuple[str, Sequence[tuple[float, float]]]  # a label and points


def learned(label: str, record: dict[str, Any]) -> Line:
    """Validation Hits@1 of a run by paths read."""
    return label, [(row["examples"], row["validation"]) for row in record["trace"]]


def draw_curves(axes: Axes, labels: Iterable[str], lines: Iterable[Line], axis: str, measure: str, title: str) -> None:
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


def height(methods: Sequence[str]) -> float:
    """Inches that a figure needs for its methods."""
    return 1.3 + HEIGHT * len(methods)


def draw_dots(
    axes: Axes, methods: Sequence[str], data: Sequence[str], found: Cells, published: Cells, measure: str
) -> None:
    """Draw the figures that there are, the first method on top; the data sets are a little apart from each other."""
    handles = []
    for place, (name, colour) in enumerate(zip(data, COLOURS, strict=False)):
        lift = 0.2 * (place - (len(data) - 1) / 2)
        for cells, filling in ((published, "none"), (found, colour)):
            points = [(cells[method, name], y + lift) for y, method in enumerate(methods) if (method, name) in cells]
            if points:
                axes.plot(*zip(*points, strict=True), linestyle="", marker="o", markersize=5, color=colour, mfc=filling)
        handles.append(Line2D([], [], linestyle="", marker="o", color=colour, label=name))
    handles.append(Line2D([], [], linestyle="", marker="o", color=GREY, mfc="none", label="published"))
    axes.set(xlabel=measure, xlim=(0, 1), ylim=(len(methods) - 0.5, -0.5))
    axes.set_yticks(range(len(methods)), methods)
    axes.grid(axis="y", color=GREY, alpha=0.25)
    legend = axes.legend(handles=handles, ncols=len(handles), frameon=False, fontsize=8, loc="lower right")
    legend.set_bbox_to_anchor((1.05, 1))  # above the figure, to the left as far as it needs

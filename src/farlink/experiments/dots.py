"""A table as a figure: a line for each method, a dot for what each data set gave, a ring for what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from farlink.report import BLUE, GREEN, GREY, ORANGE, PURPLE

COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
HEIGHT = 0.3  # inches of a line

Cells = Mapping[tuple[str, str], float]  # figures by method and data set


def height(methods: Sequence[str]) -> float:
    """Inches that a figure of so many methods needs."""
    return 1.3 + HEIGHT * len(methods)


def fill(axes: Axes, methods: Sequence[str], data: Sequence[str], found: Cells, published: Cells, measure: str) -> None:
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
    legend = axes.legend(handles=handles, ncols=len(handles), frameon=False, fontsize=8, loc="lower center")
    legend.set_bbox_to_anchor((0.4, 1))  # above the figure

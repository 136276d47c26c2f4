"""What the reports of all tasks share: the style of the plots, and how training went.

Matplotlib is loaded when something is drawn, so that who only asks for results never waits for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from farlink.errors import FarlinkError
from farlink.io.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# the same figure gives the same file: no date, and names of parts that do not come from chance
NO_DATE: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}}
# colour-blind safe (Okabe and Ito)
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#8c8c8c"
SKY, RED = "#56B4E9", "#D55E00"


def draw(path: Path, fill: Callable[[Axes], None], *, vector: bool = False, height: float = 3.5) -> None:
    """A figure in the style of all of them, with what `fill` draws into it, as PNG; `vector`: beside it as SVG."""
    figure = figure_of([fill], height)
    for target in (path, path.with_suffix(".svg")) if vector else (path,):
        save(figure, target)


def figure_of(fills: Sequence[Callable[[Axes], None]], height: float = 3.5, width: float = 5.6) -> Figure:
    """A figure in the style of all of them, with a panel below the other for each `fill`; `height` is of them all."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=140, layout="constrained")
    FigureCanvasAgg(figure)
    with rc_context({"text.parse_math": False}):  # a dollar in a name is no formula
        for axes, fill in zip(figure.subplots(len(fills), squeeze=False)[:, 0], fills, strict=True):
            axes.spines[["top", "right"]].set_visible(False)
            fill(axes)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG, by the extension."""
    from matplotlib import rc_context

    if path.suffix not in NO_DATE:
        raise FarlinkError(f"{path}: plots are written as {' or '.join(NO_DATE)}", "plot")
    with (
        atomic_path(path) as temporary,
        rc_context({"svg.hashsalt": "farlink"}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph")  # a script that the font lacks is drawn as boxes
        figure.savefig(temporary, format=path.suffix[1:], metadata=NO_DATE[path.suffix])


def shown(text: str, most: int) -> str:
    """A text as a label: in one line, without control characters, and no longer than can be read."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text[: 4 * most]).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def draw_training(trace: pl.DataFrame, plots: Path, measure: str) -> None:
    """The loss and, where there is one, the validation score by epoch; `measure` names the score."""
    draw(plots / "loss.png", lambda axes: _line(axes, trace["epoch"], trace["loss"], "training loss"))
    if trace["validation"].null_count() < len(trace):

        def fill(axes: Axes) -> None:
            _line(axes, trace["epoch"], trace["validation"], f"validation {measure}")
            axes.set_ylim(bottom=0)

        draw(plots / "validation.png", fill)


def _line(axes: Axes, epoch: pl.Series, values: pl.Series, label: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.plot(epoch.to_numpy(), values.to_numpy(), color=BLUE, marker="o", markersize=3.5)
    axes.set(xlabel="epoch", ylabel=label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_reliability(path: Path, figures: dict[str, Any], what: str) -> None:
    """How often what has a probability is right; the line is where it should be."""

    def fill(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
        axes.plot(figures["probability"], figures["right"], color=BLUE, marker="o", markersize=4)
        for x, y, count in zip(figures["probability"], figures["right"], figures["pairs"], strict=True):
            axes.annotate(f"{count:,}", (x, y), xytext=(4, -9), textcoords="offset points", fontsize=7, color=GREY)
        title = f"{what}, mean gap {figures['gap']:.3f}"
        axes.set(xlabel="probability", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1), title=title)

    draw(path, fill)

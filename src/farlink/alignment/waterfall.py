"""The log odds of a pair step by step: from any pair at all, signal by signal, to what is said of this one.

Agreeing triples are one signal, which counts less the more of them there are. The strongest are named one by one, each
with its share of what the signal adds; what all others add or take away, those without a counterpart above all, is one
more step. So the steps add up to the same sum as the signals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from farlink.alignment.evidence import Reason
from farlink.reports.plots import BLUE, GREY, ORANGE, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRONGEST = 6  # triples that are named
LONGEST = 60  # characters of a label
OTHERS = "all other triples"
TOTAL = "together"


class Step(NamedTuple):
    """What is added, and how much."""

    label: str
    log_odds: float
    signal: str


def triple_steps(total: float, reasons: Sequence[tuple[str, float]], turn: float) -> list[Step]:
    """Steps that add up to the `total` of the triples, given the strongest in words with what each says by itself.

    From the `turn` on more triples count ever less: each step is shorter in the same measure as all are together.
    """
    told = [(words, weight) for words, weight in reasons if weight > 0][:STRONGEST]
    scale = total / (turn * np.expm1(total / turn)) if total > 0 else 1.0
    steps = [Step(words, scale * weight, "triples") for words, weight in told]
    return [*steps, Step(OTHERS, total - sum(step.log_odds for step in steps), "triples")]


def weights_of(forth: Sequence[Reason], back: Sequence[Reason], evidence: float) -> dict[Reason, float]:
    """What each agreeing triple says, as it is seen from both entities, the weightiest first.

    `back` holds the reasons seen from the right entity.
    """
    seen_back = {(one.other_relation, one.other_neighbour, one.relation, one.neighbour): one for one in back}
    weights = {}
    for reason in forth:
        other = seen_back.get(reason[:4])
        weights[reason] = evidence * (reason.weight + (other.weight if other else 0.0)) / 2
    return dict(sorted(weights.items(), key=lambda item: -item[1]))


def draw_steps(axes: Axes, steps: Sequence[Step], title: str) -> None:
    """Bars from where the steps before lead to, the sum last; what speaks for the pair goes to the right."""
    length = np.array([step.log_odds for step in steps])
    end = np.cumsum(length)
    start, places = end - length, np.arange(len(steps))
    colours = [GREY if step.signal == "any pair" else BLUE if step.log_odds >= 0 else ORANGE for step in steps]
    axes.barh(places, length, left=start, color=colours, height=0.7)
    axes.barh([len(steps)], [end[-1]], color=GREY, height=0.7)
    labels = [*(shown(step.label, LONGEST) for step in steps), TOTAL]
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.axvline(0, color=GREY, linewidth=0.8)
    start_of = np.append(start, 0.0)
    for place, value in enumerate([*length, end[-1]]):
        side = "left" if value >= 0 else "right"
        words = axes.text(start_of[place] + value, place, f" {value:+.1f} ", fontsize=7, color=GREY)
        words.set(horizontalalignment=side, verticalalignment="center")
    axes.use_sticky_edges = False
    axes.margins(x=0.1, y=0.02)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_xlabel("log odds", fontsize=7)
    axes.set_title(shown(title, LONGEST + 20), fontsize=8, loc="left")

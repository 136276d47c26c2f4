"""The figures of a completion as tables, for its report and the terminal alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from farlink.reports.tables import Column, Table, ranks_cells, ranks_columns

HITS = ("hits@1", "hits@3", "hits@10", "mrr")
NAMES = {"paths": "the network that reads paths", "factors": "the tensor model", "rules": "the rules"}
STAGES = {"walks": "network, walks", "questions": "network, questions", "factors": "tensor model, questions"}
SIDES = {"tail": "tails (s, r, ?)", "head": "heads (?, r, o)", "both": "both"}


def sides(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Ranks by side, by title."""
    return {title: figures[side] for side, title in SIDES.items()}


def scorers(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Ranks of each scorer alone and of the ensemble without it, by title; nothing where there is one scorer only."""
    if "without" not in figures:
        return {}
    alone = {f"{NAMES[name]}, alone": ranks for name, ranks in figures["alone"].items()}
    return alone | {f"without {NAMES[name]}": ranks for name, ranks in figures["without"].items()}


def ranks_table(by_title: Mapping[str, Any], title: str) -> Table:
    """Ranks, one row each."""
    rows = [[name, *ranks_cells(ranks, *HITS)] for name, ranks in by_title.items()]
    return Table([Column(""), *ranks_columns(*HITS)], rows, title)


def stages_table(stages: Mapping[str, Mapping[str, Any]]) -> Table:
    """What every stage of training was, one row each, as `stages.json` has them."""
    rows = [
        [STAGES[name], stage["epochs"], stage["batch_size"], _rates(stage), _regularisation(stage)]
        for name, stage in stages.items()
    ]
    headings = Column("epochs", ",d"), Column("batch", ",d"), Column("learning rate"), Column("regularisation")
    return Table([Column("stage"), *headings], rows)


def _rates(stage: Mapping[str, Any]) -> str:
    first, last = stage["learning_rate"], stage["last_rate"]
    return f"{first:g}" if first == last else f"{first:g} to {last:g}"


def _regularisation(stage: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {stage[name]:g}" for name in ("dropout", "decay") if name in stage)

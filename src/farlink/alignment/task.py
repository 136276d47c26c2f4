"""What an alignment is given: two graphs with shuffled ids, and their links by id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from farlink.errors import FarlinkError
from farlink.graph import links as linking
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.progress import Reporter
from farlink.settings import AlignmentSettings


@dataclass(frozen=True)
class AlignmentTask:
    """Two graphs with ids from the run's seed, and their links by id."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: Pairs
    valid: Pairs
    test: Pairs
    notes: list[str]  # what was left out or held out, for the user


def prepare(
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    seeds: tuple[pl.DataFrame, str],
    valid: tuple[pl.DataFrame, str] | None,
    test: tuple[pl.DataFrame, str] | None,
    settings: AlignmentSettings,
    reporter: Reporter,
) -> AlignmentTask:
    """Shuffle the ids, resolve the links, hold out validation links where none are given."""
    # two shuffles, so that equal names on both sides do not get equal ids
    left, right = left.shuffled(settings.seed), right.shuffled(settings.seed + 1)
    if left.same_as(right):
        raise FarlinkError(f"{left.source} and {right.source} hold the same graph; alignment needs two different ones")
    known = linking.resolve(seeds[0], left, right, "seed", seeds[1])
    notes = [*known.notes]
    parts: dict[str, Pairs] = {}
    for purpose, links in (("validation", valid), ("test", test)):
        parts[purpose] = np.empty((0, 2), dtype=np.int32)
        if links is not None:
            resolved = linking.resolve(links[0], left, right, purpose, links[1])
            resolved = linking.without(resolved, known.pairs, "seed", purpose)
            if purpose == "test":
                resolved = linking.without(resolved, parts["validation"], "validation link", purpose)
            parts[purpose] = resolved.pairs
            notes += resolved.notes
    seed_pairs = known.pairs
    if valid is None:
        seed_pairs, parts["validation"] = linking.hold_out(known.pairs, settings.holdout, settings.seed)
        notes.append(_holdout_note(len(parts["validation"]), len(known.pairs)))
    shared = int(left.entities.is_in(right.entities.implode()).sum())
    if shared:
        notes.append(f"{shared:,} entity names occur in both graphs; names are not used, so this means nothing here")
    for side, graph in (("left", left), ("right", right)):
        reporter.graph(side, graph)
    reporter.links(len(seed_pairs), len(parts["validation"]), len(parts["test"]))
    reporter.notes(notes)
    return AlignmentTask(left, right, seed_pairs, parts["validation"], parts["test"], notes)


def _holdout_note(held_out: int, seeds: int) -> str:
    if held_out:
        return f"no validation links given: {held_out:,} of the {seeds:,} seeds are held out for validation"
    return "no validation links given and too few seeds to hold any out: trains to the last epoch, matches every entity"

"""What a completion is given: a graph to learn from, triples to choose and to measure by, and one vocabulary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.errors import FarlinkError
from farlink.graph.ids import Triples, lookup, shuffled_names, sorted_distinct
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.benchmark import read_completion_folder
from farlink.io.sources import GraphSource, graph_from
from farlink.progress import Reporter, tell_graph, tell_notes
from farlink.settings import CompletionSettings
from farlink.wording import counted

if TYPE_CHECKING:
    from farlink.completion.questions import Questions

PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class CompletionTask:
    """A graph of the triples to learn from, with ids from the run's seed, and the other triples by id.

    Entities and relations that only occur in the other triples are in the vocabulary, too.
    """

    graph: KnowledgeGraph
    valid: Triples
    test: Triples
    notes: list[str]  # what was left out or held out, for the user

    @property
    def parts(self) -> dict[str, Triples]:
        """All triples by what they are for."""
        return dict(zip(PARTS, (self.graph.triples, self.valid, self.test), strict=True))

    def known(self, *, with_test: bool) -> Questions:
        """All that is known and so no mistake as an answer; the test triples count in the final test only."""
        # these bring numba, which opening a task does not need
        from farlink.completion.questions import Questions
        from farlink.graph.edges import with_reverses

        parts = (self.graph.triples, self.valid) + ((self.test,) if with_test else ())
        triples = np.unique(np.concatenate(parts), axis=0)
        return Questions.about(with_reverses(triples, len(self.graph.relations)))


def open_task(
    graph: GraphSource,
    *,
    valid: GraphSource | None = None,
    test: GraphSource | None = None,
    settings: CompletionSettings,
    reporter: Reporter,
) -> CompletionTask:
    """The task of a benchmark folder (`graph` alone), or of a graph and the other parts, if there are any.

    Ids are drawn from the run's seed; validation triples are held out where none are given.
    """
    with reporter.working(f"reading {graph}"):
        if isinstance(graph, KnowledgeGraph) or not Path(str(graph)).is_dir():
            others = [None if part is None else graph_from(part) for part in (valid, test)]
            parts = graph_from(graph), others[0], others[1]
        elif valid is None and test is None:
            parts = read_completion_folder(str(graph))
        else:
            raise FarlinkError("a benchmark folder brings its own validation and test triples")
    return _prepare(*parts, settings, reporter)


def _prepare(
    graph: KnowledgeGraph,
    valid: KnowledgeGraph | None,
    test: KnowledgeGraph | None,
    settings: CompletionSettings,
    reporter: Reporter,
) -> CompletionTask:
    """One vocabulary for all parts with shuffled ids; hold out validation triples where none are given."""
    if not len(graph.triples):
        raise FarlinkError(f"{graph.source}: there is no triple to learn from{_literals_alone(graph)}")
    whole = _with_vocabulary_of(graph, [part for part in (valid, test) if part is not None], settings.seed)
    notes = _left_out_notes(graph)
    train, taken = whole.triples, whole.triples
    parts: dict[str, Triples] = {}
    for purpose, part in (("validation", valid), ("test", test)):
        triples = np.empty((0, 3), dtype=np.int32) if part is None else _triples_of(part, whole)
        fresh = triples[~_among(triples, taken)]
        if len(fresh) < len(triples):
            known = len(triples) - len(fresh)
            what = counted(known, f"{purpose} triple occurs", f"{purpose} triples occur")
            notes.append(f"{what} in an earlier part, left out here")
        if part is not None and not len(fresh):
            raise FarlinkError(f"{part.source}: no {purpose} triple is left that is not known from an earlier part")
        parts[purpose], taken = fresh, np.concatenate([taken, fresh])
    if valid is None:
        train, parts["validation"] = _hold_out(train, settings)
        notes.append(_holdout_note(len(parts["validation"]), len(whole.triples)))
    tell_graph(reporter, "graph", whole)
    whole = replace(whole, triples=train)
    notes += _unseen_notes(whole, parts)
    reporter.say(
        f"triples {len(train):,} to learn from, {len(parts['validation']):,} for validation, "
        f"{len(parts['test']):,} for the final test"
    )
    tell_notes(reporter, notes)
    return CompletionTask(whole, parts["validation"], parts["test"], notes)


def _with_vocabulary_of(graph: KnowledgeGraph, others: list[KnowledgeGraph], seed: int) -> KnowledgeGraph:
    """The graph with the names of others besides its own, and with ids drawn from the seed.

    Entities without a triple are none to learn of, and no answers.
    """
    entities, relations = (
        shuffled_names(pl.concat([getattr(one, kind).rename(kind) for one in (graph, *others)]), seed)
        for kind in ("connected", "relations")
    )
    whole = replace(graph, entities=entities, relations=relations)
    return replace(whole, triples=sorted_distinct(_triples_of(graph, whole)))


def _literals_alone(graph: KnowledgeGraph) -> str:
    """A hint where a file has literals and nothing else, to end a message with."""
    return f", only {counted(graph.literals.height, 'literal')}" if graph.literals.height else ""


def _left_out_notes(graph: KnowledgeGraph) -> list[str]:
    alone = len(graph.entities) - len(graph.connected)
    if not alone:
        return []
    return [f"{counted(alone, 'entity has', 'entities have')} no triple, left out: nothing can be learned"]


def _triples_of(part: KnowledgeGraph, whole: KnowledgeGraph) -> Triples:
    """The triples of a part by the ids of the whole, whose vocabulary has their names."""
    return part.renumbered(whole.ids(part.entities), lookup(whole.relations, part.relations))


def _among(triples: Triples, others: Triples) -> NDArray[np.bool_]:
    """Which triples are among others."""
    _, place = np.unique(np.concatenate([others, triples]), axis=0, return_inverse=True)
    return np.isin(place[len(others) :], place[: len(others)])


def _hold_out(triples: Triples, settings: CompletionSettings) -> tuple[Triples, Triples]:
    """Split triples at random into (kept, held out); the last triple of an entity or relation is kept."""
    order = np.random.default_rng([settings.seed, 0x5EED]).permutation(len(triples))
    first = np.zeros(len(triples), dtype=bool)
    for ids in (triples[order, 0], triples[order, 1], triples[order, 2]):
        first[np.unique(ids, return_index=True)[1]] = True  # met first in this order: it must be learned from
    free = order[~first]
    held = free[: int(len(triples) * settings.holdout)]
    kept = np.ones(len(triples), dtype=bool)
    kept[held] = False
    return triples[kept], triples[~kept]


def _holdout_note(held_out: int, triples: int) -> str:
    if held_out:
        return f"no validation triples given: {held_out:,} of the {triples:,} are held out for validation"
    return "no validation triples given and too few to hold any out: trains to the last epoch, without probabilities"


def _unseen_notes(graph: KnowledgeGraph, parts: dict[str, Triples]) -> list[str]:
    notes = []
    for purpose, triples in parts.items():
        if new := len(np.setdiff1d(triples[:, ::2], graph.triples[:, ::2])):
            what = counted(new, f"entity of the {purpose} part has", f"entities of the {purpose} part have")
            notes.append(f"{what} no triple to learn from and {'ranks' if new == 1 else 'rank'} last")
        if new := len(np.setdiff1d(triples[:, 1], graph.triples[:, 1])):
            what = counted(new, f"relation of the {purpose} part has", f"relations of the {purpose} part have")
            notes.append(f"{what} no triple to learn from")
    return notes

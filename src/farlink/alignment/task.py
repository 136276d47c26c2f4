"""What an alignment is given: two graphs with shuffled ids, and their links by id."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from farlink.errors import FarlinkError
from farlink.graph import links as linking
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.io.benchmark import read_alignment_folder
from farlink.io.sources import (
    AttributeSource,
    GraphSource,
    LinkSource,
    NamedLinks,
    graph_from,
    links_from,
    with_attributes_from,
)
from farlink.progress import Reporter, tell_graph, tell_notes
from farlink.settings import AlignmentSettings
from farlink.wording import counted


@dataclass(frozen=True)
class AlignmentTask:
    """Two graphs with ids from the run's seed, and their links by id."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: Pairs
    valid: Pairs
    test: Pairs
    notes: list[str]  # what was left out or held out, for the user


@dataclass(frozen=True)
class _Sources:
    """Two graphs, and the links between them by name."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: NamedLinks
    valid: NamedLinks | None
    test: NamedLinks | None


def open_task(
    left: GraphSource,
    right: GraphSource | None = None,
    *,
    seeds: LinkSource | None = None,
    valid: LinkSource | None = None,
    test: LinkSource | None = None,
    left_attributes: AttributeSource | None = None,
    right_attributes: AttributeSource | None = None,
    fold: int = 1,
    share: float | None = None,
    settings: AlignmentSettings,
    reporter: Reporter,
) -> AlignmentTask:
    """The task of a benchmark folder (`left` alone; `fold` and `share` choose its split), or of two graphs and links.

    Attributes are literals of a graph that are not in its file. Ids are drawn from the run's seed; validation links
    are held out where none are given.
    """
    if right is None:
        _refuse_links_beside_a_folder(left, seeds, valid, test)
        with reporter.working(f"reading {left}"):
            sources = _of_folder(Path(str(left)), fold, share)
    else:
        _check_two_graphs(left, right, fold, share)
        if seeds is None:
            raise FarlinkError(
                "seeds are missing: known links between the graphs, one 'left<TAB>right' pair a line", "seeds"
            )
        with reporter.working("reading the graphs"):
            graphs = graph_from(left), graph_from(right)
            sources = _Sources(*graphs, links_from(seeds), _links_if_any(valid), _links_if_any(test))
    sources = replace(
        sources,
        left=with_attributes_from(sources.left, left_attributes),
        right=with_attributes_from(sources.right, right_attributes),
    )
    return _prepare(sources, settings, reporter)


def _refuse_links_beside_a_folder(left: GraphSource, *links: LinkSource | None) -> None:
    if isinstance(left, KnowledgeGraph):
        raise FarlinkError("one graph cannot be aligned: name the right graph, too")
    if any(part is not None for part in links):
        raise FarlinkError("a benchmark folder brings its own links; for two graphs name the right graph, too")


def _check_two_graphs(left: GraphSource, right: GraphSource, fold: int, share: float | None) -> None:
    if share is not None or fold != 1:
        raise FarlinkError("only a benchmark folder can be split anew, two graphs come with links", "share", "fold")
    if not isinstance(left, KnowledgeGraph) and str(left) == str(right) == "-":
        raise FarlinkError("standard input can be one of the two graphs only; name a file for the other")


def _links_if_any(links: LinkSource | None) -> NamedLinks | None:
    return None if links is None else links_from(links)


def _of_folder(folder: Path, fold: int, share: float | None) -> _Sources:
    data = read_alignment_folder(folder, fold=fold, share=share)
    valid, test = (None if part is None else (part, data.source) for part in (data.valid, data.test))
    return _Sources(data.left, data.right, (data.seeds, data.source), valid, test)


def _prepare(sources: _Sources, settings: AlignmentSettings, reporter: Reporter) -> AlignmentTask:
    left, right = sources.left, sources.right
    if left.same_as(right):
        raise FarlinkError(f"{left.source} and {right.source} hold the same graph; alignment needs two different ones")
    # two shuffles, so that equal names on both sides do not get equal ids
    left, right = left.shuffled(settings.seed), right.shuffled(settings.seed + 1)
    seeds, valid, test, notes = _resolved(sources, left, right)
    if sources.valid is None:
        known = len(seeds)
        seeds, valid = linking.hold_out(seeds, settings.holdout, settings.seed)
        notes.append(_holdout_note(len(valid), known))
    shared = int(left.entities.is_in(right.entities.implode()).sum())
    if shared:
        names = counted(shared, "entity name occurs", "entity names occur")
        notes.append(f"{names} in both graphs; names are not used, so this means nothing here")
    task = AlignmentTask(left, right, seeds, valid, test, [*left.notes, *right.notes, *notes])
    _tell(task, reporter)
    return task


def _resolved(sources: _Sources, left: KnowledgeGraph, right: KnowledgeGraph) -> tuple[Pairs, Pairs, Pairs, list[str]]:
    """Seed, validation and test links by id, none of which touches an entity of an earlier part; and notes."""
    seeds = linking.resolve(sources.seeds[0], left, right, "seed", sources.seeds[1])
    nothing = linking.LinkSet(np.empty((0, 2), dtype=np.int32))
    valid, test = nothing, nothing
    if sources.valid is not None:
        valid = linking.resolve(sources.valid[0], left, right, "validation", sources.valid[1])
        valid = linking.without(valid, seeds.pairs, "seed", "validation")
    if sources.test is not None:
        test = linking.resolve(sources.test[0], left, right, "test", sources.test[1])
        test = linking.without(test, seeds.pairs, "seed", "test")
        test = linking.without(test, valid.pairs, "validation link", "test")
    return seeds.pairs, valid.pairs, test.pairs, [*seeds.notes, *valid.notes, *test.notes]


def _tell(task: AlignmentTask, reporter: Reporter) -> None:
    tell_graph(reporter, "left", task.left)
    tell_graph(reporter, "right", task.right)
    reporter.say(
        f"links  {counted(len(task.seeds), 'seed')}, {len(task.valid):,} for validation, "
        f"{len(task.test):,} for the final test"
    )
    tell_notes(reporter, task.notes)


def _holdout_note(held_out: int, seeds: int) -> str:
    if held_out:
        verb = "is" if held_out == 1 else "are"
        return f"no validation links given: {held_out:,} of the {seeds:,} seeds {verb} held out for validation"
    return "no validation links given and too few seeds to hold any out: trains to the last epoch, matches every entity"

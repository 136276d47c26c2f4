"""What an alignment is given: two graphs with shuffled ids, and their links by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from farlink.alignment.readings import NO_READINGS, Readings, readings_of
from farlink.alignment.trust import checked_trust, parted, same_names, shared_note, stated_note
from farlink.errors import FarlinkError
from farlink.graph import links as linking
from farlink.graph.ids import Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.types import says_type, without_types
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
from farlink.settings import ALL_SIGNALS, AlignmentSettings
from farlink.text.encoder_folder import fingerprint
from farlink.wording import counted

NO_PAIRS: Pairs = np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class AlignmentTask:
    """Two graphs with ids from the run's seed, and their links by id, which may be none."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: Pairs
    valid: Pairs
    test: Pairs
    notes: list[str]  # what was left out or held out, for the user
    rejected: Pairs = field(default_factory=lambda: NO_PAIRS)  # never matched
    readings: Readings = NO_READINGS  # other spellings of names
    encoder: str | None = None  # what tells the encoder of texts from others


@dataclass(frozen=True)
class _Sources:
    """Two graphs, and the links between them by name."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: NamedLinks | None
    valid: NamedLinks | None
    test: NamedLinks | None
    rejected: NamedLinks | None = None
    trust: tuple[str, ...] = ()


def open_task(
    left: GraphSource,
    right: GraphSource | None = None,
    *,
    seeds: LinkSource | None = None,
    valid: LinkSource | None = None,
    test: LinkSource | None = None,
    rejected: LinkSource | None = None,
    trust: str | Sequence[str] = (),
    left_attributes: AttributeSource | None = None,
    right_attributes: AttributeSource | None = None,
    fold: int = 1,
    share: float | None = None,
    settings: AlignmentSettings,
    reporter: Reporter,
) -> AlignmentTask:
    """The task of a benchmark folder (`left` alone; `fold` and `share` choose its split), or of two graphs and links.

    Seeds are the links given and those that the graphs hold, as far as these are trusted: `same-iris`, entities of one
    name in both, and `same-as`, statements that join the graphs; there may be none. Rejected pairs are never matched.
    Attributes are literals of a graph that are not in its file. Ids are drawn from the run's seed; validation links
    are held out of the seeds where none are given.
    """
    trusted, encoder = checked_trust(trust), _checked_encoder(settings)
    if right is None:
        _refuse_links_beside_a_folder(left, seeds, valid, test)
        with reporter.working(f"reading {left}"):
            sources = _of_folder(Path(str(left)), fold, share)
    else:
        _check_two_graphs(left, right, fold, share)
        with reporter.working("reading the graphs"):
            graphs = graph_from(left), graph_from(right)
            sources = _Sources(*graphs, _links_if_any(seeds), _links_if_any(valid), _links_if_any(test))
    sources = replace(
        sources,
        left=with_attributes_from(sources.left, left_attributes),
        right=with_attributes_from(sources.right, right_attributes),
        rejected=_links_if_any(rejected),
        trust=trusted,
    )
    return replace(_prepare(sources, settings, reporter), encoder=encoder)


def _checked_encoder(settings: AlignmentSettings) -> str | None:
    """What tells the encoder from others, if there is one and it is to be read."""
    named = settings.signals != ALL_SIGNALS
    if named and "text" in settings.signals_read and not settings.encoder:
        raise FarlinkError("texts cannot be read without an encoder: name its folder", "encoder")
    if named and "text" not in settings.signals_read and settings.encoder:
        raise FarlinkError(f"no texts are read with the signals {settings.signals}; add text", "signals")
    return fingerprint(settings.encoder) if settings.encoder else None


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
    seeds = (data.seeds, data.source) if data.seeds.height else None
    return _Sources(data.left, data.right, seeds, valid, test)


def _prepare(sources: _Sources, settings: AlignmentSettings, reporter: Reporter) -> AlignmentTask:
    if sources.left.same_as(sources.right):
        raise FarlinkError(
            f"{sources.left.source} and {sources.right.source} hold the same graph; alignment needs two different ones"
        )
    graphs = parted(sources.left, sources.right)
    # two shuffles, so that equal names on both sides do not get equal ids
    (left, right), types = _as_read(graphs.left, graphs.right, settings)
    left, right = left.shuffled(settings.seed), right.shuffled(settings.seed + 1)
    links = _resolved(sources, left, right, graphs.stated, settings.several)
    seeds, valid, notes = links.seeds, links.valid, links.notes
    if sources.valid is None and len(seeds):
        seeds, valid = linking.hold_out(links.seeds, settings.holdout, settings.seed)
        notes = [*notes, _holdout_note(len(valid), len(links.seeds))]
    with reporter.working("reading names"):
        readings, read = readings_of(left, right, settings)
    if settings.encoder:
        read = [*read, f"texts are compared by the encoder in {settings.encoder}"]
    notes = [*left.notes, *right.notes, *types, *notes, *_trust_notes(sources.trust, left, right, graphs.stated), *read]
    task = AlignmentTask(left, right, seeds, valid, links.test, notes, links.rejected, readings)
    _tell(task, reporter)
    return task


def _as_read(
    left: KnowledgeGraph, right: KnowledgeGraph, settings: AlignmentSettings
) -> tuple[tuple[KnowledgeGraph, KnowledgeGraph], list[str]]:
    """The graphs with the triples that the signals name, and a note on those that they do not."""
    if "types" in settings.signals_read or "structure" not in settings.signals_read:
        return (left, right), []
    told = int(says_type(left).sum() + says_type(right).sum())
    notes = [f"{counted(told, 'triple')} telling types left out; with types among the signals they are read"]
    return (without_types(left), without_types(right)), notes if told else []


class _Links(NamedTuple):
    """Links by id, none of which touches an entity of an earlier part, and rejected pairs; and notes."""

    seeds: Pairs
    valid: Pairs
    test: Pairs
    rejected: Pairs
    notes: list[str]


def _resolved(
    sources: _Sources, left: KnowledgeGraph, right: KnowledgeGraph, stated: pl.DataFrame, several: linking.Several
) -> _Links:
    def part(links: NamedLinks | None, purpose: str) -> linking.LinkSet:
        if links is None:
            return linking.LinkSet(NO_PAIRS)
        return linking.resolve(links[0], left, right, purpose, links[1], several)

    given = part(sources.seeds, "seed")
    valid, test = part(sources.valid, "validation"), part(sources.test, "test")
    rejected = _rejected(sources.rejected, left, right, {"seed": given.pairs, "validation": valid.pairs})
    trusted = _trusted(sources.trust, left, right, stated, rejected.pairs, several)
    trusted = linking.beside(trusted, given.pairs, "seed", "trusted", several)
    seeds = np.concatenate([given.pairs, trusted.pairs])
    valid = linking.without(valid, seeds, "seed", "validation", several)
    test = linking.without(test, seeds, "seed", "test", several)
    test = linking.without(test, valid.pairs, "validation link", "test", several)
    notes = [note for links in (given, trusted, valid, test, rejected) for note in links.notes]
    return _Links(seeds, valid.pairs, test.pairs, rejected.pairs, notes)


def _rejected(
    rejected: NamedLinks | None, left: KnowledgeGraph, right: KnowledgeGraph, links: dict[str, Pairs]
) -> linking.LinkSet:
    if rejected is None:
        return linking.LinkSet(NO_PAIRS)
    for purpose, pairs in links.items():
        linking.refuse(rejected[0], pairs, purpose, left, right, rejected[1])
    return linking.resolve_rejected(rejected[0], left, right, rejected[1])


def _trusted(
    trust: tuple[str, ...],
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    stated: pl.DataFrame,
    rejected: Pairs,
    several: linking.Several,
) -> linking.LinkSet:
    """The links that the graphs themselves hold, as far as they are trusted and not rejected."""
    pairs = np.concatenate(
        [
            linking.pairs_of(stated, left, right) if "same-as" in trust else NO_PAIRS,
            same_names(left, right) if "same-iris" in trust else NO_PAIRS,
        ]
    )
    refused = linking.among(pairs, rejected)
    links = linking.consistent(pairs[~refused], "trusted", several)
    if refused.any():
        links.notes.append(counted(int(refused.sum()), "trusted link is", "trusted links are") + " rejected, left out")
    return links


def _trust_notes(
    trust: tuple[str, ...], left: KnowledgeGraph, right: KnowledgeGraph, stated: pl.DataFrame
) -> list[str]:
    """What the graphs themselves hold, used or not."""
    return [
        *stated_note(stated.height, "same-as" in trust),
        *shared_note(len(same_names(left, right)), "same-iris" in trust),
    ]


def _tell(task: AlignmentTask, reporter: Reporter) -> None:
    tell_graph(reporter, "left", task.left)
    tell_graph(reporter, "right", task.right)
    reporter.say(
        f"links  {counted(len(task.seeds), 'seed')}, {len(task.valid):,} for validation, "
        f"{len(task.test):,} for the final test"
        + (f"; {counted(len(task.rejected), 'pair')} rejected" if len(task.rejected) else "")
    )
    tell_notes(reporter, task.notes)


def _holdout_note(held_out: int, seeds: int) -> str:
    if held_out:
        verb = "is" if held_out == 1 else "are"
        return f"no validation links given: {held_out:,} of the {seeds:,} seeds {verb} held out for validation"
    return "no validation links given and too few seeds to hold any out: trains to the last epoch, matches every entity"

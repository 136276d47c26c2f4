"""Links by id, and the rules for doubtful ones.

Rules, each counted and reported: a link to an entity that its graph does not have is left out; a repeated
link counts once; links that give one entity several counterparts are left out, all of them; a validation or
test link that touches a seed entity is left out. What leaves nothing to work with is an error. Links that the graphs
themselves hold follow the same rules and give way to the seeds that are given, without an error.

Entities of a side that may have `several` counterparts contradict nothing with them, and touch no seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.errors import FarlinkError, InputError
from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.wording import counted


@dataclass
class LinkSet:
    """Links of one purpose: (left id, right id) rows, where they came from, and notes on what was left out."""

    pairs: Pairs
    notes: list[str] = field(default_factory=list)


Several = tuple[bool, bool]  # whether a left, and whether a right entity may have several counterparts
ONE: Several = (False, False)


def resolve(
    links: pl.DataFrame,
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    purpose: str,
    source: str,
    several: Several = ONE,
) -> LinkSet:
    """Turn links by name (columns left, right, line) into links by id that do not contradict each other."""
    if links.is_empty():
        raise InputError(source, f"no {purpose} links in this file; expected one 'left<TAB>right' pair a line")
    pairs = pairs_of(links, left, right)
    notes: list[str] = []
    unknown = (pairs < 0).any(axis=1)
    if unknown.all():
        raise _all_unknown(links, left, right, purpose, source)
    if unknown.any():
        place = _place(links, int(np.argmax(unknown)), source)
        notes.append(
            counted(int(unknown.sum()), f"{purpose} link names", f"{purpose} links name")
            + f" an entity that its graph does not have, left out; first: {place}"
        )
    pairs, links = pairs[~unknown], links.filter(~pl.Series(unknown))
    _, first = np.unique(pairs, axis=0, return_index=True)
    again = len(pairs) - len(first)
    if again:
        what = counted(again, f"{purpose} link is repeated and counts", f"{purpose} links are repeated and count")
        notes.append(f"{what} once")
    kept = np.sort(first)
    pairs, links = pairs[kept], links[kept]
    clash = _clashing(pairs, several)
    if clash.any():
        place = _place(links, int(np.argmax(clash)), source)
        notes.append(
            f"{clash.sum():,} {purpose} links contradict each other (one entity, several counterparts), "
            f"left out; first: {place}"
        )
        if clash.all():
            raise InputError(
                source,
                f"all {purpose} links contradict each other: each entity may have one counterpart; first: {place}",
            )
    return LinkSet(pairs[~clash], notes)


def _clashing(pairs: Pairs, several: Several) -> NDArray[np.bool_]:
    """Which pairs give an entity another counterpart than the one that it may have."""
    return np.asarray((repeated(pairs[:, 0]) & (not several[0])) | (repeated(pairs[:, 1]) & (not several[1])))


def consistent(pairs: Pairs, purpose: str, several: Several = ONE) -> LinkSet:
    """Pairs that nobody listed as links: those that contradict each other are left out, and it may be all of them."""
    pairs = np.unique(pairs, axis=0)
    clash = _clashing(pairs, several)
    notes = [f"{clash.sum():,} {purpose} links contradict each other (one entity, several counterparts), left out"]
    return LinkSet(pairs[~clash], notes if clash.any() else [])


def resolve_rejected(links: pl.DataFrame, left: KnowledgeGraph, right: KnowledgeGraph, source: str) -> LinkSet:
    """Turn pairs by name (columns left, right, line) that are no links into pairs by id; an entity may be in many."""
    pairs = pairs_of(links, left, right)
    unknown = (pairs < 0).any(axis=1)
    if unknown.all() and links.height:
        _check_order(links, left, right, source)
    notes = []
    if unknown.any():
        what = counted(int(unknown.sum()), "rejected pair names", "rejected pairs name")
        place = _place(links, int(np.argmax(unknown)), source)
        notes.append(f"{what} an entity that its graph does not have, left out; first: {place}")
    return LinkSet(np.unique(pairs[~unknown], axis=0), notes)


def refuse(
    links: pl.DataFrame, taken: Pairs, taken_as: str, left: KnowledgeGraph, right: KnowledgeGraph, source: str
) -> None:
    """A pair cannot be rejected and taken as a link."""
    pairs = pairs_of(links, left, right)
    both = (pairs >= 0).all(axis=1) & among(pairs, taken)
    if both.any():
        one, other, line = links.select("left", "right", "line").row(int(np.argmax(both)))
        both_ways = f"{one} ↔ {other} is rejected here, and is a {taken_as} link; expected one of the two"
        raise InputError(source, both_ways, line)


def among(pairs: Pairs, others: Pairs) -> NDArray[np.bool_]:
    """Which pairs are among others."""
    width = np.int64(max(pairs.max(initial=0), others.max(initial=0))) + 1
    packed, known = (rows[:, 0].astype(np.int64) * width + rows[:, 1] for rows in (pairs, others))
    return np.isin(packed, known)


def without(links: LinkSet, taken: Pairs, taken_as: str, purpose: str, several: Several = ONE) -> LinkSet:
    """Leave out links that touch an entity of `taken`: they would measure what was given, or contradict it."""
    less = beside(links, taken, taken_as, purpose, several)
    if len(links.pairs) and not len(less.pairs):
        raise FarlinkError(f"every {purpose} link touches an entity of a {taken_as}, so none can measure anything")
    return less


def beside(links: LinkSet, taken: Pairs, taken_as: str, purpose: str, several: Several = ONE) -> LinkSet:
    """Leave out links that touch an entity of `taken`, and it may be all of them."""
    touches = among(links.pairs, taken)
    for ids, others, may in zip(links.pairs.T, taken.T, several, strict=True):
        touches |= False if may else np.isin(ids, others)
    if not touches.any():
        return links
    same = int(among(links.pairs[touches], taken).sum())
    other = int(touches.sum()) - same
    notes = [*links.notes]
    if same:
        both = counted(same, f"{purpose} link is a {taken_as} too", f"{purpose} links are {taken_as}s too")
        notes.append(f"{both}, left out of the {purpose} part")
    if other:
        against = counted(other, f"{purpose} link contradicts", f"{purpose} links contradict")
        notes.append(f"{against} a {taken_as}, left out of the {purpose} part")
    return LinkSet(links.pairs[~touches], notes)


def hold_out(seeds: Pairs, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """Split the seeds at random into (kept, held out)."""
    order = np.random.default_rng([seed, 0x5EED]).permutation(len(seeds))
    count = int(len(seeds) * share)
    return seeds[np.sort(order[count:])], seeds[np.sort(order[:count])]


def pairs_of(links: pl.DataFrame, left: KnowledgeGraph, right: KnowledgeGraph) -> Pairs:
    """Pairs by id of links by name; -1 for a name that its graph does not have."""
    return np.stack([left.ids(links["left"]), right.ids(links["right"])], axis=1)


def repeated(ids: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which ids occur more than once."""
    _, inverse, counts = np.unique(ids, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def _place(links: pl.DataFrame, row: int, source: str) -> str:
    left, right, line = links.select("left", "right", "line").row(row)
    return f"{source}, line {line:,} ({left} ↔ {right})"


def _check_order(links: pl.DataFrame, left: KnowledgeGraph, right: KnowledgeGraph, source: str) -> None:
    exchanged = pairs_of(links.rename({"left": "right", "right": "left"}), left, right)
    if (exchanged >= 0).all(axis=1).any():
        raise InputError(source, "the columns are exchanged: the first must name entities of the left graph")


def _all_unknown(
    links: pl.DataFrame, left: KnowledgeGraph, right: KnowledgeGraph, purpose: str, source: str
) -> InputError:
    _check_order(links, left, right, source)
    example = links.row(0, named=True)
    return InputError(
        source,
        f"no {purpose} link names entities of both graphs; this one reads '{example['left']}' ↔ '{example['right']}', "
        f"while the graphs have entities such as '{left.entities[0]}' and '{right.entities[0]}'",
        example["line"],
    )

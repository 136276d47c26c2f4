"""Invented worlds of which two graphs tell, each in its own words, with things that a graph holds twice or more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from farlink.alignment.run import AlignmentRun
from farlink.graph.knowledge_graph import KnowledgeGraph

SYLLABLES = [one + two for one in "bdfgklmnrstvz" for two in ("a", "en", "i", "or", "u")]
MOST_COPIES = 4
SPOILED, TOLD, VALUED = 0.7, 0.8, 0.7  # shares of names with a slip, of triples and of dates that a graph has


class World(NamedTuple):
    """Two graphs and all links between them; an entity is in as many as its thing has copies on the other side."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    links: pl.DataFrame


def make_world(things: int = 150, alone: int = 30, copied: tuple[float, float] = (0.0, 0.0), seed: int = 0) -> World:
    """Things that both graphs tell of, and some of which one tells alone; a share of them is copied left and right."""
    rng = np.random.default_rng(seed)
    count = things + 2 * alone
    names = [f"{_word(rng, 2)} {_word(rng, 3)}" for _ in range(count)]
    born = [f"{rng.integers(1800, 2000)}-{rng.integers(1, 13):02}-{rng.integers(1, 28):02}" for _ in range(count)]
    ends = rng.integers(0, count, (3 * count, 2))
    sides = []
    for prefix, first, share in (("a", things, copied[0]), ("b", things + alone, copied[1])):
        copies = {thing: _ids(rng, prefix, share) for thing in [*range(things), *range(first, first + alone)]}
        sides.append((_graph(rng, prefix, copies, names, born, ends), copies))
    (left, ours), (right, theirs) = sides
    links = [(one, other) for thing in range(things) for one in ours[thing] for other in theirs[thing]]
    return World(left, right, pl.DataFrame(links, schema=["left", "right"], orient="row"))


def quality(run: AlignmentRun, links: pl.DataFrame) -> tuple[float, float]:
    """Precision and recall of the matched pairs against all links."""
    matched = run.alignment.filter(status="matched").select("left", "right")
    right = matched.join(links, on=["left", "right"]).height
    return right / max(matched.height, 1), right / links.height


def _word(rng: np.random.Generator, syllables: int) -> str:
    return "".join(rng.choice(SYLLABLES, syllables)).title()


def _ids(rng: np.random.Generator, prefix: str, share: float) -> list[str]:
    """Names of the entities that are one thing: each says nothing."""
    count = 1 + sum(np.cumprod(rng.random(MOST_COPIES - 1) < share))
    return [f"http://{prefix}/{rng.integers(10**9)}" for _ in range(count)]


def _spoiled(rng: np.random.Generator, name: str) -> str:
    """The name with a letter lost or doubled, in capital letters, or as it is."""
    place = int(rng.integers(1, len(name) - 1))
    slips = [name[:place] + name[place + 1 :], name[:place] + name[place] + name[place:], name.upper()]
    return str(rng.choice(slips)) if rng.random() < SPOILED else name


def _graph(
    rng: np.random.Generator,
    prefix: str,
    copies: dict[int, list[str]],
    names: list[str],
    born: list[str],
    ends: np.ndarray[tuple[int, int], np.dtype[np.int64]],
) -> KnowledgeGraph:
    """What a graph tells: every copy has a spelling, most of the triples, and often a date of its own."""
    triples = [
        (one, f"http://{prefix}/knows", str(rng.choice(copies[tail])))
        for head, tail in ends.tolist()
        if head in copies and tail in copies
        for one in copies[head]
        if rng.random() < TOLD
    ]
    entities = [(thing, one) for thing, some in copies.items() for one in some]
    literals = [(one, f"http://{prefix}/name", _spoiled(rng, names[thing])) for thing, one in entities]
    literals += [(one, f"http://{prefix}/born", born[thing]) for thing, one in entities if rng.random() < VALUED]
    return KnowledgeGraph.from_frame(
        pl.DataFrame(triples, schema=["head", "relation", "tail"], orient="row"),
        entities=pl.Series([one for _, one in entities]),
        literals=pl.DataFrame(literals, schema=["head", "relation", "value"], orient="row"),
        source=f"{prefix}.nt",
    )

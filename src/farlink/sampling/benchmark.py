"""Samples of graphs as benchmark folders: what is drawn, how it is split, and the report that goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.errors import FarlinkError
from farlink.graph.ids import Ids, Pairs, Rows, Triples
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.links import resolve
from farlink.io.benchmark import read_alignment_folder, write_alignment_folder
from farlink.io.files import atomic_path, write_text
from farlink.io.graphs import read
from farlink.io.sources import links_from
from farlink.reports.plots import BLUE, GREEN, GREY, ORANGE, draw
from farlink.reports.tables import Column, Table, markdown
from farlink.sampling.srprs import Side, alternatives, degrees, distances, sample, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"original": "black", "SRPRS": BLUE, "uniform": GREY, "PageRank": ORANGE, "high degree": GREEN}


@dataclass(frozen=True)
class Sample:
    """Some entities of one graph, or linked pairs of two, and the degrees they were to have."""

    graphs: tuple[KnowledgeGraph, ...]
    units: Rows  # (size, graphs): entities by id
    triples: tuple[Triples, ...]  # of each graph, those between the sampled entities
    distances: dict[str, list[float]]  # K-S distance of each graph's degrees by method
    degrees: dict[str, list[NDArray[np.int64]]]  # by method; those of the original first
    dense: bool
    seed: int


class Sources(NamedTuple):
    """What is to be sampled: one graph, or two and the links between them."""

    graphs: list[KnowledgeGraph]
    links: Pairs | None
    notes: list[str]  # which links were left out, for the user


def read_sources(left: str, right: str | None, links: str | None) -> Sources:
    """The graphs to sample and, where there are two, the links between them: from files, or a benchmark folder."""
    if "-" in (left, right):
        raise FarlinkError("a sample is drawn from files; write standard input to one first")
    if right is not None:
        return _two_graphs(left, right, links)
    if Path(left).is_dir():
        if links is not None:
            raise FarlinkError(f"{left} is a benchmark folder, which has links of its own; name no others", "links")
        data = read_alignment_folder(left)
        frame = pl.concat([part for part in (data.seeds, data.valid, data.test) if part is not None])
        return _linked(data.left, data.right, frame, data.source)
    if links is not None:
        raise FarlinkError("links are between two graphs; name the right graph, too")
    return Sources([read(left)], None, [])


def _two_graphs(left: str, right: str, links: str | None) -> Sources:
    for path in (left, right):
        if Path(path).is_dir():
            raise FarlinkError(f"{path} is a folder; a benchmark folder, which holds both graphs, is named alone")
    if links is None:
        raise FarlinkError("links are missing: a file of links between the two graphs", "links")
    one, other = read(left), read(right)
    if one.same_as(other):
        raise FarlinkError(f"{left} and {right} hold the same graph; name it alone to sample one graph")
    return _linked(one, other, *links_from(links))


def _linked(left: KnowledgeGraph, right: KnowledgeGraph, links: pl.DataFrame, source: str) -> Sources:
    found = resolve(links, left, right, "sampled", source)
    return Sources([left, right], found.pairs, found.notes)


def draw_sample(
    graphs: Sequence[KnowledgeGraph], links: Pairs | None, size: int, *, dense: bool, epsilon: float, seed: int
) -> Sample:
    """Sample one graph (`links` is None) or two linked ones by SRPRS, and by other methods to compare."""
    kept = [thinned(graph.triples, len(graph.entities), seed) if dense else graph.triples for graph in graphs]
    sides = [Side.of(triples, len(graph.entities)) for triples, graph in zip(kept, graphs, strict=True)]
    whole = [degrees(side.triples, side.size) for side in sides]
    units = np.flatnonzero(whole[0])[:, None].astype(np.int32) if links is None else links
    units = units[np.all([one[units[:, place]] > 0 for place, one in enumerate(whole)], axis=0)]
    if size > len(units):
        what = "entities" if links is None else "linked pairs"
        raise FarlinkError(f"there are {len(units):,} {what} with triples; choose a smaller size", "size")
    chosen, _ = sample(sides, units, size, epsilon, seed)
    targets = [one[one > 0] for one in whole]
    drawn = {"SRPRS": chosen, **alternatives(sides, units, size, seed)}
    found = {name: _own_degrees(sides, one) for name, one in drawn.items()}
    return Sample(
        graphs=tuple(graphs),
        units=chosen,
        triples=tuple(_between(side, chosen[:, place]) for place, side in enumerate(sides)),
        distances={name: distances(sides, one, targets) for name, one in drawn.items()},
        degrees={"original": targets, **found},
        dense=dense,
        seed=seed,
    )


def _between(side: Side, entities: Ids) -> Triples:
    kept = np.zeros(side.size, dtype=bool)
    kept[entities] = True
    return side.within(kept)


def _own_degrees(sides: Sequence[Side], units: Rows) -> list[NDArray[np.int64]]:
    return [degrees(_between(side, units[:, place]), side.size)[units[:, place]] for place, side in enumerate(sides)]


def write_sample(sample: Sample, folder: Path, shares: tuple[float, float]) -> None:
    """Write the sample and its report: a benchmark folder of two graphs, or `triples.tsv` of one.

    `shares` are those of the links that are seeds and that are for validation; the others are for the test.
    """
    tables = [_named(graph, triples) for graph, triples in zip(sample.graphs, sample.triples, strict=True)]
    if len(tables) == 2:
        write_alignment_folder(folder, (tables[0], tables[1]), _split(sample, shares))
    else:
        with atomic_path(folder / "triples.tsv") as temporary:
            tables[0].write_csv(temporary, separator="\t", include_header=False, quote_style="never")
    for place in range(len(tables)):
        draw(folder / f"degrees_{place + 1}.png", partial(degree_plot, sample, place))
    write_text(folder / "README.md", "\n".join(report_lines(sample, tables)) + "\n")


def _named(graph: KnowledgeGraph, triples: Triples) -> pl.DataFrame:
    head, relation, tail = triples.T
    return pl.DataFrame(
        {
            "head": graph.entities.gather(head),
            "relation": graph.relations.gather(relation),
            "tail": graph.entities.gather(tail),
        }
    )


def _split(sample: Sample, shares: tuple[float, float]) -> dict[str, pl.DataFrame]:
    left, right = sample.graphs
    rows = np.random.default_rng([sample.seed, 4]).permutation(sample.units)
    links = pl.DataFrame({"left": left.entities.gather(rows[:, 0]), "right": right.entities.gather(rows[:, 1])})
    seeds, valid = (round(share * len(rows)) for share in shares)
    return {"train": links[:seeds], "valid": links[seeds : seeds + valid], "test": links[seeds + valid :]}


def report_lines(sample: Sample, tables: Sequence[pl.DataFrame]) -> list[str]:
    """Statistics as in the paper's table, and the K-S distances of all methods."""
    kind = "dense" if sample.dense else "normal"
    what = "linked pairs" if len(tables) == 2 else "entities"
    original = "the original without low-degree entities" if sample.dense else "the original"
    plots = " ".join(f"![degrees of graph {place + 1}](degrees_{place + 1}.png)" for place in range(len(tables)))
    return [
        f"# A {kind} sample of {len(sample.units):,} {what}",
        "",
        f"Segment-based random PageRank sampling, seed {sample.seed}.",
        "",
        *markdown(_sizes_table(sample, tables)),
        "",
        f"Kolmogorov-Smirnov distance of the degrees from {original}:",
        "",
        *markdown(distances_table(sample)),
        "",
        plots,
    ]


def _sizes_table(sample: Sample, tables: Sequence[pl.DataFrame]) -> Table:
    """Statistics as in the paper's table; of a dense sample also those of what it was drawn from."""
    counts = [Column(name, ",", "right") for name in ("entities", "relations", "triples")]
    means = [Column(name, ".2f", "right") for name in ("average degree", "average degree of the original")]
    if sample.dense:
        means.append(Column("without low-degree entities", ".2f", "right"))
    rows = []
    for place, (graph, table) in enumerate(zip(sample.graphs, tables, strict=True)):
        whole = degrees(graph.triples, len(graph.entities))
        found = [sample.degrees["SRPRS"][place], whole[whole > 0]]
        if sample.dense:
            found.append(sample.degrees["original"][place])
        sizes = [len(sample.units), table["relation"].n_unique(), table.height]
        rows.append([graph.source, *sizes, *(one.mean() for one in found)])
    return Table([Column("graph"), *counts, *means], rows)


def distances_table(sample: Sample) -> Table:
    """Kolmogorov-Smirnov distance of the degrees from those of the original, by method."""
    graphs = [Column(f"graph {place + 1}", ".1%") for place in range(len(sample.graphs))]
    return Table([Column("method"), *graphs], [[name, *gaps] for name, gaps in sample.distances.items()])


def degree_plot(sample: Sample, place: int, axes: Axes) -> None:
    """Share of the entities that have each degree, for the original and every method."""
    for name, found in sample.degrees.items():
        count = np.bincount(found[place])
        shown = np.flatnonzero(count)
        width = 2 if name == "original" else 1.2
        axes.plot(shown, count[shown] / count.sum(), label=name, color=COLOURS[name], linewidth=width)
    axes.set(xscale="log", yscale="log", xlabel="degree", ylabel="share of the entities")
    axes.set_title(Path(sample.graphs[place].source).name)
    axes.legend(frameon=False)

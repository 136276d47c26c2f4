"""Benchmark folders of entity alignment and of link prediction, in the layouts of the literature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from farlink.errors import FarlinkError, InputError
from farlink.graph.ids import lookup
from farlink.graph.knowledge_graph import KnowledgeGraph, literals_table
from farlink.io.attributes import read_attribute_triples, with_attributes
from farlink.io.delimited import DIALECTS, TRIPLE, Text, read_columns, read_triples
from farlink.io.files import atomic_path
from farlink.io.links import LINK, read_links

FOLDS = "721_5fold"

Split = tuple[pl.DataFrame, pl.DataFrame | None, pl.DataFrame | None]
"""Seed, validation and test links."""


@dataclass(frozen=True)
class AlignmentData:
    """Two graphs and the links between them, split for an experiment; links as `read_links` gives them."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: pl.DataFrame  # may be empty
    valid: pl.DataFrame | None
    test: pl.DataFrame | None
    source: str


def read_alignment_folder(folder: str | Path, *, fold: int = 1, share: float | None = None) -> AlignmentData:
    """Read a benchmark folder of entity alignment, in either of two layouts.

    - By ids: `triples_1`, `triples_2` and, for names, `ent_ids_*` and `rel_ids_*` (without them an id is its own
      name). Links are `sup_ent_ids` (seeds), `valid_ent_ids` and `ref_ent_ids` (test); without `valid_ent_ids`
      the first tenth of `ref_ent_ids` is for validation. `all_ent_ids` alone is split as told below. Each line of
      `training_attrs_*`, where they are there, is an entity and the names of its attributes.
    - By names (OpenEA): `rel_triples_1`, `rel_triples_2`. Links are `train_links`, `valid_links`, `test_links`
      of the folder or of its `721_5fold/FOLD`; `ent_links` alone is split as told below.

    In either layout a line of `attr_triples_1` and `attr_triples_2`, where they are there, is an entity, an attribute
    and a value, all by name; the value may be quoted, and may end in `^^<datatype>` or, after quotes, in `@language`.
    Where a file lists the entities, values of others are left out and counted in the notes of the graph.

    The split of a lone list of links is fixed: 30 % seeds, and of the others a tenth for validation. An entity
    that only links name is part of its graph. A `share` splits all links of the folder anew: this share as
    seeds, and of the others a tenth for validation. With a share of 0 all links are for the test.
    """
    if share is not None and not 0 <= share < 1:
        raise FarlinkError(f"the share of seeds is {share:g}; expected a number from 0 on and below 1", "share")
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(folder, "this is a file, expected a folder" if folder.exists() else "no such folder")
    if fold != 1 and not (folder / FOLDS).is_dir():
        raise InputError(folder, f"no folder {FOLDS}, so there is no fold {fold}")
    if _has(folder, "triples_1", "triples_2"):
        return _with_share(_read_id_layout(folder), share)
    if _has(folder, "rel_triples_1", "rel_triples_2"):
        return _with_share(_read_name_layout(folder, fold), share)
    expected = "triples_1 and triples_2, or rel_triples_1 and rel_triples_2, and the links between them"
    raise InputError(folder, f"not a benchmark folder, expected the files {expected}")


def read_completion_folder(
    folder: str | Path,
) -> tuple[KnowledgeGraph, KnowledgeGraph | None, KnowledgeGraph | None]:
    """The graph to learn from and, where they are there, the validation and test triples of a benchmark folder."""
    folder = Path(folder)
    choices = [[folder / f"{part}{extension}" for extension in (".txt", ".tsv")] for part in ("train", "valid", "test")]
    paths = [next((path for path in choice if path.is_file()), None) for choice in choices]
    train, valid, test = (
        None if path is None else KnowledgeGraph.from_frame(read_triples(path, "tsv"), source=str(path))
        for path in paths
    )
    if train is None:
        raise InputError(folder, "not a folder of link prediction: there is no train.txt in it")
    return train, valid, test


def write_alignment_folder(
    folder: str | Path, graphs: tuple[pl.DataFrame, pl.DataFrame], links: dict[str, pl.DataFrame]
) -> None:
    """Write triples and links, both by name, in the layout by names; `links` by purpose: train, valid, test."""
    tables = {f"rel_triples_{side}": graph for side, graph in enumerate(graphs, 1)}
    tables["ent_links"] = pl.concat(list(links.values()))
    tables |= {f"{purpose}_links": part for purpose, part in links.items() if part.height}
    for name, table in tables.items():
        with atomic_path(Path(folder) / name) as temporary:
            table.write_csv(temporary, separator="\t", include_header=False, quote_style="never")


@dataclass(frozen=True)
class _Dictionary:
    ids: pl.Series
    names: pl.Series
    file: str


def _read_id_layout(folder: Path) -> AlignmentData:
    names = [_read_dictionary(folder / f"ent_ids_{side}") for side in (1, 2)]
    split = _id_split(folder, dict(zip(LINK, names, strict=True)))
    left, right = (
        _read_id_graph(folder, side, entities, linked)
        for side, entities, linked in zip((1, 2), names, _linked(split), strict=True)
    )
    return AlignmentData(left, right, *split, source=str(folder))


def _read_id_graph(folder: Path, side: int, entities: _Dictionary | None, linked: pl.Series) -> KnowledgeGraph:
    path = folder / f"triples_{side}"
    relations = _read_dictionary(folder / f"rel_ids_{side}")
    roles = dict(zip(TRIPLE, (entities, relations, entities), strict=True))
    triples = _with_names(path, read_columns(path, TRIPLE), roles, partial(_line_of_row, path))
    candidates = linked if entities is None else entities.names
    literals = _attribute_triples(folder, side)
    own = literals if entities is None else None  # else the list of entities says which there are
    graph = KnowledgeGraph.from_frame(triples, entities=candidates, literals=own, source=str(path))
    graph = graph.with_literals(_attributes(folder / f"training_attrs_{side}", graph))
    return graph if literals is own else with_attributes(graph, literals_table(literals), f"attr_triples_{side}")


def _attribute_triples(folder: Path, side: int) -> pl.DataFrame | None:
    path = folder / f"attr_triples_{side}"
    return read_attribute_triples(path) if path.is_file() else None


def _attributes(path: Path, graph: KnowledgeGraph) -> pl.DataFrame:
    """Literals without values: which entities have which attributes. None at all where there is no such file."""
    if not path.is_file():
        return literals_table(None)
    records = list(Text.open(path, DIALECTS["tsv"]).records())
    heads = pl.Series("head", [fields[0] for _, fields in records], dtype=pl.String)
    for row in np.flatnonzero(graph.ids(heads) < 0)[:1].tolist():
        raise InputError(path, f"{heads[row]!r} is not an entity of {graph.source}", records[row][0])
    names = pl.Series("relation", [fields[1:] for _, fields in records], dtype=pl.List(pl.String))
    table = pl.DataFrame([heads, names]).explode("relation").drop_nulls("relation")
    return literals_table(table.with_columns(value=pl.lit(None, dtype=pl.String)))


def _read_name_layout(folder: Path, fold: int) -> AlignmentData:
    split = _name_split(folder, fold)
    paths = [folder / f"rel_triples_{side}" for side in (1, 2)]
    left, right = (
        KnowledgeGraph.from_frame(
            read_triples(path, "tsv"),
            entities=linked,
            literals=_attribute_triples(folder, side),
            source=str(path),
        )
        for side, path, linked in zip((1, 2), paths, _linked(split), strict=True)
    )
    return AlignmentData(left, right, *split, source=str(folder))


def _id_split(folder: Path, roles: dict[str, _Dictionary | None]) -> Split:
    def links(file: str) -> pl.DataFrame | None:
        frame = _links_if_any(folder / file)
        if frame is None:
            return None
        return _with_names(folder / file, frame, roles, lambda row: int(frame["line"][row]))

    seeds, valid, test, whole = map(links, ("sup_ent_ids", "valid_ent_ids", "ref_ent_ids", "all_ent_ids"))
    if seeds is None:
        return _fixed_split(folder, whole, "sup_ent_ids or all_ent_ids")
    if valid is None and test is not None:
        tenth = test.height // 10
        valid, test = _or_none(test.head(tenth)), test.slice(tenth)
    return seeds, valid, test


def _name_split(folder: Path, fold: int) -> Split:
    folds = folder / FOLDS
    place = folds / str(fold) if folds.is_dir() else folder
    seeds, valid, test = (_links_if_any(place / f"{part}_links") for part in ("train", "valid", "test"))
    if seeds is not None:
        return seeds, valid, test
    if folds.is_dir():
        raise InputError(place / "train_links", "no such file")
    if valid is not None or test is not None:
        raise InputError(place / "train_links", "no such file: the other links of this folder are no seeds")
    return _fixed_split(folder, _links_if_any(folder / "ent_links"), "train_links or ent_links")


def _fixed_split(folder: Path, links: pl.DataFrame | None, expected: str) -> Split:
    if links is None:
        raise InputError(folder, f"no links in this folder, expected the file {expected}")
    return _drawn_split(links, 0.3)


def _with_share(data: AlignmentData, share: float | None) -> AlignmentData:
    if share is None:
        return data
    links = pl.concat(part for part in (data.seeds, data.valid, data.test) if part is not None)
    seeds, valid, test = _drawn_split(links, share)
    return replace(data, seeds=seeds, valid=valid, test=test)


def _drawn_split(links: pl.DataFrame, share: float) -> Split:
    """The same split of the same links, always: a share of seeds, and of the others a tenth for validation.

    Without seeds nothing is to be chosen, and all links are for the test.
    """
    count = links.height
    drawn = links.sort("left", "right")[np.random.default_rng(0).permutation(count)]
    if not share:
        return drawn.clear(), None, drawn
    first_valid = int(count * share + 1e-9)
    first_test = first_valid + (count - first_valid) // 10
    return drawn[:first_valid], _or_none(drawn[first_valid:first_test]), drawn[first_test:]


def _links_if_any(path: Path) -> pl.DataFrame | None:
    return read_links(path, "tsv") if path.is_file() else None


def _or_none(links: pl.DataFrame) -> pl.DataFrame | None:
    return links if links.height else None


def _linked(split: Split) -> list[pl.Series]:
    """The left and the right entities of all links."""
    links = pl.concat(part for part in split if part is not None)
    return [links[side] for side in LINK]


def _read_dictionary(path: Path) -> _Dictionary | None:
    if not path.is_file():
        return None
    frame = read_columns(path, ("id", "name")).unique(maintain_order=True)
    for column, other, problem in (("id", "name", "is the id of"), ("name", "id", "is the name of")):
        repeated = frame.filter(pl.col(column).is_duplicated())
        if repeated.height:
            value = repeated[column][0]
            first, second = repeated.filter(pl.col(column) == value)[other].head(2)
            raise InputError(path, f"{value!r} {problem} both {first!r} and {second!r}")
    return _Dictionary(frame["id"], frame["name"], path.name)


def _with_names(
    path: Path, frame: pl.DataFrame, roles: dict[str, _Dictionary | None], line: Callable[[int], int]
) -> pl.DataFrame:
    """The frame with names for ids in those columns that have a dictionary; `line` tells the line of a row."""
    for column, dictionary in roles.items():
        if dictionary is not None:
            places = lookup(dictionary.ids, frame[column])
            for row in np.flatnonzero(places < 0)[:1].tolist():
                problem = f"the {column} {frame[column][row]!r} is not an id of {dictionary.file}"
                raise InputError(path, problem, line(row))
            frame = frame.with_columns(dictionary.names.gather(places).alias(column))
    return frame


def _line_of_row(path: Path, row: int) -> int:
    records = Text.open(path, DIALECTS["tsv"]).records()
    return next(islice(records, row, None))[0]


def _has(folder: Path, *files: str) -> bool:
    return all((folder / file).is_file() for file in files)

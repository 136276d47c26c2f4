"""Ids of entities and relations: places in a shuffled vocabulary."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

# for numpy all of these are one type; the names tell a reader which is meant
Ids = NDArray[np.int32]  # (n,): ids of entities or relations
Pairs = NDArray[np.int32]  # (n, 2): a left and a right id, or two ids of a kind
Triples = NDArray[np.int32]  # (n, 3): head, relation, tail
Rows = NDArray[np.int32]  # (n, k): paths, counterparts in k graphs, what a step of training learns from


def shuffled_names(names: pl.Series, seed: int) -> pl.Series:
    """Distinct names in an order that depends on nothing but the names and the seed."""
    distinct = names.unique().sort()
    return distinct.gather(np.random.default_rng(seed).permutation(len(distinct)))


def shuffled_places(names: pl.Series, seed: int) -> Ids:
    """Where each of some distinct names is among `shuffled_names`, without a look-up of names."""
    by_name = names.arg_sort().to_numpy()
    places = np.empty(len(names), dtype=np.int32)
    places[by_name[np.random.default_rng(seed).permutation(len(names))]] = np.arange(len(names), dtype=np.int32)
    return places


def moved(names: pl.Series, places: Ids) -> pl.Series:
    """The names, each at its place."""
    return names.gather(np.argsort(places))


def lookup(vocabulary: pl.Series, names: pl.Series) -> Ids:
    """Place of each name in the vocabulary; -1 where it is absent."""
    places = names.cast(pl.Enum(vocabulary), strict=False).to_physical()
    return places.cast(pl.Int32).fill_null(-1).to_numpy()


def sorted_distinct(triples: Triples) -> Triples:
    """Distinct rows in lexicographic order."""
    head, relation, tail = triples.T
    entities, relations = (int(column.max(initial=-1)) + 1 for column in (triples[:, ::2], relation))
    if entities * relations * entities >= 2**63:
        return np.unique(triples, axis=0)
    # one number a triple: a single sort in place of three, without a copy of the columns
    packed = (head.astype(np.int64) * relations + relation) * entities + tail
    packed.sort()
    packed = packed[np.append(True, packed[1:] != packed[:-1])[: len(packed)]]
    rows = np.empty((len(packed), 3), dtype=np.int32)
    packed, rows[:, 2] = np.divmod(packed, max(entities, 1))
    rows[:, 0], rows[:, 1] = np.divmod(packed, max(relations, 1))
    return rows


def distinct_pairs(pairs: Pairs) -> Pairs:
    """Distinct rows in lexicographic order."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    return np.stack(np.divmod(np.unique(packed(pairs, width)), width), axis=1).astype(np.int32)


def packed(pairs: Pairs, width: int) -> NDArray[np.int64]:
    """One number for each pair, in the order of pairs; right ids are below the width."""
    return np.asarray(pairs[:, 0].astype(np.int64) * width + pairs[:, 1])


def unseeded(count: int, seeds: Ids) -> Ids:
    """Ids below `count` that are no seeds."""
    return np.setdiff1d(np.arange(count, dtype=np.int32), seeds)


Pools = tuple[Ids, Ids]  # the left and the right entities that come into question, sorted

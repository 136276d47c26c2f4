"""Values as a signal: dates, numbers, codes and texts that entities have in common, attribute by attribute.

Which attribute of one graph says the same as which of the other is not known. It is learned on pairs that are known or
likely: of all attributes of the other side, one has the values that tell such pairs best from any two entities. How two
values compare is a level: equal, near by so much, or different; an entity without a value says nothing. A level is
worth the logarithm of how much more often it is seen for the same entity than for any two (Fellegi and Sunter, 1969),
and an equal value the more, the fewer have it.

What names an entity is left to `names`, which compares names better.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numba import njit, prange
from numpy.typing import NDArray

from farlink.alignment.similarity import cosine, grams_of, indexes
from farlink.graph.edges import begins
from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import not_names
from farlink.graph.values import normal_values

CROWD = 100  # pairs of entities that share a value: more of them say that it is common
MOST_VALUES = 16  # of an attribute of an entity that are compared
CHOICES = 4  # attributes of the other side that are tried for one
TRIED = 3_000  # likely pairs on which they are tried
DRAWN = 200_000  # pairs drawn at random to see how often any two entities are on a level
NEAR = np.array([3e-6, 3e-5, 3e-4, 3e-3, 3e-2, 0.3])  # shares of all pairs whose numbers are nearer than a level ends
ALIKE = np.array([0.8, 0.6, 0.4])  # cosines of texts at which a level ends
EQUAL, MISSING = 0, -1  # levels; those between EQUAL and the last are near, and the last is different
LEVELS = len(NEAR) + 2
PRIOR = 2.0  # pairs that what is seen of any two counts as, beside what is seen of likely ones
LONGEST = 256  # characters of a text that are compared
NUMERIC = ["number", "date"]


class Attribute(NamedTuple):
    """The values of an attribute: those of entity e are `text[first[e]:first[e + 1]]`, places among all texts."""

    first: NDArray[np.int64]
    text: Ids
    number: NDArray[np.float64]  # nan where a value is no number and no date


class Side(NamedTuple):
    """The values of a graph."""

    names: list[str]  # of the attributes
    attributes: list[Attribute]


@dataclass(frozen=True)
class Comparison:
    """An attribute of either side that say the same, and what each level is worth."""

    left: int
    right: int
    edges: NDArray[np.float64]  # distances at which levels of numbers end
    weight: NDArray[np.float64]  # of each level; of equal values without what their rarity adds
    gain: float  # how much better likely pairs are told from any two, summed over them


class Values:
    """The values of two graphs, ready to be compared."""

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph, seed: int, *, names: bool = False) -> None:
        """Of two graphs; what names an entity is among the values only if `names` are asked for."""
        self.shape = len(left.entities), len(right.entities)
        tables = [_table(graph, graph.literals if names else not_names(graph.literals)) for graph in (left, right)]
        texts = pl.concat([table["text"] for table in tables]).unique().sort()
        self.left, self.right = (_side(table, texts, size) for table, size in zip(tables, self.shape, strict=True))
        self.texts = texts.str.slice(0, LONGEST)
        grams = grams_of(self.texts)
        self._index = indexes(grams, grams)[0]
        self.tables = [_placed(table, texts) for table in tables]
        self._rng = np.random.default_rng([seed, 0x7A1E])
        self._drawn = tuple(self._rng.integers(0, max(size, 1), DRAWN, dtype=np.int32) for size in self.shape)

    @property
    def known(self) -> bool:
        """Whether both graphs have any."""
        return bool(self.left.attributes and self.right.attributes)

    def pairs(self) -> Pairs:
        """Entities that share a value which few others have."""
        shared = self._shared().filter(pl.col("crowd") <= CROWD)
        return shared.select("left", "right").unique().to_numpy().astype(np.int32)

    def rarity(self, left: Ids, right: Ids) -> NDArray[np.float64]:
        """What shared values say before it is known which attributes agree: the logarithm of how rare the rarest is."""
        found = self._shared().filter(pl.col("crowd") <= CROWD).group_by("left", "right").agg(pl.col("crowd").min())
        asked = pl.DataFrame({"left": left, "right": right})
        crowd = (
            asked.join(found, on=["left", "right"], how="left", maintain_order="left")["crowd"].fill_null(0).to_numpy()
        )
        return np.where(crowd > 0, np.log(min(self.shape) / np.maximum(crowd, 1)), 0.0)

    def _shared(self) -> pl.DataFrame:
        """Pairs of entities that share a value: left, right, crowd."""
        owners = [table.select("entity", "text").unique() for table in self.tables]
        counts = [
            table.group_by("text").len(name) for table, name in zip(owners, ("left_users", "right_users"), strict=True)
        ]
        crowds = counts[0].join(counts[1], on="text").with_columns(crowd=pl.col("left_users") * pl.col("right_users"))
        rare = crowds.filter(pl.col("crowd") <= CROWD).select("text", "crowd")
        left = owners[0].rename({"entity": "left"}).join(rare, on="text")
        return left.join(owners[1].rename({"entity": "right"}), on="text").select("left", "right", "crowd")

    def comparisons(self, likely: Pairs, apart: tuple[Collection[int], Collection[int]] = ((), ())) -> list[Comparison]:
        """Which attributes say the same, given pairs that are known or likely, the most telling first.

        Those left and right ones that are named `apart` are not compared.
        """
        if not len(likely):
            return []
        tried = likely[self._rng.permutation(len(likely))[:TRIED]]
        found = [
            self._compared(left, right, tried)
            for left in range(len(self.left.attributes))
            if left not in apart[0]
            for right in self._choices(left, tried)
            if right not in apart[1]
        ]
        chosen: list[Comparison] = []
        for comparison in sorted(found, key=lambda one: -one.gain):
            used = any(comparison.left == other.left or comparison.right == other.right for other in chosen)
            if comparison.gain > 0 and not used:
                chosen.append(comparison)
        return chosen

    def weight(self, comparisons: list[Comparison], left: Ids, right: Ids) -> NDArray[np.float64]:
        """What the values of each pair are worth, as a logarithm."""
        total = np.zeros(len(left))
        for comparison in comparisons:
            level, rarity = self.levels(comparison, left, right)
            total += np.where(level == MISSING, 0.0, comparison.weight[level] + rarity)
        return total

    def levels(self, comparison: Comparison, left: Ids, right: Ids) -> tuple[Ids, NDArray[np.float64]]:
        """On which level each pair is, and what the rarity of an equal value adds."""
        one, other = self.left.attributes[comparison.left], self.right.attributes[comparison.right]
        share = _shares(other, self.texts.len())
        level, rarity = _levels(one, other, self._index, comparison.edges, share, left, right)
        return np.asarray(level), np.asarray(rarity)

    def near(self, comparison: Comparison, pairs: Pairs, least: float) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The values of either side that the partner has as well, or nearly: entity, text.

        What is as near as these says, by its logarithm, at `least` so much for the same entity.
        """
        one, other = self.left.attributes[comparison.left], self.right.attributes[comparison.right]
        agrees = comparison.weight >= least
        agrees[EQUAL] = True
        sides = (one, other, pairs), (other, one, pairs[:, ::-1])
        left, right = (self._near(*side, comparison.edges, agrees) for side in sides)
        return left, right

    def _near(
        self, one: Attribute, other: Attribute, pairs: Pairs, edges: NDArray[np.float64], agrees: NDArray[np.bool_]
    ) -> pl.DataFrame:
        """Those values of the first attribute that are on a level which agrees with one of the partner's."""
        count = np.diff(one.first)[pairs[:, 0]]
        entity, partner = (np.repeat(ends, count) for ends in pairs.T)
        before = np.cumsum(count) - count
        place = np.repeat(one.first[pairs[:, 0]] - before, count) + np.arange(count.sum())
        alone = Attribute(np.arange(len(place) + 1), one.text[place], one.number[place])  # each value by itself
        share = np.ones(self.texts.len())  # how rare a value is does not matter here
        level, _ = _levels(alone, other, self._index, edges, share, np.arange(len(place), dtype=np.int32), partner)
        kept = (level != MISSING) & agrees[level]
        return pl.DataFrame({"entity": entity[kept], "text": alone.text[kept]}).unique()

    def _choices(self, left: int, likely: Pairs) -> list[int]:
        """Attributes of the other side that may say the same: those that both likely ends have most often."""
        own = np.diff(self.left.attributes[left].first)[likely[:, 0]] > 0
        numeric = _is_numeric(self.left.attributes[left])
        both = [
            int((own & (np.diff(attribute.first)[likely[:, 1]] > 0)).sum()) if _is_numeric(attribute) == numeric else 0
            for attribute in self.right.attributes
        ]
        order = np.argsort(both)[::-1]
        agreeing = self._agreeing(left, likely)
        return list(dict.fromkeys([*agreeing, *(int(place) for place in order[:CHOICES] if both[place])]))

    def _agreeing(self, left: int, likely: Pairs) -> list[int]:
        """Attributes of the other side that have equal values most often."""
        ends = pl.DataFrame({"left": likely[:, 0], "right": likely[:, 1]})
        ours = self.tables[0].filter(attribute=left).select(left="entity", text="text")
        theirs = self.tables[1].select(right="entity", text="text", attribute="attribute")
        found = ends.join(ours, on="left").join(theirs, on=["right", "text"])
        return found["attribute"].value_counts(sort=True)["attribute"].head(CHOICES).to_list()

    def _compared(self, left: int, right: int, likely: Pairs) -> Comparison:
        one, other = self.left.attributes[left], self.right.attributes[right]
        plain = Comparison(left, right, _edges(one, other, self._rng), np.zeros(LEVELS), 0.0)
        seen, rarity = self.levels(plain, *np.ascontiguousarray(likely.T))
        drawn, _ = self.levels(plain, *self._drawn)
        any_two = np.bincount(drawn[drawn >= 0], minlength=LEVELS) + 0.5
        any_two = any_two / any_two.sum()
        near = np.arange(LEVELS) > EQUAL
        if _is_numeric(one):  # what was drawn is too little for the nearest, whose share is known
            any_two[1:-1] = np.maximum(np.diff(NEAR, prepend=0.0), 1e-9)
        count = np.bincount(seen[seen >= 0], minlength=LEVELS) + PRIOR * any_two
        same = count / count.sum()
        # how rare an equal value is stands with the value
        weight = np.where(near, np.log(same / any_two), np.log(same))
        told = np.where(seen == MISSING, 0.0, weight[seen] + rarity)
        return Comparison(left, right, plain.edges, weight, float(told.sum()))


def _table(graph: KnowledgeGraph, literals: pl.DataFrame) -> pl.DataFrame:
    """Values of the entities of a graph: entity, relation, kind, text, number."""
    values = normal_values(literals)
    ids = pl.DataFrame({"head": graph.entities, "entity": np.arange(len(graph.entities), dtype=np.int32)})
    table = values.join(ids, on="head").select(
        "entity", "relation", "kind", "number", text=pl.col("kind") + " " + pl.col("text")
    )
    return table.unique().sort("relation", "entity", "text")


def _placed(table: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """The same by id: entity, attribute, text."""
    return table.select(
        "entity",
        attribute=pl.col("relation").rank("dense").cast(pl.Int32) - 1,
        text=pl.col("text").cast(pl.Enum(texts)).to_physical().cast(pl.Int32),
    )


def _side(table: pl.DataFrame, texts: pl.Series, entities: int) -> Side:
    placed = _placed(table, texts).with_columns(number=table["number"].cast(pl.Float64).fill_null(np.nan))
    kept = placed.filter(pl.int_range(pl.len()).over("attribute", "entity") < MOST_VALUES)
    attributes = [
        Attribute(begins(part["entity"].to_numpy(), entities), part["text"].to_numpy(), part["number"].to_numpy())
        for part in kept.partition_by("attribute", maintain_order=True)
    ]
    return Side(table["relation"].unique().sort().to_list(), attributes)


def _is_numeric(attribute: Attribute) -> bool:
    return bool(np.isfinite(attribute.number).mean() > 0.5)


def _shares(attribute: Attribute, texts: int) -> NDArray[np.float64]:
    """The share of the entities with an attribute that have each text."""
    users = np.bincount(attribute.text, minlength=texts)
    return np.maximum(users, 1) / max(1, int((np.diff(attribute.first) > 0).sum()))


def _edges(one: Attribute, other: Attribute, rng: np.random.Generator) -> NDArray[np.float64]:
    """Distances that so many of all pairs of numbers are nearer than, as `NEAR` says."""
    ours, theirs = (attribute.number[np.isfinite(attribute.number)] for attribute in (one, other))
    if not len(ours) or not len(theirs):
        return np.full(len(NEAR), -1.0)
    some = rng.choice(ours, min(len(ours), 100))
    distances = np.abs(some[:, None] - rng.choice(theirs, min(len(theirs), 20_000))).ravel()
    places = np.minimum((NEAR * len(distances)).astype(np.int64), len(distances) - 1)
    return np.partition(distances, places)[places]


@njit(cache=True, parallel=True)
def _levels(one, other, index, edges, share, left, right):  # type: ignore[no-untyped-def]
    """The best level of the values of each pair, and the logarithm of how rare the rarest equal value is."""
    level = np.full(len(left), MISSING, np.int32)
    rarity = np.zeros(len(left))
    for pair in prange(len(left)):
        for ours in range(one.first[left[pair]], one.first[left[pair] + 1]):
            for theirs in range(other.first[right[pair]], other.first[right[pair] + 1]):
                found = LEVELS - 1
                if one.text[ours] == other.text[theirs]:
                    found = EQUAL
                    rarity[pair] = max(rarity[pair], -np.log(share[other.text[theirs]]))
                elif np.isfinite(one.number[ours]) and np.isfinite(other.number[theirs]):
                    distance = abs(one.number[ours] - other.number[theirs])
                    found = min(1 + np.searchsorted(edges, distance), LEVELS - 1)
                else:
                    alike = cosine(index, index, one.text[ours], other.text[theirs])
                    for place in range(len(ALIKE)):
                        if alike >= ALIKE[place]:
                            found = 1 + place
                            break
                if level[pair] == MISSING or found < level[pair]:
                    level[pair] = found
    return level, rarity

"""Texts as a signal: names and descriptions as an encoder understands them, in other words and other languages.

An entity's texts are its names and its values that are sentences rather than words. Two entities are as alike as the
most alike of their texts, by the cosine of the vectors that an encoder makes of them.

What a text says and how a name is spelled follow from the same words. Both count in full all the same, which was better
than half of one, than the larger of both, and than a worth of texts for each degree to which names are alike
(docs/signals.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
import torch
from numba import njit, prange
from numpy.typing import NDArray
from torch import Tensor

from farlink.alignment.likelihood import ENOUGH, Background, LikelihoodRatio
from farlink.alignment.nearest import directions, nearest_both_ways
from farlink.graph.edges import begins
from farlink.graph.ids import Ids, Pairs, distinct_pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import aliases, not_names

if TYPE_CHECKING:
    from farlink.alignment.candidates import Candidates

Weight = Callable[["Candidates"], NDArray[np.float64]]

NEAREST = 20  # texts of the other side that a text brings into question
DRAWN = 200_000  # pairs drawn at random to see how alike any two entities are
MOST = 8  # names of an entity that are compared, and as many longer texts
LONG = 40  # characters from which a value of several words is a text
OFTEN = 20  # entities that have a text: what more have tells none of them apart
UNUSUAL = 0.999  # share of any two entities that are less alike than those that come into question first


class Said(NamedTuple):
    """The texts of a graph's entities: those of entity e are `text[first[e]:first[e + 1]]`, rows of vectors."""

    first: NDArray[np.int64]
    text: Ids
    vectors: NDArray[np.float32]  # of length one

    @property
    def entity(self) -> Ids:
        """Who is told of by each text."""
        return np.repeat(np.arange(len(self.first) - 1, dtype=np.int32), np.diff(self.first))


def texts_of(graph: KnowledgeGraph) -> pl.DataFrame:
    """What is said of entities (entity, text): their names, and values that are long and of several words."""
    ids = pl.DataFrame({"head": graph.entities, "entity": np.arange(len(graph.entities), dtype=np.int32)})
    names = aliases(graph).select("entity", text=pl.col("name").str.replace_all("_", " ", literal=True))
    value = pl.col("value")
    is_text = (value.str.len_chars() >= LONG) & value.str.contains(r"\S\s+\S") & pl.col("datatype").is_null()
    values = not_names(graph.literals).filter(is_text).join(ids, on="head").select("entity", text="value")
    return pl.concat([_some(names), _some(values)]).unique().sort("entity", "text")


def _some(texts: pl.DataFrame) -> pl.DataFrame:
    return texts.unique().sort("entity", "text").filter(pl.int_range(pl.len()).over("entity") < MOST)


def distinct_texts(*tables: pl.DataFrame) -> pl.Series:
    """Each text once, in order."""
    return pl.concat([table["text"] for table in tables]).unique().sort()


def key_of(texts: pl.Series, encoder: str) -> str:
    """What tells vectors of these texts by this encoder from others."""
    return hashlib.sha256("\0".join([encoder, *texts]).encode()).hexdigest()


class Texts:
    """The texts of two graphs, ready to be compared."""

    def __init__(self, tables: tuple[pl.DataFrame, pl.DataFrame], vectors: Tensor, shape: tuple[int, int]) -> None:
        """`vectors` has a row for each of the distinct texts of both tables."""
        texts = distinct_texts(*tables)
        rows = directions(vectors.float())
        understood = texts.filter(
            pl.Series(rows.any(dim=1).numpy())
        )  # of others an encoder says nothing, for or against
        kept = [
            table.join(understood.to_frame("text"), on="text", how="semi").sort("entity", "text") for table in tables
        ]
        self.shape = shape
        self.left, self.right = (_said(table, texts, rows, size) for table, size in zip(kept, shape, strict=True))

    @property
    def known(self) -> bool:
        """Whether both graphs have any."""
        return bool(len(self.left.text) and len(self.right.text))

    def pairs(self, k: int) -> Pairs:
        """Entities that have one of the k texts most like a text of the other, seen from either side; sorted."""
        sides = [(side, _telling(side)) for side in (self.left, self.right)]
        vectors = [torch.from_numpy(side.vectors[rows]) for side, rows in sides]
        (_, forth), (_, back) = nearest_both_ways(vectors[0], vectors[1], k)
        left = np.concatenate([np.repeat(np.arange(len(forth)), forth.shape[1]), back.ravel()])
        right = np.concatenate([forth.ravel(), np.repeat(np.arange(len(back)), back.shape[1])])
        near = distinct_pairs(np.stack([sides[0][1][left], sides[1][1][right]], axis=1))
        frame = pl.DataFrame({"left_text": near[:, 0], "right_text": near[:, 1]})
        for name, side in (("left", self.left), ("right", self.right)):
            frame = frame.join(pl.DataFrame({f"{name}_text": side.text, name: side.entity}), on=f"{name}_text")
        return distinct_pairs(frame.select("left", "right").to_numpy())

    def of(self, left: Ids, right: Ids) -> NDArray[np.float32]:
        """How alike the texts of the entities of each pair are, from 0 to 1; -1 where one of them has no text."""
        return np.asarray(_most_alike(self.left, self.right, left, right))


def _said(table: pl.DataFrame, texts: pl.Series, vectors: Tensor, entities: int) -> Said:
    own = table["text"].unique().sort()
    rows = texts.search_sorted(own).to_numpy()
    found = vectors[torch.from_numpy(rows.astype(np.int64))].numpy()
    places = own.search_sorted(table["text"]).to_numpy().astype(np.int32)
    return Said(begins(table["entity"].to_numpy(), entities), places, np.ascontiguousarray(found))


def _telling(side: Said) -> Ids:
    """Texts that few enough entities have."""
    return np.flatnonzero(np.bincount(side.text, minlength=len(side.vectors)) <= OFTEN).astype(np.int32)


@njit(cache=True, parallel=True, fastmath=True)  # the order of a sum may change, so that it is done in wide steps
def _most_alike(left_said, right_said, left, right):  # type: ignore[no-untyped-def]
    best = np.full(len(left), -1, np.float32)
    for pair in prange(len(left)):
        for ours in range(left_said.first[left[pair]], left_said.first[left[pair] + 1]):
            for theirs in range(right_said.first[right[pair]], right_said.first[right[pair] + 1]):
                one, other = left_said.vectors[left_said.text[ours]], right_said.vectors[right_said.text[theirs]]
                total = np.float32(0)
                for place in range(len(one)):
                    total += one[place] * other[place]
                best[pair] = max(best[pair], min(max(total, np.float32(0)), np.float32(1)))
    return best


class TextSignal:
    """What texts say about pairs beside names: learned on those that are known or likely."""

    def __init__(self, texts: Texts, seeds: Pairs, seed: int, *, list_pairs: bool) -> None:
        self._texts = texts
        self.pairs = texts.pairs(NEAREST) if list_pairs else seeds[:0]
        rng = np.random.default_rng([seed, 0x7E87])
        any_two = texts.of(*(rng.integers(0, count, DRAWN, dtype=np.int32) for count in texts.shape))
        listed = texts.of(*np.ascontiguousarray(self.pairs.T))
        self._background = Background.of(listed, float(np.prod(texts.shape, dtype=float)), any_two)
        # in a small graph many of any two are the same
        usual = min(UNUSUAL, max(0.0, 1 - 3 / max(1, *texts.shape)))
        self._usual = float(np.quantile(any_two, usual).clip(0, 0.99))
        self._seeds = texts.of(*np.ascontiguousarray(seeds.T))

    def unusual(self, left: Ids, right: Ids) -> NDArray[np.float32]:
        """How much more alike the texts of each pair are than those of nearly any two, from 0 to 1."""
        return np.asarray(((self._texts.of(left, right) - self._usual) / (1 - self._usual)).clip(0, 1))

    def weight_of(self, left: Ids, right: Ids) -> Weight:
        """What the texts of some pairs are worth, as a logarithm, once it is known what is thought of these pairs.

        Known pairs decide where there are enough.
        """
        alike, seeds = self._texts.of(left, right), self._seeds

        def weight(candidates: Candidates) -> NDArray[np.float64]:
            if len(seeds) >= ENOUGH:
                return LikelihoodRatio.fit(self._background, seeds, np.ones(len(seeds))).of(alike)
            known = np.concatenate([seeds, alike]), np.concatenate([np.ones(len(seeds)), candidates.score])
            return LikelihoodRatio.fit(self._background, *known).of(alike)

        return weight

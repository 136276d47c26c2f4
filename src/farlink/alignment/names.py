"""Names as a signal: who is called alike, and how much it says that two entities are.

An entity's names are its labels and, where it has none, the readable end of its identifier (`graph.names.aliases`). Two
entities are as alike as the most alike of their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numba import njit, prange
from numpy.typing import NDArray

from farlink.alignment.likelihood import ENOUGH, Background, LikelihoodRatio
from farlink.alignment.similarity import cosine, grams_of, indexes, likeness, nearest_texts
from farlink.graph.edges import begins
from farlink.graph.ids import Ids, Pairs, distinct_pairs, packed
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import aliases
from farlink.text.normal import normal_names

if TYPE_CHECKING:
    from farlink.alignment.candidates import Candidates

NEAREST = 20  # names of the other side that a name brings into question
DRAWN = 200_000  # pairs drawn at random to see how alike any two entities are
LEAST = 0.1  # likeness up to which names have next to nothing in common
ALIASES = 64  # of an entity that are compared at the most, so that a pair costs no more than the square


class _Called(NamedTuple):
    """The names of a graph's entities: those of entity e are `text[first[e]:first[e + 1]]`, places in an index."""

    first: NDArray[np.int64]
    text: Ids

    @property
    def entity(self) -> Ids:
        """Who is called by each name."""
        return np.repeat(np.arange(len(self.first) - 1, dtype=np.int32), np.diff(self.first))


class Names:
    """The names of two graphs, ready to be compared."""

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph) -> None:
        (self._left, left_texts), (self._right, right_texts) = _called(left), _called(right)
        self._indexes = indexes(grams_of(left_texts), grams_of(right_texts))
        self.shape = len(left.entities), len(right.entities)

    @property
    def known(self) -> bool:
        """Whether both graphs have any."""
        return bool(len(self._left.text) and len(self._right.text))

    def pairs(self, k: int) -> Pairs:
        """Entities that have one of the k names most like a name of the other, seen from either side; sorted.

        The names of a side that has more of them ask for fewer, so that neither side lists more pairs than the other.
        """
        left, right = self._indexes
        counts = len(left.first) - 1, len(right.first) - 1
        asked = [max(1, round(k * min(counts) / max(count, 1))) for count in counts]
        forth = np.stack(nearest_texts(left, right, asked[0]), axis=1)
        back = np.stack(nearest_texts(right, left, asked[1])[::-1], axis=1)
        texts = distinct_pairs(np.concatenate([forth, back]))
        return self._called_so(texts[likeness(left, right, texts[:, 0], texts[:, 1]) > LEAST], k)

    def of(self, left: Ids, right: Ids) -> NDArray[np.float32]:
        """How alike the names of the entities of each pair are, from 0 to 1; -1 where one of them has no name."""
        return np.asarray(_most_alike(*self._indexes, self._left, self._right, left, right))

    def _called_so(self, texts: Pairs, k: int) -> Pairs:
        """The entities of pairs of names. A name that more than k entities have tells none of them apart."""
        users = []
        for side, called in zip(texts.T, (self._left, self._right), strict=True):
            count = np.bincount(called.text, minlength=int(side.max(initial=-1)) + 1)
            users.append(np.where(count <= k, count, 0)[side])
        texts = texts[(users[0] > 0) & (users[1] > 0)]
        frame = pl.DataFrame({"left_text": texts[:, 0], "right_text": texts[:, 1]})
        for side, called in (("left", self._left), ("right", self._right)):
            owners = pl.DataFrame({f"{side}_text": called.text, side: called.entity})
            frame = frame.join(owners, on=f"{side}_text")
        return distinct_pairs(frame.select("left", "right").to_numpy())


def _called(graph: KnowledgeGraph) -> tuple[_Called, pl.Series]:
    """Who has which names, and the distinct names in their normal form."""
    table = aliases(graph)
    named = table.select("entity", text=normal_names(table["name"])).filter(pl.col("text") != "").unique()
    named = named.sort("entity", "text").filter(pl.int_range(pl.len()).over("entity") < ALIASES)
    texts = named["text"].unique().sort()
    places = named["text"].cast(pl.Enum(texts)).to_physical().cast(pl.Int32).to_numpy()
    return _Called(begins(named["entity"].to_numpy(), len(graph.entities)), places), texts


@njit(cache=True, parallel=True)
def _most_alike(left_index, right_index, left_called, right_called, left, right):  # type: ignore[no-untyped-def]
    best = np.full(len(left), -1, np.float32)
    for pair in prange(len(left)):
        for one in range(left_called.first[left[pair]], left_called.first[left[pair] + 1]):
            for other in range(right_called.first[right[pair]], right_called.first[right[pair] + 1]):
                alike = cosine(left_index, right_index, left_called.text[one], right_called.text[other])
                best[pair] = max(best[pair], alike)
    return best


class NameSignal:
    """What names say about pairs: learned on those that are known or likely."""

    def __init__(self, names: Names, seeds: Pairs, others: Pairs, seed: int) -> None:
        self._names = names
        self.pairs = distinct_pairs(np.concatenate([names.pairs(NEAREST), others]))  # and others that always count
        rng = np.random.default_rng([seed, 0xA11C])
        drawn = (rng.integers(0, count, DRAWN, dtype=np.int32) for count in names.shape)
        self._packed, self._alike = packed(self.pairs, names.shape[1]), names.of(*self.pairs.T)
        self._background = Background.of(self._alike, float(np.prod(names.shape, dtype=float)), names.of(*drawn))
        self._seeds = names.of(*seeds.T)

    def likeness(self, left: Ids, right: Ids) -> NDArray[np.float32]:
        """How alike the names of each pair are; -1 where one has none. Those of `pairs` are compared once."""
        asked = packed(np.stack([left, right], axis=1), self._names.shape[1])
        place = np.searchsorted(self._packed, asked).clip(max=max(len(self._packed) - 1, 0))
        found = self._packed[place] == asked if len(self._packed) else np.zeros(len(asked), dtype=bool)
        alike = np.empty(len(asked), dtype=np.float32)
        alike[found], alike[~found] = self._alike[place[found]], self._names.of(left[~found], right[~found])
        return alike

    def weight(self, candidates: Candidates) -> NDArray[np.float64]:
        """What the names of each pair are worth, as a logarithm, given what is thought of the pairs so far.

        Known pairs decide where there are enough.
        """
        alike = np.asarray(candidates.alike)
        if len(self._seeds) >= ENOUGH:
            return LikelihoodRatio.fit(self._background, self._seeds, np.ones(len(self._seeds))).of(alike)
        known = np.concatenate([self._seeds, alike]), np.concatenate([np.ones(len(self._seeds)), candidates.score])
        return LikelihoodRatio.fit(self._background, *known).of(alike)

"""Names as a signal: who is called alike, and how much it says that two entities are.

An entity's names are its labels and, where it has none, the readable end of its identifier (`graph.names.aliases`). Two
entities are as alike as the most alike of their names.

A name in a script that the other graph does not use has readings beside it. These are guesses, by a dictionary and by
their sound. So they are compared by how they sound as well: a reading has its `skeleton` behind it, in capital letters,
and so has a second form of each name on the other side. On 5,655 places by their Chinese name alone, beside 36,000
names in Latin letters, the right one is the nearest for .130 by the normal form, for .353 with readings beside it, and
for .422 with readings and skeletons; it is listed for .351, .719 and .775. What their likeness is worth is learned
apart from that of other names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numba import njit, prange
from numpy.typing import NDArray

from farlink.alignment.likelihood import ENOUGH, OfKinds
from farlink.alignment.readings import NO_READINGS, Readings
from farlink.alignment.similarity import cosine, grams_of, indexes, likeness, nearest_texts
from farlink.graph.edges import begins
from farlink.graph.ids import Ids, Pairs, distinct_pairs, packed
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import aliases
from farlink.text.normal import normal_names
from farlink.text.skeleton import skeleton

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

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph, readings: Readings = NO_READINGS) -> None:
        ours, theirs = (_sounding(graph, *some) for graph, some in ((left, readings), (right, readings[::-1])))
        (self._left, left_texts), (self._right, right_texts) = _called(left, ours), _called(right, theirs)
        self._indexes = indexes(grams_of(left_texts), grams_of(right_texts))
        self.shape = len(left.entities), len(right.entities)
        self._read = tuple(
            np.isin(np.arange(size), some["entity"].to_numpy()) for size, some in zip(self.shape, readings, strict=True)
        )

    @property
    def most_kinds(self) -> int:
        """How many kinds of pairs there are."""
        return 2 if any(side.any() for side in self._read) else 1

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

    def kinds(self, left: Ids, right: Ids) -> NDArray[np.int8]:
        """1 for the pairs one of whose entities has readings, else 0."""
        return np.asarray(self._read[0][left] | self._read[1][right]).astype(np.int8)

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


def _sounding(graph: KnowledgeGraph, own: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """A graph's readings and, where the other has some, all its names; each with its skeleton behind it."""
    read = own.rename({"reading": "name"})
    if others.height:
        read = pl.concat([read, aliases(graph)])
    sound = skeleton(read["name"]).str.to_uppercase()
    return read.select("entity", text=normal_names(read["name"]) + " " + sound)


def _called(graph: KnowledgeGraph, sounding: pl.DataFrame) -> tuple[_Called, pl.Series]:
    """Who has which names, and the distinct names in their normal form."""
    table = aliases(graph)
    named = table.select("entity", text=normal_names(table["name"])).filter(pl.col("text") != "").unique()
    named = named.sort("entity", "text").filter(pl.int_range(pl.len()).over("entity") < ALIASES)
    sounding = sounding.unique().sort("entity", "text").filter(pl.int_range(pl.len()).over("entity") < ALIASES)
    named = pl.concat([named, sounding.filter(pl.col("text") != " ")]).unique().sort("entity", "text")
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
        self.drawn = tuple(rng.integers(0, count, DRAWN, dtype=np.int32) for count in names.shape)
        self._drawn = names.of(*self.drawn), names.kinds(*self.drawn)
        self._packed, self._alike = packed(self.pairs, names.shape[1]), names.of(*self.pairs.T)
        listed = self._alike, names.kinds(*self.pairs.T)
        among = float(np.prod(names.shape, dtype=float))
        self._worth = OfKinds.of(names.most_kinds, listed, among, self._drawn)
        self._seeds = names.of(*seeds.T), names.kinds(*seeds.T)

    def likeness(self, left: Ids, right: Ids) -> NDArray[np.float32]:
        """How alike the names of each pair are; -1 where one has none.

        Those of `pairs` are compared once, and so are those asked for that were asked for the last time, too.
        """
        asked = packed(np.stack([left, right], axis=1), self._names.shape[1])
        place = np.searchsorted(self._packed, asked).clip(max=max(len(self._packed) - 1, 0))
        found = self._packed[place] == asked if len(self._packed) else np.zeros(len(asked), dtype=bool)
        alike = np.empty(len(asked), dtype=np.float32)
        alike[found], alike[~found] = self._alike[place[found]], self._names.of(left[~found], right[~found])
        if found.sum() == len(self._packed) and (np.diff(asked) > 0).all():  # nothing that is kept would be lost
            self._packed, self._alike = asked, alike
        return alike

    def weight(self, candidates: Candidates) -> NDArray[np.float64]:
        """What the names of each pair are worth, as a logarithm, given what is thought of the pairs so far."""
        return self.weights(candidates)[0]

    def weights(self, candidates: Candidates) -> tuple[NDArray[np.float64], ...]:
        """The same, and what those of the pairs drawn at random and those of the seeds are worth.

        Known pairs decide where there are enough.
        """
        asked = np.asarray(candidates.alike), self._names.kinds(candidates.left, candidates.right)
        enough = np.bincount(self._seeds[1], minlength=self._names.most_kinds) >= ENOUGH
        known = np.concatenate([self._seeds[0], asked[0]]), np.concatenate([self._seeds[1], asked[1]])
        chance = np.concatenate([np.ones(len(self._seeds[0])), np.where(enough[asked[1]], 0.0, candidates.score)])
        every = [asked, self._drawn, self._seeds]
        alike, kinds = np.concatenate([some[0] for some in every]), np.concatenate([some[1] for some in every])
        found = self._worth.weight((alike, kinds), known, chance)
        ends = np.cumsum([len(some[0]) for some in every])[:-1]
        return tuple(np.split(found, ends))

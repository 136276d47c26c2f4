"""What two sides call the same in different words: a dictionary learned from pairs that are known or likely.

Which word of one side stands for which of the other is counted on likely pairs, by expectation-maximisation, as in the
first of the models of Brown et al. (1993) for translation between languages: every word of a name is the translation
of one of the words of the other name, or of none. What the names of a pair are worth is then a likelihood ratio: how
much likelier the words of one are, given those of the other, than in any name. It is taken in both directions, and the
logarithms are averaged.

A pair must not confirm itself: the left entities are dealt into parts, and what is said of one part is learned from the
pairs of all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numba import njit, prange
from numpy.typing import NDArray

from farlink.alignment.likelihood import ENOUGH, EQUAL, Background, LikelihoodRatio
from farlink.alignment.names import NameSignal
from farlink.alignment.similarity import Index, nearest_texts
from farlink.graph.edges import begins
from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import aliases
from farlink.text.words import words_of

if TYPE_CHECKING:
    from farlink.alignment.candidates import Candidates

PARTS = 4  # of the left entities; each is judged by what the others teach
STEPS = 5  # of expectation-maximisation
PRIOR = 1.0  # words that what is said in any name counts as, beside what a word was seen to stand for
SAME = 1.0  # and that the same word on the other side counts as
MOST_WORDS = 24  # of an entity
SPREAD = 8  # words of the other side that a word may stand for where names are looked for
LEAST = 0.02  # chance of a word from which on it is looked for
NEAREST = 20  # entities of the other side that the words of an entity bring into question
SPAN = 40.0  # log likelihood ratio from which on more makes no difference


class _Side(NamedTuple):
    """The words of entities: those of entity e are `word[first[e]:first[e + 1]]`, places among all words of a side."""

    first: NDArray[np.int64]
    word: Ids
    share: NDArray[np.float64]  # of each word among all


class _Lexicon(NamedTuple):
    """For each word of a side the words of the other that it may stand for, in compressed rows, and how often it does.

    A word that was never seen with it has the chance `rest` times its share.
    """

    first: NDArray[np.int64]
    word: Ids
    chance: NDArray[np.float64]  # of each, beyond `rest` times its share
    rest: NDArray[np.float64]  # of each word of this side


class Translations:
    """The words of two graphs, and what they are worth once pairs are known."""

    def __init__(self, left: KnowledgeGraph, right: KnowledgeGraph, seed: int) -> None:
        tables = [_table(graph) for graph in (left, right)]
        vocabularies = [table["word"].unique().sort() for table in tables]
        sizes = len(left.entities), len(right.entities)
        self.left, self.right = (
            _side(table, words, size) for table, words, size in zip(tables, vocabularies, sizes, strict=True)
        )
        self._same = _same_words(*vocabularies)
        self._part = np.random.default_rng([seed, 0x1E81]).integers(0, PARTS, sizes[0])

    def learned(self, likely: Pairs) -> Dictionary:
        """The dictionary that likely pairs teach."""
        forth = _lexicons(self.left, self.right, likely, self._part, self._same)
        back = _lexicons(self.right, self.left, likely[:, ::-1], self._part, self._same[:, ::-1], by_other=True)
        return Dictionary(self.left, self.right, self._part, forth, back)


class Dictionary:
    """What stands for what, as the pairs of the other parts say."""

    def __init__(
        self, left: _Side, right: _Side, part: NDArray[np.int64], forth: list[_Lexicon], back: list[_Lexicon]
    ) -> None:
        self.left, self.right, self._part = left, right, part
        self.forth, self.back = forth, back

    def weight(self, left: Ids, right: Ids) -> NDArray[np.float64]:
        """The logarithm of how much likelier the words of each pair make it; nan where one has no words."""
        total = np.empty(len(left))
        part = self._part[left]
        for number in range(PARTS):
            asked = np.flatnonzero(part == number)
            ours, theirs = left[asked], right[asked]
            total[asked] = _weights(self.left, self.right, self.forth[number], ours, theirs)
            total[asked] += _weights(self.right, self.left, self.back[number], theirs, ours)
        return total / 2

    def pairs(self, k: int) -> Pairs:
        """Left entities and the k right ones whose words are most like theirs, translated.

        A left side that is larger asks for fewer, so that the list is not longer than the right side would make it.
        """
        sizes = len(self.left.first) - 1, len(self.right.first) - 1
        asked = max(1, round(k * min(sizes) / max(sizes[0], 1)))
        found, right = [], _as_index(self.right)
        for number in range(PARTS):
            own = np.flatnonzero(self._part == number).astype(np.int32)
            query, other = nearest_texts(_translated(self.left, self.right, self.forth[number], own), right, asked)
            found.append(np.stack([own[query], other], axis=1))
        return np.concatenate(found).astype(np.int32)


class TranslatedNames:
    """What names are worth, letter by letter and by the words that stand for each other.

    Both look at the same names, and what one of them finds the other often finds, too. So their sum is only an order:
    what it is worth is learned once more.
    """

    def __init__(self, names: NameSignal, dictionary: Dictionary, seeds: Pairs) -> None:
        self._names, self._dictionary = names, dictionary
        self._all = float(len(dictionary.left.first) - 1) * (len(dictionary.right.first) - 1)
        self._drawn, self._seeds = self._likeness(*names.drawn), self._likeness(*seeds.T)

    def weight_of(self, left: Ids, right: Ids) -> Callable[[Candidates], NDArray[np.float64]]:
        """What the names of some pairs are worth, as a logarithm, once it is known what is thought of these pairs."""
        asked, seeds = self._likeness(left, right), self._seeds
        background = Background.of(asked, self._all, self._drawn)

        def weight(candidates: Candidates) -> NDArray[np.float64]:
            chance = np.zeros(len(asked)) if len(seeds) >= ENOUGH else candidates.score
            chance = np.concatenate([chance, np.ones(len(seeds))])
            words = LikelihoodRatio.fit(background, np.concatenate([asked, seeds]), chance)
            names = self._names.weights(candidates)
            sums = [one + words.of(some) for one, some in zip(names, (asked, self._drawn, seeds), strict=True)]
            order, any_two, known = _on_one_scale(sums)
            anew = Background.of(order, self._all, any_two)
            return LikelihoodRatio.fit(anew, np.concatenate([order, known]), chance).of(order)

        return weight

    def _likeness(self, left: Ids, right: Ids) -> NDArray[np.float32]:
        """How much the words of each pair say, from 0 to 1; -1 where one has none."""
        said = self._dictionary.weight(np.ascontiguousarray(left), np.ascontiguousarray(right)) / SPAN
        return np.where(np.isnan(said), -1.0, said.clip(0, EQUAL - 1e-3)).astype(np.float32)


def _on_one_scale(weights: list[NDArray[np.float64]]) -> list[NDArray[np.float32]]:
    """Weights as likenesses, from 0 to just below 1 for the greatest of the first."""
    least, most = (float(end(weights[0], initial=0.0)) for end in (np.min, np.max))
    return [((some - least) / max(most - least, 1e-9)).clip(0, EQUAL - 1e-3).astype(np.float32) for some in weights]


def _table(graph: KnowledgeGraph) -> pl.DataFrame:
    """The distinct words of each entity's names: entity, word."""
    named = aliases(graph)
    table = named.select("entity", word=words_of(named["name"])).explode("word").filter(pl.col("word").is_not_null())
    table = table.unique().sort("entity", "word")
    return table.filter(pl.int_range(pl.len()).over("entity") < MOST_WORDS)


def _side(table: pl.DataFrame, words: pl.Series, entities: int) -> _Side:
    place = table["word"].cast(pl.Enum(words)).to_physical().cast(pl.Int32).to_numpy()
    users = np.bincount(place, minlength=len(words)).astype(np.float64)
    return _Side(begins(table["entity"].to_numpy(), entities), place, users / max(1.0, users.sum()))


def _same_words(left: pl.Series, right: pl.Series) -> Pairs:
    """Places of the words that both sides have."""
    both = (
        pl.DataFrame({"word": left})
        .with_row_index("left")
        .join(pl.DataFrame({"word": right}).with_row_index("right"), on="word")
    )
    return both.select("left", "right").to_numpy().astype(np.int32)


def _lexicons(
    left: _Side, right: _Side, likely: Pairs, part: NDArray[np.int64], same: Pairs, *, by_other: bool = False
) -> list[_Lexicon]:
    """For each part of the left entities (of the right ones: `by_other`) what all other pairs teach."""
    pair, ours, theirs = _met(left.first, left.word, right.first, right.word, likely[:, 0], likely[:, 1])
    key = np.concatenate([ours.astype(np.int64) * len(right.share) + theirs, _keys(same, len(right.share))])
    distinct, place = np.unique(key, return_inverse=True)
    word, other = distinct // len(right.share), (distinct % len(right.share)).astype(np.int32)
    prior = PRIOR * right.share[other]
    prior[place[len(ours) :]] += SAME
    weight = np.full(len(left.share), PRIOR)
    weight[same[:, 0]] += SAME
    first = begins(word, len(left.share))
    place = place[: len(ours)]
    out = part[likely[:, 1] if by_other else likely[:, 0]]
    group = np.concatenate([[0], np.flatnonzero(np.diff(pair) | np.diff(theirs)) + 1, [len(pair)]])
    if not len(pair):
        group = np.zeros(1, np.int64)
    out = out[pair[group[:-1]]] if len(pair) else out[:0]
    dealt = _dealt_out(place, group, out, word, other, prior, weight, right.share)
    return [
        _Lexicon(first, other, chance - rest[word] * right.share[other], rest)
        for chance, rest in zip(*dealt, strict=True)
    ]


def _keys(pairs: Pairs, width: int) -> NDArray[np.int64]:
    return pairs[:, 0].astype(np.int64) * width + pairs[:, 1]


@njit(cache=True)
def _met(left_first, left_word, right_first, right_word, lefts, rights):  # type: ignore[no-untyped-def]
    """Every word of the left and of the right of each pair: the pair and both words, by the right word."""
    size = 0
    for pair in range(len(lefts)):
        ours = left_first[lefts[pair] + 1] - left_first[lefts[pair]]
        size += ours * (right_first[rights[pair] + 1] - right_first[rights[pair]])
    which, one, other = np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.int32)
    size = 0
    for pair in range(len(lefts)):
        for theirs in range(right_first[rights[pair]], right_first[rights[pair] + 1]):
            for ours in range(left_first[lefts[pair]], left_first[lefts[pair] + 1]):
                which[size], one[size], other[size] = pair, left_word[ours], right_word[theirs]
                size += 1
    return which, one, other


@njit(cache=True, parallel=True)
def _dealt_out(place, group, out, word, other, prior, weight, share):  # type: ignore[no-untyped-def]
    """Expectation-maximisation without the pairs of each part in turn."""
    chances = np.empty((PARTS, len(word)))
    rests = np.empty((PARTS, len(weight)))
    for part in prange(PARTS):
        chance = np.ones(len(word))
        for step in range(STEPS):
            count, total = prior.copy(), weight.copy()
            for one in range(len(group) - 1):
                if out[one] == part:
                    continue
                every = PRIOR * share[other[place[group[one]]]] if step else 1.0  # of no word of the name
                for entry in range(group[one], group[one + 1]):
                    every += chance[place[entry]]
                for entry in range(group[one], group[one + 1]):
                    dealt = chance[place[entry]] / every
                    count[place[entry]] += dealt
                    total[word[place[entry]]] += dealt
            for entry in range(len(word)):
                chance[entry] = count[entry] / total[word[entry]]
        chances[part] = chance
        rests[part] = PRIOR / total
    return chances, rests


@njit(cache=True, parallel=True)
def _weights(left, right, lexicon, lefts, rights):  # type: ignore[no-untyped-def]
    """The logarithm of how much likelier the words of the right make each pair, given those of the left."""
    order = np.argsort(lefts)
    starts = np.empty(len(lefts) + 1, np.int64)
    groups = 0
    for entry in range(len(order)):
        if entry == 0 or lefts[order[entry]] != lefts[order[entry - 1]]:
            starts[groups] = entry
            groups += 1
    starts[groups] = len(order)
    found = np.empty(len(lefts))
    blocks = 64
    for block in prange(blocks):
        chance = np.zeros(len(right.share))
        for one in range(block * groups // blocks, (block + 1) * groups // blocks):
            entity = lefts[order[starts[one]]]
            words = left.first[entity + 1] - left.first[entity]
            rest = 1.0  # of no word of the name
            for place in range(left.first[entity], left.first[entity + 1]):
                word = left.word[place]
                rest += lexicon.rest[word]
                for entry in range(lexicon.first[word], lexicon.first[word + 1]):
                    chance[lexicon.word[entry]] += lexicon.chance[entry]
            for asked in range(starts[one], starts[one + 1]):
                candidate = rights[order[asked]]
                total = 0.0
                for place in range(right.first[candidate], right.first[candidate + 1]):
                    word = right.word[place]
                    total += np.log((rest + chance[word] / right.share[word]) / (words + 1))
                said = words > 0 and right.first[candidate + 1] > right.first[candidate]
                found[order[asked]] = total if said else np.nan
            for place in range(left.first[entity], left.first[entity + 1]):
                word = left.word[place]
                for entry in range(lexicon.first[word], lexicon.first[word + 1]):
                    chance[lexicon.word[entry]] = 0.0
    return found


def _as_index(side: _Side) -> Index:
    """The words of each entity, rare ones weighing more, as a direction."""
    weight = -np.log(side.share[side.word])
    return _of_length_one(side.first, side.word, weight)


def _translated(left: _Side, right: _Side, lexicon: _Lexicon, entities: Ids) -> Index:
    """The words that those of some entities may stand for, as directions."""
    return _of_length_one(*_spread(left, lexicon, entities, -np.log(right.share)))


def _of_length_one(first: NDArray[np.int64], word: Ids, weight: NDArray[np.float64]) -> Index:
    row = np.repeat(np.arange(len(first) - 1), np.diff(first))
    length = np.sqrt(np.maximum(np.bincount(row, weight**2, minlength=len(first) - 1), 1e-12))
    return Index(first, word, (weight / length[row]).astype(np.float32))


@njit(cache=True)
def _likeliest(first, chance):  # type: ignore[no-untyped-def]
    """The places of the few likeliest entries of each row, the likeliest first; -1 where there are fewer."""
    best = np.full((len(first) - 1, SPREAD), -1, np.int64)
    for row in range(len(first) - 1):
        size = 0
        for entry in range(first[row], first[row + 1]):
            if chance[entry] < LEAST or (size == SPREAD and chance[entry] <= chance[best[row, SPREAD - 1]]):
                continue
            size = min(size + 1, SPREAD)
            place = size - 1
            while place > 0 and chance[best[row, place - 1]] < chance[entry]:
                best[row, place] = best[row, place - 1]
                place -= 1
            best[row, place] = entry
    return best


@njit(cache=True)
def _spread(left, lexicon, entities, rarity):  # type: ignore[no-untyped-def]
    best = _likeliest(lexicon.first, lexicon.chance)
    room = 0
    for entity in entities:
        room += SPREAD * (left.first[entity + 1] - left.first[entity])
    first, words, weights = np.zeros(len(entities) + 1, np.int64), np.empty(room, np.int32), np.empty(room)
    size = 0
    for row in range(len(entities)):
        entity, begin = entities[row], size
        for place in range(left.first[entity], left.first[entity + 1]):
            for entry in best[left.word[place]]:
                if entry < 0:
                    break
                word = lexicon.word[entry]
                weight = lexicon.chance[entry] * rarity[word]
                for other in range(begin, size):
                    if words[other] == word:
                        weights[other] = max(weights[other], weight)
                        break
                else:
                    words[size], weights[size] = word, weight
                    size += 1
        first[row + 1] = size
    return first, words[:size].copy(), weights[:size].copy()

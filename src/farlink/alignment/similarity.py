"""How alike texts are: the cosine of their character n-grams, each weighted by how rare it is (TF-IDF).

The nearest texts of another list are found through the n-grams that they share, the rarest first, and no further than a
number of entries that does not grow with the list: what is common to half of all names tells next to nothing apart. So
the cost is linear in the texts.

A text is a row of an index in compressed rows: its distinct n-grams, hashed, in order, and their weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numba import get_num_threads, njit, prange
from numpy.typing import NDArray

from farlink.graph.ids import Ids

SHORTEST, LONGEST = 2, 4  # characters of an n-gram
HASHES = 2**22  # more than there are n-grams in most lists of names, so that few share one
ENTRIES = 5_000  # of other texts looked at for a text; four times as many found .0003 more of the right names


class Grams(NamedTuple):
    """The n-grams of texts: those of text i are `gram[first[i]:first[i + 1]]`, hashed, in order."""

    first: NDArray[np.int64]
    gram: NDArray[np.int32]


class Index(NamedTuple):
    """Texts as directions: of length one, unless a text has no n-gram."""

    first: NDArray[np.int64]
    gram: NDArray[np.int32]
    weight: NDArray[np.float32]


def grams_of(texts: pl.Series) -> Grams:
    """The distinct n-grams of each text; the beginning and the end of a text count as a blank."""
    padded = " " + texts + " "
    start = np.concatenate([[0], np.cumsum(padded.str.len_chars().to_numpy().astype(np.int64))])
    codes = np.frombuffer("".join(padded.to_list()).encode("utf-32-le"), np.uint32)
    return Grams(*_distinct_grams(codes, start))


def indexes(left: Grams, right: Grams) -> tuple[Index, Index]:
    """Both lists weighted alike: an n-gram counts the logarithm of how many texts there are for one that has it."""
    users = np.bincount(left.gram, minlength=HASHES) + np.bincount(right.gram, minlength=HASHES)
    texts = len(left.first) + len(right.first) - 2
    rarity = np.log((1 + texts) / (1 + users)).astype(np.float32)
    return _weighted(left, rarity), _weighted(right, rarity)


def nearest_texts(queries: Index, others: Index, k: int) -> tuple[Ids, Ids]:
    """The k other texts most like each query by the n-grams that are looked at, as pairs (query, other)."""
    begin, text, weight = _by_gram(others)
    best = _nearest(queries, begin, text, weight, len(others.first) - 1, k, ENTRIES, get_num_threads())
    query, place = np.nonzero(best >= 0)
    return query.astype(np.int32), best[query, place]


def _weighted(grams: Grams, rarity: NDArray[np.float32]) -> Index:
    weight = rarity[grams.gram]
    squares = np.concatenate([[0.0], np.cumsum(weight.astype(np.float64) ** 2)])
    length = np.sqrt(np.maximum(np.diff(squares[grams.first]), 1e-12))
    scale = np.repeat(1 / length, np.diff(grams.first)).astype(np.float32)
    return Index(*grams, np.asarray(weight * scale, dtype=np.float32))


def _by_gram(index: Index) -> tuple[NDArray[np.int64], Ids, NDArray[np.float32]]:
    """The texts of every n-gram, in compressed rows by n-gram."""
    text = np.repeat(np.arange(len(index.first) - 1, dtype=np.int32), np.diff(index.first))
    order = np.argsort(index.gram, kind="stable")
    return np.searchsorted(index.gram[order], np.arange(HASHES + 1)), text[order], index.weight[order]


@njit(cache=True)
def _distinct_grams(codes, start):  # type: ignore[no-untyped-def]
    texts = len(start) - 1
    room = 0
    for text in range(texts):
        room += (LONGEST - SHORTEST + 1) * max(start[text + 1] - start[text], 0)
    first, gram = np.zeros(texts + 1, np.int64), np.empty(room, np.int32)
    size = 0
    for text in range(texts):
        begin = size
        for length in range(SHORTEST, LONGEST + 1):
            for place in range(start[text], start[text + 1] - length + 1):
                bits = np.uint64(14695981039346656037)  # FNV-1a, by code points
                for character in range(place, place + length):
                    bits = (bits ^ np.uint64(codes[character])) * np.uint64(1099511628211)
                gram[size] = np.int32((bits ^ (bits >> np.uint64(31))) % np.uint64(HASHES))
                size += 1
        gram[begin:size].sort()
        kept = begin
        for place in range(begin, size):
            if kept == begin or gram[place] != gram[kept - 1]:
                gram[kept] = gram[place]
                kept += 1
        size = kept
        first[text + 1] = size
    return first, gram[:size].copy()


@njit(cache=True, parallel=True)
def _nearest(queries, begin, text, weight, texts, k, entries, threads):  # type: ignore[no-untyped-def]
    count = len(queries.first) - 1
    best = np.full((count, k), -1, np.int32)
    for thread in prange(threads):
        shared, touched, scores = np.zeros(texts, np.float32), np.empty(texts, np.int32), np.empty(k, np.float32)
        for query in range(thread, count, threads):
            row = slice(queries.first[query], queries.first[query + 1])
            grams, weights = queries.gram[row], queries.weight[row]
            users = begin[grams + 1] - begin[grams]
            looked_at, reached = 0, 0
            for place in np.argsort(users):
                if looked_at and looked_at + users[place] > entries:
                    break
                looked_at += users[place]
                if weights[place] == 0:  # all texts have it
                    continue
                for entry in range(begin[grams[place]], begin[grams[place] + 1]):
                    other = text[entry]
                    if shared[other] == 0:
                        touched[reached] = other
                        reached += 1
                    shared[other] += weights[place] * weight[entry]
            size = 0
            for entry in range(reached):  # insertion into the k best
                other = touched[entry]
                score, shared[other] = shared[other], 0
                if size == k and score <= scores[k - 1]:
                    continue
                size = min(size + 1, k)
                place = size - 1
                while place > 0 and scores[place - 1] < score:
                    scores[place], best[query, place] = scores[place - 1], best[query, place - 1]
                    place -= 1
                scores[place], best[query, place] = score, other
    return best


@njit(cache=True)
def cosine(left, right, one, other):  # type: ignore[no-untyped-def]
    """The cosine of one text of each index."""
    place, ours = left.first[one], left.first[one + 1]
    counterpart, theirs = right.first[other], right.first[other + 1]
    total = np.float32(0)
    while place < ours and counterpart < theirs:
        if left.gram[place] == right.gram[counterpart]:
            total += left.weight[place] * right.weight[counterpart]
            place, counterpart = place + 1, counterpart + 1
        elif left.gram[place] < right.gram[counterpart]:
            place += 1
        else:
            counterpart += 1
    return total


@njit(cache=True, parallel=True)
def likeness(left, right, rows, columns):  # type: ignore[no-untyped-def]
    """The cosine of each pair of texts."""
    cosines = np.empty(len(rows), np.float32)
    for pair in prange(len(rows)):
        cosines[pair] = cosine(left, right, rows[pair], columns[pair])
    return cosines

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farlink.alignment.similarity import cosine, grams_of, indexes, likeness, nearest_texts

WORDS = st.text(alphabet="abcdé 日", max_size=8)
LISTS = st.lists(WORDS, min_size=1, max_size=8)
SOME = 12  # an index has a place for each of four million hashes, which takes its time


def ngrams(text):
    padded = f" {text} "
    return {padded[i : i + n] for n in (2, 3, 4) for i in range(len(padded) - n + 1)}


def expected(left, right):
    """Cosines of TF-IDF vectors, by dictionaries and dense numpy."""
    every = [ngrams(text) for text in (*left, *right)]
    users = Counter(gram for grams in every for gram in grams)
    column = {gram: place for place, gram in enumerate(users)}
    matrix = np.zeros((len(every), len(users)))
    for row, grams in enumerate(every):
        for gram in grams:
            matrix[row, column[gram]] = np.log((1 + len(every)) / (1 + users[gram]))
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-6)
    return matrix[: len(left)] @ matrix[len(left) :].T


def indexed(left, right):
    return indexes(*(grams_of(pl.Series(texts, dtype=pl.String)) for texts in (left, right)))


def all_pairs(left, right):
    rows, columns = np.indices((len(left), len(right)), dtype=np.int32).reshape(2, -1)
    return likeness(*indexed(left, right), rows, columns).reshape(len(left), len(right))


def test_the_distinct_ngrams_of_a_text_are_counted_with_its_ends_as_blanks():
    grams = grams_of(pl.Series(["anna", "", "日本"]))
    assert np.diff(grams.first).tolist() == [len(ngrams(text)) for text in ("anna", "", "日本")]
    one = grams.gram[grams.first[0] : grams.first[1]]
    assert (np.diff(one) > 0).all()


def test_equal_texts_have_equal_ngrams_wherever_they_stand():
    grams = grams_of(pl.Series(["rome", "paris", "rome"]))
    first, _, last = (grams.gram[grams.first[i] : grams.first[i + 1]].tolist() for i in range(3))
    assert first == last


def test_without_texts_there_are_no_ngrams():
    grams = grams_of(pl.Series([], dtype=pl.String))
    assert grams.first.tolist() == [0]
    assert len(grams.gram) == 0
    assert [len(ids) for ids in nearest_texts(*indexes(grams, grams_of(pl.Series(["a"]))), 2)] == [0, 0]
    assert [len(ids) for ids in nearest_texts(*indexes(grams_of(pl.Series(["a"])), grams), 2)] == [0, 0]


@pytest.mark.slow
@settings(deadline=None, max_examples=SOME)
@given(LISTS, LISTS)
def test_likeness_is_the_cosine_of_rare_ngrams(left, right):
    np.testing.assert_allclose(all_pairs(left, right), expected(left, right), atol=1e-5)


@pytest.mark.slow
@settings(deadline=None, max_examples=SOME)
@given(LISTS, LISTS)
def test_likeness_is_the_same_from_either_side(left, right):
    np.testing.assert_allclose(all_pairs(left, right), all_pairs(right, left).T, atol=1e-6)


@pytest.mark.slow
@settings(deadline=None, max_examples=SOME)
@given(LISTS)
def test_equal_texts_are_wholly_alike(texts):
    alike = np.diag(all_pairs([*texts, "something else"], [*texts, "what none of them has"]))[: len(texts)]
    np.testing.assert_allclose(alike, 1, atol=1e-5)


@pytest.mark.parametrize(("one", "other"), [("rome", "paky"), ("日本", "rome"), ("rome", ""), ("", "rome")])
def test_texts_without_a_common_ngram_have_nothing_in_common(one, other):
    assert all_pairs([one, "x"], [other, "y"])[0, 0] == 0


def test_an_ngram_that_all_texts_have_counts_nothing():
    assert all_pairs(["abc"], ["abc"])[0, 0] == 0
    assert all_pairs(["the one", "the two"], ["the six"])[0, 0] < 0.3


def test_one_cosine_is_that_of_the_list():
    left, right = indexed(["rome", "paris"], ["roma", "parigi"])
    assert cosine(left, right, 1, 1) == likeness(left, right, np.array([1]), np.array([1]))[0]


def nearest_of(left, right, k):
    return set(zip(*(ids.tolist() for ids in nearest_texts(*indexed(left, right), k)), strict=True))


@pytest.mark.slow
@settings(deadline=None, max_examples=2 * SOME)
@given(LISTS, LISTS, st.integers(1, 4))
def test_the_nearest_texts_are_those_of_all_pairs(left, right, k):
    found, dense = nearest_of(left, right, k), expected(left, right)
    for row, scores in enumerate(dense):
        mine = sorted((float(scores[column]) for query, column in found if query == row), reverse=True)
        best = sorted((score for score in scores.tolist() if score > 1e-7), reverse=True)[:k]
        assert mine == pytest.approx(best, abs=1e-5)


def test_what_all_texts_have_brings_nobody_together():
    # each of the common n-grams is met in every text, and none of them says anything
    left, right = ([f"concept of the {side} number {i}" for i in range(30)] for side in ("a", "b"))
    query, other = nearest_texts(*indexed(left, right), 40)
    pairs = list(zip(query.tolist(), other.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert nearest_of(["abc"], ["abc"], 3) == set()

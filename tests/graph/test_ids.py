import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from farlink.graph.ids import distinct_pairs, lookup, moved, shuffled_names, shuffled_places, sorted_distinct, unseeded

NAMES = st.lists(st.text(max_size=3), unique=True, max_size=20).map(lambda names: pl.Series(names, dtype=pl.String))


def test_an_unknown_name_has_no_id():
    assert lookup(pl.Series(["x", "y"]), pl.Series(["y", "z"])).tolist() == [1, -1]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 9)), max_size=40), st.booleans())
def test_rows_are_sorted_and_distinct_however_large_the_ids(rows, large):
    triples = np.array(rows, dtype=np.int32).reshape(-1, 3) * (2**31 // 10 if large else 1)
    assert np.array_equal(sorted_distinct(triples), np.unique(triples, axis=0))


def test_seeds_are_no_candidates():
    assert unseeded(5, np.array([1, 3], dtype=np.int32)).tolist() == [0, 2, 4]


@given(NAMES, st.integers(0, 9), st.randoms())
def test_the_order_of_names_depends_on_nothing_but_the_names_and_the_seed(names, seed, random):
    mixed = random.sample(names.to_list(), len(names))
    assert shuffled_names(pl.Series([*mixed, *mixed], dtype=pl.String), seed).equals(shuffled_names(names, seed))


@given(NAMES, st.integers(0, 9))
def test_the_places_of_names_are_those_of_a_look_up(names, seed):
    shuffled = shuffled_names(names, seed)
    places = shuffled_places(names, seed)
    assert places.tolist() == [shuffled.to_list().index(name) for name in names]
    assert moved(names, places).equals(shuffled)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), st.booleans())
def test_pairs_are_sorted_and_distinct_however_large_the_ids(rows, large):
    pairs = np.array(rows, dtype=np.int32).reshape(-1, 2) * (2**31 // 10 if large else 1)
    found = distinct_pairs(pairs)
    assert np.array_equal(found, np.unique(pairs, axis=0))
    assert found.dtype == np.int32

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from farlink.text.normal import normal_names
from farlink.text.words import words_of


def words(*names):
    return words_of(pl.Series(names, dtype=pl.String)).to_list()


def test_words_are_those_of_the_normal_form():
    assert words("São_Paulo (City)", "Kyiv", "") == [["city", "paulo", "sao"], ["kyiv"], []]


def test_a_word_that_comes_twice_is_one():
    assert words("Baden-Baden") == [["baden"]]


def test_scripts_without_blanks_have_their_characters_and_every_two_in_a_row():
    assert words("北京市") == [["京", "京市", "北", "北京", "市"]]


def test_both_kinds_of_words_may_stand_in_one_name():
    assert words("北京 Olympic", "2008年") == [["olympic", "京", "北", "北京"], ["2008", "年"]]


def test_no_two_characters_are_joined_across_a_gap():
    assert "京上" not in words("北京 上海")[0]


@given(st.lists(st.text(st.characters(codec="ascii"), max_size=20), max_size=8))
def test_in_latin_letters_they_are_the_distinct_words_of_the_normal_form(names):
    series = pl.Series(names, dtype=pl.String)
    expected = [sorted(set(normal.split())) for normal in normal_names(series).to_list()]
    assert words_of(series).to_list() == expected

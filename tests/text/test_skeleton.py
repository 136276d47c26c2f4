import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.text.skeleton import skeleton


def skeletons(*names):
    return skeleton(pl.Series(names, dtype=pl.String)).to_list()


@pytest.mark.parametrize(
    "names",
    [
        ("Abdullah Gül", "abudula juer"),  # as 阿卜杜拉·居尔 sounds
        ("Philip", "Filip", "Filipp"),
        ("Carl", "Karl"),
        ("Beijing", "Peiking"),
        ("Viktor", "Wictor"),
        ("Thomas", "Tomas", "Domas"),
    ],
)
def test_names_that_sound_alike_have_one_skeleton(names):
    assert len(set(skeletons(*names))) == 1


def test_a_first_vowel_counts_and_which_one_does_not():
    assert skeletons("Anna", "Enno", "Nana", "Aa") == ["an", "an", "nn", "a"]


def test_numbers_and_words_stay():
    assert skeletons("Apollo 11", "", None, "!") == ["apl 11", "", None, ""]


@given(st.lists(st.none() | st.text()))
def test_a_skeleton_has_the_words_of_the_name(names):
    from farlink.text.normal import normal_names

    normal = normal_names(pl.Series(names, dtype=pl.String)).to_list()
    for name, bones in zip(normal, skeletons(*names), strict=True):
        assert (name is None) == (bones is None)
        assert len((name or "").split()) == len((bones or "").split())

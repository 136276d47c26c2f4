import time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farlink.text.normal import normal_names, without_qualifier


def normal(*names):
    return normal_names(pl.Series(names, dtype=pl.String)).to_list()


def bare(*names):
    return without_qualifier(pl.Series(names, dtype=pl.String)).to_list()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("New_York", "new york"),
        ("  Rock 'n'\tRoll! ", "rock n roll"),
        ("Ångström", "angstrom"),
        ("STRASSE Straße", "strasse strasse"),
        ("ﬁ ①², ½", "fi 12 1 2"),
        ("İstanbul", "istanbul"),
        ("Рязань", "ryazan"),  # the sign that anyascii writes for ь is part of the word
        ("北京", "beijing"),
        ("東京タワー", "dongjingtawa"),
        ("한국어", "hangugeo"),
        ("مُحَمَّد", "muhamad"),
        ("לוד", "lvd"),
        ("नमस्ते", "nmste"),
        ("居尔·X", "juer x"),
        ("!?… _", ""),
        ("", ""),
    ],
)
def test_names_are_compared_without_case_marks_punctuation_and_script(name, expected):
    assert normal(name) == [expected]


def test_marks_that_stand_by_themselves_come_off_like_those_that_do_not():
    assert normal("e\u0301a\u0308", "éä") == ["ea", "ea"]


def test_what_is_not_seen_does_not_part_a_word():
    assert normal("soft\u00adware", "\u202bright\u202c", "a\u200db", "ze\ufeffro") == [
        "software",
        "right",
        "ab",
        "zero",
    ]


def test_control_characters_part_words():
    assert normal("a\x00b\x1bc\nd") == ["a b c d"]


def test_a_name_that_is_not_there_stays_so_and_places_and_title_are_kept():
    names = pl.Series("label", ["Ä", None, "b", "Ä", None])
    assert normal_names(names).equals(pl.Series("label", ["a", None, "b", "a", None]), check_names=True)


def test_no_names_are_no_names():
    assert normal() == bare() == []


@given(st.lists(st.none() | st.text()))
def test_a_normal_form_is_words_of_ascii_and_its_own_normal_form(names):
    found = normal(*names)
    assert normal(*found) == found
    assert [name is None for name in names] == [name is None for name in found]
    for name in filter(None, found):
        assert name == " ".join(name.split())
        assert all(word.isascii() and word.isalnum() and word == word.lower() for word in name.split())


@given(st.text(), st.text())
def test_a_name_is_read_by_itself(one, other):
    assert normal(one, other) == normal(one) + normal(other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Self Portrait (Bob Dylan album)", "self portrait"),
        ("Self_Portrait_(Bob_Dylan_album)", "self portrait"),
        ("Saint-Joseph-de-Coleraine, Quebec", "saint joseph de coleraine"),
        ("Paris, Texas (film)", "paris"),
        ("守山區 （名古屋市）", "shoushanqu"),
        ("10,000 Maniacs", "10 000 maniacs"),
        ("(a) b", "a b"),
        ("(What's the Story)", "what s the story"),
        (", Quebec", "quebec"),
        ("plain", "plain"),
        (None, None),
    ],
)
def test_what_tells_a_name_from_others_alike_can_be_left_out(name, expected):
    assert bare(name) == [expected]


@pytest.mark.slow
def test_a_million_names_take_seconds():
    number = pl.int_range(1_000_000, dtype=pl.UInt32)
    names = pl.select(
        pl.when(number % 10 == 0)
        .then(pl.format("Zürich_(Kreis {})", number))
        .otherwise(pl.format("Some_Person’s Name {}".replace("’", "'"), number))
    ).to_series()
    started = time.process_time()
    normal_names(names)
    assert time.process_time() - started < 5


@pytest.mark.slow
def test_a_name_of_ten_megabytes_takes_a_moment():
    started = time.process_time()
    assert normal("é" * 10_000_000 + "(" * 10_000, "a_" * 5_000_000)[1][:5] == "a a a"
    bare("(" * 10_000_000)
    assert time.process_time() - started < 10

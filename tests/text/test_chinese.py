import pytest

pytest.importorskip("pypinyin", reason="needs the extra: pip install 'farlink[languages]'")

from hypothesis import given
from hypothesis import strategies as st

from farlink.text.chinese import NAME, PARTS, WORD, Dictionary, Word, dictionary, in_pinyin, sound

SMALL = Dictionary(
    words={
        "利马": Word("lima", NAME),
        "大学": Word("university", WORD),
        "特大": Word("especially big", WORD),
        "山": Word("mountain", WORD),
    },
    simplified={ord("學"): "学", ord("馬"): "马"},
    letters={"斯": "s", "特": "t"},
)


def test_words_are_read_by_their_meaning_and_the_rest_is_spelled():
    assert SMALL.translated("利馬大學").split() == ["lima", "university"]
    assert SMALL.translated("敏斯特大学").split() == ["minst", "university"]  # not min, s, especially big, xue


def test_one_character_is_a_word_at_the_end_of_a_name():
    assert [part.meaning for part in SMALL.segments("敏斯特山")] == [None, "mountain"]


def test_between_the_dots_of_a_foreign_name_words_are_whole_or_none():
    assert SMALL.translated("利马·斯利马").split() == ["lima", "·", "slima"]


def test_what_is_not_chinese_stays():
    assert SMALL.translated("HTC_One (山)").split() == ["HTC_One", "(", "mountain", ")"]


def test_a_foreign_character_has_no_sound():
    assert sound("中a国!") == "zhongguo"
    assert in_pinyin("2014年").split() == ["2014", "nian"]


@given(st.text(alphabet="利马馬大学學特山斯敏", max_size=40), st.booleans())
def test_the_parts_of_a_name_are_the_name(name, foreign):
    parts = "".join(part.characters for part in SMALL.segments(name, foreign))
    assert parts == name.translate(SMALL.simplified)


def test_our_own_parts_are_two_columns_and_each_is_given_once():
    rows = [line.split("\t") for line in PARTS.read_text(encoding="utf-8").splitlines()]
    assert all(len(row) == 2 for row in rows)
    assert len({part for part, _ in rows}) == len(rows)


@pytest.mark.slow
def test_the_dictionary_is_read_once():
    assert dictionary() is dictionary()
    assert dictionary().words["大学"].meaning == "university"

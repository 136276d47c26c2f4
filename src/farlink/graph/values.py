"""Values of literals in a normal form, in which the same value is the same text however it is written.

Each value is judged by itself: by its datatype where that tells more than that it is text, and else by its look.

- **number**: 5, +5, 5.0, 1,234.5, 1 234,5, 1.234,5, 1e3. Commas before three digits part thousands, a single point does
  not. An integer that begins with 0 is a code, unless its datatype says that it is a number. NaN and infinities are
  text.
- **date**: 2014-02-14 (a time behind it does not count), 2014-02, 19900909, 14/02/2014; a year alone where its datatype
  says so. The days since 1970 stand for it, those of its first day if it is a month or a year. What looks like a date
  but is none, or may be either of two, is text as it is written.
- **point**: latitude and longitude with decimals, or `POINT(16.3 48.2)`, where the longitude comes first.
- **code**: more digits than letters, and anything between them: phone numbers, ISBN, identifiers. Letters and digits
  count.
- **text**: all else. Compatibility forms, case, accents, punctuation and white space do not count, as long as anything
  else is there.

An address (a URL or another IRI) is what its last part is, without the query; a number in it is a code. Of a value of
more than 65,536 bytes these count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache

import polars as pl

VALUE_SCHEMA = {
    "head": pl.String,
    "relation": pl.String,
    "kind": pl.String,
    "text": pl.String,
    "number": pl.Float64,
    "step": pl.Float64,
}
JUDGED = ("kind", "text", "number", "step")
LONGEST = 65_536  # bytes of a value that are compared
PLAIN = pl.col("plain")

XSD = "http://www.w3.org/2001/XMLSchema#"
NUMBER_TYPES = [
    "decimal",
    "integer",
    "double",
    "float",
    "int",
    "long",
    "short",
    "byte",
    "nonNegativeInteger",
    "positiveInteger",
    "nonPositiveInteger",
    "negativeInteger",
    "unsignedInt",
    "unsignedLong",
    "unsignedShort",
    "unsignedByte",
]
DATE_TYPES = ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")
TYPES = {
    **{XSD + name: "number" for name in NUMBER_TYPES},
    **{XSD + name: "date" for name in DATE_TYPES},
    XSD + "anyURI": "address",
}

# Marks that letters may go without: accents, the points of Hebrew and Arabic. Vowels of Indic scripts and the voice of
# kana are marks as well, but make other words.
MARKS = (
    r"[\u{300}-\u{36F}\u{1AB0}-\u{1AFF}\u{1DC0}-\u{1DFF}\u{20D0}-\u{20FF}\u{FE20}-\u{FE2F}"
    r"\u{591}-\u{5BD}\u{5BF}-\u{5C7}\u{610}-\u{61A}\u{64B}-\u{65F}\u{670}]"
)
FOLDS = {
    "ß": "ss",
    "ς": "σ",  # what small letters leave of case,
    **dict(zip("ᲀᲁᲂᲃᲄᲅᲆᲇᲈ", "вдосттъѣꙋ", strict=True)),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),  # and signs that numbers, dates and codes are written with
    "\u2044": "/",
    "\u2019": "'",
}
BLANK = r"[\s\p{Cc}\p{Z}]+"
SILENT = r"\p{Cf}+"  # directions, joiners, soft hyphens
VISIBLE = r"[\p{L}\p{M}\p{N}\p{P}\p{S}]"
PUNCTUATION = r"[\s\p{P}\p{Sk}]+"
DIGIT = "[0-9]"
FOREIGN_DIGIT = r"[\p{Nd}--[0-9]]"
LETTER = r"\p{L}"
SEPARATORS = r"[^\p{L}\p{N}]+"

SCHEME = r"^[a-z][a-z0-9+.-]*://"
NAMESPACE = r"^(?:urn|mailto):"
QUERY = r"\?[^#]*"
ADDRESS = r"^<?(?:[a-z][a-z0-9+.-]*://|www\.|urn:|mailto:)\S+$"

NUMBER = r"^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,4}))?$"
NUMBER_LIKE = r"^[+-]?\.?[0-9][0-9., ']*(?:e[+-]?[0-9]{1,4})?$"
THOUSANDS = (  # numbers with parted thousands, and what parts them
    (r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$", ","),
    (r"^[+-]?[1-9][0-9]{0,2}(?:[ '][0-9]{3})+(?:[.,][0-9]+)?$", "[ ']"),
    (r"^[+-]?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})$", r"\."),
)
DECIMAL_COMMA = r"^([+-]?[0-9]+),([0-9]+)$"
EXPONENT = "[0-9]e[0-9]"
SHIFT = 60  # places that an exponent moves the point by at the most, for the number to be written without one

ZONE = r"(?:z|[+-][0-9]{2}:[0-9]{2})?"
TIME = rf"(?:[t ][0-9]{{1,2}}:[0-9]{{2}}\S*)?{ZONE}"
YEAR_FIRST = rf"^([+-]?[0-9]{{4,6}})[-/.]([0-9]{{1,2}})[-/.]([0-9]{{1,2}}){TIME}$"
YEAR_LAST = rf"^([0-9]{{1,2}})[-/.]([0-9]{{1,2}})[-/.]([0-9]{{4}}){TIME}$"
COMPACT = "^([0-9]{4})([0-9]{2})([0-9]{2})$"
MONTH = rf"^([+-]?[0-9]{{4,6}})-([0-9]{{2}}){ZONE}$"
MONTH_BY_LOOK = "^[12][0-9]{3}-[0-9]{2}$"
YEAR = rf"^([+-]?[0-9]{{1,6}}){ZONE}$"
TYPED_DATE = "^[0-9tz:.+ -]+$"  # what may have been meant as a date where the datatype says so
COMPACT_YEARS = (1500, 2100)  # eight digits that begin in another way are a number
LIKELY_YEARS = (1000, 2999)  # of dates that are none; with other years it may be a phone number
DAY, A_MONTH, A_YEAR = 1.0, 30.4, 365.25  # days

DEGREES = r"([+-]?[0-9]{1,3}\.[0-9]+)"
POINT = rf"^\(?(?:geo:)?{DEGREES}(?: ?[,;] ?| ){DEGREES}\)?$"
ANY_DEGREES = r"([+-]?[0-9]{1,3}(?:\.[0-9]*)?)"
WELL_KNOWN_TEXT = rf"^(?:<\S*> ?|srid=[0-9]+; ?)?point ?z? ?\( ?{ANY_DEGREES} {ANY_DEGREES}(?: [0-9.+-]+)? ?\)$"
FINEST = 10**6  # steps of a degree that are told from each other: a tenth of a metre

Judge = Callable[[pl.DataFrame], pl.DataFrame]
"""Takes plain values (place, type, plain) and gives those that are of its kind (place, kind, text, number, step)."""


def normal_values(literals: pl.DataFrame) -> pl.DataFrame:
    """A row for each literal that has a value: head, relation, kind, text, number, step.

    `text` is the normal form, which two values share if they are the same thing. `number` is the number, or the days
    since 1970 of a date; `step` tells how exact it is: half a unit of the last place that is given, or the days of a
    day, a month or a year. Both are null for other kinds.
    """
    typed = literals.select("head", "relation", "value", type=pl.col("datatype").replace_strict(TYPES, default=None))
    typed = typed.filter(pl.col("value").is_not_null())
    distinct = typed.select("value", "type").unique().with_row_index("place")
    plain = _plain(distinct)
    judged = pl.concat([_judged(plain, _addresses, *KINDS), _bare(distinct, plain)])
    found = distinct.join(judged, on="place")
    rows = typed.join(found, on=["value", "type"], nulls_equal=True, maintain_order="left")
    return rows.select(*VALUE_SCHEMA)


# What all kinds have in common: the plain form of a value


def _plain(values: pl.DataFrame) -> pl.DataFrame:
    """Values without what no kind looks at (place, type, plain); those of which nothing is left are left out."""
    values = _cut(values).select("place", "type", plain="value")
    narrow = PLAIN.str.len_bytes() == PLAIN.str.len_chars()
    small = values.filter(narrow).with_columns(PLAIN.str.to_lowercase())
    collapsed = PLAIN.str.replace_all(BLANK, " ").str.strip_chars(" ")
    return pl.concat([small, _folded(values.filter(~narrow))]).with_columns(collapsed).filter(PLAIN != "")


def _cut(values: pl.DataFrame) -> pl.DataFrame:
    """Values of a length that can be compared."""
    long = pl.col("value").str.len_bytes() > LONGEST
    whole = values.filter(long)
    if whole.is_empty():
        return values
    # these are few, or else fill the memory by themselves
    cut = [value.encode()[:LONGEST].decode(errors="ignore") for value in whole["value"]]
    return pl.concat([values.filter(~long), whole.with_columns(pl.Series("value", cut))])


def _folded(values: pl.DataFrame) -> pl.DataFrame:
    """Compatible forms, small letters, no accents, digits and signs as ASCII has them."""
    bare = PLAIN.str.normalize("NFKD").str.to_lowercase().str.replace_all(MARKS, "")
    values = values.with_columns(bare.str.replace_many(FOLDS).str.replace_all(SILENT, "").str.normalize("NFKC"))
    foreign = PLAIN.str.contains(FOREIGN_DIGIT)
    if not values.select(foreign.any()).item():
        return values
    return values.with_columns(pl.when(foreign).then(PLAIN.str.replace_many(_digits())).otherwise(PLAIN))


@cache
def _digits() -> dict[str, str]:
    """The decimal digits of other scripts, and those of ASCII."""
    digits = ((chr(code), unicodedata.decimal(chr(code), None)) for code in range(0x80, 0x20000))
    return {sign: str(digit) for sign, digit in digits if digit is not None}


def _bare(values: pl.DataFrame, plain: pl.DataFrame) -> pl.DataFrame:
    """Values that are nothing but what a plain form leaves out, such as an accent by itself: text as it is."""
    bare = _cut(values.join(plain, on="place", how="anti"))
    texts = bare.select("place", text=pl.col("value").str.strip_chars())
    return _as("text", texts.filter(pl.col("text").str.contains(VISIBLE)))


# The kinds


def _as(kind: str, values: pl.DataFrame) -> pl.DataFrame:
    """Judged values, of which only numbers and dates have a number and a step."""
    missing = [pl.lit(None, pl.Float64).alias(name) for name in ("number", "step") if name not in values.columns]
    return values.with_columns(*missing, kind=pl.lit(kind)).select("place", *JUDGED)


def _judged(values: pl.DataFrame, *judges: Judge) -> pl.DataFrame:
    """Each value as the first of the judges takes it that does."""
    found = []
    for judge in judges:
        found.append(judge(values))
        if found[-1].height:
            values = values.join(found[-1], on="place", how="anti")
    return pl.concat(found)


def _addresses(values: pl.DataFrame) -> pl.DataFrame:
    """URLs and other IRIs, each as its last part is judged; a number in one is a name."""
    values = values.filter(PLAIN.str.contains(ADDRESS) | pl.col("type").eq_missing("address"))
    path = PLAIN.str.strip_chars("<>").str.replace(QUERY, "").str.strip_chars_end("/#")
    of_name, of_path = path.str.extract("([^/#:]*)$"), path.str.replace(SCHEME, "").str.extract("([^/#]*)$")
    last = pl.when(path.str.contains(NAMESPACE)).then(of_name).otherwise(of_path).str.strip_prefix("www.")
    parts = values.select("place", pl.lit(None, pl.String).alias("type"), plain=last).filter(PLAIN != "")
    judged = _judged(parts, *KINDS)
    name = pl.when(pl.col("kind") == "text").then("kind").otherwise(pl.lit("code")).alias("kind")
    return judged.with_columns(name, pl.lit(None, pl.Float64).alias("number"), pl.lit(None, pl.Float64).alias("step"))


def _words(values: pl.DataFrame) -> pl.DataFrame:
    """Text in which there is no digit: most values, which need not be looked at any more."""
    return _texts(values.filter(~PLAIN.str.contains(DIGIT)))


def _dates(values: pl.DataFrame) -> pl.DataFrame:
    """Days, months and years."""
    values = values.filter(pl.col("type").ne_missing("number"))
    said = pl.col("type").eq_missing("date")
    year, month, day = (pl.col(name) for name in ("year", "month", "day"))
    forms = [
        _cut_up(values, YEAR_FIRST, "year", "month", "day"),
        _cut_up(values, COMPACT, "year", "month", "day").filter(year.is_between(*COMPACT_YEARS)),
        _ordered(_cut_up(values, YEAR_LAST, "one", "other", "year")),
        _cut_up(values.filter(said | PLAIN.str.contains(MONTH_BY_LOOK)), MONTH, "year", "month"),
        _cut_up(values.filter(said), YEAR, "year"),
    ]
    found = pl.concat(forms, how="diagonal_relaxed").select("place", "year", "month", "day")
    real = (month.is_null() | month.is_between(1, 12)) & (day.is_null() | day.is_between(1, _days_of_month()))
    step = pl.when(day.is_not_null()).then(DAY).when(month.is_not_null()).then(A_MONTH).otherwise(A_YEAR)
    return _as("date", found.filter(real).select("place", text=_date_text(), number=_days_since_1970(), step=step))


def _cut_up(values: pl.DataFrame, pattern: str, *names: str) -> pl.DataFrame:
    """The numbers in the values that have this form."""
    groups = PLAIN.str.extract_groups(pattern).struct
    numbers = {name: groups[place].str.strip_prefix("+").cast(pl.Int64) for place, name in enumerate(names)}
    return values.filter(PLAIN.str.contains(pattern)).select("place", **numbers)


def _ordered(dates: pl.DataFrame) -> pl.DataFrame:
    """Which of two numbers is the day; dates for which nobody can tell are left out."""
    one, other = pl.col("one"), pl.col("other")
    day = pl.when(one > 12, other <= 12).then(one).when(other > 12, one <= 12).then(other).when(one == other).then(one)
    return dates.with_columns(day=day, month=one + other - day).filter(pl.col("day").is_not_null())


def _days_of_month() -> pl.Expr:
    year, month = pl.col("year"), pl.col("month")
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    short = pl.when(month == 2).then(28 + leap.cast(pl.Int64))
    return short.when(month.is_in([4, 6, 9, 11])).then(30).otherwise(31)


def _date_text() -> pl.Expr:
    """The normal form of a date: that of a year is the same as that of the number."""
    year, month, day = (pl.col(name) for name in ("year", "month", "day"))
    sign = pl.when(year < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    full = sign + year.abs().cast(pl.String).str.zfill(4)
    to_month = full + "-" + month.cast(pl.String).str.zfill(2)
    to_day = to_month + "-" + day.cast(pl.String).str.zfill(2)
    return pl.coalesce(to_day, to_month, year.cast(pl.String))


def _days_since_1970() -> pl.Expr:
    """Days of the Gregorian calendar, also where it was not in use; years are counted from March on within."""
    month, day = pl.col("month").fill_null(1), pl.col("day").fill_null(1)
    year = pl.col("year") - (month <= 2).cast(pl.Int64)
    since_march = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (365 * year + year // 4 - year // 100 + year // 400 + since_march - 719_468).cast(pl.Float64)


def _numbers(values: pl.DataFrame) -> pl.DataFrame:
    """Numbers in all spellings, but for those that are too large to count with."""
    values = values.filter(PLAIN.str.contains(NUMBER_LIKE))
    for pattern, separator in THOUSANDS:
        parted = pl.when(PLAIN.str.contains(pattern)).then(PLAIN.str.replace_all(separator, ""))
        values = values.with_columns(parted.otherwise(PLAIN).alias("plain"))
    values = values.with_columns(PLAIN.str.replace(DECIMAL_COMMA, "$1.$2"))
    groups = PLAIN.str.extract_groups(NUMBER).struct
    sign, whole, fraction = groups[0], groups[1], groups[2].fill_null("")
    parts = values.filter(PLAIN.str.contains(NUMBER)).with_columns(
        sign=sign, whole=whole, fraction=fraction, exponent=groups[3].str.strip_prefix("+").cast(pl.Int64)
    )
    parts = parts.filter(~_is_code() & (pl.col("whole") + pl.col("fraction") != ""))
    exponent = pl.col("exponent").fill_null(0)
    numbers = parts.select(
        "place",
        text=_number_text(exponent),
        number=PLAIN.str.strip_prefix("+").cast(pl.Float64, strict=False),
        step=0.5 * pl.lit(10.0).pow((exponent - pl.col("fraction").str.len_bytes().cast(pl.Int64)).clip(-300, 300)),
    )
    return _as("number", numbers.filter(pl.col("number").is_finite()))


def _is_code() -> pl.Expr:
    """An integer that begins with 0, if nothing says that it is a number."""
    bare = (pl.col("fraction") == "") & pl.col("exponent").is_null()
    return pl.col("type").ne_missing("number") & bare & pl.col("whole").str.contains("^0[0-9]")


def _number_text(exponent: pl.Expr) -> pl.Expr:
    """A number without exponent and needless zeros; from far too long a one, as short as a float can be written."""
    digits = pl.col("whole") + pl.col("fraction")
    point = pl.col("whole").str.len_bytes().cast(pl.Int64) + exponent
    missing = point - digits.str.len_bytes().cast(pl.Int64)
    zeros = pl.lit("0" * 2 * SHIFT)
    padded = zeros.str.slice(0, (-point).clip(0, 2 * SHIFT)) + digits + zeros.str.slice(0, missing.clip(0, 2 * SHIFT))
    whole = padded.str.slice(0, point.clip(0)).str.strip_chars_start("0")
    fraction = padded.str.slice(point.clip(0)).str.strip_chars_end("0")
    positive = pl.when(whole == "").then(pl.lit("0")).otherwise(whole)
    positive += pl.when(fraction == "").then(pl.lit("")).otherwise("." + fraction)
    negative = (pl.col("sign") == "-") & (positive != "0")
    written = pl.when(negative).then("-" + positive).otherwise(positive)
    short = PLAIN.str.strip_prefix("+").cast(pl.Float64, strict=False).cast(pl.String)
    moved_far = pl.when(exponent.abs() > SHIFT).then(short.replace(["0.0", "-0.0"], "0"))
    return moved_far.otherwise(written)


def _points(values: pl.DataFrame) -> pl.DataFrame:
    """Coordinates."""
    parts = pl.concat([_degrees(values, POINT, "north", "east"), _degrees(values, WELL_KNOWN_TEXT, "east", "north")])
    north, east = pl.col("north"), pl.col("east")
    on_earth = parts.filter((north.abs() <= 90 * FINEST) & (east.abs() <= 180 * FINEST))
    return _as("point", on_earth.select("place", text=_degrees_text("north") + " " + _degrees_text("east")))


def _degrees(values: pl.DataFrame, pattern: str, *names: str) -> pl.DataFrame:
    groups = PLAIN.str.extract_groups(pattern).struct
    steps = {
        name: (groups[place].str.strip_prefix("+").cast(pl.Float64) * FINEST).round().cast(pl.Int64)
        for place, name in enumerate(names)
    }
    return values.filter(PLAIN.str.contains(pattern)).select("place", **steps).select("place", "north", "east")


def _degrees_text(name: str) -> pl.Expr:
    """Degrees with one decimal or more, so that it is read as a coordinate again."""
    steps = pl.col(name)
    sign = pl.when(steps < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    decimals = (steps.abs() % FINEST).cast(pl.String).str.zfill(6).str.replace("(.)0+$", "$1")
    return sign + (steps.abs() // FINEST).cast(pl.String) + "." + decimals


def _no_dates(values: pl.DataFrame) -> pl.DataFrame:
    """What looks like a date, but is none, or may be either of two: text, as it is written."""
    year = PLAIN.str.extract(YEAR_FIRST).cast(pl.Int64, strict=False).is_between(*LIKELY_YEARS)
    nought = PLAIN.str.contains(YEAR_FIRST) & PLAIN.str.contains("[-/.]00?(?:[-/.]|$)")
    said = pl.col("type").eq_missing("date") & PLAIN.str.contains(TYPED_DATE)
    return _as("text", values.filter(year | nought | PLAIN.str.contains(YEAR_LAST) | said).select("place", text=PLAIN))


def _codes(values: pl.DataFrame) -> pl.DataFrame:
    """What has more digits than letters."""
    many = PLAIN.str.count_matches(DIGIT) > PLAIN.str.count_matches(LETTER)
    codes = values.filter(many).with_columns(PLAIN.str.replace_all(SEPARATORS, ""))
    codes = codes.filter(~PLAIN.str.contains(EXPONENT))  # without what parts them some would be numbers
    # the digits of a date are the date, with or without separators
    dates = _dates(codes.filter(PLAIN.str.contains(COMPACT))).select("place", date="text")
    return _as("code", codes.join(dates, on="place", how="left").select("place", text=pl.coalesce("date", "plain")))


def _texts(values: pl.DataFrame) -> pl.DataFrame:
    """Words; punctuation counts where there is nothing else, and where it alone keeps a text from being a number."""
    words = PLAIN.str.replace_all(PUNCTUATION, " ").str.strip_chars(" ")
    as_it_is = (words == "") | words.str.contains(NUMBER_LIKE)
    return _as("text", values.select("place", text=pl.when(as_it_is).then(PLAIN).otherwise(words)))


KINDS: tuple[Judge, ...] = (_words, _dates, _numbers, _points, _no_dates, _codes, _texts)

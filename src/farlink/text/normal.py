"""The form in which names are compared: letters and digits of ASCII, lower case, words apart by one blank."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import polars as pl
from anyascii import anyascii

IN_BRACKETS = r"(?s)^(.*[^\s_])[\s_]*[(（][^()（）]*[)）][\s_]*$"  # at the end, and not all there is
AFTER_COMMA = r"(?s)(?:,[\s_]|[，、،]).*$"  # "10,000 Maniacs" has no qualifier; commas of other scripts need no blank


def normal_names(names: pl.Series) -> pl.Series:
    """Each name as it is compared; empty where a name has neither letters nor digits, null where there is none.

    Compatible forms of characters are one (NFKC), case is folded, all scripts are written in Latin letters without
    marks, punctuation and underscores part words like blanks.
    """
    return by_distinct(names, lambda distinct: _tidied(_in_ascii(distinct)))


def without_qualifier(names: pl.Series) -> pl.Series:
    """The normal form without what tells a name from others alike: brackets at its end, what comes after a comma.

    A name without any, or of nothing else, has its whole normal form.
    """
    bare = names.str.replace(IN_BRACKETS, "${1}").str.replace(AFTER_COMMA, "")
    columns = pl.DataFrame({"bare": normal_names(bare), "whole": normal_names(names)})
    return columns.select(pl.when(pl.col("bare") == "").then("whole").otherwise("bare").alias(names.name)).to_series()


def by_distinct(names: pl.Series, change: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """What `change` makes of the names, each taken once however often it occurs."""
    distinct = names.unique().alias("name")
    if len(distinct) == len(names):
        return change(names)
    changed = pl.DataFrame({"name": distinct, "changed": change(distinct)})
    found = names.to_frame("name").join(changed, on="name", how="left", maintain_order="left", nulls_equal=True)
    return found["changed"].alias(names.name)


def _in_ascii(names: pl.Series) -> pl.Series:
    """The names transliterated; those of pure ASCII, as most are, stay as they are and never leave the column."""
    foreign = names.str.len_bytes() != names.str.len_chars()  # of ASCII, and of nothing else, is every letter a byte
    places = foreign.arg_true()
    if not len(places):
        return names
    folded = [name.casefold().translate(_LETTERS) for name in names.gather(places).str.normalize("NFKC")]
    return names.clone().scatter(places, pl.Series(folded, dtype=pl.String))


def _tidied(names: pl.Series) -> pl.Series:
    return names.str.to_lowercase().str.replace_all(r"[^a-z0-9]+", " ").str.strip_chars(" ")


class _Letters(dict[int, str]):
    """What each character is in ASCII, found when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = written = _transliterated(chr(code))
        return written


_LETTERS = _Letters()


def _transliterated(character: str) -> str:
    """A character in ASCII; a letter without the apostrophes that anyascii writes, which would part the word."""
    kind = unicodedata.category(character)
    if kind == "Cf":  # joiners, soft hyphens and directions of writing
        return ""
    written = anyascii(character)
    return "".join(filter(str.isalnum, written)) if kind[0] in "LM" else written or " "

"""A key by which names sound alike: consonants in few classes, for Latin text and for what was transliterated."""

from __future__ import annotations

import polars as pl

from farlink.text.normal import by_distinct, normal_names

# Letters and groups of letters that languages use for one another's sounds; where two fit, the first is taken.
ALIKE = {
    "ph": "f", "v": "f", "w": "f",
    "sh": "s", "zh": "s", "ch": "s", "ce": "se", "ci": "si", "cy": "sy", "x": "s", "z": "s",
    "c": "k", "g": "k", "q": "k", "j": "k",
    "th": "t", "d": "t", "b": "p", "r": "l", "ng": "n",
}  # fmt: skip
DOUBLE = {2 * letter: letter for letter in "fklmnpst"}
FIRST_VOWELS, VOWELS = r"\b[aeiouyh]+", r"([b-z])[aeiouyh]+"


def skeleton(names: pl.Series) -> pl.Series:
    """The consonants of each name, word by word; a first vowel counts as a, whichever it is.

    "Abdullah Gül" and "abudula juer", which is how its Chinese spelling sounds, become "aptl kl" and "aptl kl".
    """
    return by_distinct(names, lambda distinct: _skeleton(normal_names(distinct)))


def _skeleton(normal: pl.Series) -> pl.Series:
    folded = _replaced(_replaced(normal, ALIKE), DOUBLE)
    return folded.str.replace_all(FIRST_VOWELS, "a").str.replace_all(VOWELS, "${1}")


def _replaced(names: pl.Series, letters: dict[str, str]) -> pl.Series:
    return names.str.replace_many(list(letters), list(letters.values()), leftmost=True)

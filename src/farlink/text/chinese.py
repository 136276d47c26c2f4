"""Chinese names in English: words by a dictionary, and what no dictionary has by its sound."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from anyascii import anyascii
from pypinyin import lazy_pinyin

from farlink.text.cedict import Entry, entries
from farlink.text.spelling import learned_spelling

PARTS = files("farlink.text") / "parts_zh.tsv"  # what names are made of, in words that English names use
HAN = re.compile(r"[㐀-鿿豈-﫿]+")
FOREIGN = re.compile(r"[·・‧•]")  # parts the words of a foreign name
LONGEST = 12  # characters of a word

# What it costs to read characters as a word, or to spell them. The cheapest way through a name is taken: syllables of a
# foreign name often look like a word, but a word amid what is spelled is dearer than to go on spelling. Where dots part
# the name of a foreigner, only what stands between them is a word.
PART, NAME, WORD, SPELLING, CHARACTER = 0.8, 0.8, 0.9, 0.7, 0.5
LAST_CHARACTER = 0.45  # most kinds of things are told by one character at the end: 市 city, 山 mountain


class Word(NamedTuple):
    """What a word is in English, and what it costs to read it."""

    meaning: str
    cost: float


class Segment(NamedTuple):
    """A part of a name and its meaning; none if it has to be spelled."""

    characters: str
    meaning: str | None


Way = tuple[float, tuple[Segment, ...]]  # through a name: what it costs, and its parts


@dataclass(frozen=True)
class Dictionary:
    """Words in simplified characters, other characters in these, and the letters of each in foreign names."""

    words: dict[str, Word]
    simplified: dict[int, str]
    letters: dict[str, str]

    def translated(self, name: str) -> str:
        """The name in English words, with what is in no dictionary as it may be spelled; what is not Chinese stays."""
        foreign = FOREIGN.search(name) is not None
        return HAN.sub(lambda found: f" {self._english(found[0], foreign)} ", name)

    def _english(self, characters: str, foreign: bool) -> str:
        segments = self.segments(characters, foreign)
        return " ".join(self.spelled(part) if meaning is None else meaning for part, meaning in segments)

    def spelled(self, characters: str) -> str:
        """The characters as those of a foreign name are most often spelled, or in pinyin."""
        return "".join(self.letters.get(character) or sound(character) for character in characters)

    def segments(self, characters: str, foreign: bool = False) -> tuple[Segment, ...]:
        """The cheapest way to read characters as words and spelled parts."""
        folded = characters.translate(self.simplified)
        best: list[Way] = [(0.0, ())]  # to read up to each place
        for end in range(1, len(folded) + 1):
            begins = range(max(0, end - LONGEST), end)
            best.append(min((self._further(best[i], folded, slice(i, end), foreign) for i in begins), key=_cost))
        return best[-1][1]

    def _further(self, way: Way, characters: str, part: slice, foreign: bool) -> Way:
        """The way with one more part, read as a word or spelled, whichever costs less."""
        first, last = part.start == 0, part.stop == len(characters)
        word = self.words.get(characters[part]) if not foreign or (first and last) else None
        spelling = SPELLING + CHARACTER * (part.stop - part.start)
        cost = word.cost if word else spelling
        if word and last and not first and len(characters[part]) == 1:
            cost = LAST_CHARACTER
        segment = Segment(characters[part], word.meaning if word and cost <= spelling else None)
        return way[0] + min(cost, spelling), (*way[1], segment)


def _cost(way: Way) -> float:
    return way[0]


def in_pinyin(name: str) -> str:
    """The name with its Chinese characters in pinyin, those side by side as one word."""
    return HAN.sub(lambda found: f" {sound(found[0])} ", name)


def sound(characters: str) -> str:
    """The pinyin of characters, without tones, in a-z; nothing for what has none."""
    return _letters("".join(lazy_pinyin(characters, errors="ignore")))


def _letters(text: str) -> str:
    """The text in letters a-z."""
    return "".join(filter(str.isalpha, anyascii(text).lower()))


@cache
def dictionary() -> Dictionary:
    """The dictionary, read and learned from once."""
    known = list(entries())
    simplified = _folding(known)
    return Dictionary(_words(known, simplified), simplified, _spelling(known, simplified))


def _folding(known: Iterable[Entry]) -> dict[int, str]:
    """The simplified character of every traditional one, as the first word that has it writes it."""
    folding: dict[int, str] = {}
    for entry in known:
        for old, new in zip(entry.traditional, entry.simplified, strict=False):
            folding.setdefault(ord(old), new)
    return {old: new for old, new in folding.items() if chr(old) != new}


def _words(known: Iterable[Entry], simplified: dict[int, str]) -> dict[str, Word]:
    """The first meaning of each word; those of common words before those of names, and of our own parts before all."""
    words: dict[str, Word] = {}
    for entry in sorted(known, key=lambda entry: entry.proper):
        folded = entry.traditional.translate(simplified)
        if entry.meanings and 2 <= len(folded) <= LONGEST:
            words.setdefault(folded, Word(entry.meanings[0], NAME if entry.proper else WORD))
    for line in PARTS.read_text(encoding="utf-8").splitlines():
        part, meaning = line.split("\t")
        words[part.translate(simplified)] = Word(meaning, PART)
    return words


def _spelling(known: Iterable[Entry], simplified: dict[int, str]) -> dict[str, str]:
    """The letters of characters, from the names of one word that are not their own pinyin."""
    names = []
    for entry in known:
        name = entry.traditional.translate(simplified)
        if entry.proper and entry.meanings and " " not in entry.meanings[0] and HAN.fullmatch(name):
            spelled = _letters(entry.meanings[0])
            names += [(name, spelled)] if spelled != sound(name) else []
    sounds = {character: sound(character) for name, _ in names for character in name}
    return learned_spelling(names, sounds)

"""How the characters of foreign names are spelled, learned from names whose spelling a dictionary gives.

Chinese writes foreign names by their sound, syllable by syllable: 格林纳达 is Grenada. Its pinyin, gelinnada, tells the
sound; which letters 格 and 林 stand for is seen in thousands of such names. The letters of each are dealt out to its
characters so that they go with the pinyin as well as they can, and counted. To deal them out anew by the counts, as in
expectation-maximisation, brings nothing more: Hits@1 .490 for .496 of the normal form with the translation, on the
links of docs/text.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import inf

MOST = 5  # letters for one character
ALIKE = str.maketrans("bdgvwrjqkczx", "ptkfflkkksss")  # letters that pinyin and English use for like sounds
SILENT = 4.0  # the cost of no letters for a character
DIFFERENT = 2.5  # mean cost of a character above which a pair is a translation and does not go by the sound
TRUST = 2  # times that a spelling was seen before it counts more than the pinyin

Cost = Callable[[str, str], float]
Share = tuple[str, str]  # a character with the letters that it stands for


def learned_spelling(names: Iterable[tuple[str, str]], sounds: Mapping[str, str]) -> dict[str, str]:
    """The letters that each character stands for most often, of pairs of a name and its spelling in a-z.

    `sounds` has the pinyin of every character.
    """
    pairs = [pair for pair in dict.fromkeys(names) if _may_be_spelled(*pair)]
    cost = _by_sound(sounds)
    counts = Counter(share for name, spelled in pairs for share in _dealt(name, spelled, cost))
    return {character: letters for (character, letters), count in reversed(counts.most_common()) if count >= TRUST}


def _may_be_spelled(name: str, spelled: str) -> bool:
    """Characters are syllables: one to four letters each, by and large."""
    return len(name) - 1 <= len(spelled) <= 4 * len(name)


def _by_sound(sounds: Mapping[str, str]) -> Cost:
    """The cost of letters for a character by its pinyin: they begin alike, and have the same letters."""

    @cache
    def cost(character: str, letters: str) -> float:
        sound, heard = sounds[character].translate(ALIKE), letters.translate(ALIKE)
        if not heard or not sound:
            return SILENT
        strange = len(heard) + len(sound) - 2 * len(set(sound) & set(heard))
        return 2.0 * (heard[0] != sound[0]) + 0.4 * strange

    return cost


def _dealt(name: str, spelled: str, cost: Cost) -> list[Share]:
    """The cheapest way to deal the letters out to the characters, in order; none where all are dear."""
    best, begins = [0.0] + [inf] * len(spelled), []
    for character in name:
        steps = [
            min(
                (best[begin] + cost(character, spelled[begin:end]), begin)
                for begin in range(max(0, end - MOST), end + 1)
            )
            for end in range(len(spelled) + 1)
        ]
        best = [step[0] for step in steps]
        begins.append([step[1] for step in steps])
    return _traced(name, spelled, begins) if best[-1] <= DIFFERENT * len(name) else []


def _traced(name: str, spelled: str, begins: Sequence[Sequence[int]]) -> list[Share]:
    """The letters of each character, from the last to the first, by where each best begins."""
    shares, end = [], len(spelled)
    for character, begin in zip(reversed(name), reversed(begins), strict=True):
        shares.append((character, spelled[begin[end] : end]))
        end = begin[end]
    return shares

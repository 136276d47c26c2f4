"""Other spellings of names that the other graph would not write so: Chinese and Japanese ones, read and translated.

Only entities without a name in another script are read, and only for a graph that writes most names otherwise: where
both write 北京, nothing is gained by calling it Beijing.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import aliases
from farlink.settings import AlignmentSettings
from farlink.text.readings import HAN, KANA, LANGUAGES, can_read, readings
from farlink.wording import counted

MOST = 0.5  # share of its names from which on a graph is written in these scripts
EXTRA = "pip install 'farlink[languages]'"
SCHEMA = {"entity": pl.Int32, "reading": pl.String}


class Readings(NamedTuple):
    """What the entities of either side may be called in the other's script (entity, reading)."""

    left: pl.DataFrame
    right: pl.DataFrame

    @property
    def any(self) -> bool:
        """Whether a name was read at all."""
        return bool(self.left.height or self.right.height)


NO_READINGS = Readings(pl.DataFrame(schema=SCHEMA), pl.DataFrame(schema=SCHEMA))


def readings_of(left: KnowledgeGraph, right: KnowledgeGraph, settings: AlignmentSettings) -> tuple[Readings, list[str]]:
    """The readings of two graphs, by what is installed, and notes on what was read and could not be."""
    if settings.readings == "never" or "names" not in settings.signals_read:
        return NO_READINGS, []
    (ours, our_share), (theirs, their_share) = _foreign(left), _foreign(right)
    asked = ours if their_share < MOST else ours.clear(), theirs if our_share < MOST else theirs.clear()
    entities = sum(table["entity"].n_unique() for table in asked)
    languages = [language for language in LANGUAGES if can_read(language)]
    if not entities:
        return NO_READINGS, []
    if not languages:
        return NO_READINGS, [f"{_who(entities)} not read: {EXTRA} has their readings and a dictionary"]
    packages = ", ".join(package for language in languages for package in LANGUAGES[language])
    found = Readings(*(_read(table, languages) for table in asked))
    return found, [f"{_who(entities)} read by {packages}"]


def _who(entities: int) -> str:
    names = counted(entities, "entity named", "entities named")
    return f"{names} in Chinese or Japanese script alone {'is' if entities == 1 else 'are'}"


def _foreign(graph: KnowledgeGraph) -> tuple[pl.DataFrame, float]:
    """The names of entities that have none without such script (entity, name), and the share of names with it."""
    named = aliases(graph).with_columns(foreign=pl.col("name").str.contains(f"{HAN}|{KANA}"))
    share = float(named["foreign"].sum()) / max(named.height, 1)
    return named.filter(pl.col("foreign").all().over("entity")).select("entity", "name"), share


def _read(named: pl.DataFrame, languages: list[str]) -> pl.DataFrame:
    found = readings(named["name"], languages)
    return named.join(found, on="name").select(*SCHEMA).unique().sort(*SCHEMA)

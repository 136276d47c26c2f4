"""The pairs of graphs on which signals are measured, with what is known of them, and what is left out in turn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from farlink.alignment.task import AlignmentTask, open_task
from farlink.experiments.datasets import (
    ANATOMY,
    DBP15K_FR,
    DBP15K_ZH,
    DBP_WD,
    DBP_YG,
    EN_DE,
    EN_FR,
    MOVIES,
    PERSONS,
    PLACES,
    RESTAURANTS,
    WORDNET,
    DataSet,
)
from farlink.progress import Silent
from farlink.settings import make_settings

NEAREST_NAME = "nearest name"  # no run, but what n-grams alone say
NO_LINKS, OWN_SEEDS = "none", "30 %"
FEW_SEEDS = {"20 %": "0.2", "10 %": "0.1", "5 %": "0.05", "1 %": "0.01"}  # shares of the links, split anew
STRUCTURE = ("--signals", "structure")
BUILT_IN = ("--set", "readings=never")  # names in other scripts are transliterated and nothing more


@dataclass(frozen=True)
class Case:
    """Two graphs as they are given to `farlink align`: a benchmark folder, or files of one."""

    data: DataSet
    files: tuple[str, ...] = ()  # left, right and the test links; none: a benchmark folder
    links: str = NO_LINKS
    attributes: str = ""  # a file with values of both sides
    note: str = ""  # what tells it from other cases of the data set
    options: tuple[str, ...] = ()
    scrambled: bool = False  # the letters of all names of the right side are in random order

    @property
    def words(self) -> str:
        """What the page calls it."""
        return ", ".join(filter(None, [self.data.name, self.attributes and f"`{self.attributes}`", self.note]))

    def arguments(self, folder: Path) -> list[str]:
        """The graphs and links as arguments of `farlink align`."""
        if self.files:
            left, right, test = (str(folder / name) for name in self.files)
            given = [left, right, "--test", test]
        else:
            share = {NO_LINKS: "0", **FEW_SEEDS}.get(self.links)
            given = [str(folder), *(["--share", share] if share else [])]
        for side in ("left", "right") if self.attributes else ():
            given += [f"--{side}-attributes", str(folder / self.attributes)]
        return [*given, *self.options]

    def task(self, folder: Path) -> AlignmentTask:
        """The same as a task."""
        values = folder / self.attributes if self.attributes else None
        more: dict[str, Any] = {"left_attributes": values, "right_attributes": values}
        more |= {"settings": make_settings(), "reporter": Silent()}
        if self.files:
            left, right, test = (str(folder / name) for name in self.files)
            return open_task(left, right, test=test, **more)
        return open_task(str(folder), share=0.0 if self.links == NO_LINKS else None, **more)


CASES: dict[str, tuple[Case, ...]] = {
    "named": (
        Case(MOVIES),
        Case(PERSONS, ("left.ttl", "right.ttl", "gold.tsv")),
        Case(RESTAURANTS),
        Case(ANATOMY, ("left.rdf", "right.rdf", "align.nt")),
        Case(PLACES, ("left.nt.gz", "right.nt.gz", "gold.tsv")),
        Case(WORDNET, ("left.nt.gz", "right.nt.gz", "gold.tsv.gz")),
    ),
    "benchmarks": (
        Case(EN_FR),
        Case(EN_DE),
        Case(DBP_YG),
        Case(DBP15K_FR),
        Case(DBP15K_ZH, options=BUILT_IN),
        Case(DBP15K_ZH, note="with `languages`"),
        Case(DBP15K_ZH, attributes="english_names", options=BUILT_IN),
    ),
    # identifiers of Wikidata are no names: without links there is nothing to begin with
    "seeds": (
        Case(DBP15K_ZH, links=OWN_SEEDS, options=BUILT_IN),
        Case(DBP_WD, links=OWN_SEEDS),
        Case(EN_FR, links=OWN_SEEDS, note="names of one side scrambled", scrambled=True),
    ),
    "few-seeds": tuple(Case(DBP15K_ZH, links=links, note="structure alone", options=STRUCTURE) for links in FEW_SEEDS),
}
EVERY = tuple(case for cases in CASES.values() for case in cases)

WITHOUT_VALUES = ("--signals", "names,structure")
WITHOUT_TRIPLES = ("--set", "evidence=0")
# of the sets of which choices were made; only the movies have values beside names
ABLATED = (MOVIES, EN_FR, EN_DE, DBP15K_FR)
ABLATIONS: dict[str, tuple[tuple[str, ...], tuple[DataSet, ...]]] = {
    "without values": (WITHOUT_VALUES, (MOVIES,)),
    "agreeing triples count nothing": (WITHOUT_TRIPLES, ABLATED),
    "both": ((*WITHOUT_VALUES, *WITHOUT_TRIPLES), (MOVIES,)),
}


def key_of(case: Case, variant: str) -> dict[str, Any]:
    """What tells the runs of a case from others in the records."""
    return {
        "data": case.data.folder,
        "links": case.links,
        "attributes": case.attributes,
        "note": case.note,
        "variant": variant,
    }


def without_links(data: DataSet) -> Case:
    """The case of a data set in which no link is known."""
    return next(case for case in EVERY if case.data == data and case.links == NO_LINKS)

"""Recorded runs of the presets on alignment: what is shown of them, and what may be compared with what.

Since commit f1e7c33 a linked entity of a merged graph belongs to both graphs; before, it counted as one of the left.
Runs from before are kept in a file of their own; they are shown where there are none of now, and marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from farlink.experiments.datasets import DataSet
from farlink.experiments.records import Record, Records, longest

BEST = "best"
SHARES = (0.01, 0.1, 0.2, 0.4, 0.5)
OFFICIAL_SHARE = 0.3  # of the splits that come with the data sets
BEFORE, NOW = "alignment-one-sided-beta.jsonl", "alignment.jsonl"
OLD = "†"


@dataclass(frozen=True)
class Shown:
    """What was recorded of the presets: since linked entities have both sides, and before, when they were left."""

    now: list[Record]
    before: list[Record]

    @classmethod
    def of(cls, out: Path) -> Shown:
        """All that is recorded; the presets that swap linked entities have always been as they are now."""
        now, before = (longest(Records(out / "results" / name).all) for name in (NOW, BEFORE))
        return cls([*now, *_papers_presets(out)], before)

    def runs(self, data: DataSet, preset: str = BEST, **wanted: Any) -> list[Record]:
        """The runs of a preset on a data set, those of now if there are any."""
        return runs_in(self.now, data, preset, **wanted) or self.runs_before(data, preset, **wanted)

    def runs_before(self, data: DataSet, preset: str = BEST, **wanted: Any) -> list[Record]:
        """The runs of a preset on a data set that were made before."""
        return runs_in(self.before, data, preset, **wanted)

    def state(self, keys: Iterable[tuple[DataSet, str, float | None]]) -> list[Record]:
        """Records to be compared with each other: those of now, unless only before any run of these keys was made."""
        wanted = list(keys)
        now, before = (
            any(runs_in(records, data, variant=variant, share=share) for data, variant, share in wanted)
            for records in (self.now, self.before)
        )
        return self.before if before and not now else self.now

    def mark(self, found: list[Record]) -> str:
        """A dagger if runs are of before."""
        return OLD if found and found[0] in self.before else ""


def runs_of_best(out: Path, data: DataSet, *, other_shares: bool) -> Iterator[tuple[float, Record]]:
    """Recorded runs of `best` on a data set with their share of seeds, that of the official split or all there are."""
    shown = Shown.of(out)
    if other_shares:
        for share, found in by_share(shown, data):
            yield from ((share, record) for record in found)
    else:
        yield from ((OFFICIAL_SHARE, record) for record in shown.runs(data))


def _papers_presets(out: Path) -> Iterator[Record]:
    """What the paper's tables recorded of the presets `paper` and `authors`, with keys as they are here."""
    presets = {"RSN": "paper", "RSN (authors)": "authors"}
    for table in ("table-normal", "table-dense"):
        for record in longest(Records(out / "results" / f"{table}.jsonl").all):
            key = record["key"]
            if preset := presets.get(key["label"]):
                own = {"data": key["data"], "preset": preset, "variant": "", "share": None, "seed": key["seed"]}
                yield {**record, "key": own}


def by_share(shown: Shown, data: DataSet) -> Iterator[tuple[float, list[Record]]]:
    """Runs of `best` by share of seeds, all of one state of the walks; the official split has its own share."""
    state = shown.state((data, "", share) for share in SHARES)
    for share in sorted({*SHARES, OFFICIAL_SHARE}):
        found = runs_in(state, data, share=None if share == OFFICIAL_SHARE else share)
        if found:
            yield share, found


def runs_in(
    records: list[Record], data: DataSet, preset: str = BEST, variant: str = "", share: float | None = None
) -> list[Record]:
    """The runs of a preset on a data set, as it is unless a variant or a share of seeds is named."""
    wanted = {"data": data.folder, "preset": preset, "variant": variant, "share": share}
    return [record for record in records if wanted.items() <= record["key"].items()]

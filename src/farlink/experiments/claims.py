"""What the paper claims, beside the records of runs: pairs of figures, and whether they are in the order claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from farlink.experiments.datasets import name_of
from farlink.experiments.records import Record, written
from farlink.reports.tables import Table, columns, markdown

LEARNING = "\\* still learning when its minutes were over; a comparison that more minutes may turn is not decided."


@dataclass(frozen=True)
class Scored:
    """A figure and what it is of."""

    name: str
    score: float
    learning: bool = False  # whether its minutes were over while it was still learning

    def __str__(self) -> str:
        return f"{self.name} {written(self.score)}" + ("*" if self.learning else "")


@dataclass(frozen=True)
class Comparison:
    """Two figures, the first of which is claimed to be the greater."""

    where: str
    first: Scored
    second: Scored
    unsettled: bool = False  # whether more minutes may turn it, whichever is behind

    @property
    def points(self) -> float:
        """How far the first is ahead, in hundredths."""
        return 100 * (self.first.score - self.second.score)

    @property
    def decided(self) -> bool:
        """Whether the one that is behind had come to rest."""
        behind = self.second if self.points > 0 else self.first
        return not (self.unsettled or behind.learning)


Compare = Callable[[list[Record]], list[Comparison]]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and what has to be compared to judge it."""

    text: str
    compare: Compare


def claim_lines(claims: Sequence[Claim], records: list[Record]) -> list[str]:
    """Every claim with its verdict, and the figures that were compared."""
    lines: list[str] = []
    learning = False
    for claim in claims:
        found = claim.compare(records)
        lines += ["", f"**Found:** {claim.text}: {verdict(found)}."]
        if found:
            rows = [[one.where, str(one.first), str(one.second), f"{one.points:+.1f}"] for one in found]
            lines += ["", *markdown(Table(columns("where", "claimed ahead", "claimed behind", "points"), rows))]
        learning |= any(one.first.learning or one.second.learning for one in found)
    return [*lines, "", LEARNING] if learning else lines


def verdict(found: Sequence[Comparison]) -> str:
    """How far a claim holds."""
    if not found:
        return "not tested yet"
    decided = [one for one in found if one.decided]
    wins = sum(one.points > 0 for one in decided)
    if not decided:
        return "not decided"
    if wins == len(decided):
        said = "holds"
    elif not wins:
        said = "does not hold"
    else:
        said = f"holds on {wins} of {len(decided)}"
    left = len(found) - len(decided)
    return f"{said}, not decided on {left} of {len(found)}" if left else said


def hits(record: Record) -> float:
    """Test Hits@1, protocol `linked`, left to right."""
    return float(record["metrics"]["test"]["linked"]["left_to_right"]["hits@1"])


def still_learning(record: Record) -> bool:
    """Whether its minutes were over when one of the last two epochs was the best so far."""
    limit = 60 * record["key"].get("minutes", 0)
    last = record["trace"][-2:]
    return 0 < limit <= last[-1]["seconds"] and any(row["best"] for row in last)


def by_label(records: list[Record]) -> dict[tuple[str, str], float]:
    """Mean Hits@1 over the seeds by data set and label."""
    return _means(records, "data", "label")


def by_place(records: list[Record]) -> dict[tuple[str, float], float]:
    """Mean Hits@1 over the seeds by label and place in a figure."""
    return _means(records, "label", "x")


def _means(records: list[Record], *names: str) -> dict[Any, float]:
    groups: dict[tuple[Any, ...], list[float]] = {}
    for record in records:
        groups.setdefault(tuple(record["key"][name] for name in names), []).append(hits(record))
    return {key: mean(values) for key, values in groups.items()}


def _of(label: str, records: list[Record]) -> list[Record]:
    return [record for record in records if record["key"]["label"] == label]


def _by_data(records: list[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: str(record["key"]["data"])):
        groups.setdefault(record["key"]["data"], []).append(record)
    return groups


def better(first: str, second: str) -> Compare:
    """One variant against another on every data set, on validation links after as many paths as both have read."""

    def compare(records: list[Record]) -> list[Comparison]:
        found = []
        for data, there in _by_data(records).items():
            own, other = _of(first, there), _of(second, there)
            if own and other:
                where, score, behind = _after_equally_many_paths(own, other)
                found.append(Comparison(f"{name_of(data)}, {where}", Scored(first, score), Scored(second, behind)))
        return found

    return compare


def _after_equally_many_paths(own: list[Record], other: list[Record]) -> tuple[str, float, float]:
    """What the figures of two variants are of, and both: of the test links only if all have read as many paths."""
    curves = [{row["examples"]: row["validation"] for row in record["trace"]} for record in own + other]
    shared = max(set.intersection(*map(set, curves)), default=None)
    if shared is None:
        return "test links after unequally many paths", mean(map(hits, own)), mean(map(hits, other))
    if all(shared == max(curve) for curve in curves):
        return "test links", mean(map(hits, own)), mean(map(hits, other))
    scores = [curve[shared] for curve in curves]
    return f"validation links after {shared:,} paths", mean(scores[: len(own)]), mean(scores[len(own) :])


def ahead_of_all(first: str, others: Sequence[str]) -> Compare:
    """One method against the best of the others on every data set."""

    def compare(records: list[Record]) -> list[Comparison]:
        found = []
        for data, there in _by_data(records).items():
            scored = {label: _scored(label, there) for label in (first, *others) if _of(label, there)}
            own = scored.pop(first, None)
            if own and scored:
                found.append(Comparison(name_of(data), own, max(scored.values(), key=lambda one: one.score)))
        return found

    return compare


def _scored(label: str, records: list[Record]) -> Scored:
    """The mean over the seeds of a method on one data set."""
    mine = _of(label, records)
    return Scored(label, mean(map(hits, mine)), any(map(still_learning, mine)))


def fastest(first: str) -> Compare:
    """One variant against the best of the others after every epoch."""

    def compare(records: list[Record]) -> list[Comparison]:
        curves = {
            record["key"]["label"]: [float(row["validation"]) for row in record["trace"]]
            for record in sorted(records, key=lambda record: -int(record["key"]["seed"]))  # the first seed counts
        }
        own = curves.pop(first, None)
        if not own or not curves:
            return []
        found = []
        for epoch in range(min(map(len, (own, *curves.values())))):
            best = max(curves, key=lambda label: curves[label][epoch])
            found.append(Comparison(f"epoch {epoch + 1}", Scored(first, own[epoch]), Scored(best, curves[best][epoch])))
        return found

    return compare


def rises_then_rests(records: list[Record]) -> list[Comparison]:
    """What longer walks gain from length 5 to 15, against twice what they gain from there to 25."""
    found = {x: value for (_, x), value in by_place(records).items()}
    if not {5, 15, 25} <= set(found):
        return []
    rise, rest = found[15] - found[5], abs(found[25] - found[15])
    return [Comparison("Hits@1", Scored("from 5 to 15", rise), Scored("twice that from 15 to 25", 2 * rest))]


def gentler(first: str, second: str) -> Compare:
    """The share of its Hits@1 with 50 % seeds that one method keeps with 10 %, against the share of another."""

    def compare(records: list[Record]) -> list[Comparison]:
        found = by_place(records)
        if not all((label, x) in found for label in (first, second) for x in (10, 50)):
            return []
        own, other = (
            Scored(f"{label} keeps", found[label, 10] / found[label, 50], any(map(still_learning, _of(label, records))))
            for label in (first, second)
        )
        # a run that is still learning may change either end of its curve
        return [Comparison("10 % seeds instead of 50 %", own, other, unsettled=own.learning or other.learning)]

    return compare

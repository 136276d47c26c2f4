"""Whether what the paper claims holds, told from the records of runs."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from typing import Any

NOT_TESTED = "Not tested yet."
Record = dict[str, Any]
Verdict = Callable[[list[Record]], str]


def hits(record: Record) -> float:
    """Test Hits@1, protocol `linked`, left to right."""
    return float(record["metrics"]["test"]["linked"]["left_to_right"]["hits@1"])


def still_rising(record: Record) -> bool:
    """Whether its minutes were over when one of the last two epochs was the best so far."""
    limit = 60 * record["key"].get("minutes", 0)
    last = record["trace"][-2:]
    return 0 < limit <= last[-1]["seconds"] and any(row["best"] for row in last)


def _of(label: str, records: list[Record]) -> list[Record]:
    return [record for record in records if record["key"]["label"] == label]


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


def better(first: str, second: str) -> Verdict:
    """A verdict on the claim that one variant is better than another on every data set.

    Runs that did not read as many paths are compared by their validation links after as many as both have read.
    """

    def judge(records: list[Record]) -> str:
        gaps: dict[str, tuple[float, str]] = {}
        for data in sorted({record["key"]["data"] for record in records}):
            there = [record for record in records if record["key"]["data"] == data]
            own, other = _of(first, there), _of(second, there)
            if own and other:
                gaps[data] = _gap(own, other)
        if not gaps:
            return NOT_TESTED
        how_far = held(sum(gap > 0 for gap, _ in gaps.values()), len(gaps))
        told = ", ".join(f"{data.split('/')[-1]} {100 * gap:+.1f}{how}" for data, (gap, how) in gaps.items())
        unequal = "; after so many paths each: on validation links, where a point or two can be chance"
        return f"That {first} is ahead of {second} {how_far} (points of Hits@1: {told}{unequal * ('paths' in told)})."

    return judge


def _gap(own: list[Record], other: list[Record]) -> tuple[float, str]:
    """How far ahead runs of a variant are of those of another, and how that was measured, unless on test links."""
    if len({record["trace"][-1]["examples"] for record in own + other}) == 1:
        return mean(map(hits, own)) - mean(map(hits, other)), ""
    curves = [{row["examples"]: row["validation"] for row in record["trace"]} for record in own + other]
    paths = max(set.intersection(*map(set, curves)), default=None)
    if paths is None:
        return mean(map(hits, own)) - mean(map(hits, other)), " after unequally many"
    scores = [curve[paths] for curve in curves]
    return mean(scores[: len(own)]) - mean(scores[len(own) :]), f" after {paths:,} paths"


def ahead_of_all(first: str, others: tuple[str, ...]) -> Verdict:
    """A verdict on the claim that one method is ahead of all others on every data set."""

    def judge(records: list[Record]) -> str:
        found = by_label(records)
        best: dict[str, tuple[float, str]] = {}
        for (data, label), value in found.items():
            if label in others and (data, first) in found:
                best[data] = max(best.get(data, (0.0, "")), (value, label))
        if not best:
            return NOT_TESTED
        wins = {data for data, (value, _) in best.items() if found[data, first] > value}
        rising = {record["key"]["data"] for record in _of(first, records) if still_rising(record)}
        gaps = ", ".join(
            f"{data.split('/')[-1]} {100 * (found[data, first] - value):+.1f} to {label}" + "*" * (data in rising)
            for data, (value, label) in sorted(best.items())
        )
        learning = f"; * {first} was still learning when its minutes were over" * ("*" in gaps)
        open_yet = best.keys() & rising - wins  # who is still learning may yet get ahead
        decided = len(best) - len(open_yet)
        how_far = [held(len(wins), decided)] * bool(decided)
        how_far += [f"is not decided on {len(open_yet)} of {len(best)}"] * bool(open_yet)
        said = f"That {first} is ahead of all earlier methods {', but '.join(how_far)}"
        return f"{said} (points of Hits@1: {gaps}{learning})."

    return judge


def together(*verdicts: Verdict) -> Verdict:
    """Several verdicts one after the other; those on what was not tested yet only if there is no other."""

    def judge(records: list[Record]) -> str:
        said = [verdict(records) for verdict in verdicts]
        return " ".join(text for text in said if text != NOT_TESTED) or NOT_TESTED

    return judge


def held(wins: int, tries: int) -> str:
    """How far a claim holds that was tried so often."""
    return "holds" if wins == tries else "does not hold" if not wins else f"holds on {wins} of {tries}"


def fastest(first: str) -> Verdict:
    """A verdict on the claim that one variant is ahead of all others after every epoch that all have."""

    def judge(records: list[Record]) -> str:
        curves = {record["key"]["label"]: [row["validation"] for row in record["trace"]] for record in records}
        if len(curves) < 2 or first not in curves:
            return NOT_TESTED
        epochs = min(map(len, curves.values()))
        own, others = curves[first], {label: curve for label, curve in curves.items() if label != first}
        ahead = sum(all(own[e] > curve[e] for curve in others.values()) for e in range(epochs))
        said = [f"That {first} is ahead of the others after every epoch {held(ahead, epochs)}."]
        for label, curve in others.items():
            past = next((e for e, score in enumerate(own, 1) if score > max(curve)), None)
            if past is not None:
                reached = f"What {label} reaches in {len(curve)} epochs ({max(curve):.3f})"
                said.append(f"{reached}, {first} passes in {past}.")
        return " ".join(said)

    return judge


def rises_then_rests(records: list[Record]) -> str:
    """A verdict on the claim about the length of walks: a sharp rise to 15, then little."""
    found = {x: value for (_, x), value in by_place(records).items()}
    if not {5, 15, 25} <= set(found):
        return NOT_TESTED
    rise, rest = found[15] - found[5], found[25] - found[15]
    holds = held(int(rise > 0 and abs(rest) < rise / 2), 1)
    return f"The claim {holds}: {100 * rise:+.1f} points from 5 to 15, {100 * rest:+.1f} from 15 to 25."


def gentler(first: str, second: str) -> Verdict:
    """A verdict on the claim that one variant loses less than another as seeds become fewer."""

    def judge(records: list[Record]) -> str:
        found = by_place(records)
        ends = [(label, x) for label in (first, second) for x in (10, 50)]
        if not all(end in found for end in ends):
            return NOT_TESTED
        losses = {label: 1 - found[label, 10] / found[label, 50] for label in (first, second)}
        lost = f"from 50 % to 10 % {first} loses {losses[first]:.0%}, {second} {losses[second]:.0%}"
        rising = [label for label in (first, second) if any(map(still_rising, _of(label, records)))]
        learning = f"; {' and '.join(rising)} still learning when the minutes were over" if rising else ""
        holds = "is not decided" if rising else held(int(losses[first] < losses[second]), 1)
        return f"The claim {holds}: {lost}{learning}."

    return judge

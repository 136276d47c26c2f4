"""Words of messages: how many there are of something, and what a mistaken name may have meant."""

from __future__ import annotations

from collections.abc import Sequence

SIMILAR = 70.0  # percent of the letters that two names share in order, for one to be taken for the other


def counted(count: int, one: str, many: str = "") -> str:
    """How many there are of something: 1 link, 2 links; `many` where more than an s tells it from `one`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def similar(name: str, names: Sequence[str], most: int) -> list[str]:
    """The names most like one that is not there, the most similar first; may be none."""
    from rapidfuzz import fuzz, process  # here, as only mistakes need it

    return [found for found, *_ in process.extract(name, names, scorer=fuzz.ratio, score_cutoff=SIMILAR, limit=most)]


def did_you_mean(names: Sequence[str]) -> str:
    """A hint to end a message with; empty where nothing is similar."""
    return f"; did you mean {' or '.join(repr(name) for name in dict.fromkeys(names))}?" if names else ""

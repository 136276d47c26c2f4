"""Cities by their Chinese name against places in Latin letters: `python -m tools.chinese_places PLACES OUT`.

PLACES is the folder of Natural Earth and GeoNames (left.nt.gz, right.nt.gz, gold.tsv). OUT gets left.nt, right.nt and
gold.tsv: every city that has a Chinese name and a counterpart, with its country and region, beside its counterpart and
12,000 other places. `--latin SHARE` names some of the cities by their label in Latin letters instead.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

LINE = re.compile(r"^<([^>]*)> <([^>]*)> (.*) \.$")
LABEL, ALIAS = "http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#altLabel"
OTHERS = 12_000
Triple = tuple[str, str, str]


def main(arguments: list[str] | None = None) -> None:
    """Write the two graphs and their links."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--latin", type=float, default=0.0)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    gold = dict(line.split() for line in (options.places / "gold.tsv").read_text().splitlines())
    rng = np.random.default_rng(0)
    left = list(cities(options.places / "left.nt.gz", gold, options.latin, rng))
    known = {head for head, relation, _ in left if relation == LABEL}
    right = places(options.places / "right.nt.gz", {gold[head] for head in known}, rng)
    for name, triples in (("left", left), ("right", right)):
        (options.out / f"{name}.nt").write_text("".join(f"<{h}> <{r}> {t} .\n" for h, r, t in triples))
    (options.out / "gold.tsv").write_text("".join(f"{head}\t{gold[head]}\n" for head in sorted(known)))


def cities(file: Path, among: Collection[str], latin: float, rng: np.random.Generator) -> Iterator[Triple]:
    """Each city with one name, and its country and region."""
    chinese, labels, triples = dict[str, str](), dict[str, str](), list[Triple]()
    for head, relation, tail in _triples(file):
        if relation == ALIAS and tail.endswith("@zh") and head in among:
            chinese[head] = tail
        elif relation == LABEL:
            labels[head] = tail
        elif tail.startswith("<"):
            triples.append((head, relation, tail))
    order = sorted(chinese)
    some = {order[place] for place in rng.permutation(len(order))[: int(latin * len(order))]}
    yield from ((head, LABEL, labels[head] if head in some else chinese[head]) for head in order)
    yield from (triple for triple in triples if triple[0] in chinese)


def places(file: Path, known: Collection[str], rng: np.random.Generator) -> list[Triple]:
    """The places that are counterparts, and others, with their labels and triples."""
    triples = [triple for triple in _triples(file) if "/place/" in triple[0]]
    others = sorted({head for head, _, _ in triples} - set(known))
    kept = {*known, *(others[place] for place in rng.permutation(len(others))[:OTHERS])}
    return [(h, r, t) for h, r, t in triples if h in kept and (r == LABEL or t.startswith("<"))]


def _triples(file: Path) -> Iterator[Triple]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if found := LINE.match(line):
                yield found[1], found[2], found[3]


if __name__ == "__main__":
    main()

"""How far names alone lead, form by form: `python -m tools.name_forms DATA` prints the table of docs/text.md.

DATA is the folder of DBP15K; `--encoder FOLDER` adds rows for an encoder. The pairs are the first 1,050 of
`ref_ent_ids`, which are for validation. Each left entity looks for its counterpart among all entities of the right, by
the n-grams of characters within words (TF-IDF, cosine); forms that are joined by + add up. Equal scores share their
ranks. Needs scikit-learn and the extras.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from farlink.text.encoder import load_encoder
from farlink.text.normal import normal_names, without_qualifier
from farlink.text.readings import readings
from farlink.text.skeleton import skeleton

VALIDATION = 1050
PAIRS = ("fr_en", "zh_en")

Scores = NDArray[np.float32]
Form = Callable[[pl.Series], pl.Series]


class Names(NamedTuple):
    """All names of both sides, and the places of those that are pairs."""

    left: pl.Series
    right: pl.Series
    asked: NDArray[np.int64]
    counterparts: NDArray[np.int64]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--encoder", type=Path)
    options = parser.parse_args()
    print("| pair | form | Hits@1 | recall@20 |\n|---|---|---|---|")
    for pair in PAIRS:
        names = read(options.data / pair)
        for label, scores in views(names, options.encoder).items():
            hits, recall = measured(scores, names.counterparts)
            print(f"| {pair} | {label} | {hits:.3f} | {recall:.3f} |", flush=True)


def read(folder: Path) -> Names:
    """The names of a pair of graphs: the last parts of their URIs."""
    left, right = (_entities(folder / f"ent_ids_{side}") for side in (1, 2))
    pairs = _table(folder / "ref_ent_ids", left=pl.Int64, right=pl.Int64).head(VALIDATION)
    return Names(left["name"], right["name"], _places(pairs["left"], left["id"]), _places(pairs["right"], right["id"]))


def _places(some: pl.Series, ids: pl.Series) -> NDArray[np.int64]:
    order = ids.arg_sort()
    return order.gather(ids.gather(order).search_sorted(some)).cast(pl.Int64).to_numpy()


def _entities(file: Path) -> pl.DataFrame:
    last = pl.col("name").str.split("/resource/").list.last()
    return _table(file, id=pl.Int64, name=pl.String).with_columns(last)


def _table(file: Path, **columns: type[pl.DataType]) -> pl.DataFrame:
    return pl.read_csv(file, separator="\t", has_header=False, quote_char=None, schema=columns)


def views(names: Names, encoder: Path | None) -> dict[str, Scores]:
    """The scores of each form, and of several together."""
    found = {
        "raw names": scored(names, lambda series: series),
        "normal form": (normal := scored(names, normal_names)),
        "without qualifier": (bare := scored(names, without_qualifier)),
        "normal form + without qualifier": normal + bare,
        "skeleton": (bones := scored(names, skeleton, longest=3)),
        "normal form + skeleton": normal + bones,
    }
    if has_readings(names.left):
        found |= read_views(names, normal)
    if encoder:
        vectors = encoded(names, encoder)
        found |= {"encoder": vectors, "normal form + encoder": normal + vectors}
    return found


def has_readings(names: pl.Series) -> bool:
    """Whether most of the names are in Chinese or Japanese script."""
    return readings(names)["name"].n_unique() > len(names) / 2


def read_views(names: Names, normal: Scores) -> dict[str, Scores]:
    """The scores of each kind of reading, of its skeleton, and of those that help together."""
    found = {kind: scored(names, reading(kind)) for kind in ("pinyin", "hepburn", "translation")}
    bones = scored(names, lambda series: skeleton(reading("translation")(series)), longest=3)
    together = normal + found["translation"] + found["hepburn"]
    return found | {
        "skeleton of translation": bones,
        "normal form + translation": normal + found["translation"],
        "normal form + translation + hepburn": together,
        "normal form + translation + hepburn + skeleton of translation": together + bones,
    }


def reading(kind: str) -> Form:
    """The readings of a kind; the normal form of names that have none."""

    def read_(names: pl.Series) -> pl.Series:
        some = readings(names).filter(pl.col("kind") == kind)
        joined = names.to_frame("name").join(some, on="name", how="left", maintain_order="left")
        return joined.select(pl.coalesce("reading", normal_names(names)))["reading"]

    return read_


def scored(names: Names, form: Form, longest: int = 4) -> Scores:
    """The cosine of every left name that is asked for with every name of the right."""
    shortest = 1 if longest < 4 else 2  # there are fewer letters in a skeleton
    left, right = form(names.left).to_list(), form(names.right).to_list()
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(shortest, longest), sublinear_tf=True, dtype=np.float32)
    right_rows = vectors.fit(left + right).transform(right)
    asked = [left[place] for place in names.asked]
    found: Scores = (vectors.transform(asked) @ right_rows.T).toarray()
    return found


def encoded(names: Names, folder: Path) -> Scores:
    """The cosine of the vectors that an encoder makes."""
    encoder = load_encoder(folder)
    texts = [series.str.replace_all("_", " ").to_list() for series in (names.left, names.right)]
    started = time.process_time()
    left, right = (encoder.vectors(side) for side in texts)
    speed = sum(len({*side}) for side in texts) / (time.process_time() - started)
    print(f"<!-- encoder: {speed:,.0f} names a second of processor time -->")
    found: Scores = left[names.asked] @ right.T
    return found


def measured(scores: Scores, counterparts: NDArray[np.int64]) -> tuple[float, float]:
    """Hits@1 and recall among the best 20; equal scores share their ranks."""
    right = scores[np.arange(len(scores)), counterparts][:, None]
    ranks = 1 + (scores > right).sum(1) + ((scores == right).sum(1) - 1) / 2
    return float((ranks <= 1).mean()), float((ranks <= 20).mean())


if __name__ == "__main__":
    main()

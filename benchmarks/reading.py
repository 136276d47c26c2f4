"""Reading ten million triples, against the bare reading of the same table by Polars."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measure import GB, Measured, Row, apart, measure
from farlink.io.graphs import read

TRIPLES = 10_000_000
ENTITIES_PER_TRIPLE = 0.3
RELATIONS = 500
BATCH = 1_000_000  # lines written at a time
SECONDS, MEMORY = 60.0, 4.0  # at most; GB

QUICK = {"triples": 10_000}


def run(triples: int = int(os.environ.get("FARLINK_BENCH_TRIPLES", TRIPLES)), seed: int = 0) -> list[Row]:
    """Measure on a file that is made for the purpose and deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="farlink-bench-") as folder:
        path = Path(folder) / "triples.tsv"
        apart(write_triples, path, triples, seed)
        bare = apart(measure_bare, path)
        reading = measure(partial(read, path))
        size = path.stat().st_size
    what = f"{triples:,} triples of TSV, {size / GB:.2f} GB"
    return [
        Row(
            what=f"time to read {what}",
            figure=reading.seconds,
            unit="s",
            peak_memory=reading.peak_memory,
            baseline=bare.seconds,
            baseline_what="polars.read_csv",
            at_most=SECONDS,
        ),
        Row(
            what=f"peak memory to read {what}",
            figure=reading.peak_memory / GB,
            unit="GB",
            peak_memory=reading.peak_memory,
            baseline=bare.peak_memory / GB,
            baseline_what="polars.read_csv",
            at_most=MEMORY,
        ),
    ]


def measure_bare(path: Path) -> Measured[int]:
    """Read the table and nothing more; the result is its height."""
    measured = measure(partial(pl.read_csv, path, separator="\t", has_header=False, quote_char=None))
    return Measured(measured.seconds, measured.peak_memory, measured.result.height)


def write_triples(path: Path, triples: int, seed: int) -> None:
    """Write random triples with names like DBpedia's: few heads have many of them, tails have equal shares."""
    rng = np.random.default_rng(seed)
    entities = max(1, round(ENTITIES_PER_TRIPLE * triples))
    names = rng.permutation(entities)  # so that a name does not tell how frequent it is
    with open(path, "wb") as file:
        for start in range(0, triples, BATCH):
            rows = min(BATCH, triples - start)
            heads = names[np.floor(entities ** rng.random(rows)).astype(np.int64) - 1]  # Zipf's law with exponent 1
            tails, relations = rng.integers(entities, size=rows), rng.integers(RELATIONS, size=rows)
            _lines(heads, relations, tails).write_csv(file, separator="\t", include_header=False, quote_style="never")


def _lines(heads: np.ndarray, relations: np.ndarray, tails: np.ndarray) -> pl.DataFrame:
    entity, relation = "http://dbpedia.org/resource/Thing_{}", "http://dbpedia.org/ontology/relation{}"
    columns = pl.DataFrame({"head": heads, "relation": relations, "tail": tails})
    return columns.select(
        pl.format(entity, "head").alias("head"),
        pl.format(relation, "relation").alias("relation"),
        pl.format(entity, "tail").alias("tail"),
    )

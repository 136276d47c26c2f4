"""Writes the run folders that tests open for ever: `python -m tools.run_fixtures tests/runs/fixtures/format-1`.

Each holds what `farlink` of its time wrote for small graphs, and `answers.json`: what the same version answered. They
are written once for every number of the format of run folders and never again; a later version must open them, and
give the same answers.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

import farlink
from farlink.engine.trainer import Trainer
from farlink.graph.knowledge_graph import KnowledgeGraph

SMALL: dict[str, Any] = {"width": 8, "entity_negatives": 16, "relation_negatives": 4, "threads": 1}
ALIGNMENT = {**SMALL, "max_epochs": 2, "batch_size": 64}
UNFINISHED = {**ALIGNMENT, "width": 4}
MTRANSE = {"method": "mtranse", "width": 8, "max_epochs": 3, "threads": 1}
COMPLETION = {
    **SMALL,
    "max_epochs": 2,
    "question_epochs": 2,
    "learning_rate": 0.01,
    "factors": 8,
    "factor_epochs": 4,
    "dropout": 0.1,
}
PEOPLE, RELATIONS, SEEDS = 32, 3, 8
KEPT = 0.52  # share of the triples of the world that either graph has
SIZE = 24  # entities of the ring


class Stopped(Exception):
    """Stands for a process that dies after the first epoch."""


def main(folder: Path) -> None:
    """Write all of them, and what they answer."""
    align(folder / "alignment", **ALIGNMENT)
    align(folder / "mtranse", **MTRANSE)
    complete(folder / "completion")
    die_after_an_epoch(folder / "unfinished")
    for path in (*folder.rglob("*.png"), *folder.rglob(".lock")):
        path.unlink()  # pictures are large, and nothing reads them
    for name in ("alignment", "mtranse", "completion"):
        answers = (completion_answers if name == "completion" else alignment_answers)(farlink.load(folder / name))
        (folder / f"{name}.answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


def align(out: Path, **settings: Any) -> None:
    """An alignment of two small graphs."""
    left, right = people("left", "a", 1), people("right", "b", 2)
    farlink.align(left, right, links()[:SEEDS], test=links()[SEEDS:], out=out, **settings)


def complete(out: Path) -> None:
    """A completion of a small graph."""
    train, valid, test = ring()
    farlink.complete(train, valid=valid, test=test, out=out, **COMPLETION)


def die_after_an_epoch(out: Path) -> None:
    """An alignment that was cut off when its first epoch was saved."""
    save = Trainer._save

    def last(trainer: Trainer[Any]) -> None:
        save(trainer)
        raise Stopped

    with patch.object(Trainer, "_save", last):
        try:
            align(out, **UNFINISHED)
        except Stopped:
            return
    raise AssertionError("no epoch was saved")


def people(source: str, prefix: str, seed: int) -> KnowledgeGraph:
    """Some of the triples of one random world, a label of each entity, and two entities that look alike."""
    rng = np.random.default_rng(7)
    world = np.stack([rng.integers(0, most, 4 * PEOPLE) for most in (PEOPLE, RELATIONS, PEOPLE)], axis=1)
    kept = np.random.default_rng(seed).random(len(world)) < KEPT
    rows = [*np.unique(world[kept], axis=0).tolist(), [PEOPLE, 0, 3], [PEOPLE + 1, 0, 3]]
    people = pl.Series([f"http://{prefix}/{person}" for person in range(PEOPLE + 2)])
    labels = pl.DataFrame({"head": people}).with_columns(
        relation=pl.lit("http://www.w3.org/2000/01/rdf-schema#label"),
        value=pl.format("{} number {}", pl.lit(prefix), pl.int_range(len(people))),
    )
    return KnowledgeGraph.from_frame(
        pl.DataFrame(
            [(people[head], f"http://{prefix}/r{relation}", people[tail]) for head, relation, tail in rows],
            schema=["head", "relation", "tail"],
            orient="row",
        ),
        entities=people,
        literals=labels,
        source=f"{source}.nt",
    )


def links() -> pl.DataFrame:
    """Who is whom."""
    return pl.DataFrame(
        {"left": [f"http://a/{i}" for i in range(PEOPLE)], "right": [f"http://b/{i}" for i in range(PEOPLE)]}
    )


def ring() -> tuple[KnowledgeGraph, KnowledgeGraph, KnowledgeGraph]:
    """A ring whose entities have a next and a previous one, and know some at random, which nobody can foresee."""
    rng = np.random.default_rng(3)
    forth = [(f"e{i}", "next", f"e{(i + 1) % SIZE}") for i in range(SIZE)]
    back = [(f"e{(i + 1) % SIZE}", "previous", f"e{i}") for i in range(SIZE)]
    knows = [(f"e{i}", "knows", f"e{j}") for i, j in np.unique(rng.integers(0, SIZE, (SIZE, 2)), axis=0).tolist()]
    parts = {
        "train": forth + back[:16] + knows[:-6],
        "valid": back[16:20] + knows[-6:-3],
        "test": back[20:] + knows[-3:],
    }
    graphs = [
        KnowledgeGraph.from_frame(
            pl.DataFrame(rows, schema=["head", "relation", "tail"], orient="row"), source=f"{name}.tsv"
        )
        for name, rows in parts.items()
    ]
    return graphs[0], graphs[1], graphs[2]


def alignment_answers(run: Any) -> dict[str, Any]:
    """What an alignment says when it is asked everything."""
    with tempfile.TemporaryDirectory() as folder:
        exported = {
            to: run.export(to, Path(folder) / to).read_text(encoding="utf-8").count("\n")
            for to in ("tsv", "sssom", "sameas", "alignment-rdf")
        }
        vectors = np.load(run.export("npy", Path(folder) / "npy") / "right.npy")
    return {
        "match": {
            name: run.match(name, k=3).to_dicts()
            for name in ("http://a/30", "http://b/29", "http://a/0", "a number 28")
        },
        "explain": run.explain("http://a/30", "http://b/30"),
        "lookalikes": run.lookalikes(f"http://a/{PEOPLE}"),
        "evaluate": run.evaluate(links()),
        "mapping": run.alignment.head(24).to_dicts(),
        "exported lines": exported,
        "vectors": [len(vectors), vectors.shape[1], *vectors[5, :8].tolist()],
    }


def completion_answers(run: Any) -> dict[str, Any]:
    """What a completion says when it is asked everything."""
    return {
        "predict": run.predict_many([("e3", "previous", None), (None, "next", "e20")], k=3).to_dicts(),
        "new facts": run.new_facts(3).to_dicts(),
        "explain": run.explain("e22", "previous", "e21"),
        "evaluate": run.evaluate(ring()[2]),
        "by relation": run.by_relation.to_dicts(),
        "trials": run.trials,
    }


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if target.exists():
        sys.exit(f"{target} is there already: a fixture is written once for each format")
    made = Path(tempfile.mkdtemp()) / "made"
    main(made)
    shutil.copytree(made, target)

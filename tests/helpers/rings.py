"""A small graph with rules that can be learned, and settings under which it is learned in seconds."""

from __future__ import annotations

import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph

SIZE = 40


def ring(start: int = 0, stop: int = SIZE, relations: tuple[str, ...] = ("next", "previous", "skip")) -> pl.DataFrame:
    """Entities in a ring: each has a next one, is previous to it, and skips to the one after it."""
    rows = []
    for place in range(start, stop):
        one, two, three = (f"e{(place + step) % SIZE}" for step in range(3))
        rows += [(one, "next", two), (two, "previous", one), (one, "skip", three)]
    return pl.DataFrame([row for row in rows if row[1] in relations], schema=["head", "relation", "tail"], orient="row")


def graph(*rows: tuple[str, str, str], source: str = "graph.tsv") -> KnowledgeGraph:
    """A graph of some triples."""
    frame = pl.DataFrame(rows, schema=["head", "relation", "tail"], orient="row")
    return KnowledgeGraph.from_frame(frame, source=source)


def parts() -> tuple[KnowledgeGraph, KnowledgeGraph, KnowledgeGraph]:
    """To learn from: all but some `previous`, which follow from `next`; these are for validation and test."""
    train = pl.concat([ring(0, 28), ring(28, SIZE, ("next", "skip"))])
    valid, test = ring(28, 34, ("previous",)), ring(34, SIZE, ("previous",))
    return tuple(  # type: ignore[return-value]
        KnowledgeGraph.from_frame(frame, source=f"{name}.tsv")
        for name, frame in (("train", train), ("valid", valid), ("test", test))
    )


QUICK = {
    "width": 16,
    "entity_negatives": 64,
    "relation_negatives": 8,
    "dropout": 0.1,
    "max_epochs": 4,
    "question_epochs": 2,
    "learning_rate": 0.01,
    "factors": 16,
    "factor_rate": 0.01,
    "factor_epochs": 8,
    "factor_decay": 0.01,
}

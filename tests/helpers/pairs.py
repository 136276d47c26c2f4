"""A small pair of graphs, and settings under which it trains in a second."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from farlink.graph.knowledge_graph import KnowledgeGraph


class Pair:
    """Two copies of one random graph under different names, with the links between them."""

    def __init__(self, left: pl.DataFrame, right: pl.DataFrame, links: pl.DataFrame) -> None:
        self.left_frame, self.right_frame, self.links = left, right, links
        self.left = KnowledgeGraph.from_frame(left, source="left.tsv")
        self.right = KnowledgeGraph.from_frame(right, source="right.tsv")

    @classmethod
    def make(cls, entities: int = 40, triples: int = 160, relations: int = 4, seed: int = 0) -> Pair:
        rng = np.random.default_rng(seed)
        head, tail = rng.integers(0, entities, (2, triples))
        relation = rng.integers(0, relations, triples)
        # a ring on top, so that every entity has a triple
        head = np.concatenate([head, np.arange(entities)])
        tail = np.concatenate([tail, (np.arange(entities) + 1) % entities])
        relation = np.concatenate([relation, np.zeros(entities, dtype=int)])
        frames = [
            pl.DataFrame({"head": head, "relation": relation, "tail": tail})
            .select(
                pl.format(f"{prefix}{{}}", "head").alias("head"),
                pl.format(f"{prefix}_r{{}}", "relation").alias("relation"),
                pl.format(f"{prefix}{{}}", "tail").alias("tail"),
            )
            .unique(maintain_order=True)
            for prefix in ("a", "b")
        ]
        links = pl.DataFrame({"left": [f"a{i}" for i in range(entities)], "right": [f"b{i}" for i in range(entities)]})
        return cls(frames[0], frames[1], links)

    def write(self, folder: Path, seeds: int = 20) -> dict[str, Path]:
        """Write graphs, seeds (the first links) and test links (the rest) as TSV files."""
        folder.mkdir(parents=True, exist_ok=True)
        frames = {
            "left": self.left_frame,
            "right": self.right_frame,
            "seeds": self.links[:seeds],
            "test": self.links[seeds:],
        }
        paths = {name: folder / f"{name}.tsv" for name in frames}
        for name, frame in frames.items():
            frame.write_csv(paths[name], separator="\t", include_header=False)
        return paths


TINY = {
    "width": 16,
    "entity_negatives": 32,
    "relation_negatives": 8,
    "max_epochs": 3,
    "batch_size": 128,
}

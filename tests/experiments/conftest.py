"""A benchmark folder small enough to run in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.pairs import Pair


@pytest.fixture
def small_benchmark(tmp_path: Path) -> Path:
    """Two graphs of 60 entities, 20 seeds, the other links to test with."""
    folder = tmp_path / "small-benchmark"
    files = Pair.make(entities=60).write(folder, seeds=20)
    names = {"left": "rel_triples_1", "right": "rel_triples_2", "seeds": "train_links", "test": "test_links"}
    for role, path in files.items():
        path.rename(folder / names[role])
    return folder

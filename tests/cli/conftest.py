"""Files to align, a finished alignment, and a benchmark folder to complete."""

from __future__ import annotations

import polars as pl
import pytest

from helpers.commands import TINY_OPTIONS, graphs, invoke
from helpers.pairs import Pair
from helpers.rings import ring


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Pair.make().write(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def finished(files, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    result = invoke("align", *graphs(files), "--test", files["test"], "--out", out, *TINY_OPTIONS)
    assert result.exit_code == 0, result.output
    return out, result.output


@pytest.fixture
def folder(tmp_path):
    """A benchmark folder of the ring."""
    target = tmp_path / "ring"
    target.mkdir()
    parts = {
        "train": pl.concat([ring(0, 28), ring(28, 40, ("next", "skip"))]),
        "valid": ring(28, 34, ("previous",)),
        "test": ring(34, 40, ("previous",)),
    }
    for name, frame in parts.items():
        frame.write_csv(target / f"{name}.txt", separator="\t", include_header=False)
    return target

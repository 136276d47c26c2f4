"""Fixtures for all tests: a small pair of graphs, and the benchmark data where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

import farlink
from helpers.pairs import TINY, Pair
from helpers.rings import QUICK, parts

# the first case of a property often compiles, and the machine may be busy
settings.register_profile("farlink", deadline=None)
settings.load_profile("farlink")

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip(f"the benchmark data is not at {SHARED}")
    return SHARED


@pytest.fixture
def pair() -> Pair:
    return Pair.make()


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> farlink.Run:
    """A finished run on a small pair: 20 seeds, of which two are held out, and 20 test links."""
    pair = Pair.make()
    out = tmp_path_factory.mktemp("runs") / "run"
    return farlink.align(pair.left, pair.right, pair.links[:20], test=pair.links[20:], out=out, **TINY)


@pytest.fixture(scope="session")
def ring_run(tmp_path_factory: pytest.TempPathFactory) -> farlink.CompletionRun:
    """A finished completion of a small graph with rules: 108 triples to learn from, 6 for validation, 6 to test."""
    train, valid, test = parts()
    out = tmp_path_factory.mktemp("rings") / "run"
    return farlink.complete(train, valid=valid, test=test, out=out, **QUICK)

"""Fixtures for all tests: a small pair of graphs, and the benchmark data where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pairs import Pair

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip(f"the benchmark data is not at {SHARED}")
    return SHARED


@pytest.fixture
def pair() -> Pair:
    return Pair.make()

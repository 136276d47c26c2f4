"""Fixtures for all tests: small graphs, finished runs, and the benchmark data where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Threads that wait for work give up their core, as the tests of another process may need it. Read once, by the
# first module that starts threads, so it stands before all imports of farlink.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from hypothesis import settings

import farlink
from farlink.loading import load_alignment, load_completion
from helpers.commands import invoke
from helpers.once import Once
from helpers.pairs import TINY, Pair
from helpers.rings import QUICK, parts

# the first case of a property often compiles, and the machine may be busy
settings.register_profile("farlink", deadline=None)
settings.load_profile("farlink")

LONG_RUNS = {"ring_run", "demo_run"}
SHARED = Path(__file__).parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what reads the benchmark data, and what waits for a run of seconds as slow, whoever has to make that run.

    Files with long tests come first, so that no process ends long after the others.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "shared_data" in fixtures:
            item.add_marker("data")
        if fixtures & LONG_RUNS:
            item.add_marker("slow")
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip(f"the benchmark data are not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes a folder that many tests look at: once, also where the tests run in several processes."""
    own = tmp_path_factory.getbasetemp()
    return Once(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture
def pair() -> Pair:
    return Pair.make()


@pytest.fixture(scope="session")
def tiny_run(once: Once) -> farlink.AlignmentRun:
    """A finished run on a small pair: 20 seeds, of which two are held out, and 20 test links."""
    pair = Pair.make()
    seeds, test = pair.links[:20], pair.links[20:]
    return load_alignment(
        once("tiny", lambda out: farlink.align(pair.left, pair.right, seeds, test=test, out=out, **TINY))
    )


@pytest.fixture(scope="session")
def ring_run(once: Once) -> farlink.CompletionRun:
    """A finished completion of a small graph with rules: 108 triples to learn from, 6 for validation, 6 to test."""
    train, valid, test = parts()
    return load_completion(once("ring", lambda out: farlink.complete(train, valid=valid, test=test, out=out, **QUICK)))


@pytest.fixture(scope="session")
def demo_run(once: Once) -> tuple[farlink.AlignmentRun, str]:
    """The run of `farlink demo`, and what the command said."""

    def run_demo(out: Path) -> None:
        result = invoke("demo", "--out", out)
        assert result.exit_code == 0, result.output
        out.with_suffix(".txt").write_text(result.output)

    out = once("demo", run_demo)
    return load_alignment(out), out.with_suffix(".txt").read_text()

"""The demo graphs, for methods of others."""

from __future__ import annotations

import pytest

import farlink
from farlink.alignment.methods import method_class
from farlink.alignment.methods.base import TwoGraphs
from farlink.alignment.task import open_task
from farlink.demo import DATA
from farlink.progress import Silent
from farlink.settings import make_settings

PARTS = ("seeds", "valid", "test")


@pytest.fixture(scope="session")
def demo_task():
    graphs = [DATA / name for name in ("atlas.nt.gz", "gazette.tsv.gz")]
    links = {part: DATA / f"{part}.tsv" for part in PARTS}
    return open_task(*graphs, **links, settings=make_settings(), reporter=Silent())


@pytest.fixture
def make_method(demo_task):
    """A method on the demo graphs, fresh."""

    def make(name, **changes):
        settings = make_settings(method=name, **changes)
        return method_class(name)(TwoGraphs(demo_task.left, demo_task.right), demo_task.seeds, settings)

    return make


@pytest.fixture
def demo_hits(tmp_path):
    """Test Hits@1, protocol `linked`, left to right, of a method on the demo graphs."""

    def hits(name, **changes):
        files = [DATA / name for name in ("atlas.nt.gz", "gazette.tsv.gz", "seeds.tsv")]
        run = farlink.align(
            *files, valid=DATA / "valid.tsv", test=DATA / "test.tsv", out=tmp_path / name, method=name, **changes
        )
        return run.metrics["test"]["linked"]["left_to_right"]["hits@1"]

    return hits

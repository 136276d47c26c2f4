"""The demo graphs, for methods of others."""

from __future__ import annotations

import pytest

import farlink
from farlink.alignment.methods import METHODS, TwoGraphs
from farlink.alignment.task import prepare
from farlink.demo import DATA
from farlink.io.sources import graph_from, links_from
from farlink.progress import Reporter
from farlink.settings import make_settings

PARTS = ("seeds", "valid", "test")


@pytest.fixture(scope="session")
def demo_task():
    graphs = [graph_from(DATA / name) for name in ("atlas.nt.gz", "gazette.tsv.gz")]
    links = [links_from(DATA / f"{part}.tsv") for part in PARTS]
    return prepare(*graphs, *links, make_settings(), Reporter(shown=False))


@pytest.fixture
def make_method(demo_task):
    """A method on the demo graphs, fresh."""

    def make(name, **changes):
        settings = make_settings(method=name, **changes)
        return METHODS[name](TwoGraphs(demo_task.left, demo_task.right), demo_task.seeds, settings)

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

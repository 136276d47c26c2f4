import subprocess
import sys

import pytest

from farlink.errors import FarlinkError
from farlink.experiments import paper_tables
from farlink.experiments.registry import (
    ALL,
    EXPERIMENTS,
    PAPER_ALIGNMENT,
    Experiment,
    Request,
    experiment_named,
    overview,
)


@pytest.fixture
def page_only(tmp_path):
    """A request to write the page from no records; the data sets are not there."""
    return Request(data=tmp_path, out=tmp_path / "out", parts=[], only=None, seeds=1, minutes=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_by_its_name_and_writes_its_page(name, page_only):
    lines = list(experiment_named(name).run(page_only))
    assert lines[-1].startswith("wrote ")
    assert all(line.startswith("left out: ") for line in lines[:-1])
    assert len(list(page_only.out.glob("*.md"))) == 1


def test_every_table_and_figure_of_the_paper_has_an_entry():
    assert list(PAPER_ALIGNMENT) == list(paper_tables.EXPERIMENTS)


def test_an_unknown_name_is_a_clear_error():
    with pytest.raises(FarlinkError, match="there is no experiment 'table-top'; there are: alignment, completion"):
        experiment_named("table-top")


def test_an_option_that_would_do_nothing_is_refused():
    experiment = Experiment("nothing", ALL - {"budget"}, lambda request: iter(()))
    experiment.refuse("test", part=["a"], only=["b"], budget=None)
    with pytest.raises(FarlinkError, match="experiment test takes no budget"):
        experiment.refuse("test", part=None, only=None, budget=5.0)


def test_the_overview_tells_what_each_shows_and_takes():
    lines = overview().splitlines()
    assert len(lines) == len(EXPERIMENTS)
    assert lines[0].startswith("- **alignment**: our presets")
    assert lines[0].endswith("(--only, --part)")


def test_help_does_not_wait_for_what_experiments_need():
    code = "import sys, farlink.experiments.registry; print({'torch', 'matplotlib', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"

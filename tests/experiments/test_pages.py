"""The pages in the repository are those that the records there give."""

import shutil
from pathlib import Path

import pytest

from farlink.experiments.registry import EXPERIMENTS, Request

WRITTEN = Path(__file__).parents[2] / "experiments"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "table-completion"])
def test_a_page_is_what_the_records_give(name, tmp_path):
    shutil.copytree(WRITTEN / "results", tmp_path / "results")
    list(EXPERIMENTS[name].run(Request(None, tmp_path, parts=[], only=None, seeds=1, minutes=1)))
    (page,) = tmp_path.glob("*.md")
    kept = WRITTEN / page.name
    if not kept.exists() and not (WRITTEN / "results" / f"{name}.jsonl").exists():
        pytest.skip("nothing is recorded yet")
    assert page.read_text() == kept.read_text(), f"write it anew: farlink experiment {name} --page-only"

import json

import numpy as np
import pytest

from farlink.alignment import AlignmentTask
from farlink.errors import FarlinkError
from farlink.experiments import variants
from farlink.settings import make_settings
from pairs import TINY

QUICK = {**TINY, "max_epochs": 2, "walk_length": 7}


@pytest.fixture
def data(tmp_path, small_benchmark):
    """A small benchmark folder in the place of DBP-WD."""
    (tmp_path / "data" / variants.DATA.folder).parent.mkdir(parents=True)
    small_benchmark.rename(tmp_path / "data" / variants.DATA.folder)
    return tmp_path / "data"


def test_every_variant_is_trained_once_and_shown(data, tmp_path):
    told = list(variants.run(data, tmp_path / "out", [], seeds=1, **QUICK))
    assert [line.split(",")[0] for line in told[:-1]] == list(variants.VARIANTS)
    records = [json.loads(line) for line in (tmp_path / "out/results/variants.jsonl").read_text().splitlines()]
    # they differ in what they do; walks drawn once differ when they come again
    assert len({record["trace"][-1]["loss"] for record in records}) == len(records) - 1
    assert len({record["trace"][-1]["examples"] for record in records}) == 1  # and not in how much they read
    text = (tmp_path / "out/variants.md").read_text()
    for record in records:
        figures = record["metrics"]["test"]["linked"]["left_to_right"]
        assert f"| {record['key']['variant']} | 0 | {figures['hits@1']:.3f}".replace("| 0.", "| .") in text
    assert list(variants.run(data, tmp_path / "out", [], seeds=1)) == [f"wrote {tmp_path / 'out/variants.md'}"]


@pytest.mark.parametrize(("variant", "again"), [(variants.ONCE, True), (variants.PAPER, False)])
def test_walks_drawn_once_come_again(pair, variant, again):
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    task = AlignmentTask(pair.left, pair.right, links[:20], links[20:25], links[25:], [])
    training = variants.Training(task, variant, make_settings("paper", **QUICK))
    first, second, later = (training.lessons(epoch, None).examples for epoch in (0, 1, variants.PART))
    assert np.array_equal(first, later) is again
    assert not np.array_equal(first, second)


def test_an_unknown_variant_is_a_clear_error(tmp_path):
    with pytest.raises(FarlinkError, match="there is no part 'others'"):
        list(variants.run(tmp_path, tmp_path, ["others"], seeds=1))

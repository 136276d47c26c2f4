import json

import numpy as np
import pytest

from farlink.alignment.task import AlignmentTask
from farlink.errors import FarlinkError
from farlink.experiments import variants
from farlink.settings import make_settings
from helpers.pairs import TINY

QUICK = {**TINY, "max_epochs": 2, "walk_length": 7}


@pytest.fixture
def data(tmp_path, small_benchmark):
    """A small benchmark folder in the place of DBP-WD."""
    (tmp_path / "data" / variants.DATA.folder).parent.mkdir(parents=True)
    small_benchmark.rename(tmp_path / "data" / variants.DATA.folder)
    return tmp_path / "data"


def test_every_variant_is_trained_once_and_shown(data, tmp_path):
    told = list(variants.run(data, tmp_path / "out", [], seeds=1, budget=0, **QUICK))
    assert [line.split(",")[0] for line in told[:-1]] == list(variants.VARIANTS)
    records = [json.loads(line) for line in (tmp_path / "out/results/variants.jsonl").read_text().splitlines()]
    # they differ in what they do; walks drawn once differ when they come again
    assert len({record["trace"][-1]["loss"] for record in records}) == len(records) - 1
    assert len({record["trace"][-1]["examples"] for record in records}) == 1  # and not in how much they read
    text = (tmp_path / "out/variants.md").read_text()
    assert (tmp_path / "out/variants.png").exists()
    for record in records:
        figures, last = record["metrics"]["test"]["linked"]["left_to_right"], record["trace"][-1]
        row = next(line for line in text.splitlines() if line.startswith(f"| {record['key']['variant']} | 0 |"))
        assert f"| {last['examples']:,} | {last['validation']:.3f}".replace("| 0.", "| .") in row
        assert f"| {figures['hits@1']:.3f}".replace("| 0.", "| .") in row
    assert list(variants.run(data, tmp_path / "out", [], seeds=1, budget=0)) == [
        f"wrote {tmp_path / 'out/variants.md'}"
    ]


@pytest.mark.parametrize(("variant", "again"), [(variants.ONCE, True), (variants.PAPER, False)])
def test_walks_drawn_once_come_again(pair, variant, again):
    links = np.stack([pair.left.ids(pair.links["left"]), pair.right.ids(pair.links["right"])], axis=1)
    task = AlignmentTask(pair.left, pair.right, links[:20], links[20:25], links[25:], [])
    training = variants.Training(task, variant, make_settings("paper", **QUICK))
    first, second, later = (training.objective(epoch, None).examples for epoch in (0, 1, variants.PART))
    assert np.array_equal(first, later) is again
    assert not np.array_equal(first, second)


def _record(variant, *scores):
    trace = [{"examples": 100 * (i + 1), "validation": score} for i, score in enumerate(scores)]
    figures = {"hits@1": 0.5, "hits@10": 0.75, "mrr": 0.6}
    key = {"data": variants.DATA.folder, "variant": variant, "seed": 0}
    return {
        "key": key,
        "trace": trace,
        "metrics": {"test": {"linked": {"left_to_right": figures}}},
        "seconds": 9,
    }


def test_a_variant_is_compared_with_the_paper_after_as_many_paths():
    rows = variants.page([_record(variants.SOFTMAX, 0.2, 0.25), _record(variants.PAPER, 0.1, 0.2, 0.3)]).splitlines()
    assert "| as in the paper | 0 | 300 | .300 |  | .500 / .750 / .600 | 9 |" in rows
    assert "| sampled softmax | 0 | 200 | .250 | .200 (+5.0) | .500 / .750 / .600 | 9 |" in rows


def test_a_variant_with_more_paths_than_the_paper_is_not_compared():
    page = variants.page([_record(variants.SOFTMAX, 0.2, 0.25), _record(variants.PAPER, 0.1)])
    assert "| sampled softmax | 0 | 200 | .250 |  |" in page


def test_the_budget_ends_a_training(data, tmp_path):
    list(variants.run(data, tmp_path / "out", [variants.PAPER], seeds=1, budget=1e-9, **QUICK))
    record = json.loads((tmp_path / "out/results/variants.jsonl").read_text())
    assert len(record["trace"]) == 1
    assert record["command"].endswith("--budget 1e-09")


def test_an_unknown_variant_is_a_clear_error(tmp_path):
    with pytest.raises(FarlinkError, match="there is no part 'others'"):
        list(variants.run(tmp_path, tmp_path, ["others"], seeds=1, budget=0))

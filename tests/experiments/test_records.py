import json

import pytest

from farlink.errors import FarlinkError
from farlink.experiments.records import Records, measured


def test_a_command_that_fails_is_told_with_its_log(tmp_path):
    with pytest.raises(FarlinkError, match=r"'farlink align nowhere --out .*' failed; see .*log"):
        measured(["align", "nowhere", "--out", str(tmp_path / "run")], tmp_path / "log")
    assert "nowhere" in (tmp_path / "log").read_text()


def test_records_survive(tmp_path):
    path = tmp_path / "records.jsonl"
    Records(path).add({"key": {"seed": 1}})
    assert Records(path).has({"seed": 1})
    assert not Records(path).has({"seed": 2})


def test_records_keep_their_order_and_are_one_line_each(tmp_path):
    path = tmp_path / "results" / "records.jsonl"
    records = Records(path)
    for seed in (2, 0, 1):
        records.add({"key": {"seed": seed}, "note": "zwei\nZeilen, ü"})
    assert [json.loads(line)["key"]["seed"] for line in path.read_text().splitlines()] == [2, 0, 1]


def test_a_command_is_measured(tmp_path):
    cost = measured(["--version"], tmp_path / "log")
    assert cost["seconds"] > 0
    assert cost["peak_memory"] > 1e6
    assert "farlink" in (tmp_path / "log").read_text()

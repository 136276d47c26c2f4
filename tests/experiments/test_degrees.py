import json

import pytest

from farlink.experiments import degrees


@pytest.mark.slow
def test_samples_of_real_graphs_are_recorded_once_and_judged(shared_data, tmp_path, monkeypatch):
    monkeypatch.setattr(degrees, "SAMPLED", {"dbp_fb": 5000})
    told = list(degrees.run(shared_data, tmp_path, seeds=1))
    assert told[0].startswith("dbp_fb, seed 0: K-S distance")
    (record,) = [json.loads(line) for line in (tmp_path / "results/degree-distribution.jsonl").read_text().splitlines()]
    distances = record["distances"]
    assert max(distances.pop("SRPRS")) <= 0.05
    assert min(max(gaps) for gaps in distances.values()) > 0.2  # of the ways to sample without regard for degrees
    text = (tmp_path / "degree-distribution.md").read_text()
    assert "The claim holds: SRPRS is within" in text
    for place in (1, 2):
        assert f"degree-distribution-dbp_fb-{place}.png" in text
        for kind in ("png", "svg"):
            assert (tmp_path / f"degree-distribution-dbp_fb-{place}.{kind}").exists()
    assert list(degrees.run(shared_data, tmp_path, seeds=1)) == [f"wrote {tmp_path / 'degree-distribution.md'}"]


def test_the_verdict_follows_the_figures():
    record = {"key": {"data": "d", "size": 1, "seed": 0}, "seconds": 1}
    near = {**record, "distances": {"SRPRS": [0.03, 0.04], "uniform": [0.3, 0.2]}}
    far = {**record, "distances": {"SRPRS": [0.03, 0.07], "uniform": [0.3, 0.2]}}
    assert "The claim holds" in degrees.page([near])
    assert "The claim does not hold" in degrees.page([near, far])
    assert "Not tested yet" in degrees.page([])


def test_data_that_is_not_there_is_left_out_and_said(tmp_path):
    assert "left out: there is no" in next(degrees.run(tmp_path, tmp_path, seeds=1))

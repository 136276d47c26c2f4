import json

import pytest

from farlink.engine.trainer import Trainer
from farlink.experiments import restart
from farlink.experiments.datasets import CODEX_S
from helpers.rings import QUICK, parts

TINY = {**QUICK, "max_epochs": 2, "question_epochs": 6, "factor_epochs": 1, "min_steps": 4}


@pytest.fixture
def data(tmp_path):
    """A small graph in the place of CoDEx-S."""
    folder = tmp_path / "data" / CODEX_S.folder
    folder.mkdir(parents=True)
    for name, part in zip(("train", "valid"), parts()[:2], strict=True):
        names = part.entities.to_list(), part.relations.to_list(), part.entities.to_list()
        rows = (tuple(name[place] for name, place in zip(names, row, strict=True)) for row in part.triples.tolist())
        (folder / f"{name}.txt").write_text("".join("\t".join(row) + "\n" for row in rows))
    return tmp_path / "data"


@pytest.mark.slow
def test_every_part_is_run_once_in_every_way_and_shown(data, tmp_path):
    told = list(restart.run(data, tmp_path / "out", [], seeds=1, **TINY))
    assert [line.split(", seed")[0] for line in told[:-1]] == [
        f"{part}, {way}" for part in restart.PARTS for way in restart.WAYS
    ]
    records = [json.loads(line) for line in (tmp_path / "out/results/restart.jsonl").read_text().splitlines()]
    text = (tmp_path / "out/restart.md").read_text()
    for record in records:
        assert "test" not in record["metrics"]
        network = record["metrics"]["validation"]["alone"]["paths"]["mrr"]
        row = next(
            line
            for line in text.splitlines()
            if line.startswith(f"| `{record['key']['part']}` | {record['key']['restart']}: ")
        )
        assert f"{network:.4f}" in row
    again = list(restart.run(data, tmp_path / "out", [], seeds=1, **TINY))
    assert again == [f"wrote {tmp_path / 'out/restart.md'}"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "walks", "questions"),
    [
        (restart.FULL, (1, 0), (1, 0)),
        (restart.PARTIAL, (1, 0), (0.75, 0)),
        (restart.NONE, (1, 0.75), (0.75, 0)),
    ],
)
def test_the_rate_is_led_in_this_way(data, tmp_path, monkeypatch, way, walks, questions):
    rates, step = {}, Trainer.step

    def watched(self, objective, batch, rate):
        if self.checkpoint.name == "checkpoint-paths.safetensors":
            rates.setdefault(self.plan.stage, []).append(rate / TINY["learning_rate"])
        return step(self, objective, batch, rate)

    monkeypatch.setattr(Trainer, "step", watched)
    monkeypatch.setattr(restart, "WAYS", {way: ""})
    list(restart.run(data, tmp_path / "out", ["network"], seeds=1, **TINY))
    for stage, (first, last) in enumerate((walks, questions)):
        falls = rates[stage]
        assert falls[0] == pytest.approx(first)
        assert falls[-1] - (falls[0] - falls[1]) == pytest.approx(last)  # after the last step
        assert falls == sorted(falls, reverse=True)


def test_the_page_tells_mean_and_spread():
    def record(seed, mrr):
        validation = {"alone": {"paths": {"mrr": mrr}}, "both": {"mrr": mrr + 0.1}}
        return {"key": {"part": "best", "restart": "full", "seed": seed}, "metrics": {"validation": validation}}

    text = restart.page([record(1, 0.4), record(0, 0.2), record(2, 0.3)])
    assert "| 0.3000 ± 0.1000 (0.2000, 0.4000, 0.3000) | 0.4000 ± 0.1000 (0.3000, 0.5000, 0.4000) | 0, 1, 2 |" in text

from __future__ import annotations

import json
import os
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import __main__ as command
from benchmarks import data, measure, reading, results, training, walks
from farlink.rsn.joint import JointGraph
from farlink.rsn.model import PathModel
from farlink.settings import make_settings


@pytest.fixture(scope="module")
def demo() -> JointGraph:
    return data.joint_graph(Path("nowhere"))[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "targets"), [("walks", 2), ("training", 0), ("reading", 2), ("matching", 1), ("ranking", 2)]
)
def test_a_subject_gives_rows_that_make_a_table(
    name: str, targets: int, demo: JointGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = import_module(f"benchmarks.{name}")
    monkeypatch.setattr(subject, "joint_graph", lambda: (demo, "demo"), raising=False)
    rows = subject.run(**subject.QUICK)
    assert len({row.what for row in rows}) == len(rows)
    for row in rows:
        assert row.figure > 0
        assert row.unit
        assert (row.baseline is None) == (row.baseline_what == "")
        assert row.ratio is None or row.ratio > 0
        assert row.peak_memory > 0
    assert sum(row.met is not None for row in rows) == targets
    assert len(results.table(rows).splitlines()) == 2 + len(rows)


def test_ratio_and_target_of_a_row() -> None:
    row = measure.Row("reading", 30.0, "s", 0, baseline=20.0, at_most=60.0)
    assert row.ratio == 1.5
    assert row.met
    assert not measure.Row("walking", 5.0, "paths/s", 0, at_least=6.0).met
    assert measure.Row("walking", 5.0, "paths/s", 0).met is None


def test_without_the_benchmark_folder_the_demo_is_used_and_named(tmp_path: Path) -> None:
    graph, name = data.joint_graph(tmp_path / "absent")
    assert graph.entities > 1_000
    assert "demo" in name


def test_the_slow_walker_walks_along_triples(demo: JointGraph) -> None:
    paths = walks.walk_slowly(demo, 20, np.random.default_rng(0))
    assert paths.shape == (20, walks.LENGTH)
    triples = set(map(tuple, demo.triples.tolist()))
    for start in range(0, walks.LENGTH - 2, 2):
        assert set(map(tuple, paths[:, start : start + 3].tolist())) <= triples


@pytest.mark.filterwarnings("ignore:TF32")
@pytest.mark.parametrize("cell", ["gru", "lstm", "lstm-identity"])
@pytest.mark.parametrize("kind", ["rsn", "rnn"])
def test_operations_of_the_network_are_those_that_torch_counts(
    cell: Literal["gru", "lstm", "lstm-identity"], kind: Literal["rsn", "rnn"]
) -> None:
    settings = make_settings(model=kind, cell=cell, layers=2, width=8, batch_size=4, walk_length=7)
    model = PathModel(10, 4, width=8, layers=2, kind=kind, cell=cell)
    # without oneDNN, whose cells torch does not look into
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        model(torch.zeros(4, 7, dtype=torch.long))
    assert training.step_operations(settings, 0, 0) == 3 * counter.get_total_flops()


def test_operations_of_the_scores() -> None:
    settings = make_settings(width=8, batch_size=4, walk_length=7)
    states = 4 * 3  # for entities, and as many for relations
    scores = training.step_operations(settings, 100, 10) - training.step_operations(settings, 0, 0)
    assert scores == 3 * states * (100 + 10) * 2 * 8


def test_the_file_to_read_has_a_few_frequent_heads(tmp_path: Path) -> None:
    reading.write_triples(tmp_path / "triples.tsv", 20_000, seed=0)
    frame = pl.read_csv(tmp_path / "triples.tsv", separator="\t", has_header=False, new_columns=["h", "r", "t"])
    assert frame.height == 20_000
    most_heads, most_tails = (frame[column].value_counts()["count"].max() for column in ("h", "t"))
    assert most_heads > 20 * most_tails


def test_the_median_is_taken_after_the_warm_ups() -> None:
    calls: list[int] = []
    measured = measure.measure(lambda: calls.append(0), warm_ups=2, repeats=3)
    assert len(calls) == 5
    assert measured.seconds >= 0


def test_work_apart_is_done_by_another_process() -> None:
    assert measure.apart(os.getpid) != os.getpid()


def test_a_subject_that_is_not_measured_keeps_its_results(tmp_path: Path) -> None:
    for name, figure in (("walks", 1.0), ("reading", 2.0), ("walks", 3.0)):
        command.write_results(tmp_path, {name: results.entry([measure.Row(f"{name} row", figure, "s", 10**9)], 10**8)})
    stored = json.loads((tmp_path / "results.json").read_text())
    assert {name: content["rows"][0]["figure"] for name, content in stored.items()} == {"reading": 2.0, "walks": 3.0}
    text = (tmp_path / "results.md").read_text()
    assert "| walks row | 3 s |" in text
    assert "0.10 GB" in text


def test_a_child_hands_over_what_makes_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    row = measure.Row("nothing", 1.0, "s", 2)
    monkeypatch.setattr("benchmarks.reading.run", lambda **sizes: [row])
    measured = command.measure_subject("reading", quick=True)
    assert measured["rows"] == [asdict(row)]
    assert measured["resident_before"] > 0

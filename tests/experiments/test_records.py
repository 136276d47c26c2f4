import json
import os
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from farlink.errors import FarlinkError, InputError, Interrupted
from farlink.experiments import records
from farlink.experiments.records import Records, carry_out, finished_run, longest, measured
from helpers.recorded import record
from helpers.rings import QUICK, ring


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


@pytest.mark.parametrize("line", [b'{"broken": ', b"5", b'{"a": 1}', b"\xff"])
def test_what_is_no_record_is_named_by_its_line(tmp_path, line):
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"key": {"seed": 1}}\n\n' + line + b"\n")
    with pytest.raises(InputError, match=r"records\.jsonl, line 3: not a record of a run"):
        Records(path)
    assert line in path.read_bytes()


def test_of_runs_with_several_budgets_the_longest_counts():
    short, long, endless, other = (
        record("RSN", minutes=minutes, seed=seed) for minutes, seed in ((5, 0), (9, 0), (0, 0), (1, 1))
    )
    assert longest([long, short, other]) == [long, other]
    assert longest([short, endless, long]) == [endless]


def test_only_names_data_sets_of_the_experiment(tmp_path):
    jobs = [SimpleNamespace(folder=name, key={"data": name}) for name in ("one", "two")]
    file = Records(tmp_path / "records.jsonl")
    with pytest.raises(FarlinkError, match="no run of these parts is on three; they are on one, two"):
        list(carry_out(jobs, ["one", "three"], file, tmp_path, lambda job, folder: {}, lambda job, record: ""))


def test_two_that_write_to_one_file_lose_nothing(tmp_path):
    path = tmp_path / "records.jsonl"
    one, other = Records(path), Records(path)
    one.add({"key": {"seed": 1}})
    other.add({"key": {"seed": 2}})
    assert all(Records(path).has({"seed": seed}) for seed in (1, 2))


def test_a_command_is_measured(tmp_path):
    cost = measured(["--version"], tmp_path / "log")
    assert cost["seconds"] > 0
    assert cost["cores"] == len(os.sched_getaffinity(0))
    assert cost["peak_memory"] > 1e6
    assert "farlink" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_who_stops_an_experiment_stops_the_run_that_is_on(tmp_path):
    ring().write_csv(tmp_path / "ring.tsv", separator="\t", include_header=False)
    log = tmp_path / "log"

    def stop_when_it_learns():
        while not (log.exists() and "epoch 1" in log.read_text()):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=stop_when_it_learns, daemon=True).start()
    changes = [option for name, value in QUICK.items() for option in ("--set", f"{name}={value}")]
    endless = ["--set", "max_epochs=100000", "--set", "patience=0"]
    with pytest.raises(Interrupted, match="goes on from here"):
        measured(["complete", str(tmp_path / "ring.tsv"), "--out", str(tmp_path / "run"), *changes, *endless], log)
    assert "stopped after" in log.read_text()


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_and_its_seconds_add_up(tmp_path, monkeypatch):
    monkeypatch.setattr(records.tempfile, "gettempdir", lambda: str(tmp_path))
    ring().write_csv(tmp_path / "ring.tsv", separator="\t", include_header=False)
    quick = {**QUICK, "max_epochs": 1, "question_epochs": 0, "factors": 0, "rules": 0}
    changes = [option for name, value in quick.items() for option in ("--set", f"{name}={value}")]
    attempts = []

    def arguments(out):
        return ["complete", str(tmp_path / "ring.tsv"), "--out", out, *changes]

    def stopped(given, log):
        attempts.append(given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(records, "measured", stopped)
        with pytest.raises(KeyboardInterrupt):
            finished_run(arguments)
    (folder,) = tmp_path.glob("farlink-experiment-*")
    started = (folder / records.STARTED).stat().st_mtime
    (folder / "log").write_text("the last that was heard of a run that was killed")
    os.utime(folder / "log", (started + 1000, started + 1000))
    made = finished_run(arguments)
    assert 1000 < made["seconds"] < 1900
    assert attempts[0][-1] == "--resume"
    assert made["command"] == " ".join(["farlink", *arguments("RUN")])
    assert made["metrics"]["validation"]["both"]["mrr"] > 0
    assert not folder.exists()

import json

import pytest

from farlink.cli.app import parse_assignments
from farlink.errors import FarlinkError
from farlink.experiments import completion
from farlink.experiments.claims import verdict
from farlink.experiments.datasets import COMPLETION, FB15K, FB15K_237, WN18
from farlink.settings import make_completion_settings

pykeen = pytest.importorskip("pykeen.datasets.nations", reason="PyKEEN, of the extra 'baselines', is not installed")
ONLY = ["kgc/wn18"]


@pytest.fixture
def data(tmp_path):
    """A small data set that comes with PyKEEN, in the place of WN18."""
    folder = tmp_path / "data" / "kgc" / "wn18"
    folder.mkdir(parents=True)
    for part in ("train", "valid", "test"):
        (folder / f"{part}.txt").write_text((pykeen.NATIONS_TRAIN_PATH.parent / f"{part}.txt").read_text())
    return tmp_path / "data"


@pytest.mark.slow
def test_runs_are_recorded_once_and_shown_on_the_page(data, tmp_path):
    out = tmp_path / "experiments"
    told = list(completion.run(data, out, ["fast", "baselines"], ONLY, seeds=1, budget=0))
    assert told[0].startswith("WN18, fast, seed 0: MRR")
    records = [json.loads(line) for line in (out / "results" / "completion.jsonl").read_text().splitlines()]
    assert [record["key"]["model"] for record in records] == ["fast", *completion.BASELINES]
    assert records[0]["command"].startswith("farlink complete ")
    assert records[0]["trace"][0]["epoch"] == 1
    text = (out / "completion.md").read_text()
    for variant in ("alone", "without"):
        for figures in records[0]["metrics"]["test"][variant].values():
            assert f"{figures['mrr']:.3f}".removeprefix("0") in text
    assert "| RotatE, 1 epoch, " in text
    assert (out / "completion.svg").exists()
    again = list(completion.run(data, out, ["fast", "baselines"], ONLY, seeds=1, budget=0))
    assert again == [f"wrote {out / 'completion.md'}"]


def test_what_was_not_run_stands_beside_the_papers_figure(tmp_path):
    list(completion.run(tmp_path, tmp_path, [], None, seeds=1, budget=0))
    assert "| RotatE | not run | .746 / .884 / .800 |" in (tmp_path / "completion.md").read_text()


def test_one_model_of_others_can_be_chosen():
    assert [job.model for job in completion.jobs(["TransE"], seeds=1)] == ["TransE"] * len(COMPLETION)


def test_an_unknown_part_is_a_clear_error(tmp_path):
    with pytest.raises(FarlinkError, match="there is no part 'worst'"):
        list(completion.run(tmp_path, tmp_path, ["worst"], None, seeds=1, budget=0))


def test_the_papers_preset_ends_by_its_budget():
    job = completion.Job(FB15K, "paper", seed=0)
    assert "minutes=5" in job.arguments("data", 5, "run")
    assert "--set" not in completion.Job(FB15K, "best", seed=0).arguments("data", 5, "run")


def test_the_wide_network_is_the_best_preset_with_nothing_beside_it():
    arguments = completion.Job(WN18, "wide", seed=0).arguments("data", 5, "run")
    changes = parse_assignments([word for word in arguments if "=" in word])
    settings = make_completion_settings(arguments[arguments.index("--preset") + 1], **changes)
    assert (settings.preset, settings.width, settings.factors, settings.rules) == ("best", 512, 0, 0)


def test_a_network_by_itself_has_one_row_beside_the_papers():
    figures = {"hits@1": 0.9, "hits@10": 0.95, "mrr": 0.92}
    record = {
        "key": {"data": "kgc/wn18", "model": "wide", "seed": 0},
        "metrics": {"test": {"both": figures, "alone": {"paths": figures}}},
        "cores": 1,
        "seconds": 60.0,
        "peak_memory": 1e9,
    }
    rows = [line for line in completion.page([record]).splitlines() if "`wide`, " in line]
    assert rows == [
        "| `wide`, network (RSN) alone, 1 core | .900 / .950 / .920 | .922 / .953 / .940 | 1 | 60 | 1.0 GB |"
    ]


def best(data, mrr):
    """A record of the preset `best`."""
    return {
        "key": {"data": data.folder, "model": "best", "seed": 0},
        "metrics": {"test": {"alone": {"paths": {"mrr": mrr}}}},
    }


def compared(*records):
    return [claim.compare([*records]) for claim in completion.CLAIMS]


def test_claims_are_judged_by_the_network_alone_beside_what_was_published():
    assert compared() == [[], []]
    ahead, second = compared(best(FB15K, 0.78), best(WN18, 0.7))
    assert verdict(ahead) == "holds on 1 of 2"
    assert [f"{one.where} {one.points:+.1f}" for one in ahead] == ["FB15K +26.0", "WN18 -3.0"]
    assert verdict(second) == "holds"
    assert [(str(one.first), str(one.second)) for one in second] == [
        ("RotatE as published .800", "RSN .780"),
        ("RSN .780", "ConvE as published .750"),
    ]


def test_who_is_ahead_of_the_first_is_not_second():
    _, second = compared(best(FB15K, 0.81))
    assert verdict(second) == "holds on 1 of 2"
    assert compared(best(FB15K_237, 0.9))[1] == []

import json

import pytest
from matplotlib.figure import Figure

from farlink.cli.app import parse_assignments
from farlink.errors import FarlinkError
from farlink.experiments import figures
from farlink.experiments import paper_tables as paper
from farlink.experiments.claims import Claim, fastest
from farlink.experiments.datasets import DBP_WD, DataSet
from farlink.experiments.published import PAPER_HITS
from farlink.settings import make_settings
from helpers.pairs import TINY
from helpers.recorded import record

QUICK = tuple(f"{name}={value}" for name, value in TINY.items())


@pytest.fixture
def data(small_benchmark):
    """The folder of a small data set."""
    return small_benchmark.rename(small_benchmark.with_name("small")).parent


@pytest.mark.slow
def test_an_experiment_is_run_once_and_written_down(data, tmp_path, monkeypatch):
    small = paper.Experiment(
        "Small",
        "One is better than the other.",
        (Claim("rsn is ahead", fastest("rsn")),),
        (DataSet("small", "SMALL"),),
        tuple(paper.Variant(kind, (*QUICK, f"model={kind}")) for kind in ("rsn", "rnn")),
        axis=figures.PATHS,
    )
    monkeypatch.setitem(paper.EXPERIMENTS, "small", small)

    def told(parts):
        return list(paper.run("small", data, tmp_path / "out", parts, ["small"], seeds=1, budget=1))

    assert told(["rsn"])[0].startswith("SMALL, rsn, seed 0: Hits@1")
    assert told([])[0].startswith("SMALL, rnn, seed 0: Hits@1")
    lines = (tmp_path / "out/results/small.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"]["label"] for line in lines] == ["rsn", "rnn"]
    assert "--set minutes=1" in json.loads(lines[0])["command"]
    text = (tmp_path / "out/small.md").read_text()
    assert "**Found:** rsn is ahead: " in text
    assert "| epoch 1 | rsn " in text
    assert (tmp_path / "out/small.svg").exists()
    assert told([]) == [f"wrote {tmp_path / 'out' / 'small.md'}"]


@pytest.mark.parametrize(
    ("parts", "only", "message"),
    [
        (["BootEE"], None, "there is no part 'BootEE'; choose of MTransE"),
        (["BootEA"], ["srprs/elsewhere"], "no run of these parts is on srprs/elsewhere"),
    ],
)
def test_what_an_experiment_does_not_have_is_a_clear_error(tmp_path, parts, only, message):
    with pytest.raises(FarlinkError, match=message):
        list(paper.run("table-normal", tmp_path, tmp_path, parts, only, seeds=1, budget=1))


@pytest.mark.parametrize("name", paper.EXPERIMENTS)
def test_every_page_says_that_nothing_was_tested_before_it_was(name):
    text = paper.page(name, [])
    assert "**The paper:**" in text
    assert "not tested yet." in text
    assert "| where |" not in text


@pytest.mark.parametrize("name", paper.EXPERIMENTS)
def test_every_variant_is_a_run_of_its_own(name):
    experiment = paper.EXPERIMENTS[name]
    keys = {(variant.label, variant.x) for variant in experiment.variants}
    assert len(keys) == len(experiment.variants)
    commands = {
        " ".join(paper.Job(experiment.data[0], variant, 0, 5).arguments("data", "run"))
        for variant in experiment.variants
    }
    assert len(commands) == len(experiment.variants)


def test_a_method_of_others_is_run_by_its_name():
    variant = next(one for one in paper.TABLE if one.label == "GCN-Align")
    arguments = paper.Job(DBP_WD, variant, 0, 5).arguments("data", "run")
    assert arguments[:4] == ["align", "data", "--method", "gcn-align"]


def test_the_preset_of_the_authors_reads_walks_drawn_once_in_short_epochs():
    variant = next(one for one in paper.TABLE if one.label == "RSN (authors)")
    arguments = paper.Job(DBP_WD, variant, 0, 5).arguments("data", "run")
    assert arguments[:4] == ["align", "data", "--preset", "authors"]
    whole = make_settings("authors")
    cut = make_settings("authors", **parse_assignments([word for word in arguments if "=" in word]))
    assert cut.walk_epochs * cut.walks_per_triple == whole.walk_epochs * whole.walks_per_triple
    assert cut.max_epochs * cut.walks_per_triple == whole.max_epochs * whole.walks_per_triple


def test_the_preset_of_the_paper_is_run_in_short_epochs_that_a_variant_may_change():
    arguments = paper.Job(DBP_WD, paper.Variant("RSN", ("patience=0",)), 0, 5).arguments("data", "run")
    settings = make_settings("paper", **parse_assignments([word for word in arguments if "=" in word]))
    assert (settings.walks_per_triple, settings.max_epochs, settings.patience) == (0.25, 240, 0)
    other = paper.Job(DBP_WD, paper.Variant("BootEA", method="bootea"), 0, 5).arguments("data", "run")
    assert not any("walks_per_triple" in word for word in other)


def test_every_published_figure_has_a_run_of_ours():
    for name in ("table-normal", "table-dense"):
        experiment = paper.EXPERIMENTS[name]
        ours = (variant.label.removesuffix(paper.AS_THE_AUTHORS) for variant in experiment.variants)
        run = {(label, data) for label in ours for data in experiment.data}
        assert run == {place for place in PAPER_HITS if place[1] in experiment.data}


def test_published_figures_stand_beside_ours():
    text = paper.page("table-normal", [record("RSN", 0.4321), record("RSN (authors)", 0.4567)])
    assert "| BootEA, as published | .313 | .442 | .323 | .313 |" in text
    assert "| **RSN** |  | .432 |" in text
    assert "| **RSN (authors)** |  | .457 |" in text
    assert "(authors), as published" not in text


def test_of_several_runs_the_least_and_the_greatest_cost_are_told():
    text = paper.page(
        "table-normal", [record("RSN", seed=seed, minutes=minutes) for seed, minutes in ((0, 5), (1, 12))]
    )
    assert "| 2 | 200 | 60 | 5 to 12 | 2 |" in text


def test_the_page_tells_how_long_and_with_how_many_cores_was_trained():
    text = paper.page("table-normal", [record("RSN", cores=1), record("BootEA", cores=2)])
    row = next(line for line in text.splitlines() if line.startswith("| **RSN** |"))
    assert row.endswith("| 2 | 200 | 60 | 5 | 1 |")
    assert "| **BootEA** |  | .500 |  |  | 2 | 200 | 60 | 5 | 2 |" in text


def test_the_page_tells_which_methods_of_others_are_far_from_what_was_published():
    done = record("MTransE", 0.2, curve=(0.3, 0.2, 0.1))
    others = [record("BootEA", 0.45), record("JAPE", 0.2, minutes=1), done, record("GCN-Align", 0.3, minutes=1)]
    text = paper.page("table-normal", [*others, record("RSN", 0.1)])
    assert "1 of 4 figures lie within 3 points of the published ones." in text
    rows = text.splitlines()
    assert "| MTransE |  | -11.2 |  |  |" in rows
    assert "| JAPE |  | -12.0* |  |  |" in rows
    assert "| GCN-Align |  | +4.7* |  |  |" in rows
    assert "| BootEA |  | +0.8 |  |  |" in rows


def test_a_figure_shows_the_mean_of_several_seeds():
    axes = Figure().subplots()
    runs = [record("RSN", 0.3, x=20), record("RSN", 0.4, x=10, seed=0), record("RSN", 0.6, x=10, seed=1)]
    paper._curves(axes, paper.EXPERIMENTS["seeds"], runs)
    (line,) = axes.get_lines()
    assert line.get_xydata().tolist() == [[10, 0.5], [20, 0.3]]


def test_walks_of_all_lengths_are_read_equally_often():
    lengths = paper.EXPERIMENTS["walk-length"].variants
    assert {variant.changes[1] for variant in lengths} == {f"max_epochs={paper.LENGTH_EPOCHS}"}


@pytest.mark.parametrize(
    ("name", "row"), [("seeds", "| **best, 30** | .570 |"), ("table-normal", "| **best** |  |  | .570 |")]
)
def test_runs_of_best_that_are_recorded_already_are_shown_and_not_made_again(tmp_path, monkeypatch, name, row):
    def recorded(hits, preset="best", variant="", share=None):
        whole = record("", hits)
        key = {"data": DBP_WD.folder, "preset": preset, "variant": variant, "share": share, "seed": 0}
        return json.dumps({**whole, "key": key}) + "\n"

    others = recorded(0.1, "fast") + recorded(0.2, variant="without it") + recorded(0.3, share=0.1)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/alignment.jsonl").write_text(recorded(0.57) + others)
    monkeypatch.setattr(paper, "carry_out", lambda *_: iter(()))
    list(paper.run(name, tmp_path, tmp_path, [], None, seeds=1, budget=1))
    text = (tmp_path / f"{name}.md").read_text()
    assert row in text
    assert ("| **best, 10** | .300 |" in text) == (name == "seeds")
    assert ".100" not in text
    assert ".200" not in text

import json

import pytest

from farlink.errors import FarlinkError
from farlink.experiments import paper
from farlink.experiments.alignment import DataSet
from farlink.settings import make_settings, parse_assignments
from pairs import TINY

QUICK = tuple(f"{name}={value}" for name, value in TINY.items())


def record(label, hits=0.5, data="srprs/en_de_15k_v1", x=None, seed=0, curve=(0.1, 0.2), cores=2):
    return {
        "key": {"data": data, "label": label, "x": x, "seed": seed, "minutes": 5},
        "cores": cores,
        "seconds": 60.0,
        "metrics": {"test": {"linked": {"left_to_right": {"hits@1": hits}}}},
        "trace": [{"epoch": e, "examples": 100 * e, "validation": score} for e, score in enumerate(curve, 1)],
    }


@pytest.fixture
def data(small_benchmark):
    """The folder of a small data set."""
    return small_benchmark.rename(small_benchmark.with_name("small")).parent


def test_an_experiment_is_run_once_and_written_down(data, tmp_path, monkeypatch):
    small = paper.Experiment(
        "Small",
        "One is better than the other.",
        (DataSet("small", "SMALL"),),
        tuple(paper.Variant(kind, (*QUICK, f"model={kind}")) for kind in ("rsn", "rnn")),
        paper.fastest("rsn"),
        axis=paper.PATHS,
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
    assert "That rsn is ahead of the others" in text
    assert "Training was ended after 1 minutes" in text
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
    assert "**Found:** Not tested yet." in text


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
    arguments = paper.Job(paper.DBP_WD, variant, 0, 5).arguments("data", "run")
    assert arguments[:4] == ["align", "data", "--method", "gcn-align"]


def test_the_preset_of_the_paper_is_run_in_short_epochs_that_a_variant_may_change():
    arguments = paper.Job(paper.DBP_WD, paper.Variant("RSN", ("patience=0",)), 0, 5).arguments("data", "run")
    settings = make_settings("paper", **parse_assignments([word for word in arguments if "=" in word]))
    assert (settings.walks_per_triple, settings.max_epochs, settings.patience) == (0.25, 240, 0)
    other = paper.Job(paper.DBP_WD, paper.Variant("BootEA", method="bootea"), 0, 5).arguments("data", "run")
    assert not any("walks_per_triple" in word for word in other)


def test_every_published_figure_has_a_run_of_ours():
    for name in ("table-normal", "table-dense"):
        experiment = paper.EXPERIMENTS[name]
        assert set(experiment.published) <= {variant.label for variant in experiment.variants}


def test_published_figures_stand_beside_ours():
    text = paper.page("table-normal", [record("RSN", 0.4321)])
    assert "| BootEA, as published | .313 | .442 | .323 | .313 |" in text
    assert "| **RSN** |  | .432 |" in text


def test_the_page_tells_how_long_and_with_how_many_cores_was_trained():
    text = paper.page("table-normal", [record("RSN", cores=1), record("BootEA", cores=2)])
    assert "ended after 5 minutes (0: no limit) with 1 or 2 core(s) for a run" in text


@pytest.mark.parametrize(
    ("gaps", "verdict"), [((0.1, 0.1), "holds ("), ((0.1, -0.1), "holds on 1 of 2"), ((-0.1, -0.1), "does not hold")]
)
def test_a_variant_is_better_if_it_is_so_everywhere(gaps, verdict):
    records = [
        record(label, 0.5 + (gap if label == "a" else 0), data=f"set/{place}")
        for place, gap in enumerate(gaps)
        for label in ("a", "b")
    ]
    assert verdict in paper.better("a", "b")(records)


def test_a_method_is_ahead_of_all_if_it_beats_the_best_of_them_everywhere():
    records = [
        record(label, hits, data=f"set/{place}")
        for place, figures in enumerate(((0.5, 0.4, 0.45), (0.5, 0.6, 0.2)))
        for label, hits in zip("abc", figures, strict=True)
    ]
    found = paper.ahead_of_all("a", ("b", "c"))(records)
    assert "holds on 1 of 2" in found
    assert "0 +5.0 to c, 1 -10.0 to b" in found
    assert paper.ahead_of_all("a", ("b",))(records[:1]) == paper.NOT_TESTED


def test_verdicts_stand_together_and_one_on_nothing_is_left_out():
    records = [record("a"), record("b", 0.4)]
    both = paper.together(paper.better("a", "b"), paper.better("a", "c"))
    assert both(records) == paper.better("a", "b")(records)
    assert both([]) == paper.NOT_TESTED


def test_the_page_tells_which_methods_of_others_are_far_from_what_was_published():
    text = paper.page("table-normal", [record("BootEA", 0.45), record("JAPE", 0.2), record("RSN", 0.1)])
    assert (
        "1 of 2 figures lie within 3 points of the published ones; the others, in points: JAPE on EN-DE -12.0." in text
    )


def test_walks_of_all_lengths_are_read_equally_often():
    lengths = paper.EXPERIMENTS["walk-length"].variants
    assert {variant.changes[1] for variant in lengths} == {f"max_epochs={paper.LENGTH_EPOCHS}"}


def test_a_variant_is_fastest_if_it_is_ahead_after_every_epoch():
    records = [record("a", curve=(0.2, 0.3, 0.4)), record("b", curve=(0.1, 0.2))]
    assert "a is ahead of the others after every epoch holds (" in paper.fastest("a")(records)
    assert "does not hold" in paper.fastest("b")(records)


def test_longer_walks_help_up_to_a_point():
    rising = [record("RSN", hits, x=x) for x, hits in ((5, 0.2), (15, 0.4), (25, 0.41))]
    assert "holds" in paper.rises_then_rests(rising)
    straight = [record("RSN", hits, x=x) for x, hits in ((5, 0.2), (15, 0.4), (25, 0.6))]
    assert "does not hold" in paper.rises_then_rests(straight)


def test_a_gentler_curve_loses_less():
    records = [
        record(label, hits, x=x) for label, x, hits in (("a", 10, 0.4), ("a", 50, 0.5), ("b", 10, 0.1), ("b", 50, 0.5))
    ]
    assert "holds: from 50 % to 10 % a loses 20%, b 80%" in paper.gentler("a", "b")(records)


@pytest.mark.parametrize(
    ("name", "row"), [("seeds", "| **best, 30** | .570 |"), ("table-normal", "| **best** |  |  | .570 |")]
)
def test_runs_of_best_that_are_recorded_already_are_shown_and_not_made_again(tmp_path, monkeypatch, name, row):
    def recorded(hits, preset="best", variant="", share=None):
        whole = record("", hits)
        key = {"data": paper.DBP_WD.folder, "preset": preset, "variant": variant, "share": share, "seed": 0}
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

import json

import pytest
from matplotlib.figure import Figure

from farlink.cli.app import parse_assignments
from farlink.errors import FarlinkError
from farlink.experiments import variants
from farlink.experiments.datasets import DBP_WD, EN_FR
from farlink.experiments.paper_tables import Job, Variant
from farlink.experiments.published import RSN_LOG, RSN_LOG_EPOCH
from farlink.settings import make_settings
from helpers.pairs import TINY
from helpers.recorded import record

NOT_BISECTED = {"preset", "max_epochs", "patience"}  # how long is trained


def settings_of(label, seed=0):
    variant = variants.VARIANTS[label]
    arguments = Job(DBP_WD, variant, seed, 5).arguments("data", "run")
    return make_settings(variant.preset, **parse_assignments([word for word in arguments if "=" in word]))


def changed(one, other):
    return {name for name, value in one if getattr(other, name) != value} - NOT_BISECTED


def test_the_differences_are_all_that_the_two_presets_have():
    named = [name for difference in variants.DIFFERENCES for name in difference.settings]
    assert len(named) == len(set(named))
    assert set(named) == changed(make_settings("paper"), make_settings("authors"))


@pytest.mark.parametrize("difference", variants.DIFFERENCES, ids=lambda difference: difference.name)
def test_each_is_added_to_the_paper_and_taken_from_the_authors_by_itself(difference):
    paper, authors = settings_of("paper"), settings_of("authors")
    added, taken = settings_of(f"paper + {difference.name}"), settings_of(f"authors - {difference.name}")
    assert changed(paper, added) == changed(authors, taken) == set(difference.settings)
    assert {getattr(added, name) for name in difference.settings} == {
        getattr(authors, name) for name in difference.settings
    }
    assert {getattr(taken, name) for name in difference.settings} == {
        getattr(paper, name) for name in difference.settings
    }


def test_all_read_as_many_paths():
    made = [settings_of(label) for label in variants.VARIANTS]
    assert {(one.walks_per_triple, one.max_epochs, one.patience) for one in made} == {(0.25, variants.LAST, 0)}
    assert min(265_854, 235_200) / 4 * variants.LAST > 1.6e6  # triples of the joint graphs


@pytest.fixture
def data(tmp_path, small_benchmark):
    """A small benchmark folder in the place of DBP-WD."""
    (tmp_path / "data" / DBP_WD.folder).parent.mkdir(parents=True)
    small_benchmark.rename(tmp_path / "data" / DBP_WD.folder)
    return tmp_path / "data"


@pytest.mark.slow
def test_a_variant_is_run_once_and_shown(data, tmp_path, monkeypatch):
    quick = tuple(f"{name}={value}" for name, value in {**TINY, "max_epochs": 2, "walk_length": 7}.items())
    few = {label: Variant(label, quick, label) for label in ("paper", "authors")}
    monkeypatch.setattr(variants, "VARIANTS", few)

    def told():
        return list(variants.run(data, tmp_path / "out", [], None, seeds=1, budget=0))

    assert [line.partition(",")[0] for line in told()] == ["left out: there is no " + str(data / EN_FR.folder)] + [
        "DBP-WD"
    ] * 2 + [f"wrote {tmp_path / 'out/variants.md'}"]
    lines = (tmp_path / "out/results/variants.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"]["label"] for line in lines] == ["paper", "authors"]
    text = (tmp_path / "out/variants.md").read_text()
    assert "| paper | DBP-WD | 0 |" in text
    for base in few:
        assert (tmp_path / f"out/variants-{base}-dbp-wd.svg").exists()
    assert told()[1:] == [f"wrote {tmp_path / 'out/variants.md'}"]


def run_of(label, *scores, data=DBP_WD, seed=0):
    whole = record(label, 0.5, data.folder, seed=seed, curve=scores)
    whole["metrics"]["test"]["linked"]["left_to_right"] |= {"hits@10": 0.75, "mrr": 0.6}
    return whole


def test_a_preset_that_the_papers_tables_trained_is_not_trained_again(tmp_path, monkeypatch):
    (tmp_path / "results").mkdir()
    elsewhere = [run_of("RSN", 0.1, 0.2), run_of("RSN (authors)", 0.3), run_of("BootEA", 0.4)]
    (tmp_path / "results/table-normal.jsonl").write_text("".join(json.dumps(one) + "\n" for one in elsewhere))
    made = []
    monkeypatch.setattr(variants, "carry_out", lambda jobs, *_: iter(made.extend(jobs) or ()))
    list(variants.run(tmp_path, tmp_path, [], None, seeds=2, budget=5))
    places = [(job.data, job.variant.label, job.seed) for job in made]
    assert len(places) == 2 * 2 * 14 - 2
    assert not {(DBP_WD, "paper", 0), (DBP_WD, "authors", 0)} & set(places)
    text = (tmp_path / "variants.md").read_text()
    assert "| paper | DBP-WD | 0 | 200 | .150 | .500 / .750 / .600 | 60 | 2 |" in text
    assert "BootEA" not in text


def test_a_variant_is_compared_with_its_preset_after_as_many_paths():
    runs = [
        run_of("paper", 0.1, 0.2, 0.2, 0.2, 0.2, 0.9),
        run_of("paper + dense Adam", 0.7, 0.21, 0.22, 0.19, 0.22),
        run_of("paper", *[0.3] * 5, seed=1),
        run_of("paper + dense Adam", *[0.33] * 4, seed=1),
        run_of("paper + dense Adam", 0.9, seed=2),
        run_of("authors - dense Adam", 0.9),
    ]
    found = variants.worth("paper + dense Adam", "paper", DBP_WD, runs)
    assert found.points == pytest.approx([1.0, 3.0])
    assert found.paths == 400
    assert "| dense Adam | +2.0 ± 1.4 | 400 | 2 |  |  |  |" in variants.page(runs)
    assert "| norm by step |  |  |  |  |  |  |" in variants.page(runs)


def test_whole_epochs_stand_beside_those_of_the_published_log():
    curve = [0.01 * epoch for epoch in range(1, 2 * variants.CUT + 1)]
    text = variants.page([run_of("authors", *curve), run_of("authors", *curve[: variants.CUT], seed=1)])
    assert "| 531,708 | 0.293 | 0.080 |  |" in text
    assert f"| {2 * RSN_LOG_EPOCH:,} | 0.320 | 0.160 |  |" in text
    assert f"| {14 * RSN_LOG_EPOCH:,} | {RSN_LOG[-1]:.3f} |  |  |" in text


def test_the_published_log_is_drawn_as_far_as_the_curves_go():
    axes = Figure().subplots()
    curve = run_of("paper", 0.1, 0.2)
    for row in curve["trace"]:
        row["examples"] *= 5500
    variants._curves(axes, "paper", DBP_WD, [curve, run_of("authors", 0.3)])
    published, ours = axes.get_lines()
    assert published.get_label() == "published log"
    assert published.get_xydata().tolist() == [[RSN_LOG_EPOCH, 0.293], [2 * RSN_LOG_EPOCH, 0.320]]
    assert ours.get_label() == "paper"
    other = Figure().subplots()
    variants._curves(other, "paper", EN_FR, [curve])
    assert not other.get_lines()


def test_an_unknown_variant_is_a_clear_error(tmp_path):
    with pytest.raises(FarlinkError, match="there is no part 'others'; choose of paper, paper \\+ walks by triples"):
        list(variants.run(tmp_path, tmp_path, ["others"], None, seeds=1, budget=0))

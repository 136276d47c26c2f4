import json

import pytest

from farlink.cli.app import parse_assignments
from farlink.errors import FarlinkError
from farlink.experiments import presets as alignment
from farlink.experiments.datasets import DBP_WD
from farlink.experiments.preset_records import Shown, by_share
from farlink.settings import make_settings
from helpers.pairs import Pair


@pytest.fixture
def data(tmp_path):
    """A benchmark folder in the place of EN-DE, small enough to run in seconds."""
    pair = Pair.make(entities=60)
    files = pair.write(tmp_path / "data" / "srprs" / "en_de_15k_v1", seeds=20)
    names = {"left": "rel_triples_1", "right": "rel_triples_2", "seeds": "train_links", "test": "test_links"}
    for role, path in files.items():
        path.rename(path.parent / names[role])
    return tmp_path / "data"


@pytest.mark.slow
def test_a_run_is_recorded_once_and_shown_on_the_page(data, tmp_path):
    out, only = tmp_path / "experiments", ["srprs/en_de_15k_v1"]
    told = list(alignment.run(data, out, ["fast"], only, seeds=1))
    assert told[0].startswith("EN-DE, fast, seed 0: Hits@1")
    (record,) = [json.loads(line) for line in (out / "results" / "alignment.jsonl").read_text().splitlines()]
    assert record["key"] == {"data": only[0], "preset": "fast", "variant": "", "share": None, "seed": 0}
    assert record["command"].startswith("farlink align ")
    assert record["seconds"] > 0
    assert record["peak_memory"] > 1e8
    hits = record["metrics"]["test"]["linked"]["left_to_right"]["hits@1"]
    assert f"| EN-DE | `fast` | 1 | {hits:.3f}".replace("0.", ".") in (out / "alignment.md").read_text()
    assert (out / "alignment-shares.png").read_bytes().startswith(b"\x89PNG")

    again = list(alignment.run(data, out, ["fast"], only, seeds=1))
    assert again == [f"wrote {out / 'alignment.md'}"]


def test_a_data_set_that_is_not_there_is_left_out_and_said(tmp_path):
    told = list(alignment.run(tmp_path, tmp_path, ["wider"], ["dbp_fb"], seeds=1))
    assert told[0] == f"left out: there is no {tmp_path / 'dbp_fb'}"


@pytest.mark.parametrize(
    ("parts", "only", "message"),
    [(["worst"], None, "there is no part 'worst'"), (["wider"], ["nowhere"], "no run of these parts is on nowhere")],
)
def test_an_unknown_part_or_data_set_is_a_clear_error(tmp_path, parts, only, message):
    with pytest.raises(FarlinkError, match=message):
        list(alignment.run(tmp_path, tmp_path, parts, only, seeds=1))


def test_every_ablation_changes_real_settings_on_all_five_sets():
    runs = list(alignment.jobs(["ablations"], seeds=2))
    assert len(runs) == 2 * 5 * len(alignment.ABLATIONS)
    assert len({json.dumps(job.key) for job in runs}) == len(runs)
    for changes in alignment.ABLATIONS.values():
        assert make_settings("best", **parse_assignments(list(changes))) != make_settings("best")


def page(now, before=()):
    return alignment.page(Shown([*now], [*before]))


def record_of(data, hits, variant="", seed=0, preset="best", share=None):
    key = {"data": data, "preset": preset, "variant": variant, "share": share, "seed": seed}
    figures = {"hits@1": hits, "hits@10": 0.9, "mrr": 0.7}
    metrics = {"test": {"linked": {"left_to_right": figures}}}
    return {"key": key, "cores": 2, "seconds": 100.0, "peak_memory": 2e9, "metrics": metrics}


def test_the_page_gives_mean_and_spread_over_seeds_and_what_an_ingredient_is_worth():
    data, variant = "srprs/en_de_15k_v1", "without agreeing triples"
    records = [record_of(data, 0.6), record_of(data, 0.62, seed=1), record_of(data, 0.51, variant)]
    text = page(records)
    assert "| EN-DE | `best` | 2 | .610 / .900 / .700 (± .014) |  | .487 / .720 / .570 |" in text
    assert ".510 (-9.0)" in text  # against seed 0, its own


def test_what_is_left_to_gain_stands_on_the_page_and_is_no_ablation():
    data = "srprs/en_de_15k_v1"
    text = page([record_of(data, 0.6), record_of(data, 0.75, alignment.KNOWN)])
    assert "| EN-DE | .600 | .750 | 80% |  |" in text
    assert ".750 (" not in text


def test_shares_of_seeds_stand_with_the_cores_they_had():
    text = page([record_of(DBP_WD.folder, 0.48, share=0.1)])
    assert "| 10% | .480 / .900 / .700 | 100 | 2 |" in text


def test_the_ceiling_of_structure_stands_beside_the_figures():
    record = record_of("srprs/en_de_15k_v1", 0.6)
    assert "| .600 / .900 / .700 |  | .487" in page([record])
    record["metrics"]["test"]["ceiling"] = {"linked": 0.685, "all": 0.6}
    assert "| .600 / .900 / .700 | .685 | .487" in page([record])


def test_rows_of_the_papers_preset_come_from_the_papers_tables(tmp_path):
    (tmp_path / "results").mkdir()
    records = []
    for label, hits in (("RSN", 0.48), ("RSN without biases", 0.45), ("BootEA", 0.44)):
        key = {"data": "srprs/en_de_15k_v1", "label": label, "x": None, "seed": 0, "minutes": 5}
        records.append(json.dumps({**record_of("", hits), "key": key}) + "\n")
    (tmp_path / "results/table-normal.jsonl").write_text("".join(records))
    list(alignment.run(tmp_path, tmp_path, [], None, seeds=1))
    text = (tmp_path / "alignment.md").read_text()
    assert "| EN-DE | `paper` | 1 | .480 / .900 / .700 |" in text
    assert ".450" not in text
    assert ".440" not in text


SIDES = "## Before and after linked entities had both sides"


def test_runs_from_before_linked_entities_had_both_sides_are_shown_where_there_are_none_of_now_and_marked():
    before, now = record_of("srprs/en_de_15k_v1", 0.6), record_of(DBP_WD.folder, 0.55)
    text = page([now], [before, record_of(DBP_WD.folder, 0.5)])
    assert "| EN-DE | `best`† | 1 | .600 / .900 / .700 |" in text
    assert "| DBP-WD | `best` | 1 | .550 / .900 / .700 |" in text
    assert ".500 / .900" not in text


def test_before_and_after_stand_side_by_side_where_both_are():
    before = [record_of(DBP_WD.folder, hits, seed=seed) for seed, hits in enumerate((0.50, 0.52, 0.54))]
    now = [record_of(DBP_WD.folder, hits, seed=seed) for seed, hits in enumerate((0.53, 0.55, 0.57))]
    fast = [record_of(DBP_WD.folder, 0.5, preset="fast")]
    text = page([*now, *fast], before)
    assert SIDES in text
    assert "| DBP-WD | `best` | 3, 3 | .520 ± .020 | .550 ± .020 | +3.0 |" in text
    assert text.count("| `fast` |") == 1  # of the presets; nothing to set it beside
    assert SIDES not in page(now) + page([], before)


def test_an_ablation_is_compared_with_runs_of_the_same_state():
    variant = "without agreeing triples"
    before = [record_of(DBP_WD.folder, 0.5), record_of(DBP_WD.folder, 0.45, variant)]
    now = [record_of(DBP_WD.folder, 0.6)]
    text = page(now, before)
    assert "|  | EN-FR | EN-DE | DBP-WD† |" in text
    assert "| `best` |  |  | .500 |" in text
    assert ".450 (-5.0)" in text
    text = page([*now, record_of(DBP_WD.folder, 0.57, variant)], before)
    assert "|  | EN-FR | EN-DE | DBP-WD |" in text
    assert ".570 (-3.0)" in text


def test_shares_of_seeds_are_all_of_one_state():
    before = [record_of(DBP_WD.folder, hits, share=share) for share, hits in ((0.1, 0.4), (0.2, 0.45), (None, 0.5))]
    assert "| 10%† | .400 / .900 / .700 |" in page([record_of(DBP_WD.folder, 0.6)], before)
    text = page([record_of(DBP_WD.folder, 0.42, share=0.1)], before)
    assert "| 10% | .420 / .900 / .700 |" in text
    assert "| 20%" not in text


def test_without_runs_with_other_shares_the_official_split_is_shown():
    shown = Shown([record_of(DBP_WD.folder, 0.5)], [record_of(DBP_WD.folder, 0.4)])
    assert [(share, len(found)) for share, found in by_share(shown, DBP_WD)] == [(0.3, 1)]


def test_of_records_with_the_same_key_the_last_counts(tmp_path):
    (tmp_path / "results").mkdir()
    lines = [json.dumps(record_of(DBP_WD.folder, hits)) + "\n" for hits in (0.5, 0.6)]
    (tmp_path / "results" / "alignment-one-sided-beta.jsonl").write_text("".join(lines))
    (found,) = Shown.of(tmp_path).runs_before(DBP_WD)
    assert found["metrics"]["test"]["linked"]["left_to_right"]["hits@1"] == 0.6


def test_the_page_says_where_figures_of_others_are_from():
    text = page([record_of("openea/d_w_15k_v1", 0.7)])
    assert "| RREA semi .718 |" in text
    assert "- RREA (semi): Mao et al., CIKM 2020" in text

import json

import numpy as np
import pytest

from farlink.errors import FarlinkError
from farlink.experiments import datasets, signals, signals_page
from farlink.experiments.published import BEYOND_STRUCTURE
from farlink.experiments.signal_cases import ABLATIONS, CASES, EVERY, NEAREST_NAME, OWN_SEEDS, STRUCTURE, Case
from farlink.experiments.signals import Job
from farlink.settings import SIGNALS

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "jetty", "knoll", "larch")
NAME, RELATION = "http://x.org/name", "http://x.org/near"


@pytest.fixture
def data(tmp_path):
    """A benchmark folder in the place of the restaurants: two towns of a dozen, two right entities without a word."""
    folder = tmp_path / "data" / "named" / "restaurants"
    folder.mkdir(parents=True)
    for side in (1, 2):
        spoken = WORDS if side == 1 else WORDS[:-2]
        ring = [(f"{side}/{i}", RELATION, f"{side}/{(i + 1) % len(spoken)}") for i in range(len(spoken))]
        called = [(f"{side}/{i}", NAME, f"{word} {word[::-1]}{'s' * (side - 1)}") for i, word in enumerate(spoken)]
        write(folder / f"rel_triples_{side}", ring)
        write(folder / f"attr_triples_{side}", called)
    write(folder / "ent_links", [(f"1/{i}", f"2/{i}") for i in range(len(WORDS))])
    return tmp_path / "data"


def write(path, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in rows))


@pytest.mark.slow
def test_a_run_without_links_and_the_nearest_names_stand_in_one_row(data, tmp_path):
    out, only = tmp_path / "experiments", ["named/restaurants"]
    told = list(signals.run(data, out, ["named", "names"], only, seeds=1))
    assert told[0].startswith("restaurants, links none, seed 0: Hits@1 ")
    assert told[1].startswith("restaurants, links none, nearest name, seed 0: Hits@1 0.833")
    records = [json.loads(line) for line in (out / "results" / "signals.jsonl").read_text().splitlines()]
    assert [record["key"]["variant"] for record in records] == ["", NEAREST_NAME]
    assert records[0]["command"].endswith(f"{only[0]} --share 0 --seed 0 --out RUN")
    assert records[0]["telling"]["silent"] == 2
    assert records[0]["telling"]["links"] == 12
    for pair in records[0]["pairs"]:
        assert 0 <= pair["probability"] <= 1
        assert {signal for _, _, signal in pair["steps"]} >= {"any pair", "names"}
    assert (out / signals_page.CALIBRATION).stat().st_size > 5_000
    assert not (out / signals_page.WATERFALL).exists()  # it is of EN-FR
    text = (out / "signals.md").read_text()
    assert "| restaurants | none | 1 | " in text
    assert "2 of the 12 test links lead to an entity" in text

    again = list(signals.run(data, out, ["named", "names"], only, seeds=1))
    assert again == [f"wrote {out / 'signals.md'}"]


def test_the_nearest_by_name_are_ranked_among_all_and_a_tie_is_no_hit(data):
    folder = data / "named" / "restaurants"
    task = Case(datasets.RESTAURANTS).task(folder)
    ranks = signals.name_ranks(task).realistic
    assert (np.sort(ranks) == [*([1.0] * 10), *([len(task.right.entities)] * 2)]).all()
    twice = folder / "attr_triples_2"
    twice.write_text(twice.read_text() + f"2/1\t{NAME}\tamber rebmas\n")  # as 2/0 is called
    assert signals.name_ranks(Case(datasets.RESTAURANTS).task(folder)).summary()["hits@1"] == pytest.approx(9 / 12)


def test_graphs_without_names_have_no_nearest(data):
    folder = data / "named" / "restaurants"
    (folder / "attr_triples_2").unlink()
    assert signals.name_ranks(Case(datasets.RESTAURANTS).task(folder)).summary()["hits@1"] == 0


def test_files_and_attributes_are_given_as_the_command_line_takes_them(tmp_path):
    case = Case(datasets.PERSONS, ("left.ttl", "right.ttl", "gold.tsv"))
    assert case.arguments(tmp_path) == [
        *(str(tmp_path / n) for n in ("left.ttl", "right.ttl")),
        "--test",
        str(tmp_path / "gold.tsv"),
    ]
    named = Job(Case(datasets.DBP15K_ZH, attributes="english_names"), 1)
    names = str(tmp_path / "english_names")
    assert named.arguments(tmp_path, "RUN") == [
        *("align", str(tmp_path), "--share", "0", "--left-attributes", names, "--right-attributes", names),
        *("--seed", "1", "--out", "RUN"),
    ]
    own = Case(datasets.DBP15K_ZH, links=OWN_SEEDS)
    assert own.arguments(tmp_path) == [str(tmp_path)]


def test_every_run_has_a_key_of_its_own():
    runs = list(signals.jobs(signals.PARTS, seeds=2))
    assert len({json.dumps(job.key) for job in runs}) == len(runs)
    named = [case for case in EVERY if case.options != STRUCTURE and not case.scrambled]
    assert len(runs) == 2 * len(EVERY) + len(named) + 2 * sum(len(sets) for _, sets in ABLATIONS.values())
    assert len(set(EVERY)) == len(EVERY) == sum(map(len, CASES.values()))


def test_scrambled_names_have_the_same_letters_and_nothing_else_changes(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "ent_ids_2").write_text("7\thttp://x/resource/Nanjing\n9\thttp://x/resource/Oslo\n")
    (folder / "triples_2").write_text("7\t0\t9\n")
    copied = signals.scrambled(folder, tmp_path / "out", seed=0)
    (one, nanjing), (other, oslo) = (line.split("\t") for line in (copied / "ent_ids_2").read_text().splitlines())
    assert (one, other) == ("7", "9")
    assert nanjing.startswith("http://scrambled/7/")
    assert sorted(nanjing.rsplit("/", 1)[-1]) == sorted("Nanjing")
    assert (nanjing + oslo).count("Nanjing") == 0
    assert (copied / "triples_2").read_text() == (folder / "triples_2").read_text()
    assert (folder / "ent_ids_2").read_text().startswith("7\thttp://x")


def test_few_seeds_split_the_links_anew(tmp_path):
    cases = CASES["few-seeds"]
    shares = [case.arguments(tmp_path)[case.arguments(tmp_path).index("--share") + 1] for case in cases]
    assert shares == ["0.2", "0.1", "0.05", "0.01"]


def test_ablations_name_signals_that_there_are():
    for changes, _ in ABLATIONS.values():
        for word in changes[changes.index("--signals") + 1].split(",") if "--signals" in changes else ():
            assert word in SIGNALS


@pytest.mark.parametrize(
    ("parts", "only", "message"),
    [(["worst"], None, "there is no part 'worst'"), (["named"], ["nowhere"], "no run of these parts is on nowhere")],
)
def test_an_unknown_part_or_data_set_is_a_clear_error(tmp_path, parts, only, message):
    with pytest.raises(FarlinkError, match=message):
        list(signals.run(tmp_path, tmp_path, parts, only, seeds=1))


def record_of(case, f1, hits, variant="", seed=0, silent=0):
    mapping = {"precision": 0.99, "recall": 0.98, "f1": f1}
    test = {
        "all": {"left_to_right": {"hits@1": hits}},
        "mapping": mapping,
        "calibration": {"gap": 0.012},
        "name_equality": {"f1": 0.775},
    }
    return {
        "key": {
            "data": case.data.folder,
            "links": case.links,
            "attributes": case.attributes,
            "note": case.note,
            "variant": variant,
            "seed": seed,
        },
        "cores": 2,
        "seconds": 24.0,
        "peak_memory": 2e9,
        "metrics": {"test": test},
        "telling": {"silent": silent, "links": 10, "mapping": mapping},
    }


EN_FR = next(case for case in EVERY if case.data == datasets.EN_FR)


def test_the_page_gives_mean_and_spread_beside_simple_ways_and_others():
    name = record_of(EN_FR, 0, 0.89, NEAREST_NAME)
    del name["metrics"]["test"]["mapping"], name["peak_memory"], name["telling"]
    text = signals_page.page([record_of(EN_FR, 0.98, 0.99), record_of(EN_FR, 0.96, 0.98, seed=1), name])
    assert (
        "| EN-FR | none | 2 | .990 | .980 | .970 ± .014 | .985 | .012 | .775 | .890 | PARIS, translated names: F1 .882"
        "; LightEA, 30 % links: Hits@1 .996 | 24 | 2 | 2.0 GB |"
    ) in text
    assert "test links lead to" not in text


def test_five_pairs_are_drawn_step_by_step_and_probabilities_beside_what_is_right(tmp_path):
    said = {"pairs": [5, 9], "probability": [0.2, 0.9], "right": [0.1, 1.0], "gap": 0.1}
    record = record_of(EN_FR, 0.9, 0.9)
    record["metrics"]["test"]["calibration"] = said
    steps = [["any pair", -9.0, "any pair"], ["names", 11.0, "names"]]
    record["pairs"] = [{"pair": "a = b", "probability": 0.9, "steps": steps}]
    signals_page.draw_pictures([record], tmp_path)
    for name in (signals_page.CALIBRATION, signals_page.WATERFALL):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_a_row_may_have_but_the_nearest_name():
    name = record_of(EN_FR, 0, 0.89, NEAREST_NAME)
    assert "| EN-FR | none |  |  |  |  |  |  |  | .890 | " in signals_page.page([name])


def test_runs_with_fewer_signals_stand_below_those_with_all():
    text = signals_page.page(
        [record_of(EN_FR, 0.98, 0.99), record_of(EN_FR, 0.9, 0.91, "agreeing triples count nothing")]
    )
    assert "| all signals |  |  | .980 / .990 |  |  |" in text
    assert "| agreeing triples count nothing | `--set evidence=0` |  | .900 / .910 |  |  |" in text


def test_figures_of_others_are_of_data_sets_that_have_a_row():
    assert set(BEYOND_STRUCTURE) <= {case.data for case in EVERY}
    assert [str(told) for told in BEYOND_STRUCTURE[datasets.MOVIES]] == ["PARIS: F1 .993"]

import pytest

from farlink.experiments.registry import EXPERIMENTS
from farlink.io.benchmark import read_alignment_folder
from helpers.commands import complaint, invoke
from helpers.pairs import Pair


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Pair.make(entities=300, triples=900).write(tmp_path_factory.mktemp("files"), seeds=250)


def test_sample_makes_a_benchmark_folder_with_a_report(files, tmp_path):
    out = tmp_path / "benchmark"
    options = ("--links", files["seeds"], "--size", 60, "--seed-share", 0.5, "--valid-share", 0.1, "--epsilon", 0.2)
    result = invoke("sample", files["left"], files["right"], *options, "--out", out)
    assert result.exit_code == 0, result.output
    assert "SRPRS" in result.output
    data = read_alignment_folder(out)
    assert (data.seeds.height, data.valid.height, data.test.height) == (30, 6, 24)


def test_a_distance_that_cannot_be_reached_is_said(files, tmp_path):
    result = invoke("sample", files["left"], "--size", 40, "--epsilon", 0, "--out", tmp_path / "sample")
    assert result.exit_code == 0
    assert "could not be brought within 0.0% of the original" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--out is missing"),
        (("--seed-share", 0.8, "--valid-share", 0.3, "--out", "new"), "more than all links"),
        (("--seed-share", 0.5, "--out", "new"), "one graph has no links to be divided"),
        (("--out", "full"), "not empty"),
        (("--out", "full/letter.txt"), "is a file, expected a folder (--out)"),
        (("--size", 5000, "--out", "new"), "there are 300 entities with triples; choose a smaller size (--size)"),
    ],
)
def test_sample_says_what_is_wrong(files, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    assert message in complaint("sample", files["left"], *options)
    assert not (tmp_path / "new").exists()


def test_an_experiment_without_parts_only_writes_its_page(tmp_path):
    result = invoke("experiment", "completion", "--data", tmp_path, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "FB15K-237" in (tmp_path / "completion.md").read_text()


def test_an_experiment_that_could_not_be_written_down_is_not_begun(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    message = complaint("experiment", "table-dense", "--data", tmp_path, "--out", tmp_path / "letter.txt")
    assert "letter.txt" in message
    assert "name a folder (--out)" in message
    assert "left out" not in message


def test_an_experiment_without_data_is_a_clear_error(tmp_path):
    message = complaint("experiment", "table-dense", "--data", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert "nowhere: no such folder; name the folder with the benchmark data sets (--data)" in message


def test_where_the_data_is_has_no_default(tmp_path, monkeypatch):
    monkeypatch.delenv("FARLINK_DATA", raising=False)
    message = complaint("experiment", "table-dense", "--out", tmp_path / "out")
    assert "name the folder with the benchmark data sets, here or in the variable FARLINK_DATA" in message
    assert message.endswith("(--data, --page-only)")


def test_a_page_is_written_from_what_is_recorded_without_data(tmp_path, monkeypatch):
    monkeypatch.delenv("FARLINK_DATA", raising=False)
    result = invoke("experiment", "table-dense", "--page-only", "--out", tmp_path)
    assert result.output.replace("\n", "") == f"wrote {tmp_path / 'table-dense.md'}"


def test_where_the_data_is_may_stand_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("FARLINK_DATA", str(tmp_path))
    result = invoke("experiment", "table-dense", "--part", "RSN", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert f"left out: there is no {tmp_path / 'srprs'}" in result.output.replace("\n", "")


def test_help_tells_every_experiment_and_where_the_data_may_stand():
    text = invoke("experiment", "--help").output
    assert "FARLINK_DATA" in text
    for name in EXPERIMENTS:
        assert name in text


def test_an_unknown_experiment_is_a_clear_error(tmp_path):
    assert "there is no experiment 'table-top'" in complaint("experiment", "table-top", "--out", tmp_path)


def test_the_papers_table_of_completion_runs_all_of_its_parts(tmp_path):
    result = invoke("experiment", "table-completion", "--data", tmp_path, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.output.count("left out") == 3  # none of the data sets is there


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("alignment", "--budget"),
        ("restart", "--only"),
        ("degree-distribution", "--part"),
        ("degree-distribution", "--only"),
        ("degree-distribution", "--budget"),
    ],
)
def test_an_option_that_would_do_nothing_is_an_error(tmp_path, name, option):
    assert f"experiment {name} takes no {option[2:]} ({option})" in complaint(
        "experiment", name, option, "1", "--out", tmp_path
    )

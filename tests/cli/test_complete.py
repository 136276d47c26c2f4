import json

import polars as pl
import pytest

from helpers.commands import QUICK_OPTIONS, complaint, invoke


@pytest.mark.slow
def test_complete_takes_a_benchmark_folder(folder, tmp_path):
    result = invoke("complete", folder, "--out", tmp_path / "run", *QUICK_OPTIONS)
    assert result.exit_code == 0, result.output
    assert "108 to learn from, 6 for validation, 6 for the final test" in result.output
    assert "the tensor model, epoch 8: loss" in result.output
    assert "test triples, filtered realistic ranks" in result.output


@pytest.mark.slow
def test_complete_takes_files(folder, tmp_path):
    options = [*QUICK_OPTIONS, "--set", "max_epochs=1", "--set", "factors=0", "--set", "rules=0"]
    parts = (folder / "train.txt", "--test", folder / "test.txt")
    result = invoke("complete", *parts, "--out", tmp_path / "run", *options)
    assert result.exit_code == 0, result.output
    assert "no validation triples given: 10 of the 108 are held out for validation" in result.output


def test_complete_says_what_is_missing_or_too_much(folder, tmp_path):
    assert "--out is missing" in complaint("complete", folder)
    message = complaint("complete", folder, "--valid", folder / "valid.txt", "--out", tmp_path / "run")
    assert "brings its own validation and test triples" in message
    assert "there is no train.txt" in complaint("complete", tmp_path, "--out", tmp_path / "run")


def test_predict_answers_with_the_paths_that_speak_for_it(ring_run):
    result = invoke("predict", ring_run.folder, "--head", "e36", "--relation", "previous", "-k", "2")
    assert result.exit_code == 0, result.output
    assert "e36 ←next─ e35 (true for 28 of 40 such paths)" in result.output
    rows = json.loads(invoke("predict", ring_run.folder, "--tail", "e35", "--relation", "previous", "--json").output)
    assert rows[0]["head"] == "e36"
    assert rows[0]["known"]
    assert rows[0]["paths"]


def test_predict_answers_a_file_of_questions(ring_run, tmp_path):
    (tmp_path / "queries.tsv").write_text("e1\tnext\t?\n?\tnext\te1\n")
    out = tmp_path / "facts.tsv"
    result = invoke("predict", ring_run.folder, "--queries", tmp_path / "queries.tsv", "-k", "3", "--out", out)
    assert "6 facts" in result.output
    table = pl.read_csv(out, separator="\t")
    assert table.filter(rank=1).select("head", "relation", "tail").rows() == [
        ("e1", "next", "e2"),
        ("e0", "next", "e1"),
    ]


def test_predict_says_which_question_of_a_file_it_cannot_answer(ring_run, tmp_path):
    (tmp_path / "queries.tsv").write_text("e1\tnext\t?\nE2\tnext\t?\n")
    message = complaint("predict", ring_run.folder, "--queries", tmp_path / "queries.tsv")
    assert f"{tmp_path / 'queries.tsv'}: question 2: the graph has no entity 'E2'; did you mean 'e2'" in message


def test_predict_finds_new_facts_in_the_whole_graph(ring_run, tmp_path):
    out = tmp_path / "facts.parquet"
    assert invoke("predict", ring_run.folder, "--all", "-k", "7", "--out", out).exit_code == 0
    assert pl.read_parquet(out).height == 7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--head", "e1"), "a question has a --relation"),
        (("--relation", "next"), "either a --head or a --tail"),
        (("--all", "--head", "e1"), "ask one thing"),
        ((), "ask one thing"),
        (("--head", "e999", "--relation", "next"), "no entity 'e999'"),
    ],
)
def test_predict_says_what_is_wrong_with_a_question(ring_run, words, message):
    assert message in complaint("predict", ring_run.folder, *words)


def test_each_command_wants_its_kind_of_run(ring_run, tiny_run):
    assert "ask it with 'farlink match'" in complaint("predict", tiny_run.folder, "--all")
    assert "ask it with 'farlink predict'" in complaint("match", ring_run.folder, "e1")
